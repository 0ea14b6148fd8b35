// Shows below its table all that is stored of a setting's runs, from the JSON on this page. Everything is set as text.
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
  // What all runs of a setting share is said once, above the table of what differs.
  function panel(group, here) {
    const cells = group.cells.map((values) => Object.fromEntries(FIELDS.map((name, index) => [name, values[index]])));
    const environment = (name) => (cell) => data.environments[cell.environment][name];
    const source = (name) => (cell) => data.data[cell.data][name];
    const mark = (cell, attributes) => (cell.repetition === here ? { ...attributes, class: "here" } : attributes);
    const facts = element("dl", [], { class: "facts" });
    const body = element("tbody", []);
    const fact = (label, value) => facts.append(element("dt", label), element("dd", element("code", value)));
    const row = (label, pick, id) => body.append(element("tr", [element("th", label, id ? { scope: "row", title: "id in cells.parquet: " + id } : { scope: "row" }), ...cells.map((cell) => element("td", shown(pick(cell)), mark(cell, {})))]));
    function either(label, pick) {
      const values = cells.map(pick).map(shown);
      if (values.some((value) => value !== values[0])) row(label, pick);
      else if (values[0] !== "–") fact(label, values[0]);
    }
    fact("ids in cells.parquet", group.id + "/*");
    fact("setting", group.setting);
    fact("estimator", shown(text(group.estimator)));
    fact("parameters", object(text(group.params)) || "defaults");
    row("status", (cell) => text(cell.status));
    either("reason", (cell) => text(cell.reason));
    group.metrics.forEach((metric, index) => row(data.names[text(metric)], (cell) => cell.values[index], text(metric)));
    either("converged", (cell) => cell.converged);
    either("iterations", (cell) => cell.iterations);
    either("tolerance", (cell) => cell.tolerance);
    row("seed", (cell) => cell.seed);
    row("CPU seconds", (cell) => cell.cpu);
    row("wall seconds", (cell) => cell.wall);
    row("peak memory, MiB", (cell) => cell.memory);
    either("data", (cell) => [source("data_kind")(cell), source("data_source")(cell)].filter(Boolean).join(", from ") || null);
    either("stands in for", source("stand_in_for"));
    either("data sha256", source("data_sha256"));
    either("git commit", environment("git_commit"));
    either("changed since that commit", environment("git_dirty"));
    either("core build", environment("core_build"));
    either("code digest", (cell) => text(cell.code));
    either("versions", (cell) => object(environment("versions")(cell)));
    either("machine", (cell) => object(environment("machine")(cell)));
    either("threads", environment("threads"));
    either("end of log", (cell) => text(cell.log));
    const head = element("tr", [element("th", "repetition", { scope: "col" }), ...cells.map((cell) => element("th", cell.repetition, mark(cell, { scope: "col" })))]);
    const table = element("table", [element("thead", head), body]);
    return element("div", [facts, element("div", table, { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs of this setting" })], { class: "panel" });
  }
  function open(id, scroll) {
    const target = document.getElementById(id);
    const line = target && target.closest("tr[data-group]");
    if (!line) return;
    document.querySelectorAll("div.panel").forEach((other) => other.remove());
    line.closest(".scroll").after(panel(groups.get(line.dataset.group), target === line ? null : target.textContent));
    if (scroll) line.scrollIntoView();
  }
  const asked = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch (error) { return ""; } };
  window.addEventListener("hashchange", () => open(asked(), false));
  if (asked()) open(asked(), true);
})();
