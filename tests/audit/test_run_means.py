"""Means of two runs of known truth: what repetitions explain, and what they do not."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from audit_records import cells, frame
from cladebench.audit.run_means import DIFFERS, EXPLAINED, UNTOLD, compare_means, welch


def run(values, seed=1, tasks=None, **how):
    rows = cells("d", "A", {"ari": values}, tasks=tasks, **how)
    return frame(rows).assign(seed=[seed + r for r in range(len(values))], data_sha256="0")


def judged(a, b):
    table, n = compare_means(a, b, {})
    assert n == 1
    return table.iloc[0] if len(table) else None


def others(n):
    return [f"of another seed, {i}" for i in range(n)]


def test_equal_tasks_are_pairs():
    """The spread over repetitions is large, that of the differences is not."""
    a = np.array([0.1, 0.9, 0.5, 0.3, 0.7])
    b = a + np.array([0.10, 0.11, 0.10, 0.09, 0.10])
    row = judged(run(a), run(b))
    assert (row["n"], row["paired"], row["says"]) == (5, True, DIFFERS)
    assert row["difference"] == pytest.approx(0.1)
    assert row["p"] == pytest.approx(stats.ttest_rel(b, a).pvalue)
    apart = judged(run(a), run(b, tasks=others(5)))
    assert (apart["n"], apart["paired"], apart["says"]) == (5, False, EXPLAINED)
    assert apart["p"] == pytest.approx(stats.ttest_ind(b, a, equal_var=False).pvalue)


def test_pairs_are_found_by_the_task_not_by_the_number():
    a, b = run([0.1, 0.5, 0.9], tasks=["x", "y", "z"]), run([0.9, 0.1], tasks=["z", "x"])
    assert judged(a, b) is None  # though means of all tasks differ
    assert judged(a, b.assign(value=[0.8, 0.1]))["difference"] == pytest.approx(-0.05)


def test_half_of_the_rows_overlap_and_widen_the_test():
    a, b = np.array([0.5, 0.6, 0.7, 0.5, 0.6]), np.array([0.6, 0.65, 0.83, 0.57, 0.74])
    halves = [run(v).assign(n_rows=50, n_train=50, n_test=50) for v in (a, b)]
    whole = run([0.5]).assign(method="B")  # says how many rows there are
    table, n = compare_means(pd.concat([halves[0], whole]), pd.concat([halves[1], whole]), {})
    d = b - a
    t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / 5 + 1))
    assert n == 2 and table["p"].tolist() == pytest.approx([2 * stats.t.sf(t, 4)])
    assert judged(*halves)["p"] < table["p"][0]


@pytest.mark.parametrize(
    ("a", "b", "seed", "p", "says"),
    [
        ([0.5], [0.6], 1, 0.0, DIFFERS),  # the same draw and seed: what else could it be
        ([0.5], [0.6], 2, 1.0, UNTOLD),
        ([0.5] * 3, [0.6] * 3, 1, 0.0, DIFFERS),
        ([0.5] * 3, [0.6] * 3, 2, 0.25, EXPLAINED),
        ([0.5] * 7, [0.6] * 7, 2, 1 / 64, DIFFERS),
    ],
)
def test_differences_without_spread(a, b, seed, p, says):
    row = judged(run(a), run(b, seed=seed))
    assert (row["p"], row["says"]) == (p, says)


@pytest.mark.parametrize(("n", "p"), [(1, 1.0), (3, 2 / 20), (5, 2 / 252)])
def test_constants_on_other_tasks(n, p):
    row = judged(run([0.5] * n), run([0.6] * n, tasks=others(n)))
    assert row["p"] == pytest.approx(p) and not row["paired"]


def test_a_task_that_no_record_names_is_no_pair():
    a, b = (run([0.5, 0.6], seed=s).assign(task=pd.array([pd.NA] * 2, "string")) for s in (1, 2))
    assert judged(a, b) is None
    assert not judged(a, b.assign(value=[0.7, 0.8]))["paired"]


def test_what_four_digits_do_not_show_is_no_difference():
    assert judged(run([0.5, 0.6]), run([0.50001, 0.60001])) is None
    assert judged(run([0.5, 0.6]), run([0.5002, 0.6002])) is not None


def test_p_values_are_corrected_over_all_means_that_are_not_equal():
    def four(values):
        rows = [cells("d", name, {"ari": v}) for name, v in zip("ABCD", values, strict=True)]
        return frame(*rows).assign(seed=1, data_sha256="0")

    base = [0.1, 0.5, 0.9]
    near = [0.1 + 1e-7, 0.5, 0.9]
    table, n = compare_means(
        four([base, base, base, base]), four([[0.2, 0.61, 1.0], [0.3, 0.3, 0.8], near, base]), {}
    )
    assert n == 4 and table["method"].tolist() == ["A", "B"]
    assert table["p_adjusted"][0] == pytest.approx(3 * table["p"][0])


def test_runs_of_two_seeds_that_draw_alike_differ_as_seldom_as_said():
    """Means over halves of the same rows, drawn twice: the overlap within and between the runs cancels."""
    random = np.random.default_rng(0)
    false = 0
    for _ in range(400):
        pool = random.normal(size=100)
        a, b = (np.array([random.permutation(pool)[:50].mean() for _ in range(10)]) for _ in range(2))
        false += welch(a, b).p_value() < 0.05
    assert 8 <= false <= 32
