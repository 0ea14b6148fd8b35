"""Neighbour joining, and the search for the topology: against the twin, against all trees, against all moves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.crosscheck import tree_metric as checks
from cladebench.reference import tree_metric as twin
from cladebench.solvers import tree_metric as module
from cladebench.solvers.tree_metric import fit_tree_metric
from instruction_sets import each_instruction_set
from solver_checks import hold
from tree_metric_cases import KINDS, check, distances, matrices, parents_to_edges


@settings(max_examples=60)
@given(st.integers(1, 14), st.integers(0, 10**6), st.sampled_from(["uniform", "points", "noisy tree"]))
def test_neighbour_joining_is_the_twin_s(k: int, seed: int, kind: str) -> None:
    D = distances(k, seed, kind)
    hold(checks.neighbour_joining("drawn", D))
    fit = fit_tree_metric(D, topologies="neighbor-joining")
    edges = twin.neighbor_joining(D)
    assert fit.residual == pytest.approx(twin.fit_edges(D, edges)[2], rel=1e-9, abs=1e-12)


@settings(max_examples=150)
@given(
    st.integers(1, 45),
    st.integers(0, 10**6),
    st.sampled_from([*KINDS, "tenths", "far apart"]),
    st.sampled_from([1.0, 1e-300, 1e300]),
)
def test_of_pairs_equal_but_for_rounding_the_twin_s_is_joined(
    k: int, seed: int, kind: str, scale: float
) -> None:
    if kind == "tenths":  # ties that the order of additions breaks
        D = distances(k, seed, "whole") / 10
    elif kind == "far apart":  # near pairs lie within the rounding of sums
        D = distances(k, seed) * np.where(np.add.outer(np.arange(k), np.arange(k)) % 5, 1e-15, 1.0)
    else:
        D = distances(k, seed, kind)
    hold(checks.neighbour_joining("drawn", D * scale))


def test_neighbour_joining_does_not_depend_on_the_instruction_set() -> None:
    for kind in KINDS:
        D = distances(70, 0, kind)
        assert len({_core.neighbor_joining(D).tobytes() for _ in each_instruction_set()}) == 1


def test_neighbour_joining_of_sums_beyond_all_numbers_is_a_tree() -> None:
    D = 1.7e308 * (1.0 - np.eye(9))
    parents = _core.neighbor_joining(D)
    assert sorted(np.bincount(parents[parents >= 0], minlength=16).tolist()) == [0] * 8 + [1] + [2] * 7


def test_neighbour_joining_by_hand() -> None:
    # A pair of neighbours (0, 1) that is not the closest one, which is (0, 2): what the sums of rows are for.
    D = np.array([[0, 11, 3, 12], [11, 0, 12, 21], [3, 12, 0, 11], [12, 21, 11, 0]], dtype=float)
    fit = fit_tree_metric(D, topologies="neighbor-joining")
    assert twin.splits(fit.tree) == {frozenset({2, 3})}
    assert fit.residual <= 1e-12
    assert fit.tree.edge_lengths is not None
    assert fit.tree.edge_lengths[:4] == pytest.approx([1, 10, 1, 10])


@settings(max_examples=25)
@given(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from(KINDS))
def test_all_is_the_best_of_the_twin_s(k: int, seed: int, kind: str) -> None:
    D = distances(k, seed, kind)
    check(fit_tree_metric(D, topologies="all"), D)
    hold(checks.against_all("drawn", D))


def test_topologies_are_counted() -> None:
    counts = [sum(1 for _ in twin.all_topologies(k)) for k in range(1, 8)]
    assert counts == [1, 1, 1, 3, 15, 105, 945]
    seen = {frozenset(twin.splits_of_edges(edges, 6)) for edges in twin.all_topologies(6)}
    assert len(seen) == 105


@settings(max_examples=40)
@given(matrices.filter(lambda D: len(D) <= 7))
def test_between_all_and_neighbour_joining(D) -> None:
    best, found, start = (
        fit_tree_metric(D, topologies=name).residual for name in ("all", "search", "neighbor-joining")
    )
    slack = 1e-9 * D.max()
    assert best <= found + slack and found <= start + slack


@pytest.mark.parametrize("kind", ["uniform", "points", "noisy tree"])
def test_search_finds_the_best_nearly_always(kind: str) -> None:
    found = 0
    for seed in range(100):
        D = distances(6, seed, kind)
        best = fit_tree_metric(D, topologies="all").residual
        found += fit_tree_metric(D).residual <= best * (1 + 1e-8)
    assert found >= 97


def test_more_starts_find_it_always() -> None:
    first, more = 0, 0
    for seed in range(100):
        D = distances(7, seed)
        best, one, nine = (
            fit_tree_metric(D, **options).residual  # type: ignore[arg-type]
            for options in ({"topologies": "all"}, {}, {"n_starts": 9, "random_state": seed})
        )
        assert best <= nine * (1 + 1e-9) and nine <= one * (1 + 1e-9)
        first += one <= best * (1 + 1e-8)
        more += nine <= best * (1 + 1e-8)
    assert first < more == 100


def moved(edges: list[tuple[int, int]], k: int):
    """Every tree that one pruning and regrafting makes, by taking edges apart and joining them."""
    for cut in range(len(edges)):
        for root, stub in (edges[cut], edges[cut][::-1]):
            # The part of `root` moves; `stub` is left with two neighbours, which are joined.
            rest = [edge for number, edge in enumerate(edges) if number != cut]
            beside = [edge for edge in rest if stub in edge]
            if len(beside) != 2:
                continue
            ends = [a if b == stub else b for a, b in beside]
            others = [edge for edge in rest if edge not in beside]
            reached, grown = {root}, True
            while grown:
                further = {x for edge in others for x in edge if set(edge) & reached} - reached
                reached |= further
                grown = bool(further)
            joined = [*others, (ends[0], ends[1])]
            for target in joined:
                if not set(target) & reached:
                    a, b = target
                    yield [*(edge for edge in joined if edge != target), (a, stub), (stub, b), (stub, root)]


# The last four are where a search that prunes in one direction only ends too early, (9, 35) whichever it is.
@pytest.mark.parametrize(
    ("k", "seed"),
    [(5, 0), (6, 1), *((7, seed) for seed in range(12)), (8, 4), (8, 47), (9, 35), (9, 46)],
)
def test_no_move_improves_what_the_search_found(k: int, seed: int) -> None:
    D = distances(k, seed)
    start = module._random_tree(k, np.random.RandomState(seed))
    found = parents_to_edges(_core.search_trees(D, start, 2 * k))
    residual = twin.fit_edges(D, found)[2]
    trees = list(moved(found, k))
    # 2 (k - 3) (2 k - 7) others (Allen and Steel 2001), and the tree itself.
    assert len({frozenset(twin.splits_of_edges(edges, k)) for edges in trees}) == 1 + 2 * (k - 3) * (
        2 * k - 7
    )
    assert min(twin.fit_edges(D, edges)[2] for edges in trees) >= residual * (1 - 1e-8)


def test_a_larger_radius_finds_what_exchanges_miss() -> None:
    near, far = 0, 0
    for seed in range(40):
        D = distances(9, seed)
        start = _core.neighbor_joining(D)
        one, any_ = (twin.fit_edges(D, parents_to_edges(_core.search_trees(D, start, r)))[2] for r in (1, 18))
        near += one > any_ * (1 + 1e-9)
        far += any_ > one * (1 + 1e-9)
    assert near >= 5 and far <= near / 4  # a better move may lead to a worse end, but seldom does


def test_exchanges_alone_improve_a_random_start() -> None:
    for seed in range(10):
        D = distances(8, seed, "noisy tree")
        start = module._random_tree(8, np.random.RandomState(seed))
        found = _core.search_trees(D, start, 1)
        assert twin.fit_edges(D, parents_to_edges(found))[2] < twin.fit_edges(D, parents_to_edges(start))[2]


def test_beyond_the_full_radius() -> None:
    D = distances(module.FULL_RADIUS_UP_TO + 2, 0, "points")
    fit = fit_tree_metric(D)
    check(fit, D)
    assert fit.residual < fit_tree_metric(D, topologies="neighbor-joining").residual


def test_random_topologies_are_uniform_and_repeatable() -> None:
    counts: dict[frozenset, int] = {}
    random = np.random.RandomState(0)
    for _ in range(3000):
        edges = parents_to_edges(module._random_tree(5, random))
        found = frozenset(twin.splits_of_edges(edges, 5))
        counts[found] = counts.get(found, 0) + 1
    assert len(counts) == 15 and min(counts.values()) > 150 and max(counts.values()) < 250
    D = distances(8, 0)
    same = [fit_tree_metric(D, topologies="random", random_state=seed).residual for seed in (1, 1, 2)]
    assert same[0] == same[1] != same[2]
