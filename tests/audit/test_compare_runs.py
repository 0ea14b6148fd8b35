import pandas as pd
import pytest

from audit_records import cells, failed, frame, write_cells
from cladebench.audit import Audit, write_audit
from cladebench.audit.audit_files import COLUMNS
from cladebench.audit.compare_runs import Tolerance, compare_runs
from cladebench.cli import main
from cladebench.crosscheck.certificate import COLUMNS as CERTIFICATES

LISTS = ("methods", "cells", "cells_beside", "parts", "stand_in_for", "depends_on", "not_run")
TEXTS = (
    "place",
    "published",
    "reason",
    "kind",
    "quote",
    "reading",
    "selection",
    "selection_beside",
    "verdict_beside",
    "blind",
    "universes",
)
BLANK = dict.fromkeys(COLUMNS) | {key: [] for key in LISTS} | dict.fromkeys(TEXTS, "")
BLANK |= {"evidence": "paper data", "stance": "supports", "stances": {}, "main": False}


@pytest.fixture
def write(tmp_path):
    def run(name, *rows, audit=None, certificates=None, **columns):
        folder = tmp_path / name
        folder.mkdir()
        table = frame(*rows).assign(seed=1, cpu_seconds=2.0, **columns)
        table["cell_id"] = table["paper"] + "/" + table["cell_id"].str.partition("/")[2]
        write_cells(table, folder)
        if audit:
            claims = [BLANK | dict(zip(("paper", "claim", "verdict"), row, strict=True)) for row in audit]
            write_audit(Audit(claims, {}, {}), folder)
        if certificates:
            table = pd.DataFrame(certificates, columns=["id", "passed"])
            table.reindex(columns=list(CERTIFICATES)).to_csv(folder / "certificates.csv", index=False)
        return folder

    return run


BASE = cells("d", "A", {"purity": [0.5, 0.6], "fit_seconds": [1.0, 2.0]})


def changed(purity):
    return cells("d", "A", {"purity": purity, "fit_seconds": [3.0, 4.0]})


def test_equal_runs_agree_whatever_their_times(write, capsys):
    a, b = write("a", BASE), write("b", changed([0.5, 0.6]))
    found = compare_runs(a, b)
    assert found.values.equal.all() and "index" not in found.values
    assert found.agree()
    assert found.times.to_dict("list") == {
        "paper": ["toy"] * 2,
        "dataset": ["d"] * 2,
        "method": ["A"] * 2,
        "metric": ["cpu_seconds", "fit_seconds"],
        "ratio": [1.0, 2.5],
        "low": [1.0, 2.0],
        "high": [1.0, 3.0],
        "cells": [2, 2],
    }
    assert main(["compare", str(a), str(b)]) == 0
    assert "2 values in both: 2 bit-equal" in capsys.readouterr().out


def test_cells_that_failed_in_both_runs_shift_no_time(write):
    gone = failed("a", "A", "timeout", "slow", [0, 1])
    found = compare_runs(write("a", gone, BASE), write("b", gone, changed([0.5, 0.6])))
    assert found.values.metric.tolist() == ["purity", "purity"] and found.values.equal.all()
    assert found.times[found.times.dataset == "d"].metric.tolist() == ["cpu_seconds", "fit_seconds"]


def test_tolerances(write, tmp_path, capsys):
    a, b = write("a", BASE), write("b", changed([0.5, 0.6 * (1 + 1e-7)]))
    found = compare_runs(a, b)
    assert found.values.equal.tolist() == [True, False]
    assert not found.agree()
    assert compare_runs(a, b, Tolerance(relative=1e-6)).agree()
    assert compare_runs(a, b, Tolerance(absolute=1e-6)).agree()
    assert compare_runs(a, b, Tolerance(metrics={"purity": 1e-6})).agree()
    assert not compare_runs(a, b, Tolerance(metrics={"cost": 1e-6})).agree()
    out = tmp_path / "x/differences.csv"
    assert main(["compare", str(a), str(b), "--out", str(out)]) == 1
    assert "the runs differ" in capsys.readouterr().out
    assert len(pd.read_csv(out)) == 1
    assert main(["compare", str(a), str(b), "--metric", "purity=1e-6"]) == 0


