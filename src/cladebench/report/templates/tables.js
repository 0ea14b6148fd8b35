// Sorting and filtering of tables that are complete without it.
"use strict";
(function () {
  // What a verdict means shows where the pointer rests on one; said once a page, not thousands of times.
  const meanings = JSON.parse(document.getElementById("verdict-meanings").textContent);
  document.querySelectorAll(".verdict").forEach((badge) => {
    const name = Array.from(badge.classList).find((word) => word.startsWith("v-"));
    const meaning = name && meanings[name.slice(2).replace(/-/g, " ")];
    if (meaning && !badge.title) badge.title = meaning;
  });
  // "0.47 ± 0.02 (5)" sorts as 0.47, "−3" as -3; what does not begin with a number sorts last.
  function number(text) {
    const found = /^[<>≤≥~]?\s*([-+−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+−]?\d+)?)/.exec(text);
    return found ? parseFloat(found[1].replace(/,/g, "").replace(/−/g, "-")) : NaN;
  }
  function key(row, column) {
    const cell = row.cells[column];
    if (!cell) return "";
    if (cell.classList.contains("claim")) return row.id;
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

  const FIELDS = ["answer", "done", "verdict", "cause", "evidence"];
  const fragment = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch (error) { return ""; } };
  document.querySelectorAll(".filters").forEach((box) => {
    const table = document.getElementById(box.dataset.table);
    const rows = Array.from(table.tBodies[0].rows);
    const buttons = Array.from(box.querySelectorAll("button[data-field]"));
    const why = box.querySelector("select");
    const search = box.querySelector("input");
    const only = box.querySelector("button.only");
    const shown = box.querySelector("output");
    // The marks to which counts lead without a script stand in rows; with one, they lead to this box.
    const places = new Map();
    table.querySelectorAll("[data-filter]").forEach((mark) => {
      places.set(mark.id, mark.dataset.filter);
      mark.removeAttribute("id");
    });
    let state = new URLSearchParams();

    function apply() {
      const words = (state.get("text") || "").toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = FIELDS.map((field) => [field, state.getAll(field)]).filter((entry) => entry[1].length);
      let count = 0;
      rows.forEach((row) => {
        const text = words.length ? row.textContent.toLowerCase() : "";
        const keep = wanted.every(([field, values]) => values.includes(row.dataset[field])) && words.every((word) => text.includes(word));
        row.hidden = !keep;
        count += keep;
      });
      shown.textContent = count + " of " + rows.length;
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(state.getAll(button.dataset.field).includes(button.dataset.value))));
      why.value = state.get("cause") || "";
      if (search.value !== (state.get("text") || "")) search.value = state.get("text") || "";
      only.textContent = state.get("evidence") + " ×";
      only.hidden = !state.has("evidence");
      // In the published tables, where hiding would tear holes, entries with other answers step back.
      const answers = state.getAll("answer");
      document.querySelectorAll("td[data-answer]").forEach((cell) => cell.classList.toggle("dim", answers.length > 0 && !answers.includes(cell.dataset.answer)));
    }
    function change(next, hash) {
      state = next;
      apply();
      const query = state.toString();
      try {
        history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + (hash === undefined ? location.hash : hash));
      } catch (error) { /* some browsers refuse this for files; the filters work all the same */ }
    }
    function changed(edit) {
      const next = new URLSearchParams(state);
      edit(next);
      change(next, "#claims");
    }
    function set(field, value) {
      changed((next) => (value ? next.set(field, value) : next.delete(field)));
    }
    buttons.forEach((button) => button.addEventListener("click", () => changed((next) => {
      const { field, value } = button.dataset;
      const values = next.getAll(field);
      next.delete(field);
      values.filter((other) => other !== value).concat(values.includes(value) ? [] : [value]).forEach((other) => next.append(field, other));
    })));
    why.addEventListener("change", () => set("cause", why.value));
    search.addEventListener("input", () => set("text", search.value));
    only.addEventListener("click", () => set("evidence", ""));
    box.querySelector("button.clear").addEventListener("click", () => change(new URLSearchParams(), "#claims"));

    // A count leads to what it counts; a link to a row that is filtered away shows it again.
    function reveal() {
      const name = fragment();
      const target = document.getElementById(name);
      if (places.has(name)) {
        change(new URLSearchParams(places.get(name)));
        box.scrollIntoView();
      } else if (target && table.contains(target)) {
        if (target.closest("tr[hidden]")) change(new URLSearchParams());
        const folded = target.closest("details");
        if (folded) folded.open = true;
        target.scrollIntoView();
      }
    }
    box.hidden = false;
    const asked = new URLSearchParams(location.search);
    Array.from(asked.keys()).filter((name) => name !== "text" && !FIELDS.includes(name)).forEach((name) => asked.delete(name));
    state = asked;
    apply();
    reveal();
    window.addEventListener("hashchange", reveal);
    window.addEventListener("load", reveal);
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (link && link.hash === location.hash) reveal();
    });
  });

  // In the navigation that stays in sight, the section that is being read is marked.
  const links = new Map(Array.from(document.querySelectorAll("nav.sticky a[href^='#']")).map((link) => [link.hash.slice(1), link]));
  if (links.size && "IntersectionObserver" in window) {
    const heads = Array.from(links.keys()).map((name) => document.getElementById(name)).filter(Boolean);
    const mark = () => {
      const read = heads.filter((head) => head.getBoundingClientRect().top < 120).pop();
      links.forEach((link, name) => (read && read.id === name ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
    };
    const observer = new IntersectionObserver(mark, { rootMargin: "0px 0px -80% 0px" });
    heads.forEach((head) => observer.observe(head));
  }
})();
