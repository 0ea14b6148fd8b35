// Opens a setting's row: all that is stored of its cells, from the JSON on this page. Everything is set as text.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("cells-data").textContent);
  const FIELDS = ["repetition", "seed", "status", "reason", "log", "environment", "data", "code", "converged", "iterations", "tolerance", "cpu", "wall", "memory", "values"];
  const groups = new Map(data.groups.map((group) => [group.id, group]));
  const text = (index) => data.texts[index];

  function element(name, content, attributes) {
    const made = document.createElement(name);
    Object.entries(attributes || {}).forEach(([key, value]) => made.setAttribute(key, value));
    (Array.isArray(content) ? content : [content]).forEach((part) => {
      if (part !== null && part !== undefined) made.append(part instanceof Node ? part : String(part));
    });
    return made;
  }
  function shown(value) {
    if (value === null || value === undefined) return "–";
    return typeof value === "number" ? String(value) : value === true ? "yes" : value === false ? "no" : value;
  }
  function object(json) {
    try {
      return Object.entries(JSON.parse(json)).map(([key, value]) => key + " " + value).join(", ");
    } catch (error) {
      return shown(json);
    }
  }
  function row(label, cells, here, pick, wrap) {
    const values = cells.map(pick).map(shown);
    const line = element("tr", element("th", label, { scope: "row" }));
    // What is the same for all cells is said once.
    if (wrap && values.length > 1 && values.every((value) => value === values[0])) {
      line.append(element("td", values[0], { colspan: values.length }));
    } else {
      values.forEach((value, index) => line.append(element("td", value, cells[index].repetition === here ? { class: "here" } : {})));
    }
    return line;
  }
  function panel(group, here, width) {
    const cells = group.cells.map((values) => Object.fromEntries(FIELDS.map((name, index) => [name, values[index]])));
    const environment = (name) => (cell) => data.environments[cell.environment][name];
    const source = (name) => (cell) => data.data[cell.data][name];
    const head = element("tr", [element("th", "repetition", { scope: "col" })].concat(cells.map((cell) => element("th", cell.repetition, cell.repetition === here ? { scope: "col", class: "here" } : { scope: "col" }))));
    const body = element("tbody", [
      row("status", cells, here, (cell) => text(cell.status)),
      row("reason", cells, here, (cell) => text(cell.reason), true),
      ...group.metrics.map((metric, index) => row(text(metric), cells, here, (cell) => cell.values[index])),
      row("converged", cells, here, (cell) => cell.converged, true),
      row("iterations", cells, here, (cell) => cell.iterations),
      row("tolerance", cells, here, (cell) => cell.tolerance, true),
      row("seed", cells, here, (cell) => cell.seed),
      row("CPU seconds", cells, here, (cell) => cell.cpu),
      row("wall seconds", cells, here, (cell) => cell.wall),
      row("peak memory, MiB", cells, here, (cell) => cell.memory),
      row("threads", cells, here, environment("threads"), true),
      row("data", cells, here, (cell) => [source("data_kind")(cell), source("data_source")(cell)].filter(Boolean).join(", from "), true),
      row("stands in for", cells, here, source("stand_in_for"), true),
      row("data sha256", cells, here, source("data_sha256"), true),
      row("git commit", cells, here, environment("git_commit"), true),
      row("changed since", cells, here, environment("git_dirty"), true),
      row("core build", cells, here, environment("core_build"), true),
      row("code digest", cells, here, (cell) => text(cell.code), true),
      row("versions", cells, here, (cell) => object(environment("versions")(cell)), true),
      row("machine", cells, here, (cell) => object(environment("machine")(cell)), true),
      ...(cells.some((cell) => text(cell.log)) ? [row("end of log", cells, here, (cell) => text(cell.log), true)] : []),
    ]);
    const facts = element("dl", [], { class: "facts" });
    [["cells", group.id + "/*"], ["setting", group.setting], ["estimator", text(group.estimator)], ["parameters", object(text(group.params))]].forEach(([name, value]) => facts.append(element("dt", name), element("dd", element("code", value))));
    return element("tr", element("td", [facts, element("div", element("table", [element("thead", head), body]), { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells of " + group.id })], { colspan: width }), { class: "panel" });
  }
  function open(id, scroll) {
    const target = document.getElementById(id);
    const line = target && target.closest("tr[data-group]");
    if (!line) return;
    document.querySelectorAll("tr.panel").forEach((other) => other.remove());
    line.after(panel(groups.get(line.dataset.group), target.dataset.repetition === undefined ? null : Number(target.dataset.repetition), line.cells.length));
    if (scroll) line.scrollIntoView();
  }
  const asked = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch (error) { return ""; } };
  window.addEventListener("hashchange", () => open(asked(), false));
  if (asked()) open(asked(), true);
})();
