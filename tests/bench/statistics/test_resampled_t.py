"""The corrected resampled t test keeps its level where the plain one does not: measured on data drawn many times anew.

Both learners of a pair are the same method on features of their own, alike in law: neither is better, and every
difference that a test finds is a false one. docs/verdicts.md shows the rates.
"""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from cladebench.bench.plan.cell_spec import CellSpec, Limits
from cladebench.bench.plan.task import draw_task
from cladebench.bench.statistics.intervals import mean_interval
from cladebench.bench.statistics.paired_tests import one_sample
from doc_examples import ROOT

ALPHA, N_DATA, N_MODEL = 0.05, 200, 2000


def nearest_centroid(X, y, task):
    left, right = (X[task.train[y[task.train] == label]].mean(axis=0) for label in (0, 1))
    test = X[task.test]
    found = ((test - right) ** 2).sum(axis=1) < ((test - left) ** 2).sum(axis=1)
    return (found == y[task.test]).mean()


def nearest_neighbour(X, y, task):
    distances = ((X[task.test][:, None] - X[task.train]) ** 2).sum(axis=2)
    return (y[task.train][distances.argmin(axis=1)] == y[task.test]).mean()


def differences(learner, n_rows, how, repetitions, trial):
    """Differences of two learners of equal accuracy over the tasks of one data set, and the overlap of the tasks."""
    y = np.repeat([0, 1], n_rows // 2)
    X = np.random.default_rng(trial).normal(size=(n_rows, 4)) + y[:, None]
    data = SimpleNamespace(name="d", labels=y, n_samples=n_rows, parts={}, content_sha256=str(trial))
    folds = range(how["folds"]["n"]) if "folds" in how else [None]
    found = []
    for repetition in range(repetitions):
        for fold in folds:
            task = draw_task(CellSpec("p", "d", "m", {}, repetition, trial, Limits(1, 1), 1, fold, how), data)
            found.append(learner(X[:, :2], y, task) - learner(X[:, 2:], y, task))
    return np.array(found), len(task.test) / len(task.train)


def rates(samples):
    """Shares of false differences that the plain and the corrected test find at 5%."""
    p = [(one_sample(d).p_value(), one_sample(d, overlap=overlap).p_value()) for d, overlap in samples]
    return (np.array(p) <= ALPHA).mean(axis=0)


def documented(name):
    """The two rates of a row of the table in docs/verdicts.md."""
    text = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {re.escape(name)} \| ([\d.]+)% \| ([\d.]+)% \|$", text, re.MULTILINE)
    assert row, f"docs/verdicts.md has no row {name!r}"
    return [float(share) / 100 for share in row.groups()]


def allowed(n):
    """Three standard errors of a share of 5%."""
    return 3 * np.sqrt(ALPHA * (1 - ALPHA) / n)


@pytest.mark.parametrize(
    ("name", "learner", "n_rows", "how", "repetitions"),
    [
        ("nearest centroid, 3 times 5 folds of 100 rows", nearest_centroid, 100, {"folds": {"n": 5}}, 3),
        ("nearest centroid, 15 halves of 100 rows", nearest_centroid, 100, {"test": 0.5}, 15),
        ("nearest neighbour, 3 times 5 folds of 60 rows", nearest_neighbour, 60, {"folds": {"n": 5}}, 3),
    ],
)
def test_learners_of_equal_accuracy_are_told_apart_by_the_plain_test_alone(
    name, learner, n_rows, how, repetitions
):
    plain, corrected = rates(differences(learner, n_rows, how, repetitions, trial) for trial in range(N_DATA))
    # What a nearest neighbour finds hangs on single rows, more than the correction assumes.
    level = 2 * ALPHA if learner is nearest_neighbour else ALPHA
    assert corrected <= level + allowed(N_DATA)
    assert plain >= 4 * ALPHA and plain >= 3 * corrected
    assert [plain, corrected] == pytest.approx(documented(name), abs=0.0101)


@pytest.mark.parametrize("overlap", [0.25, 1.0])
def test_the_correction_is_exact_for_results_that_are_correlated_as_it_assumes(overlap):
    """Gaussian results of which each two have the correlation n_test / (n_test + n_train)."""
    rng = np.random.default_rng(0)
    share = overlap / (1 + overlap)
    common, own = rng.normal(size=(N_MODEL, 1)), rng.normal(size=(N_MODEL, 15))
    values = np.sqrt(share) * common + np.sqrt(1 - share) * own
    plain, corrected = rates((row, overlap) for row in values)
    assert abs(corrected - ALPHA) <= allowed(N_MODEL)
    assert plain >= 6 * ALPHA
    assert [plain, corrected] == pytest.approx(
        documented(f"correlated Gaussian values, overlap {overlap:g}"), abs=0.0101
    )
    intervals = [mean_interval(row, overlap=overlap) for row in values[:500]]
    covered = np.mean([found.low <= 0 <= found.high for found in intervals])
    assert covered == pytest.approx(0.95, abs=allowed(500))


def test_without_overlap_nothing_is_corrected():
    values = np.array([0.1, 0.3, 0.2, 0.4])
    assert one_sample(values, overlap=0.0) == one_sample(values)
    assert one_sample(values, overlap=0.5).se == pytest.approx(one_sample(values).se * np.sqrt(1 + 4 * 0.5))
    assert one_sample(values, overlap=0.5).df == 3
