"""Which similarity did the paper use? It names none.

What trees cost under each candidate is the evidence.

Every candidate is a similarity (kind, gamma, features) and a way of counting pairs. Under each one, trees that need no
tuning are priced. `similarity_ranking` compares the costs with the printed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import pdist, squareform

from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.datasets import Dataset
from cladebench.hierarchy import Hierarchy
from cladebench.metrics.similarity import Similarity

FloatArray = NDArray[np.float64]

#: Data sets whose costs Figure 3b prints, and whether it prints one of recursive sparsest cuts.
PRINTS_SPARSEST_CUT: Mapping[str, bool] = {"glass": True, "digits": True, "spambase": False}

#: Columns that tell the rows of one data set apart; all strings.
CANDIDATE = ("kind", "gamma", "features", "pairs", "tree")

#: Kinds of similarity with their gammas ("" where there is none); d is the Euclidean distance.
KINDS = (
    ("exp_sq", "median"),
    ("exp_sq", "0.5 median"),
    ("exp_sq", "1/d"),
    ("exp_sq", "1"),
    ("exp_sq", "0.5"),
    ("exp", ""),
    ("inv", ""),
    ("inv_sq", ""),
    ("cosine", ""),
)
SCALINGS = ("raw", "zscore", "unit", "minmax")

#: How pairs are counted: name -> (weight of an unordered pair, weight of a point with itself). Equation 1 sums over
#: X^2, which read to the letter is "ordered+self"; a point with itself costs the number of points that share its leaf.
PAIRS: Mapping[str, tuple[int, int]] = {
    "unordered": (1, 0),
    "ordered": (2, 0),
    "unordered+self": (1, 1),
    "ordered+self": (2, 1),
}

#: Rows that are no tree, but hold for every tree; and the trees.
BOUNDS = ("any tree, at least", "any tree, at most")
TREES = ("sparsest cut", "HAC average", "HAC complete", "HAC average, 16 leaves", "random")
N_LEAVES = 16
#: Pairs priced at once: few enough for the processor's cache.
BLOCK = 1 << 14
#: Up to this number of points the lower bound counts all triples.
N_TRIPLES = 300


@dataclass(frozen=True)
class _Candidate:
    """Hold a similarity of squared distances, within a scaling of features."""

    kind: str
    gamma: str
    features: str
    gamma_value: float
    scale: float  # squared distances are multiplied by it first

    def pairs(self, squared: FloatArray) -> FloatArray:
        """Similarities of pairs.

        The formulas of `Similarity`, on distances that are shared by all kinds.
        """
        d_sq = squared * self.scale if self.scale != 1.0 else squared
        if self.kind == "exp_sq":
            return np.exp(-self.gamma_value * d_sq)
        if self.kind == "exp":
            return np.exp(-np.sqrt(d_sq))
        if self.kind == "inv":
            return 1.0 / (1.0 + np.sqrt(d_sq))
        if self.kind == "inv_sq":
            return 1.0 / (1.0 + d_sq)
        return 1.0 - d_sq / 2.0  # the cosine, of rows of norm 1


def study(data: Mapping[str, Dataset]) -> pd.DataFrame:
    """Price trees under every candidate.

    Parameters
    ----------
    data : mapping of str to Dataset
        Data sets by name, among those of `PRINTS_SPARSEST_CUT`. Labels are not read.

    Returns
    -------
    pandas.DataFrame
        A row for each data set, candidate and tree (or bound): columns `CANDIDATE`, cost, dataset.

    Raises
    ------
    ValueError
        If there is no data set, the paper prints no cost for one, a row of X is all zeros (no cosine), or most
        points are equal (no median distance).

    Notes
    -----
    Deterministic. Distances are computed once for each scaling of the features, and every cost is a dot product
    of the similarities with the sizes of lowest common ancestors, in blocks: O(n^2) memory, once.
    """
    frames = []
    for name, dataset in data.items():
        if name not in PRINTS_SPARSEST_CUT:
            raise ValueError(
                f"data set {name!r}: the paper prints no cost for it; expected {', '.join(PRINTS_SPARSEST_CUT)}"
            )
        if not dataset.X.any(axis=1).all():
            raise ValueError(f"data set {name!r}: a row of X is all zeros; expected rows that have a cosine")
        rows = [row for features in SCALINGS for row in _rows(name, dataset.X, features)]
        frames.append(pd.DataFrame(rows, columns=[*CANDIDATE, "cost"]).assign(dataset=name))
    return pd.concat(frames, ignore_index=True)


def run_study(cell: Cell) -> CellOutput:
    """Run the study on one data set as a cell.

    ``tree_cost``, read at each candidate and tree.
    """
    # In the data set's own order: sums in another order differ in their last digits.
    drawn = replace(cell.data, X=cell.data.X[np.sort(cell.task.rows)])
    frame = study({drawn.name: drawn})
    points = frame[list(CANDIDATE)].to_dict("records")
    readings = [
        Reading({"tree_cost": float(cost)}, {str(k): v for k, v in point.items()})
        for point, cost in zip(points, frame.cost, strict=True)
    ]
    return CellOutput(readings=readings)


def _rows(name: str, X: FloatArray, features: str) -> Iterator[tuple[str, str, str, str, str, float]]:
    """Yield the rows of a data set under one scaling of features.

    Rows of "max" come along with "raw".
    """
    from cladebench.methods import Agglomerative, RandomTree, SparsestCut

    n = len(X)
    values = Similarity(features=features).transform(X)  # type: ignore[arg-type]
    squared = pdist(values, "sqeuclidean")
    candidates = _candidates(X, features, squared)
    average = Agglomerative(linkage="average").fit(values).hierarchy_
    trees = {
        "HAC average": average,
        "HAC complete": Agglomerative(linkage="complete").fit(values).hierarchy_,
        f"HAC average, {N_LEAVES} leaves": _cut_off(average, N_LEAVES),
        "random": RandomTree(random_state=0).fit(values).hierarchy_,
    }
    weights = np.stack([_ancestor_sizes(tree) for tree in trees.values()] + [_least_sizes(squared)])
    sums = _weighted_sums(candidates, squared, weights)
    for candidate, (total, *costs) in zip(candidates, sums, strict=True):
        costs_of = dict(zip(trees, costs, strict=False))
        shared = {tree: _shared_leaves(hierarchy) for tree, hierarchy in trees.items()}
        if PRINTS_SPARSEST_CUT[name]:
            pairs = candidate.pairs(squared)
            cut = SparsestCut(similarity="precomputed").fit(squareform(pairs, checks=False)).hierarchy_
            costs_of["sparsest cut"] = float(pairs @ _ancestor_sizes(cut))
            shared["sparsest cut"] = _shared_leaves(cut)
        # A lowest common ancestor has at least two and at most n points below it; where the similarity falls with
        # the distance, `_least_sizes` is better than two.
        least = 2.0 * total if candidate.kind == "cosine" else costs[-1]
        costs_of |= dict(zip(BOUNDS, (least, n * total), strict=True))
        shared |= dict(zip(BOUNDS, (n, n * n), strict=True))
        for counting, (weight, with_self) in PAIRS.items():
            for tree in (*BOUNDS, *TREES):
                if tree in costs_of:
                    yield (
                        candidate.kind,
                        candidate.gamma,
                        candidate.features,
                        counting,
                        tree,
                        weight * costs_of[tree] + with_self * shared[tree],
                    )


def _candidates(X: FloatArray, features: str, squared: FloatArray) -> list[_Candidate]:
    """List the candidates that share these squared distances."""
    median = float(np.median(squared))
    if not median > 0:
        raise ValueError(
            f"the median of the squared distances is {median} ({features} features); expected more than 0"
        )
    gammas = {
        "median": 1.0 / median,
        "0.5 median": 0.5 / median,
        "1/d": 1.0 / X.shape[1],
        "1": 1.0,
        "0.5": 0.5,
    }
    candidates = [
        _Candidate(kind, gamma, features, gammas.get(gamma, np.nan), 1.0)
        for kind, gamma in KINDS
        if kind != "cosine" or features == "unit"  # the cosine does not see the length of rows
    ]
    if features == "raw":  # the median follows the scale, so it has nothing new to say
        scale = 1.0 / float(np.abs(X).max()) ** 2
        candidates += [
            _Candidate(c.kind, c.gamma, "max", c.gamma_value, scale)
            for c in candidates
            if "median" not in c.gamma
        ]
    return candidates


def _weighted_sums(
    candidates: list[_Candidate], squared: FloatArray, weights: NDArray[np.float32]
) -> FloatArray:
    """Sum each candidate over pairs, plain and by rows of weights."""
    sums = np.zeros((len(candidates), len(weights) + 1))
    for start in range(0, len(squared), BLOCK):
        block = slice(start, start + BLOCK)
        rows = np.vstack([np.ones((1, len(squared[block]))), weights[:, block]]).astype(np.float64)
        for k, candidate in enumerate(candidates):
            sums[k] += rows @ candidate.pairs(squared[block])
    return sums


def _ancestor_sizes(hierarchy: Hierarchy) -> NDArray[np.float32]:
    """Count points below each pair's lowest common ancestor.

    Condensed as `pdist` does.
    """
    without_heights = Hierarchy(hierarchy.parents, hierarchy.leaf_of)
    return cophenet(without_heights.to_linkage()).astype(np.float32)


def _least_sizes(squared: FloatArray) -> NDArray[np.float32]:
    """Bound any tree's cost from below by weights of pairs.

    The similarity must fall with the distance. In a tree some pair of each triple meets first or all three meet at
    once, so that at least two of the three pairs have the third point below their ancestor. The least that a triple can
    cost is thus the sum of its similarities but for the largest, that of the closest pair. So a pair weighs 2 (its own
    points) and one for each third point to which one of its two is closer than they are to each other. Ties go by the
    number of the pair: within the pairs of one point, by the number of the other.

    Up to `N_TRIPLES` points these are counted, O(n^3); beyond, the larger of the two points' counts stands for the
    union, O(n^2 log n), which is less.
    """
    near = squareform(squared, checks=False)
    np.fill_diagonal(near, -1.0)  # a point is its own first neighbour, so the next one has place 2
    places = np.empty(near.shape, dtype=np.float32)
    for i, row in enumerate(near):
        places[i] = _places(row)
    if len(near) <= N_TRIPLES:
        sizes = np.stack(  # i and j count themselves: the 2
            [
                np.count_nonzero((place[None, :] < place[:, None]) | (places < places[:, [i]]), axis=1)
                for i, place in enumerate(places)
            ]
        ).astype(np.float32)
    else:
        sizes = np.maximum(places, places.T)
    np.fill_diagonal(sizes, 0.0)
    return squareform(sizes, checks=False)


def _places(row: FloatArray) -> NDArray[np.float32]:
    """Give each entry's ascending place, 1 first, equal ones by index.

    The default sort is several times as fast as a stable one, which it is made here by sorting the indices within
    each run of equal entries.
    """
    order = np.argsort(row)
    run = np.zeros(len(row), dtype=np.int64)
    np.cumsum(np.diff(row[order]) > 0, out=run[1:])
    run *= len(row)
    places = np.empty(len(row), dtype=np.float32)
    places[np.sort(run + order) - run] = np.arange(1, len(row) + 1)
    return places


def _cut_off(hierarchy: Hierarchy, n_leaves: int) -> Hierarchy:
    """Stop the tree at its cut into ``n_leaves`` clusters.

    Many points share a leaf then, as in a tree of GHC.
    """
    labels = hierarchy.cut(min(n_leaves, hierarchy.n_samples))
    leaf_of = np.array([_top_within(hierarchy, labels, c) for c in range(labels.max() + 1)])[labels]
    return Hierarchy(hierarchy.parents, leaf_of).pruned()


def _top_within(hierarchy: Hierarchy, labels: NDArray[np.int64], cluster: int) -> int:
    """Return the lowest node that holds a cluster of a cut."""
    members = np.flatnonzero(labels == cluster)
    node = int(hierarchy.leaf_of[members[0]])
    while hierarchy.sizes[node] < len(members):
        node = int(hierarchy.parents[node])
    return node


def _shared_leaves(hierarchy: Hierarchy) -> float:
    """Sum points below each point's node: the cost of self-pairs."""
    return float(hierarchy.sizes[hierarchy.leaf_of].sum())
