"""The register of unstated choices is measured in the settings that stand beside the paper's own."""

import dataclasses

import pytest

from cladebench.bench.plan.setting_selection import Rule
from cladebench.bench.samples.results import Results
from cladebench.paper import choices_table as table_module
from cladebench.paper.catalogue import load_plan
from cladebench.paper.choices_table import choices_table
from cladebench.report.artifact_files import build_context

EFFECTS = [
    {"by": "method", "methods": ["Grid", "Plain"], "metric": "purity", "datasets": ["nested-blobs"]},
    {"by": "metric", "method": "Grid", "metrics": ["purity", "cost"], "datasets": ["nested-blobs"]},
    {"by": "repetition", "method": "Grid", "metric": "purity", "datasets": ["nested-blobs"]},
    {"by": "rule", "method": "Grid", "metric": "purity", "datasets": ["nested-blobs"]},
]


@pytest.mark.parametrize(("own", "beside"), [(2, 8), (8, 4)])
def test_effects_are_of_the_rule_beside_and_of_each_rule_where_rules_are_compared(
    results, monkeypatch, own, beside
):
    context = build_context(load_plan("page_paper"), "smoke", results)
    rules = {
        name: Rule(name, name, setting={"n_leaves": n})
        for name, n in (("own", own), ("second", beside), ("third", 4))
    }
    context = dataclasses.replace(context, results=Results(context.results.records, rules))
    (entry,) = table_module.load_choices(context.package)
    changed = dataclasses.replace(entry, effects=tuple(EFFECTS))
    monkeypatch.setattr(table_module, "load_choices", lambda package: (changed,))
    table = choices_table(context)
    settings = []
    for (row, _), cells in table.sources.items():
        grid = context.results.records[context.results.records.cell_id.isin(cells)]
        settings.append((table.frame.compared[row], set(grid.setting)))

    def only(n):
        return {f'{{"n_leaves":{n}}}'}

    assert settings == [
        ("purity, nested-blobs, Gridded method", only(beside)),
        ("purity, nested-blobs, Plain method", {"{}"}),
        ("purity, nested-blobs, Gridded method", only(beside)),
        ("cost, nested-blobs, Gridded method", only(beside)),
        ("purity, nested-blobs, Gridded method", only(beside)),
        ("purity, nested-blobs, Gridded method, own", only(own)),
        ("purity, nested-blobs, Gridded method, second", only(beside)),
        ("purity, nested-blobs, Gridded method, third", only(4)),
    ]
