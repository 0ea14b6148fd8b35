"""The search for a tree against plain rounds, in which each move is made and its tree fitted by the twin."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.reference import tree_metric as twin
from cladebench.solvers import tree_metric as module

KINDS = ("uniform", "points", "noisy tree", "whole", "duplicates", "zero")


def distances(k: int, seed: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind in ("points", "duplicates"):
        X = rng.normal(size=(k, 3))[rng.integers(0, k // 2, k) if kind == "duplicates" else slice(None)]
        return np.linalg.norm(X[:, None] - X[None], axis=2)
    upper = {"uniform": rng.uniform(size=(k, k)), "whole": rng.integers(0, 4, (k, k)).astype(float)}.get(kind)
    if upper is None:
        parents = module._random_tree(k, np.random.RandomState(seed))
        lengths = rng.uniform(0.1, 1.0, len(parents)) * (kind != "zero")
        upper = np.reshape(_core.path_distances(k, parents, lengths), (k, k)) * rng.uniform(0.7, 1.3, (k, k))
    return np.triu(upper, 1) + np.triu(upper, 1).T


def rerooted(parents: list[int], root: int) -> list[int]:
    turned, below, node = list(parents), -1, root
    while node != -1:
        turned[node], below, node = below, node, turned[node]
    return turned


def preorder(parents: list[int], node: int) -> list[int]:
    below = [child for child, up in enumerate(parents) if up == node]
    return [node, *(other for child in reversed(below) for other in preorder(parents, child))]


def moves(parents: list[int], v: int, radius: int):
    """Hang what is not below v on another edge below it."""
    for target in preorder(parents, v)[1:]:
        path = [target]
        while parents[path[-1]] != v:
            path.append(parents[path[-1]])
        siblings = [child for child, up in enumerate(parents) if up == v and child != path[-1]]
        if 1 < len(path) <= radius + 1 and len(siblings) == 1:
            moved = list(parents)
            for lower, upper in zip([v, *path[1:]], path[1:], strict=False):
                moved[upper] = lower
            moved[target], moved[siblings[0]] = v, path[-1]
            yield moved


def searched(D: np.ndarray, start: np.ndarray, radius: int) -> list[int]:
    """Make the best move of each round, the first of equals."""

    def squares(parents: list[int]) -> float:
        return twin.fit_edges(D, [(v, up) for v, up in enumerate(parents) if up >= 0])[2] ** 2

    best = start.tolist()
    least = squares(best)
    rounding = 1e-24 * np.square(D).sum()

    def improves(radius: int) -> bool:
        nonlocal best, least
        before, base = least, rerooted(best, 0)
        for v in range(1, len(base)):
            point = next(node for node in preorder(base, v) if node < len(D))
            for parents, joint in ((base, v), (rerooted(base, point), base[v])):
                for moved in moves(parents, joint, radius):
                    found = squares(moved)
                    if found < least * (1 - 1e-9) - rounding:
                        best, least = moved, found
        return least < before

    while improves(1) or improves(radius):
        pass
    return rerooted(best, 0)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(4, 8),
    st.integers(0, 10**6),
    st.sampled_from(KINDS),
    st.sampled_from([1, 2, 16]),
    st.booleans(),
)
def test_the_tree_is_that_of_plain_rounds(k: int, seed: int, kind: str, radius: int, is_random: bool) -> None:
    D = distances(k, seed, kind)
    start = module._random_tree(k, np.random.RandomState(seed)) if is_random else _core.neighbor_joining(D)
    assert _core.search_trees(D, start, radius).tolist() == searched(D, start, radius)


def test_a_searched_tree_is_where_the_search_stays() -> None:
    for kind in KINDS:
        D = distances(60, 1, kind)
        found = _core.search_trees(D, _core.neighbor_joining(D), 10)
        assert _core.search_trees(D, found, 10).tolist() == found.tolist()
