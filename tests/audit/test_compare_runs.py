import numpy as np
import pandas as pd
import pytest

from audit_records import cells, failed, frame, write_cells
from cladebench.audit import Audit, write_audit
from cladebench.audit.audit_run import COLUMNS
from cladebench.audit.compare_runs import Tolerance, compare_runs
from cladebench.cli import main
from cladebench.crosscheck.certificate import COLUMNS as CERTIFICATES

LISTS = ("methods", "cells", "cells_beside", "parts", "stand_in_for")
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
)
BLANK = dict.fromkeys(COLUMNS) | {key: [] for key in LISTS} | dict.fromkeys(TEXTS, "")


@pytest.fixture
def write(tmp_path):
    def run(name, *rows, audit=None, certificates=None, **columns):
        folder = tmp_path / name
        folder.mkdir()
        write_cells(frame(*rows).assign(seed=1, cpu_seconds=2.0, **columns), folder)
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
    assert found.values.equal.all()
    assert found.agree()
    assert list(found.times.metric) == ["cpu_seconds", "fit_seconds"]
    assert found.times.ratio.tolist() == [1.0, 2.5]
    assert main(["compare", str(a), str(b)]) == 0
    assert "2 values in both: 2 bit-equal" in capsys.readouterr().out


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
    assert changes[["status_a", "status_b"]].values.tolist() == [["ok", "timeout"]]
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
    assert found.certificates.id.tolist() == ["c"]
    for found in (compare_runs(a, write("none", BASE)), compare_runs(tmp_path / "none", a)):
        assert found.verdicts.empty and found.certificates.empty
    same = compare_runs(a, a)
    assert same.agree()
    assert same.inputs.empty


def test_inputs_that_differ_are_named(write):
    a, b = write("a", BASE, data_sha256="11"), write("b", BASE, data_sha256="22")
    assert compare_runs(a, b).inputs[["method", "input", "changed", "cells"]].values.tolist() == [
        ["A", "data_sha256", 2, 2]
    ]


def test_a_value_that_is_missing_on_one_side_is_a_difference(write):
    a, b = write("a", BASE), write("b", changed([0.5, np.nan]))
    found = compare_runs(a, b)
    assert found.values.agrees.tolist() == [True, False]
    assert compare_runs(b, b).agree()


def test_metrics_that_only_one_run_recorded_are_missing(write):
    a, b = write("a", BASE), write("b", cells("d", "A", {"purity": [0.5, 0.6], "cost": [1.0, 2.0]}))
    found = compare_runs(a, b)
    assert not found.agree()
    assert set(found.missing.metric) == {"cost", "fit_seconds"}


def folds(values):
    rows = cells("d", "A", {"purity": values}) + cells("d", "A", {"near": values}, at={"k": 1})
    rows += cells("d", "A", {"near": [v / 2 for v in values]}, at={"k": 5})
    return [row | {"repetition": 0, "fold": row["repetition"]} for row in rows]


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
    assert "stands twice" in capsys.readouterr().err
