// Sorting and filtering of tables that are complete without it.
"use strict";
(function () {
  // What a verdict means, written out on the index page, shows where the pointer rests on one; said once a page, not thousands of times.
  const meanings = JSON.parse(document.getElementById("verdict-meanings").textContent);
  document.querySelectorAll(".verdict").forEach((badge) => {
    const meaning = meanings[badge.lastChild.textContent.trim()];
    if (meaning) badge.title = meaning;
  });
  // "0.47 ± 0.02 (5)" sorts as 0.47, "−3" as -3; what does not begin with a number sorts last.
  function number(text) {
    const found = /^[<>≤≥~]?\s*([-+−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+−]?\d+)?)/.exec(text);
    return found ? parseFloat(found[1].replace(/,/g, "").replace(/−/g, "-")) : NaN;
  }
  function key(row, column) {
    const cell = row.cells[column];
    if (!cell) return "";
    if (cell.className === "claim") return row.id;
    return (cell.dataset.sort !== undefined ? cell.dataset.sort : cell.textContent).trim();
  }
  function sort(table, header, column) {
    const direction = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row, index) => ({ row, index, text: key(row, column) }));
    rows.forEach((entry) => { entry.number = number(entry.text); });
    const numeric = rows.filter((entry) => !Number.isNaN(entry.number)).length * 2 > rows.filter((entry) => /\w/.test(entry.text)).length;
    rows.sort((a, b) => {
      if (numeric) {
        const missing = Number.isNaN(a.number) - Number.isNaN(b.number);
        if (missing) return missing;
        if (!Number.isNaN(a.number) && a.number !== b.number) return direction * (a.number - b.number);
      } else if (!a.text !== !b.text) {
        return a.text ? -1 : 1;
      }
      return (numeric ? 0 : direction * a.text.localeCompare(b.text, "en", { numeric: true })) || a.index - b.index;
    });
    rows.forEach((entry) => body.appendChild(entry.row));
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.setAttribute("aria-sort", "none"));
    header.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
  }
  document.querySelectorAll("table.sortable").forEach((table) => {
    table.querySelectorAll("thead th[data-column]").forEach((header) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      header.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sort(table, header, Number(header.dataset.column)));
    });
  });

  document.querySelectorAll(".filters").forEach((box) => {
    const table = document.getElementById(box.dataset.table);
    const rows = Array.from(table.tBodies[0].rows);
    const buttons = Array.from(box.querySelectorAll("button[data-value]"));
    const search = box.querySelector("input");
    const shown = box.querySelector("output");
    const fields = Array.from(new Set(buttons.map((button) => button.dataset.field)));
    function chosen(field) {
      return buttons.filter((button) => button.dataset.field === field && button.getAttribute("aria-pressed") === "true").map((button) => button.dataset.value);
    }
    function apply() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = fields.map((field) => [field, chosen(field)]).filter((entry) => entry[1].length);
      const verdicts = chosen("verdict");
      let count = 0;
      rows.forEach((row) => {
        const text = words.length ? row.textContent.toLowerCase() : "";
        const keep = wanted.every(([field, values]) => values.includes(row.dataset[field])) && words.every((word) => text.includes(word));
        row.hidden = !keep;
        count += keep;
      });
      shown.textContent = count + " of " + rows.length;
      // In the published tables, where hiding would tear holes, entries with other verdicts step back.
      document.querySelectorAll("td[data-verdict]").forEach((cell) => cell.classList.toggle("dim", verdicts.length > 0 && !verdicts.includes(cell.dataset.verdict)));
    }
    function clear() {
      buttons.forEach((button) => button.setAttribute("aria-pressed", "false"));
      search.value = "";
      apply();
    }
    buttons.forEach((button) => button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      apply();
    }));
    search.addEventListener("input", apply);
    box.querySelector("button.clear").addEventListener("click", clear);
    // A count leads to what it counts: statements with a verdict, of a kind of evidence.
    function press(field, value) {
      buttons.filter((button) => button.dataset.field === field).forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.value === value)));
    }
    // A link to a row that is filtered away shows it again.
    function reveal() {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (target && table.contains(target) && target.dataset.onlyVerdict !== undefined) {
        fields.forEach((field) => press(field, ""));
        press("verdict", target.dataset.onlyVerdict);
        press("evidence", target.dataset.onlyEvidence);
        press("counted", "statement");
        search.value = "";
        apply();
        box.scrollIntoView();
      } else if (target && table.contains(target) && target.closest("tr[hidden]")) {
        clear();
        target.scrollIntoView();
      }
    }
    window.addEventListener("hashchange", reveal);
    box.hidden = false;
    apply();
    reveal();
  });
})();
