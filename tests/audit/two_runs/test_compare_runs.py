from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from audit_records import cells, failed, frame, write_cells
from cladebench.audit import Audit, write_audit
from cladebench.audit.audit_files import COLUMNS
from cladebench.audit.two_runs.compare_runs import RunComparison, Tolerance, compare_runs, in_both
from cladebench.audit.two_runs.run_inputs import median_interval
from cladebench.bench.plan.cell_spec import derive_seed
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
        table = frame(*rows).assign(**{"seed": 1, "cpu_seconds": 2.0, "wall_seconds": None} | columns)
        table["cell_id"] = table["paper"] + "/" + table["cell_id"].str.partition("/")[2]
        write_cells(table, folder)
        if audit:
            names = ("paper", "claim", "verdict", "reason")
            claims = [BLANK | dict(zip(names, row, strict=False)) for row in audit]
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
    assert found.inputs == {} and found.means.empty and found.n_means == 1
    assert main(["compare", str(a), str(b)]) == main(["compare", str(a), str(b), "--exact"]) == 0
    assert "2 in both, 2 bit-equal" in capsys.readouterr().out


def test_cells_that_failed_in_both_runs_shift_no_time(write):
    gone = failed("a", "A", "timeout", "slow", [0, 1])
    found = compare_runs(write("a", gone, BASE), write("b", gone, changed([0.5, 0.6])))
    assert found.values.metric.tolist() == ["purity", "purity"] and found.values.equal.all()
    assert found.times.values.tolist() == [["toy", "A", 1.0, -np.inf, np.inf, 2]]


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
    assert main(["compare", str(a), str(b)]) == 0  # it is no conclusion
    assert main(["compare", str(a), str(b), "--exact", "--out", str(out)]) == 1
    assert "the runs differ" in capsys.readouterr().out
    assert len(pd.read_csv(out)) == 1
    assert main(["compare", str(a), str(b), "--exact", "--metric", "purity=1e-6"]) == 0


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
    assert set(found.values["metric"]) == {"sp", "share_of_seconds"}


def times(write, a, b, **of_b):
    rows = cells("d", "A", {"purity": [0.5] * len(a)}) + cells("d", "B", {"purity": [0.5]})
    left, right = (
        write(name, rows, cpu_seconds=[*seconds, 1.0], wall_seconds=wall)
        for name, seconds, wall in (("a", a, 5.0), ("b", b, of_b.get("wall", 6.0)))
    )
    return compare_runs(left, right).times.values.tolist()


