"""Settings and their cells: the mean of what was measured, chosen rules, seconds."""

import pandas as pd
import pytest

from cladebench.bench.plan.selection import Rule
from cladebench.report.cell_links import link_cells

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
