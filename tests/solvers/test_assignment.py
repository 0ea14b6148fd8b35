import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cladebench.solvers
from cladebench.reference.assignment import (
    balanced_assignment_enumeration,
    balanced_assignment_ilp,
    dual_value,
)
from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.assignment_flow import assignment_value


def costs(n: int, n_clusters: int, seed: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shape = (n, n_clusters)
    if kind == "integers":  # many ties
        return rng.integers(-1, 3, shape).astype(float)
    if kind == "equal":
        return np.full(shape, -2.5)
    if kind == "duplicates":
        return rng.normal(size=(3, n_clusters))[rng.integers(0, 3, n)]
    if kind == "huge":
        return 1e12 + 1e9 * rng.normal(size=shape)
    if kind == "tiny":
        return 1e-12 * rng.normal(size=shape)
    if kind == "mixed":  # columns of very different size
        return rng.normal(size=shape) * 10.0 ** rng.integers(-12, 13, n_clusters)
    if kind == "margin":
        scores = rng.normal(size=shape) + rng.normal(size=n_clusters)
        hinge = np.maximum(0.0, 1.0 - scores[:, :, None] + scores[:, None, :]) ** 2
        return hinge.sum(axis=2) - 1.0
    return rng.normal(size=shape) + rng.normal(size=n_clusters)


KINDS = ("real", "integers", "equal", "duplicates", "huge", "tiny", "mixed", "margin")


@st.composite
def programmes(draw: st.DrawFn, max_rows: int = 400, max_clusters: int = 7):
    """Costs of each kind, and bounds that some assignment meets: wide, narrow, fixed, empty clusters."""
    n, n_clusters = draw(st.integers(1, max_rows)), draw(st.integers(1, max_clusters))
    seed, kind = draw(st.integers(0, 10**6)), draw(st.sampled_from(KINDS))
    rng = np.random.default_rng(seed + 1)
    sizes = rng.multinomial(n, rng.dirichlet(np.full(n_clusters, draw(st.sampled_from([0.3, 5.0])))))
    below, above = rng.integers(0, 1 + draw(st.sampled_from([0, 1, n])), (2, n_clusters))
    return costs(n, n_clusters, seed, kind), np.maximum(sizes - below, 0), sizes + above


def certify(cost, lower, upper, labels, prices) -> float:
    """The value, once labels are within the bounds and the prices prove that it is the least."""
    n, n_clusters = cost.shape
    assert labels.shape == (n,) and labels.dtype == np.intp
    assert prices.shape == (n_clusters,) and np.isfinite(prices).all()
    counts = np.bincount(labels, minlength=n_clusters)
    assert len(counts) == n_clusters
    assert (lower <= counts).all() and (counts <= upper).all()
    value = assignment_value(cost, labels)
    scale = n * np.abs(cost).max()
    assert abs(value - dual_value(cost, prices, lower, upper)) <= 1e-14 * scale
    return value


@settings(max_examples=300)
@given(programmes())
def test_prices_prove_the_optimum(programme) -> None:
    certify(*programme, *balanced_assignment(*programme, return_prices=True))


@settings(max_examples=40)
@given(programmes(max_rows=6, max_clusters=4))
def test_as_good_as_enumeration(programme) -> None:
    cost = programme[0]
    value = certify(*programme, *balanced_assignment(*programme, return_prices=True))
    best = balanced_assignment_enumeration(*programme).value
    assert abs(value - best) <= 1e-14 * len(cost) * np.abs(cost).max()


@pytest.mark.parametrize("solver", ["CBC", "HiGHS"])
@settings(max_examples=6)
@given(programme=programmes(max_rows=25, max_clusters=4))
def test_as_good_as_an_integer_programme(solver: str, programme) -> None:
    cost = programme[0]
    value = assignment_value(cost, balanced_assignment(*programme))
    best = balanced_assignment_ilp(*programme, solver).value
    spread = np.ptp(cost, axis=1).max()
    # The solvers' tolerances are relative to the spread; the kernel may be no worse than rounding.
    assert best - 1e-7 * len(cost) * spread <= value <= best + 1e-14 * len(cost) * np.abs(cost).max()


@pytest.mark.parametrize("n_clusters", [2, 3, 5, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_large_enough_for_several_samples(kind: str, n_clusters: int) -> None:
    # 20,000 rows at K = 3: samples of 2,500 and of 312.
    cost = costs(20_000, n_clusters, 5, kind)
    for lower, upper in ((0.9, 1.1), (1.0, 1.0), (0.0, 2.0)):
        least = np.full(n_clusters, int(lower * len(cost) / n_clusters))
        most = np.full(n_clusters, int(np.ceil(upper * len(cost) / n_clusters)))
        certify(cost, least, most, *balanced_assignment(cost, least, most, return_prices=True))


@pytest.mark.parametrize("order", ["sorted", "sample deceives", "one row in eight"])
def test_exact_whatever_the_sample_sees(order: str) -> None:
    cost = costs(9_000, 4, 6, "real")
    if order == "sorted":
        cost = cost[np.argsort(cost[:, 0])]
    elif order == "sample deceives":  # the first half wants cluster 0, the second cluster 3
        cost[:4_500, 0] -= 10.0
        cost[4_500:, 3] -= 10.0
    else:
        cost[::8, 1] -= 1e6
    lower, upper = np.full(4, 2_200), np.full(4, 2_300)
    certify(cost, lower, upper, *balanced_assignment(cost, lower, upper, return_prices=True))


def test_integers_are_exact() -> None:
    rng = np.random.default_rng(7)
    cost = rng.integers(0, 2**53, (300, 2))
    labels = balanced_assignment(cost, 150, 150)
    difference = cost[:, 1] - cost[:, 0]
    assert set(np.flatnonzero(labels)) == set(np.argsort(difference)[:150])
    cost = rng.integers(0, 2**45, (2_000, 5))
    labels, prices = balanced_assignment(cost, 400, 400, return_prices=True)
    paid = sum(Fraction(int(cost[i, k])) for i, k in enumerate(labels))
    v = [Fraction(price) for price in prices]
    assert paid == sum(min(c - p for c, p in zip(row, v, strict=True)) for row in cost.tolist()) + 400 * sum(
        v
    )


def test_ties_go_by_index() -> None:
    assert balanced_assignment(np.zeros((5, 2)), 2, 3).tolist() == [1, 1, 0, 0, 0]
    assert balanced_assignment(np.zeros((3, 3)), 1, 1).tolist() == [0, 1, 2]
    assert balanced_assignment(np.zeros((4, 3)), 0, 4).tolist() == [0, 0, 0, 0]


def test_bounds_that_do_not_bind_leave_prices_of_zero() -> None:
    for n_clusters in (1, 2, 5):
        cost = costs(400, n_clusters, 8, "real")
        labels, prices = balanced_assignment(cost, 0, 400, return_prices=True)
        assert np.array_equal(labels, cost.argmin(axis=1))
        assert np.array_equal(prices, np.zeros(n_clusters))


def test_more_clusters_than_rows() -> None:
    cost = costs(3, 6, 9, "real")
    lower, upper = np.array([0, 0, 0, 1, 0, 1]), np.array([1, 0, 1, 1, 0, 1])
    certify(cost, lower, upper, *balanced_assignment(cost, lower, upper, return_prices=True))


def test_a_cluster_kept_empty_and_one_that_takes_all() -> None:
    cost = costs(600, 3, 10, "real")
    cost[:, 1] -= 100.0
    labels = balanced_assignment(cost, 0, [600, 0, 600])
    assert np.array_equal(labels, 2 * (cost[:, 2] < cost[:, 0]))
    assert (balanced_assignment(cost, [0, 0, 600], 600) == 2).all()


def test_what_may_stand_for_an_array() -> None:
    cost = costs(12, 3, 11, "integers")
    expected = balanced_assignment(cost, 3, 5)
    for same in (
        cost.tolist(),
        cost.astype(np.float32),
        cost.astype(np.int8),
        cost.astype(object),
        np.asfortranarray(cost),
        np.repeat(cost, 2, axis=0)[::2],
    ):
        assert np.array_equal(balanced_assignment(same, np.uint8(3), [5, 5, 5]), expected)
    assert np.array_equal(
        balanced_assignment(cost, 3, np.full(3, 2**64 - 1)), balanced_assignment(cost, 3, 12)
    )
    frozen = cost.copy()
    frozen.flags.writeable = False
    assert np.array_equal(balanced_assignment(frozen, 3, 5), expected)
    assert cladebench.solvers.balanced_assignment is balanced_assignment


@pytest.mark.parametrize(
    ("cost", "lower", "upper", "words"),
    [
        ([[0.0, np.nan]], 0, 1, r"cost\[0, 1\] is nan"),
        ([[0.0, 1.0], [-np.inf, 0.0]], 0, 1, r"cost\[1, 0\] is -inf; expected finite"),
        ([[0.0, 1e307], [1.0, 0.0]], 0, 2, r"cost\[0, 1\] is 1e\+307: expected at most"),
        ([[0, 2**53 + 1]], 0, 1, "cost has an integer of magnitude 9007199254740993"),
        (np.array([[0, 2**63]], dtype=np.uint64), 0, 1, "magnitude 9223372036854775808"),
        ([[0, 2**70]], 0, 1, "cost .*integer 1180591620717411303424"),
        ([[0.0], [1.0, 2.0]], 0, 2, "cost is not an array of numbers"),
        ([[None, "a"]], 0, 1, "cost is not an array of numbers"),
        ([["a", "b"]], 0, 1, "cost has dtype <U1; expected real numbers"),
        ([[1j, 0.0]], 0, 1, "cost has dtype complex128"),
        (np.zeros((0, 2)), 0, 1, r"cost has shape \(0, 2\)"),
        (np.zeros((2, 0)), 0, 1, r"cost has shape \(2, 0\)"),
        (np.zeros(3), 0, 1, r"cost has shape \(3,\)"),
        (np.zeros((4, 2)), 3, 4, "lower sums to more than the 4 rows"),
        (np.zeros((4, 2)), [2**62, 2**62], [2**63 - 1, 2**63 - 1], "lower sums to more than the 4 rows"),
        (np.zeros((4, 2)), 0, 1, "upper sums to 2; expected at least the 4 rows"),
        (np.zeros((4, 2)), [2, 1], [4, 0], r"upper\[1\] is 0; expected at least lower\[1\], which is 1"),
        (np.zeros((4, 2)), [0, -1], 4, r"lower\[1\] is -1; expected at least 0"),
        (np.zeros((4, 2)), 0, [4, -4], r"upper\[1\] is -4"),
        (np.zeros((4, 2)), 1.0, 4, r"lower is 1.0; expected integers"),
        (np.zeros((4, 2)), 0, [3.5, 4], r"upper is \[3.5, 4\]; expected integers"),
        (np.zeros((4, 2)), 0, 2**70, "upper is 1180591620717411303424; expected integers below"),
        (np.zeros((4, 2)), 0, [[1], [1, 2]], "upper is not an array of integers"),
        (np.zeros((4, 2)), [0, 0, 0], 4, r"lower has shape \(3,\); expected an integer or shape \(2,\)"),
        (np.zeros((4, 2)), 0, [[4, 4]], r"upper has shape \(1, 2\)"),
        (np.zeros((4, 2)), True, 4, "lower is True; expected integers"),
        (np.zeros((4, 1)), 0, 3, "upper sums to 3"),
    ],
)
def test_bad_input_is_named(cost, lower, upper, words: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words):
            balanced_assignment(cost, lower, upper)


def test_largest_costs_that_are_taken() -> None:
    limit = np.finfo(float).max / (16 * 7)
    cost = limit * np.array([[1.0, -1.0, 0.5], [1.0, -1.0, -0.5]])
    lower, upper = np.array([1, 0, 0]), np.array([1, 1, 0])
    labels, prices = balanced_assignment(cost, lower, upper, return_prices=True)
    assert sorted(labels) == [0, 1]
    assert np.isfinite(prices).all()


def test_same_labels_every_time_and_nothing_is_written() -> None:
    cost = costs(5_000, 4, 12, "integers")
    before = cost.copy()
    first, second = (balanced_assignment(cost, 1_200, 1_300, return_prices=True) for _ in range(2))
    assert np.array_equal(first[0], second[0]) and np.array_equal(first[1], second[1])
    assert np.array_equal(cost, before)