@pytest.mark.parametrize(
    ("left", "right", "tolerance", "agrees"),
    [
        (1.0, 1.5, Tolerance(relative=0, absolute=0.5), True),
        (1.0, 1.5, Tolerance(relative=0, absolute=0.49), False),
        (-2.0, -1.0, Tolerance(relative=0.5, absolute=0), True),  # half of the larger one
        (-1.0, -2.0, Tolerance(relative=0.5, absolute=0), True),
        (-2.0, -1.0, Tolerance(relative=0.49, absolute=0), False),
        (1.0, 2.0, Tolerance(relative=0.25, absolute=0.5), True),  # both add up
        (1.0, 2.0, Tolerance(relative=0, absolute=0.5, metrics={"purity": 0.25}), True),
        (1.0, 2.0, Tolerance(relative=0.5, absolute=0, metrics={"purity": 0.25}), False),
        (1e-13, 0.0, None, True),
        (1.0, 1.0 + 1e-10, None, True),
        (1.0, 1.0 + 1e-8, None, False),
    ],
)
def test_what_a_tolerance_allows(write, left, right, tolerance, agrees):
    a, b = (write(n, cells("d", "A", {"purity": [v]})) for n, v in (("a", left), ("b", right)))
    found = compare_runs(a, b, tolerance)
    assert found.agree() == agrees
    assert found.values[["a", "b", "difference", "equal", "agrees"]].values.tolist() == [
        [left, right, right - left, False, agrees]
    ]


def test_the_largest_difference_comes_first(write):
    a = write("a", cells("d", "A", {"purity": [0.5, 0.5, 0.5, 0.5]}))
    b = write("b", cells("d", "A", {"purity": [0.6, 0.2, 0.5, 0.9]}))
    assert compare_runs(a, b).beyond.repetition.tolist() == [3, 1, 0]


def test_what_is_a_time_is_said_by_its_unit(write):
    """The plan of hmmc has the first in seconds; the name of the last says nothing."""
    a, b = (
        write(name, cells("d", "A", {"seconds_cbc": [s], "sp": [0.5], "share_of_seconds": [s]}), paper="hmmc")
        for name, s in (("a", 1.0), ("b", 3.0))
    )
    found = compare_runs(a, b)
    assert found.beyond["metric"].tolist() == ["share_of_seconds"]
    assert "seconds_cbc" in set(found.times["metric"])


def test_ratios_are_of_times_and_memory_where_both_took_any(write):
    metrics = {"fit_seconds": [0.0, 2.0, 4.0], "seconds": [1.0, 1.0, 1.0]}
    rows = cells("e", "B", metrics) + cells("e", "A", metrics) + cells("d", "B", metrics)
    slower = [row | {"value": row["value"] * (1 + row["repetition"])} for row in rows]
    a, b = write("a", rows, peak_memory_mb=8.0), write("b", slower, peak_memory_mb=4.0)
    found = compare_runs(a, b)
    assert found.values.empty and found.agree()
    ratios = {"cpu_seconds": [1, 1, 1, 3], "peak_memory_mb": [0.5, 0.5, 0.5, 3]}
    ratios |= {"fit_seconds": [2.5, 2, 3, 2], "seconds": [2, 1, 3, 3]}
    columns = ["dataset", "method", "metric", "ratio", "low", "high", "cells"]
    assert sorted(found.times[columns].values.tolist()) == sorted(
        [dataset, method, metric, *numbers]
        for dataset, method in (("d", "B"), ("e", "A"), ("e", "B"))
        for metric, numbers in ratios.items()
    )


def test_missing_cells_and_statuses(write, capsys):
    longer = write("longer", BASE, cells("d", "B", {"purity": [0.1]}))
    short, broken = write("short", BASE), write("broken", BASE, failed("d", "B", "timeout", "60 s", [0]))
    found = compare_runs(longer, short)
    assert found.missing[["method", "only_in"]].values.tolist() == [["B", "A"]]
    assert not found.agree()
    assert found.agree(only_common=True)
    assert compare_runs(short, longer).missing.only_in.tolist() == ["B"]
    assert main(["compare", str(longer), str(short), "--only-common"]) == 0
    assert main(["compare", str(longer), str(short)]) == 1
    changes = compare_runs(longer, broken).statuses
    assert changes[["dataset", "method", "repetition", "status_a", "status_b"]].values.tolist() == [
        ["d", "B", 0, "ok", "timeout"]
    ]
    assert list(changes.index) == [0]
    assert compare_runs(longer, broken).missing.empty  # what a failed cell does not measure is not missing
    assert main(["compare", str(longer), str(broken), "--only-common"]) == 1
    assert "changed statuses" in capsys.readouterr().out


def test_changed_verdicts_certificates_and_inputs(write, tmp_path):
    a = write(
        "a", BASE, audit=[("p", "x", "reproduced"), ("p", "y", "reproduced")], certificates=[("c", True)]
    )
    b = write("b", BASE, audit=[("p", "x", "contradicted")], certificates=[("c", False)], data_sha256="00")
    found = compare_runs(a, b)
    assert found.verdicts.values.tolist() == [
        ["p", "x", "reproduced", "contradicted"],
        ["p", "y", "reproduced", "(absent)"],
    ]
    assert compare_runs(a, b, only_common=True).verdicts.claim.tolist() == ["x"]
    assert found.certificates.values.tolist() == [["c", "True", "False"]]
    assert list(found.verdicts.columns) == ["paper", "claim", "verdict_a", "verdict_b"]
    for found in (compare_runs(a, write("none", BASE)), compare_runs(tmp_path / "none", a)):
        assert found.verdicts.empty and found.certificates.empty
    same = compare_runs(a, a)
    assert same.agree()
    assert same.inputs.empty


