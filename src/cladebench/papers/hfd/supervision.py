"""Follow constraints down the trees of a forest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.distances import HierarchyForest

#: Trees that are looked at: they differ by their draws alone.
N_TREES = 10


def links_in_trees(
    forest: HierarchyForest, X: np.ndarray, must_link: npt.ArrayLike, cannot_link: npt.ArrayLike
) -> dict[str, float]:
    """Follow the constraints down the first trees.

    A constraint goes down as long as both of its rows do (Section 2.2.1).

    Parameters
    ----------
    forest : HierarchyForest
        Fitted.
    X : ndarray of shape (n, n_features)
        The rows that it was fitted to.
    must_link, cannot_link : array-like of int, shape (n_links, 2)

    Returns
    -------
    dict of str to float
        Without what would be divided by zero:

        supervised_splits : of max-margin splits the share that a cannot-link reaches: they are learned semi-supervised,
        the others without constraints.

        parted_ratio : how often a split parts a must-link that reaches it, over how often it parts a cannot-link, all
        splits together.

    Notes
    -----
    O(n depth n_split_features + n_links depth) for each tree.
    """
    links = [np.asarray(pairs, dtype=np.intp).reshape(-1, 2) for pairs in (must_link, cannot_link)]
    met, parted = np.zeros(2), np.zeros(2)
    supervised = n_splits = 0
    for t in range(min(N_TREES, len(forest.n_nodes_))):
        tree = forest.tree(t)
        split = np.cumsum(tree.right > 0) - 1
        n_splits += len(tree.weights)
        node = np.zeros(len(X), dtype=np.intp)
        together = links
        for _ in range(len(tree.weights)):  # no path has more splits
            together = [pairs[tree.right[node[pairs[:, 0]]] > 0] for pairs in together]
            rows = np.unique(np.concatenate(together))
            if not len(rows):
                break
            supervised += len(np.unique(node[together[1][:, 0]]))
            at = node[rows]
            weights = tree.weights[split[at]]
            drawn = X[rows[:, None], tree.features[split[at]]]
            right = np.einsum("ij,ij->i", drawn, weights[:, :-1]) + weights[:, -1] > 0
            node[rows] = np.where(right, tree.right[at], at + 1)
            apart = [node[pairs[:, 0]] != node[pairs[:, 1]] for pairs in together]
            met += [len(pairs) for pairs in together]
            parted += [np.count_nonzero(found) for found in apart]
            together = [pairs[~found] for pairs, found in zip(together, apart, strict=True)]
    found = {}
    if n_splits and forest.splits == "max-margin":
        found["supervised_splits"] = 0.0 if forest.constraints == "ignored" else supervised / n_splits
    if met[0] and parted[1]:
        found["parted_ratio"] = float(parted[0] / met[0] / (parted[1] / met[1]))
    return found
