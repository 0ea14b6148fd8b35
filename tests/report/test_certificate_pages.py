"""The page of solver checks: by topic and statement, the worst residual in tolerances."""

import math

import pytest

from cladebench.report.certificate_pages import checks_by_topic, in_tolerances, worst_ratio, written_ratio


def row(name, residual, tolerance, passed=True, problem="a = b"):
    return {
        "id": name,
        "topic": name.partition("/")[0],
        "problem": problem,
        "fast": "fast",
        "reference": "exact",
        "residual": residual,
        "tolerance": tolerance,
        "passed": passed,
    }


def test_checks_of_one_statement_are_one_row_with_the_worst():
    rows = [
        row("t/1", 1e-12, 1e-10),
        row("t/2", 5e-11, 1e-10),
        row("t/3", 0.0, 0.0, problem="c"),
        row("u/1", 0, 1),
    ]
    found = checks_by_topic(rows)
    assert list(found) == ["t", "u"]
    first, second = found["t"]
    assert (first.count, first.passed, first.ratio, first.worst["id"]) == (2, 2, "0.5", "t/2")
    assert (second.problem, second.ratio) == ("c", "exact")
    assert worst_ratio(found["t"]) == "0.5" and worst_ratio([]) == "–"


def test_a_failed_check_is_the_worst_and_is_listed():
    (check,) = checks_by_topic([row("t/1", 0.9, 1.0), row("t/2", math.nan, 1.0, passed=False)])["t"]
    assert (check.count, check.passed, check.worst["id"]) == (2, 1, "t/2")
    assert [failed["id"] for failed in check.failed] == ["t/2"]


@pytest.mark.parametrize(
    ("residual", "tolerance", "written"),
    [
        (0.0, 0.0, "exact"),
        (1e-9, 0.0, "inf"),
        (1e-9, 1.0, "below 0.001"),
        (2.0, 1.0, "2"),
        (math.nan, 1.0, "–"),
    ],
)
def test_residuals_are_written_in_tolerances(residual, tolerance, written):
    assert written_ratio(in_tolerances(row("t/1", residual, tolerance))) == written