@pytest.mark.parametrize(
    "how",
    [
        {"audit": [("p", "x", "reproduced"), ("p", "y", "contradicted")]},
        {"certificates": [("c", True), ("d", False)]},
    ],
)
def test_one_verdict_or_certificate_that_differs_is_a_difference(write, how):
    ((key, rows),) = how.items()
    a, same, other = (
        write("a", BASE, **how),
        write("same", BASE, **how),
        write("other", BASE, **{key: rows[:1]}),
    )
    assert compare_runs(a, same).agree()
    assert not compare_runs(a, other).agree(only_common=True)
    assert compare_runs(a, other, only_common=True).agree()


def test_inputs_that_differ_are_named(write):
    rows = cells("e", "A", {"purity": [0.5]}) + cells("d", "B", {"purity": [0.5]})
    a = write("a", BASE, rows, data_sha256="11", code_digest=None, params="{}")
    b = write("b", BASE, rows, data_sha256="22", code_digest=None, params='{"k":1}')
    found = compare_runs(a, b)
    assert found.agree()
    assert found.inputs.to_dict("list") == {
        "paper": ["toy"] * 6,
        "dataset": ["d", "d", "d", "d", "e", "e"],
        "method": ["A", "A", "B", "B", "A", "A"],
        "input": ["data_sha256", "params"] * 3,
        "changed": [2, 2, 1, 1, 1, 1],
        "cells": [2, 2, 1, 1, 1, 1],
    }


def test_metrics_that_only_one_run_recorded_are_missing(write):
    a, b = write("a", BASE), write("b", cells("d", "A", {"purity": [0.5, 0.6], "cost": [1.0, 2.0]}))
    found = compare_runs(a, b)
    assert not found.agree()
    assert set(found.missing.metric) == {"cost", "fit_seconds"}


def folds(values):
    rows = cells("d", "A", {"purity": values}) + cells("d", "A", {"near": values}, at={"k": 1})
    rows += cells("d", "A", {"near": [v / 2 for v in values]}, at={"k": 5})
    places = [(row, row["repetition"]) for row in rows]
    return [
        row | {"repetition": 0, "fold": fold, "cell_id": f"toy/d/A/default/0.{fold}"} for row, fold in places
    ]


def test_folds_and_evaluation_points_are_told_apart(write):
    a, b = write("a", folds([0.5, 0.6])), write("b", folds([0.5, 0.7]))
    assert compare_runs(a, a).agree() and len(compare_runs(a, a).values) == 6
    found = compare_runs(a, b)
    assert found.beyond[["fold", "metric", "at"]].values.tolist() == [
        [1, "purity", "{}"],
        [1, "near", '{"k":1}'],
        [1, "near", '{"k":5}'],
    ]
    one = write("one", [row for row in folds([0.5, 0.6]) if row["at"] != '{"k":5}' and row["fold"] == 0])
    missing = compare_runs(a, one).missing
    assert missing[["fold", "metric", "at"]].values.tolist() == [[1, "", ""], [0, "near", '{"k":5}']]


def test_other_tasks_are_named_as_other_inputs(write):
    other = [row | {"task": "another draw"} if row["repetition"] else row for row in BASE]
    inputs = compare_runs(write("a", BASE), write("b", other)).inputs
    assert inputs[["input", "changed", "cells"]].values.tolist() == [["task", 1, 2]]


def test_wrong_usage(write, tmp_path, capsys):
    a = write("a", BASE)
    assert main(["compare", str(a), str(tmp_path / "nowhere")]) == 2
    assert "nowhere/cells.parquet: no such file" in capsys.readouterr().err
    twice = write("twice", BASE, BASE)
    assert main(["compare", str(a), str(twice)]) == 2
    assert "it has a row twice" in capsys.readouterr().err


def test_what_two_machines_may_differ_by():
    metric, size = pd.Series(["purity", "cost", "cost"]), pd.Series([2.0, 0.0, 1e6])
    assert Tolerance().allowed(metric, size).tolist() == pytest.approx([2e-9 + 1e-12, 1e-12, 1e-3 + 1e-12])
    assert Tolerance(metrics={"cost": 0.5}).allowed(metric, size).tolist() == pytest.approx(
        [2e-9 + 1e-12, 1e-12, 5e5]
    )


def test_what_took_no_time_in_the_first_run_has_no_ratio(write):
    a, b = (write(name, cells("d", "A", {"seconds": [s, 2.0]})) for name, s in (("a", 0.0), ("b", 1.0)))
    times = compare_runs(a, b).times
    assert times[times["metric"] == "seconds"][["ratio", "cells"]].values.tolist() == [[1.0, 1]]
