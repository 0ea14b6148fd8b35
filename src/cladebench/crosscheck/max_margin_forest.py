"""Check the max-margin forest's distances and neighbours by plain walks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cladebench.crosscheck._instances import real_data
from cladebench.crosscheck._pairs import FloatArray, IntArray, draw_labelled, draw_pairs
from cladebench.crosscheck.certificate import IDENTICAL, Certificate, Checks, Side, timed
from cladebench.distances.hierarchy_forest import HierarchyForest
from cladebench.reference import hierarchy_forest as reference

TOPICS = ("hfd-distance", "hfd-neighbors")

#: scope -> rows, rows that are only asked for, constraints of either sort, trees, queries of the twin; draws.
SIZES = {"smoke": (60, 10, 40, 4, 3, 1), "quick": (150, 20, 150, 6, 5, 1), "full": (150, 30, 300, 10, 10, 2)}
#: Neighbours that are asked for, and candidates of a tree.
NEIGHBORS, CANDIDATES = 5, 3


class Grown(NamedTuple):
    """A forest, its trees as forests, and other rows.

    It was not grown from these rows.
    """

    whole: HierarchyForest
    single: list[HierarchyForest]
    X: FloatArray
    others: FloatArray

    @property
    def trees(self) -> list[Any]:
        """The trees, for the twin."""
        return [one.tree(0) for one in self.single]

    @property
    def alpha(self) -> float:
        """How steeply certainty rises."""
        return float(self.whole.certainty)


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield certificates of forests that were grown from real data, with constraints."""
    n_samples, n_others, n_pairs, n_trees, n_queries, n_draws = SIZES[scope]
    for name, (X, y) in real_data().items():
        for k in range(n_draws):
            rows, labels = draw_labelled(X, y, min(n_samples + n_others, len(np.unique(X, axis=0))), seed + k)
            grown = _grow(rows[:-n_others], rows[-n_others:], labels[:-n_others], n_pairs, n_trees, seed + k)
            instance = f"{name}-{len(grown.X)}-{k}"
            yield from _distance(instance, grown, n_queries)
            yield from _neighbors(instance, grown, n_queries)


def _grow(
    X: FloatArray, others: FloatArray, labels: IntArray, n_pairs: int, n_trees: int, seed: int
) -> Grown:
    must, cannot = draw_pairs(labels, n_pairs, seed)
    single = [
        HierarchyForest(1, first_tree=t, random_state=seed).fit(X, must_link=must, cannot_link=cannot)
        for t in range(n_trees)
    ]
    return Grown(HierarchyForest.join(single), single, X, others)


