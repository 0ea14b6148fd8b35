"""A forest's parameters, its trees, and forests grown in parts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from cladebench import _core
from cladebench.distances.base import FloatArray, IntArray
from cladebench.distances.leaf_map import LeafMap, digest_of_forest, one_column_each
from cladebench.solvers.max_margin_split import STARTS
from cladebench.validation import check_choice, check_int, check_real

#: Parameters of the search, which `fit` does not read.
_OF_THE_SEARCH = ("candidates_per_tree", "candidate_order")


class ForestTree(NamedTuple):
    """Hold a tree's nodes in preorder, each followed by its left child.

    Attributes
    ----------
    right : ndarray of int32, shape (n_nodes,)
        Right child; 0 says that the node is a leaf.
    size : ndarray of int32, shape (n_nodes,)
        Training rows in the node.
    features : ndarray of uint32, shape (n_splits, n_split_features)
        Of each node that is no leaf, in order.
    weights : ndarray of float64, shape (n_splits, n_split_features + 1)
        A row goes left if the weights times its features, and the last one, sum to 0 or less.
    """

    right: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    features: npt.NDArray[np.uint32]
    weights: FloatArray


def check_parameters(forest: Any) -> None:
    """Refuse parameters of a HierarchyForest that make no sense."""
    check_int("n_trees", forest.n_trees, 1)
    if forest.n_split_features is not None:
        check_int("n_split_features", forest.n_split_features, 1)
    check_int("min_node_size", forest.min_node_size, 1)
    check_int("min_leaf_size", forest.min_leaf_size, 1)
    check_real("certainty", forest.certainty, 0.0, open_minimum=True)
    if forest.checkpoint is not None and not isinstance(forest.checkpoint, str | Path):
        raise ValueError(f"checkpoint={forest.checkpoint!r}: expected None or the path of a folder")
    check_choice("splits", forest.splits, ("max-margin", "random"))
    check_choice("constraints", forest.constraints, ("used", "ignored"))
    check_real("weight", forest.weight, 0.0, open_minimum=True)
    check_real("unconstrained", forest.unconstrained, 0.0)
    check_real("share", forest.share, 0.0, open_minimum=True)
    check_real("tolerance", forest.tolerance, 0.0, open_minimum=True)
    check_int("max_rounds", forest.max_rounds, 1)
    check_int("supervised_rounds", forest.supervised_rounds, 0)
    check_real("membership", forest.membership, 0.0)
    check_real("ridge", forest.ridge, 0.0, open_minimum=True)
    check_choice("start", forest.start, STARTS)
    check_choice("solver", forest.solver, ("cutting-planes", "subgradient", "subgradient-from-random"))
    check_int("first_tree", forest.first_tree, 0)
    if forest.share > 1.0:
        raise ValueError(f"share={forest.share!r}: expected at most 1")
    if forest.membership > 0.5:
        raise ValueError(f"membership={forest.membership!r}: expected at most 0.5")
    check_candidates(forest.candidates_per_tree, forest.candidate_order)


def params_of(forest: Any) -> dict[str, Any]:
    """Give the parameters that a forest was fitted with.

    Parameters of its search are as they are now.
    """
    return {**forest.fitted_with_, **{name: getattr(forest, name) for name in _OF_THE_SEARCH}}


def check_candidates(per_tree: Any, order: Any) -> None:
    """Refuse parameters of the search that make no sense."""
    if per_tree is not None:
        check_int("candidates_per_tree", per_tree, 1)
    check_choice("candidate_order", order, ("sampled", "nearest"))


def grow_trees(
    forest: Any,
    X: FloatArray,
    must_link: IntArray,
    cannot_link: IntArray,
    n_drawn: int,
    first: int,
    count: int,
) -> tuple[np.ndarray, ...]:
    """Arrays of some trees: ``n_nodes_``, ``right_``, ``size_``, ``features_`` and ``weights_``."""
    n_nodes, right, size, features, weights = _core.grow_forest(
        X,
        np.ascontiguousarray(must_link),
        np.ascontiguousarray(cannot_link),
        min_node_size=int(forest.min_node_size),
        n_split_features=n_drawn,
        settings={
            "splits": forest.splits,
            "weight": float(forest.weight),
            "unconstrained": float(forest.unconstrained),
            "share": float(forest.share),
            "tolerance": float(forest.tolerance),
            "max_rounds": int(forest.max_rounds),
            "supervised_rounds": int(forest.supervised_rounds),
            "membership": float(forest.membership),
            "ridge": float(forest.ridge),
            "start": STARTS[forest.start],
            "subgradient": forest.solver != "cutting-planes",
            "restart": forest.solver == "subgradient-from-random",
        },
        seed=forest.seed_,
        first=first,
        count=count,
        min_leaf_size=int(forest.min_leaf_size),
    )
    return n_nodes, right, size, features.reshape(-1, n_drawn), weights.reshape(-1, n_drawn + 1)


def placed(forest: Any, X: FloatArray) -> Any:
    """Give the core's view of a forest.

    It knows where the rows it was fitted to stand.
    """
    return _core.PlacedForest(
        X,
        forest.n_nodes_,
        forest.right_,
        forest.size_,
        forest.features_.ravel(),
        forest.weights_.ravel(),
        n_split_features=forest.features_.shape[1],
        alpha=float(params_of(forest)["certainty"]),
    )


def digest_of_trees(forest: Any) -> str:
    """Compute the digest of what places rows, and how certainly."""
    trees = (forest.n_nodes_, forest.right_, forest.size_, forest.features_, forest.weights_)
    return digest_of_forest([float(params_of(forest)["certainty"]), *trees])


def leaf_map_of(forest: Any, placed: Any, X: FloatArray | None, weights: str) -> LeafMap:
    """Give a forest as a sparse matrix; see `HierarchyForest.leaf_map`."""
    splits, n_trees, digest = forest.right_ != 0, len(forest.n_nodes_), forest._digest
    if weights == "leaf":
        leaves = one_column_each(placed.leaves(X).reshape(-1, n_trees), len(splits) - len(forest.weights_))
        return LeafMap(leaves, weights=weights, forest=digest, divisor=n_trees)
    columns, values, ends = placed.ways(X)
    middle = _across(forest.size_[splits] / forest.size_[0], columns.dtype)
    ends = ends.astype(columns.dtype, copy=False)
    Q = sparse.csr_array((values, columns, ends), shape=(len(ends) - 1, middle.shape[0]))
    return LeafMap(Q, weights=weights, forest=digest, middle=middle, divisor=n_trees)


def _across(share: FloatArray, dtype: np.dtype[Any]) -> sparse.csr_array:
    """Couple the sides of each split by its share of rows.

    Its columns are left 1, left certainty, right 1, right certainty. Left certainties are the larger ones, so that the
    distance is share (left certainty * right 1 - left 1 * right certainty), or the same with the rows exchanged.
    """
    n_columns = 4 * len(share)
    data = (share[:, None] * np.array([-1.0, 1.0, 1.0, -1.0])).ravel()
    ends = np.arange(n_columns + 1, dtype=dtype)
    return sparse.csr_array((data, ends[:-1] ^ 3, ends), shape=(n_columns, n_columns))


def digest_of(must_link: IntArray, cannot_link: IntArray) -> str:
    """Compute the SHA-256 of constraints."""
    digest = hashlib.sha256()
    for pairs in (must_link, cannot_link):
        digest.update(len(pairs).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(pairs, dtype="<i8").tobytes())
    return digest.hexdigest()


def tree_of(forest: Any, t: int) -> ForestTree:
    """Give tree t of a fitted forest.

    ValueError if it has none of that number.
    """
    check_is_fitted(forest, "n_nodes_")
    if not 0 <= t < len(forest.n_nodes_):
        raise ValueError(f"t={t}: expected 0..{len(forest.n_nodes_) - 1}")
    start = int(forest.n_nodes_[:t].sum())
    split = (start - t) // 2  # a tree of s splits has 2 s + 1 nodes
    nodes = slice(start, start + int(forest.n_nodes_[t]))
    splits = slice(split, split + int(forest.n_nodes_[t]) // 2)
    return ForestTree(
        forest.right_[nodes], forest.size_[nodes], forest.features_[splits], forest.weights_[splits]
    )


def join_forests(forests: Sequence[Any], kind: type) -> Any:
    """Make one forest of forests of consecutive trees.

    ValueError or TypeError if they do not fit together.
    """
    if isinstance(forests, kind):
        raise TypeError(f"forests is a {kind.__name__}: expected a sequence of them")
    forests = list(forests)
    if not forests:
        raise ValueError("forests is empty: expected at least one forest")
    for forest in forests:
        if not isinstance(forest, kind):
            raise TypeError(f"forests holds a {type(forest).__name__}: expected {kind.__name__}s alone")
        check_is_fitted(forest, "n_nodes_")
    parts = sorted(forests, key=lambda forest: forest.fitted_with_["first_tree"])
    first = parts[0]
    params = params_of(first)
    expected = params["first_tree"]
    for part in parts:
        begin = part.fitted_with_["first_tree"]
        if begin != expected:
            twice = " (trees are there twice)" if begin < expected else ""
            raise ValueError(f"first_tree={begin}: expected {expected}, the next one{twice}")
        expected += len(part.n_nodes_)
        for name, value in what_must_agree(first).items():
            other = what_must_agree(part)[name]
            if other != value:
                raise ValueError(f"{name}={other!r} of a forest does not fit {name}={value!r} of another")
        if not np.array_equal(part._fit_X, first._fit_X):
            raise ValueError("forests were fitted to different rows")
    whole = kind(**params | {"n_trees": expected - params["first_tree"]})
    whole.fitted_with_ = whole.get_params()
    whole.seconds_taken_up_ = sum(part.seconds_taken_up_ for part in parts)
    for name in ("n_nodes_", "right_", "size_", "features_", "weights_"):
        setattr(whole, name, np.concatenate([getattr(part, name) for part in parts]))
    for name in ("seed_", "constraints_digest_", "n_features_in_", "feature_names_in_", "_fit_X"):
        if hasattr(first, name):
            setattr(whole, name, getattr(first, name))
    return whole


def json_facts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Write parameters with the numbers that JSON knows."""
    facts = dict(values)
    for name, value in facts.items():
        if isinstance(value, bool | np.bool_):
            facts[name] = bool(value)
        elif isinstance(value, Integral):
            facts[name] = int(value)
        elif isinstance(value, np.floating):
            facts[name] = float(value)
    return facts


def what_must_agree(forest: Any) -> dict[str, Any]:
    """Give the parameters and facts that parts of a forest share.

    Their rows may differ.
    """
    free = ("n_trees", "first_tree", "random_state", "candidates_per_tree", "candidate_order", "checkpoint")
    params = {name: value for name, value in params_of(forest).items() if name not in free}
    return {**params, "seed_": forest.seed_, "constraints_digest_": forest.constraints_digest_}
