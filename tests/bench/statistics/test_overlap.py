"""What draws of the same rows have in common: derived, and measured on values whose truth is known."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.bench.plan.cell_spec import CellSpec, Limits
from cladebench.bench.plan.task import draw_task, folds_of
from cladebench.bench.samples.samples import overlap
from cladebench.bench.statistics.paired_tests import one_sample
from doc_examples import ROOT

ALPHA, N_POOL, N_DRAWINGS, PER_DRAWING = 0.05, 200, 40, 25
N_TRIALS = N_DRAWINGS * PER_DRAWING


def records(how, repetitions, seed=0, n_rows=N_POOL):
    """The test rows of each task, and the columns of its record that `overlap` reads."""
    data = SimpleNamespace(
        name="d", labels=np.arange(n_rows) % 2, n_samples=n_rows, parts={}, content_sha256=""
    )
    tests, found = [], []
    for repetition, fold in itertools.product(range(repetitions), folds_of(how)):
        task = draw_task(CellSpec("p", "d", "m", {}, repetition, seed, Limits(1, 1), 1, fold, how), data)
        tests.append(task.rows[task.test])
        found.append((repetition, len(task.rows), len(task.train), len(task.test)))
    return tests, pd.DataFrame(found, columns=["repetition", "n_rows", "n_train", "n_test"])


def of(*found):
    return pd.DataFrame(found, columns=["repetition", "n_rows", "n_train", "n_test"])


def rates(how, repetitions):
    """How often the plain and the corrected test find that the mean of standard normal rows is not zero."""
    found = []
    for seed in range(N_DRAWINGS):
        tests, rows = records(how, repetitions, seed)
        common = overlap(rows, N_POOL)
        for pool in np.random.default_rng(seed).normal(size=(PER_DRAWING, N_POOL)):
            means = np.array([pool[test].mean() for test in tests])
            found.append((one_sample(means).p_value(), one_sample(means, overlap=common).p_value()))
    return (np.array(found) <= ALPHA).mean(axis=0)


def documented(name):
    """The two rates of a row of the table in docs/adding-a-paper.md."""
    text = (ROOT / "docs" / "adding-a-paper.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {re.escape(name)} \| ([\d.]+)% \| ([\d.]+)% \|$", text, re.MULTILINE)
    assert row, f"docs/adding-a-paper.md has no row {name!r}"
    return [float(share) / 100 for share in row.groups()]


@pytest.mark.parametrize(
    ("name", "how", "repetitions"),
    [
        ("20 of half of 200 rows", {"share": 0.5}, 20),
        ("20 of a tenth of 200 rows", {"share": 0.1}, 20),
        ("5 of half of 200 rows", {"share": 0.5}, 5),
        ("10 of half of 200 rows, half of them held out", {"share": 0.5, "test": 0.5}, 10),
        ("4 of half of 200 rows, in 5 folds", {"share": 0.5, "folds": {"n": 5}}, 4),
    ],
)
def test_only_with_what_draws_share_the_test_keeps_its_level(name, how, repetitions):
    plain, corrected = rates(how, repetitions)
    assert corrected <= ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / N_TRIALS)
    assert plain >= 4 * ALPHA
    if "folds" not in how:  # there what is assumed is true, not only safe
        assert corrected >= ALPHA - 3 * np.sqrt(ALPHA * (1 - ALPHA) / N_TRIALS)
    assert [plain, corrected] == pytest.approx(documented(name), abs=0.0051)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_expected_variance_of_the_mean_is_that_of_the_correction(share):
    """By the exact covariances of means over subsets, no Gaussian drawn."""
    sizes, ratios = range(2, 6), []
    for n in sizes:
        above = below = 0.0
        for seed in range(300):
            tests, _ = records({"share": share}, n, seed, n_rows=20)
            members = np.array([np.isin(np.arange(20), test) / len(test) for test in tests])
            covariance = members @ members.T
            above += covariance.mean()
            below += (np.trace(covariance) - n * covariance.mean()) / (n - 1)
        ratios.append(above / below)
    _, rows = records({"share": share}, 2, n_rows=20)
    assert ratios == pytest.approx([1 / n + overlap(rows, 20) for n in sizes], rel=0.05)


@given(st.integers(1, 99), st.integers(2, 9))
def test_a_share_alone_leaves_its_odds(percent, n):
    rows = of(*((repetition, percent, percent, percent) for repetition in range(n)))
    assert overlap(rows, 100) == pytest.approx(percent / (100 - percent))
    assert overlap(rows, np.inf) == 0.0  # other data in each repetition
    assert overlap(rows) == 0.0  # no rows are drawn


@given(st.integers(2, 9), st.integers(1, 4))
def test_folds_of_all_rows_leave_test_over_training_rows(n_folds, repetitions):
    rows = of(
        *((r, 720, 720 - 720 // n_folds, 720 // n_folds) for r in range(repetitions) for _ in range(n_folds))
    )
    expected = 1 / (n_folds - 1)
    if 720 % n_folds == 0:
        assert overlap(rows, 720) == pytest.approx(expected) == pytest.approx(overlap(rows))


def test_the_official_test_part_counts_as_if_nothing_were_held_out():
    def drawn(share):
        data = SimpleNamespace(
            name="d", n_samples=600, labels=None, parts={}, n_training=500, content_sha256="0" * 64
        )
        task = draw_task(
            CellSpec("p", "d", "m", {}, 0, 0, Limits(1, 1), task={"split": "official"} | share), data
        )
        return len(task.rows), len(task.train), len(task.test)

    whole, half = (of(*((r, *drawn(share)) for r in range(5))) for share in ({}, {"share": 0.5}))
    assert overlap(whole, 600, official=True) == 0.0 < overlap(whole, 600)
    assert overlap(half, 600, official=True) == pytest.approx(1.0)
    assert overlap(half, np.inf, official=True) == 0.0


def test_rows_drawn_and_held_out_are_test_rows_over_the_others_in_the_pool():
    rows = of(*((repetition, 100, 70, 30) for repetition in range(5)))
    assert overlap(rows, 400) == pytest.approx(30 / 370)
    assert overlap(rows, 100) == pytest.approx(30 / 70)
    assert overlap(rows, np.inf) == 0.0


def test_folds_of_one_repetition_share_more_than_those_of_two():
    rows = of(*((repetition, 100, 50, 50) for repetition in range(2) for _ in range(2)))
    # Of the six pairs two are of one repetition.
    r = (2 * 0.5 + 4 * 0.5 * 0.25) / 6
    assert overlap(rows, 400) == pytest.approx(r / (1 - r))
    alone = (2 * 0.5) / 6
    assert overlap(rows, np.inf) == pytest.approx(alone / (1 - alone))


def test_the_same_rows_in_each_repetition_and_problems_made_of_parts_have_none():
    same = of(*((repetition, 100, 100, 100) for repetition in range(5)))
    assert overlap(same, 100) == overlap(same) == overlap(same, 90) == 0.0
    assert overlap(of((0, 0, 0, 0), (1, 0, 0, 0)), 100) == 0.0
    assert overlap(of((0, 50, 50, 50)), 100) == 1.0  # one value is of no pair
