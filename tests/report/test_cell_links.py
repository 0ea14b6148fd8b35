"""Settings and their cells: the mean of what was measured, chosen rules, seconds."""

import json
import re

import pandas as pd
import pytest

from cladebench.bench.plan.setting_selection import Rule
from cladebench.report.cell_links import CellLinks, Group, anchor, cells_page, link_cells, readable
from cladebench.report.views import gather_run

OWN = "p/glass/A/s1"


def record(cell, metric, value, at="{}", status="ok", seconds=1.0):
    paper, dataset, method, setting, _ = cell.split("/")
    return {
        **dict(cell_id=cell, paper=paper, dataset=dataset, method=method, setting_id=setting, setting="{}"),
        **dict(metric=metric, at=at, value=value, status=status, cpu_seconds=seconds),
    }


def groups_of(*records, **rules):
    linked = link_cells(
        "p", pd.DataFrame(records), pd.DataFrame(columns=["dataset", "method", "rule", "setting_id"]), rules
    )
    return {group.group_id: group for group in linked.groups}


def rule(metric, **at):
    return Rule(metric, metric, metric, "higher", at)


def test_a_mean_is_of_the_cells_that_measured():
    found = groups_of(
        record(f"{OWN}/0", "purity", 0.5),
        record(f"{OWN}/1", "cost", 9.0),
        record(f"{OWN}/2", "purity", 1.0),
        record(f"{OWN}/3", None, None, status="timeout", seconds=None),
        record("p/glass/B/s1/0", None, None, status="error", seconds=4.0),
        own=rule("purity"),
        other=rule("cost"),
    )
    assert found[OWN].scores == (0.75, 9.0)
    assert found["p/glass/B/s1"].scores == (None, None)
    assert [cell.status for cell in found[OWN].cells] == ["ok", "ok", "ok", "timeout"]
    assert (found[OWN].cpu_seconds, found["p/glass/B/s1"].cpu_seconds) == (3.0, 4.0)


def test_a_mean_is_of_the_point_of_the_rule_or_of_what_has_none():
    found = groups_of(
        record(f"{OWN}/0", "accuracy", 0.25, '{"neighbors": 5}'),
        record(f"{OWN}/0", "accuracy", 1.0, '{"neighbors": 1}'),
        record(f"{OWN}/1", "accuracy", 0.75, '{"neighbors": 5}'),
        record("p/glass/B/s1/0", "accuracy", 0.5),
        own=rule("accuracy", neighbors=5),
    )
    assert found[OWN].scores == (pytest.approx(0.5),) and found["p/glass/B/s1"].scores == (0.5,)


def test_settings_are_readable_and_addresses_safe():
    assert readable('{"a":1,"b":"x"}') == "a = 1, b = x" and readable("{}") == "default"
    assert cells_page("p", "a/../b c") == "p-cells-a_2f_.._2f_b_20_c.html"
    assert anchor("cell", "a b/c") != anchor("cell", "a_b/c") != anchor("cell", "a_20_b/c")


CELLS = {name: f"page_paper-cells-{name}.html" for name in ("glass", "nested-blobs")}


def test_numbers_lead_to_exactly_their_cells(results):
    view = gather_run(results, "smoke", ["page_paper"]).papers[0]
    frame = pd.read_parquet(results / "cells.parquet")
    groups = {group.address: group for group in view.links.groups}
    sets = {f"page_paper-sets-1.html#{name}": names for names, name in view.links.sets[0].items()}
    for table in view.artifacts:
        for row in table.rows:
            for column, entry in zip(table.columns, row, strict=True):
                if table.artifact.id == "table-1" and entry.target:
                    method = {"Gridded method": "Grid", "Plain method": "Plain"}.get(row[0].text, row[0].text)
                    group = groups[entry.target]
                    assert (group.method, view.links.names.data(group.dataset)) == (
                        method,
                        column.partition(":")[0],
                    )
    overall = next(found for found in view.artifacts if found.artifact.id == "overall").rows[0]
    assert overall[0].target == overall[1].target
    assert set(sets[overall[0].target]) == set(frame.cell_id.str.rpartition("/")[0])


def test_cells_carry_every_metric_and_provenance(report, results):
    frame = pd.read_parquet(results / "cells.parquet")
    seen = {}
    for dataset, name in CELLS.items():
        text = (report / name).read_text(encoding="utf-8")
        found = re.search(r'<script type="application/json" id="cells-data">(.*?)</script>', text, re.DOTALL)
        payload = json.loads(found[1])
        for group in payload["groups"]:
            assert group["id"].split("/")[1] == dataset
            names = [payload["texts"][number] for number in group["metrics"]]
            for cell in group["cells"]:
                values = dict(zip(names, cell[14], strict=True))
                values = {k: v for k, v in values.items() if v is not None}
                seen[f"{group['id']}/{cell[0]}"] = (cell, values, payload)
    assert set(seen) == set(frame.cell_id)
    for cell_id, rows in frame.groupby("cell_id"):
        cell, values, payload = seen[cell_id]
        first = rows.iloc[0]
        assert payload["texts"][cell[2]] == first.status
        assert payload["environments"][cell[5]]["git_commit"] == first.git_commit
        digest = payload["data"][cell[6]]["data_sha256"]
        assert digest == (None if first.status == "unavailable" else first.data_sha256)
        assert cell[1] == first.seed and cell[11] == pytest.approx(first.cpu_seconds, rel=1e-6)
        expected = dict(zip(rows.metric.dropna(), rows.value.dropna(), strict=True))
        assert values == pytest.approx(expected, rel=1e-6)


def test_lists_of_settings_are_dealt_out_to_pages_that_keep_their_height():
    ids = [f"paper/iris/Grid/{number}" for number in range(60)]
    groups = tuple(Group(name, "iris", "Grid", "n = 3, " * 9, (), (), (), 0.0) for name in ids)
    links = CellLinks("paper", groups, ())
    found = [links.target_of_groups(ids[start:]) for start in range(58)]
    assert [links.target_of_groups(ids[start:]) for start in range(58)] == found and len(set(found)) == 58
    listed = {
        f"paper-sets-{page}.html#{fragment}": names
        for page, sets in enumerate(links.sets, 1)
        for names, fragment in sets.items()
    }
    assert listed == dict(zip(found, (tuple(ids[start:]) for start in range(58)), strict=True))
    assert len(links.sets) > 2
    for sets in links.sets:  # a name and its setting fill a line
        assert 24 * sum(map(len, sets)) < 20_000
