"""Path sharing as the paper may also have meant it: with the root left out of the branches."""

from __future__ import annotations

import numpy as np

from cladebench.hierarchy import Hierarchy


def path_sharing_without_root(
    hierarchy: Hierarchy | np.ndarray, labels: np.ndarray, class_tree: Hierarchy
) -> float:
    """One minus the mean squared difference of path sharing in two trees, the root counted in no branch.

    The root is shared by all; counted, it makes everything alike to some degree. Two nodes at depths a and b whose
    lowest common ancestor is at depth c have the similarity c / max(a, b); one node has 1 with itself.

    Parameters
    ----------
    hierarchy : Hierarchy or ndarray of int, shape (n_samples,)
        A tree over the samples, or the clusters of a flat method (similarity 1 within a cluster, 0 across).
    labels : ndarray of int, shape (n_samples,)
        Classes 0..n_classes-1.
    class_tree : Hierarchy
        Its samples are the classes.

    Notes
    -----
    From the table of counts, as in :func:`cladebench.metrics.semantic_similarity`, in floating point.
    """
    if isinstance(hierarchy, Hierarchy):
        place, learned = _similarities(hierarchy)
    else:
        names, place = np.unique(hierarchy, return_inverse=True)
        learned = np.eye(len(names))
    class_place, classes = _similarities(class_tree)
    truth = classes[np.ix_(class_place, class_place)]
    counts = np.zeros((len(learned), len(truth)))
    np.add.at(counts, (place, labels), 1.0)
    sizes, class_sizes, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    squares = sizes @ learned**2 @ sizes + class_sizes @ truth**2 @ class_sizes
    error = (squares - 2.0 * (learned * (counts @ truth @ counts.T)).sum()) / (n * (n - 1.0))
    return 1.0 - max(0.0, float(error))


def _similarities(tree: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Place of each sample among the nodes that hold some, and the similarities of these nodes."""
    nodes, first, place = np.unique(tree.leaf_of, return_index=True, return_inverse=True)
    common = tree.depths[tree.lca(first[:, None], first)]
    deeper = np.maximum.outer(tree.depths[nodes], tree.depths[nodes])
    similarity = common / np.maximum(deeper, 1)
    np.fill_diagonal(similarity, 1.0)
    return place, similarity