def _distance(instance: str, grown: Grown, n_queries: int) -> Iterator[Certificate]:
    """Range, shared leaves, symmetry, and the walk."""
    checks = Checks("hfd-distance", instance)
    rows = np.vstack([grown.X, grown.others])
    fast = timed("kernel", grown.whole.pairwise, rows)
    whole = fast.result
    each = [one.pairwise(rows) for one in grown.single]
    walk = timed("nodes of the plain walk", lambda: [_shares(tree, rows) for tree in grown.trees])
    shares = walk.result
    together = [share == 0.0 for share in shares]
    yield checks.certify(
        "range",
        "the distance of each hierarchy, and their mean, is in [0, 1]",
        fast.giving(max(part.max() for part in each)),
        Side("0 and 1", 1.0),
        IDENTICAL,
        residual=max(0.0, *(float(max(-part.min(), part.max() - 1.0)) for part in [*each, whole])),
        note=f"the largest distance of {len(each)} hierarchies; the largest of their means is {whole.max():.3f}",
    )
    yield checks.certify(
        "shared-leaf",
        "a hierarchy's distance is 0 for rows that share a leaf, else at most the share of rows in their node",
        fast.giving(max(part[leaf].max() for part, leaf in zip(each, together, strict=True))),
        walk.giving(0.0),
        IDENTICAL,
        residual=max(0.0, *(float((part - share).max()) for part, share in zip(each, shares, strict=True))),
        note=f"{sum((int(leaf.sum()) - len(rows)) // 2 for leaf in together)} pairs of different rows share a leaf",
    )
    mean = np.asarray(sum(each)) / len(each)  # in the order of the trees, as the kernel adds
    yield checks.certify(
        "symmetric",
        "distances are the same both ways, and are the mean over the hierarchies (eq. 1)",
        fast.giving(whole.mean()),
        Side("transpose; forests of one tree each", float(mean.mean())),
        IDENTICAL,
        residual=float(max(np.abs(whole - whole.T).max(), np.abs(whole - mean).max())),
    )
    asked = rows[:: max(1, len(rows) // 20)]
    queries = grown.others[:n_queries]
    fast = timed("kernel", grown.whole.pairwise, queries, asked)
    exact = timed(
        "plain twin",
        lambda: [[reference.distance(grown.trees, a, b, grown.alpha) for b in asked] for a in queries],
    )
    yield checks.certify(
        "plain-walk",
        "distances are those of two points that walk down each tree until they part",
        fast.giving(fast.result.mean()),
        exact.giving(np.mean(exact.result)),
        IDENTICAL,
        residual=float(np.abs(fast.result - exact.result).max()),
        note=f"{fast.result.size} distances of rows that the forest was not grown from",
    )


def _shares(tree: Any, rows: FloatArray) -> FloatArray:
    """Give the share of training rows in two rows' smallest common node.

    It is 0 where that node is a leaf.
    """
    shares = np.zeros((len(rows), len(rows)))
    paths = [set(reference.path(tree, row)) for row in rows]
    for node in range(len(tree.right)):  # parents come before their children
        inside = np.flatnonzero([node in path for path in paths])
        share = np.float32(tree.size[node] / tree.size[0]) if tree.right[node] != 0 else 0.0
        shares[np.ix_(inside, inside)] = share
    return shares


def _neighbors(instance: str, grown: Grown, n_queries: int) -> Iterator[Certificate]:
    """Brute force and candidates, against each other and against the twin."""
    checks = Checks("hfd-neighbors", instance)
    queries, n = grown.others, len(grown.X)
    search = partial(grown.whole.neighbors_of, queries, NEIGHBORS)
    every = timed("brute force", search, candidates_per_tree=None)
    brute, brute_rows, _ = every.result
    for order in ("sampled", "nearest"):
        fast = timed("kernel", search, candidates_per_tree=CANDIDATES, candidate_order=order)
        near, rows, compared = fast.result
        exact = np.take_along_axis(grown.whole.pairwise(queries, grown.X), rows, axis=1)
        recall = np.mean([len(np.intersect1d(a, b)) for a, b in zip(rows, brute_rows, strict=True)])
        yield checks.certify(
            f"{order}-candidates",
            "the distances of candidates are exact, and no neighbour found is nearer than that of brute force",
            fast.giving(near.mean()),
            every.giving(brute.mean(), "pairwise distances"),
            IDENTICAL,
            residual=float(max(0.0, np.abs(near - exact).max(), (brute - near).max())),
            note=f"{CANDIDATES} candidates per tree find {recall / NEIGHBORS:.0%} of the {NEIGHBORS} nearest among "
            f"{compared.mean():.0f} of {n} rows; the gap is how much farther those found are",
        )
        near, rows, compared = search(candidates_per_tree=n, candidate_order=order)
        yield checks.certify(
            f"{order}-all",
            "with as many candidates per tree as there are rows the neighbours are those of brute force",
            Side("kernel", float(near.mean())),
            every.giving(brute.mean()),
            IDENTICAL,
            residual=_differ((near, rows), (brute, brute_rows)) + float(np.abs(compared - n).max()),
        )
    for name, per_tree, order in (
        ("brute", None, "sampled"),
        ("sampled", CANDIDATES, "sampled"),
        ("nearest", CANDIDATES, "nearest"),
    ):
        asked = queries[:n_queries]
        options = {"candidates_per_tree": per_tree, "candidate_order": order}
        fast = timed("kernel", grown.whole.neighbors_of, asked, NEIGHBORS, **options)  # type: ignore[arg-type]
        twin = timed("plain twin", _plain_search, grown, asked, per_tree, order == "nearest")
        yield checks.certify(
            f"{name}-twin",
            "neighbours, ties included, are those of the plain search",
            fast.giving(fast.result[0].mean()),
            twin.giving(twin.result[0].mean()),
            IDENTICAL,
            residual=_differ(fast.result[:2], twin.result),
            note="all rows compared" if per_tree is None else f"{per_tree} candidates per tree, {order}",
        )


def _plain_search(
    grown: Grown, queries: FloatArray, per_tree: int | None, nearest: bool
) -> tuple[FloatArray, IntArray]:
    """Distances and rows of the neighbours that the twin finds."""
    answers = [
        reference.neighbors(
            grown.trees,
            grown.X,
            query,
            NEIGHBORS,
            grown.alpha,
            per_tree=per_tree,
            nearest=nearest,
            seed=grown.whole.seed_,
        )
        for query in queries
    ]
    return np.array([one[0] for one in answers]), np.array([one[1] for one in answers])


def _differ(neighbors: tuple[np.ndarray, ...], expected: tuple[np.ndarray, ...]) -> float:
    """Add the largest difference of distances to differing rows.

    The number of rows that are not the same.
    """
    distance, rows = (np.abs(a - b) for a, b in zip(neighbors, expected, strict=True))
    return float(distance.max()) + float(np.count_nonzero(rows))