def test_a_method_has_one_ratio_of_times_with_an_interval(write):
    found = times(write, [1.0] * 6, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    assert found == [["toy", "A", 4.5, 2.0, 7.0, 6], ["toy", "B", 1.0, -np.inf, np.inf, 1]]


def test_short_runs_and_kept_records_say_nothing_of_times(write):
    assert times(write, [0.09, 2.0, 1.0], [0.2, 0.09, 3.0]) == [
        ["toy", "A", 3.0, -np.inf, np.inf, 1],
        ["toy", "B", 1.0, -np.inf, np.inf, 1],
    ]


def test_a_kept_record_is_no_second_run(write):
    assert times(write, [1.0, 2.0], [1.0, 4.0], wall=5.0) == [["toy", "A", 2.0, -np.inf, np.inf, 1]]


@pytest.mark.parametrize(("n", "out"), [(5, 0), (6, 1), (8, 1), (9, 2), (12, 3)])
def test_the_interval_of_a_median_is_by_signs(n, out):
    """By tables of the sign test at 5%."""
    found = median_interval(np.arange(n, 0.0, -1))
    assert found == ((n + 1) / 2, *((out, n + 1 - out) if out else (-np.inf, np.inf)))
    # All 3 on one side of the median: 2 in 8, just what a level of 75% leaves.
    assert median_interval(np.arange(3.0), level=0.75) == (1.0, 0.0, 2.0)


def test_means_that_differ_as_surely_stay_in_the_order_of_the_first_run(write):
    rows = [cells(data, "A", {"purity": [0.5, 0.6, 0.8]}) for data in "edf"]
    other = [cells(data, "A", {"purity": [0.6, 0.7, 0.9]}) for data in "def"]
    assert compare_runs(write("a", *rows), write("b", *other)).means["dataset"].tolist() == ["e", "d", "f"]


def test_values_that_differ_by_the_same_stay_in_their_order():
    values = pd.DataFrame({"agrees": False, "difference": [1.0, -2.0] * 500, "row": range(1000)})
    beyond = RunComparison.beyond.fget(SimpleNamespace(values=values))
    assert beyond["row"].tolist() == [*range(1, 1000, 2), *range(0, 1000, 2)]


def test_missing_cells_and_statuses(write, capsys):
    longer = write("longer", BASE, cells("d", "B", {"purity": [0.1]}))
    short, broken = write("short", BASE), write("broken", BASE, failed("d", "B", "timeout", "60 s", [0]))
    found = compare_runs(longer, short)
    assert found.missing[["method", "only_in"]].values.tolist() == [["B", "A"]]
    assert not found.agree()
    assert found.agree(only_common=True)
    assert compare_runs(short, longer).missing.only_in.tolist() == ["B"]
    assert main(["compare", str(longer), str(short), "--exact", "--only-common"]) == 0
    assert main(["compare", str(longer), str(short), "--exact"]) == 1
    changes = compare_runs(longer, broken).statuses
    assert changes.values.tolist() == [["toy", "B", "ok", "timeout", "60 s", 1]]
    assert compare_runs(longer, broken).missing.empty  # what a failed cell does not measure is not missing
    assert main(["compare", str(longer), str(broken), "--exact", "--only-common"]) == 1
    assert "  toy B: ok -> timeout in 1 (60 s)\n" in capsys.readouterr().out


def test_changed_verdicts_certificates_and_inputs(write, tmp_path):
    a = write(
        "a", BASE, audit=[("p", "x", "reproduced"), ("p", "y", "reproduced")], certificates=[("c", True)]
    )
    b = write("b", BASE, audit=[("p", "x", "contradicted")], certificates=[("c", False)], data_sha256="00")
    found = compare_runs(a, b)
    assert found.verdicts.iloc[:, :4].values.tolist() == [
        ["p", "x", "reproduced", "contradicted"],
        ["p", "y", "reproduced", "(absent)"],
    ]
    assert in_both(found.verdicts).claim.tolist() == ["x"]
    assert found.certificates.values.tolist() == [["c", "True", "False"]]
    for found in (compare_runs(a, write("none", BASE)), compare_runs(tmp_path / "none", a)):
        assert found.verdicts.empty and found.certificates.empty
    same = compare_runs(a, a)
    assert same.agree()
    assert same.inputs == {}


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
    assert not compare_runs(a, other).agree()
    assert compare_runs(a, other).agree(only_common=True)


def test_inputs_that_differ_are_named_in_a_line_each(write):
    rows = cells("e", "A", {"purity": [0.5]}) + cells("d", "B", {"purity": [0.5]})
    machine = '{"cores":2,"cpu":"%s"}'
    a = write("a", BASE, rows, data_sha256="11", code_digest=None, params="{}", versions='{"numpy":"1"}')
    b = write(
        *("b", BASE), data_sha256="22", params='{"k":1}', versions='{"numpy":"2"}', git_commit="1" * 40,
        machine=machine % "Z80", seed=2,
    )  # fmt: skip
    assert compare_runs(a, b).inputs == {
        "runs": "2 in both, 2 only in A (A, B), 0 only in B",
        "seeds": "2 of 2 runs: A",
        "data": "2 of 2 runs: d",
        "parameters": "2 of 2 runs: A",
        "libraries": "numpy 1 -> 2",
        "machine": "cores none -> 2; cpu none -> Z80",
        "commits": "none -> 11111111",
    }


def test_commits_of_a_run_are_named_in_one_order(write):
    two = lambda table: np.where(table["repetition"] == 0, "2" * 40, "1" * 40)  # noqa: E731
    found = compare_runs(write("a", BASE), write("b", BASE, git_commit=two))
    assert found.inputs["commits"] == "none -> 11111111, 22222222"


def test_blocks_of_test_rows_are_one_run(write):
    blocks = [row | {"fold": fold} for fold in (0, 1) for row in cells("d", "A", {"purity": [0.5] * 6})]
    found = compare_runs(*(write(name, blocks, code_digest=name) for name in "ab"))
    assert found.inputs == {"code": "6 of 6 runs: A"}
    assert found.times["runs"].tolist() == [6] and len(found.values) == 12


def test_many_names_are_counted(write):
    rows = [cells("d", f"M{i}", {"purity": [0.5]}) for i in range(6)]
    a, b = write("a", *rows, code_digest="1"), write("b", *rows, code_digest="2")
    assert compare_runs(a, b).inputs == {"code": "6 of 6 runs: M0, M1, M2, M3 and 2 more"}


def checks_of_seeds(write, seeds, names):
    rows = cells("d", "A", {"purity": [0.5]})
    return [
        write(f"run {i}", rows, seed=derive_seed(seed, "toy", "d", "A", 0), certificates=of)
        for i, (seed, of) in enumerate(zip(seeds, names, strict=True))
    ]


def test_solver_checks_pair_without_the_seed_in_their_name(write):
    """Draw k of a check has the seed of the run plus k; the size of an instance is none."""
    first = [("itml/iris-45-1000", True), ("itml/iris-45-1001", True), ("itml/iris-45", True)]
    other = [("itml/iris-45-70", True), ("itml/iris-45-71", False), ("itml/iris-45", True)]
    a, b = checks_of_seeds(write, (1000, 70), (first, other))
    assert compare_runs(a, b).certificates.values.tolist() == [["itml/iris-45-1001", "True", "False"]]


def test_solver_checks_of_one_seed_and_two_sizes_are_no_pairs(write):
    first, other = [("itml/iris-45-7", True)], [("itml/iris-46-7", False)]
    a, b = checks_of_seeds(write, (7, 7), (first, other))
    assert in_both(compare_runs(a, b).certificates).empty


def test_an_audit_of_another_version_is_read(write):
    a, b = (write(n, BASE, audit=[("p", "x", v, n)]) for n, v in (("a", "open"), ("b", "reproduced")))
    path = a / "audit.csv"
    pd.read_csv(path)[["reason", "claim", "paper", "verdict"]].to_csv(path, index=False)
    assert compare_runs(a, b).verdicts.values.tolist() == [["p", "x", "open", "reproduced", "a", "b"]]


def test_metrics_that_only_one_run_recorded_are_missing(write):
    a, b = write("a", BASE), write("b", cells("d", "A", {"purity": [0.5, 0.6], "cost": [1.0, 2.0]}))
    found = compare_runs(a, b)
    assert not found.agree()
    assert set(found.missing.metric) == {"cost", "fit_seconds"}
    assert found.missing.index.tolist() == [0, 1, 2, 3]  # rows are numbered once, whatever they lack


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


def test_wrong_usage(write, tmp_path, capsys):
    a = write("a", BASE)
    assert main(["compare", str(a), str(tmp_path / "nowhere")]) == 2
    assert (
        "nowhere: no such folder; expected one of cladebench collect or run-comparison"
        in capsys.readouterr().err
    )
    twice = write("twice", BASE, BASE)
    assert main(["compare", str(a), str(twice)]) == 2
    assert "it has a row twice" in capsys.readouterr().err


def test_what_two_machines_may_differ_by():
    metric, size = pd.Series(["purity", "cost", "cost"]), pd.Series([2.0, 0.0, 1e6])
    assert Tolerance().allowed(metric, size).tolist() == pytest.approx([2e-9 + 1e-12, 1e-12, 1e-3 + 1e-12])
    assert Tolerance(metrics={"cost": 0.5}).allowed(metric, size).tolist() == pytest.approx(
        [2e-9 + 1e-12, 1e-12, 5e5]
    )
