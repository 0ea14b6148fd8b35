"""Score a hierarchy against a class tree, exactly from counts.

The similarities are shortest path and path sharing.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.metrics.pair_sums import IntArray, Kind, PairMoments, pair_moments
from cladebench.metrics.scores import Scores
from cladebench.validation import as_array, as_index
from cladebench.yaml_values import shown


def semantic_similarity(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> float:
    """Compare similarities in a hierarchy with those in a class tree.

    One minus the mean squared difference, over all unordered pairs of distinct samples, between the pair's
    similarity in `hierarchy` and that of its classes in `class_tree`. Of two nodes of a tree the similarity is

    - "shortest_path" (SP): 1 - edges between them / edges of the longest path in that tree between nodes at
      which samples (or classes) sit; 1 throughout, where all sit at one node;
    - "path_sharing" (PS): nodes that their branches from the root share / nodes of the longer branch, both
      ends of a branch included;
    - "path_sharing_without_root": the same with the root counted in no branch, 1 for a node with itself. The root is
      shared by all, and counted it makes everything alike to some degree.

    Parameters
    ----------
    hierarchy : Hierarchy or array-like of int, shape (n_samples,)
        A tree over the samples, of any arity; or the clusters of a flat method, any integers: a pair then has
        similarity 1 in one cluster and 0 otherwise, for all kinds. (A tree that hangs those clusters below
        its root is the same for "shortest_path", but has path sharing 1/2 across clusters.)
    labels : array-like of int or str, shape (n_samples,)
        Class of each sample, in 0..n_classes-1; classes may have no sample. Or its name, of those that
        ``class_tree.sample_names`` has.
    class_tree : Hierarchy
        A tree whose samples are the classes: class c sits at node ``class_tree.leaf_of[c]``, at any depth,
        at an inner node too. All its classes, with samples or without, count for the longest path.
    kind : {"shortest_path", "path_sharing", "path_sharing_without_root"}, default "shortest_path"
        The similarity, in both trees.

    Returns
    -------
    float
        In [0, 1], larger is better (the paper prints 100 times that); 1 if the similarities agree.

    Raises
    ------
    ValueError
        If `kind` is unknown, `labels` or the clusters are not integers or not as many as the samples, the class
        tree lacks the class of a sample, or there are fewer than two samples (a mean over nothing). If `labels` are
        names and the class tree has none, or two that are equal.
    TypeError
        If `hierarchy` is neither a Hierarchy nor an array, or `class_tree` is not a Hierarchy.

    Notes
    -----
    No pair is enumerated: subtrees are counts of samples by level and class, and those of fewer levels are joined to
    those of more. With C classes it takes O(n + n_nodes C + C^2) time for most trees (C times that at worst) and no
    more memory. Numerators and denominators are whole numbers and are added up exactly: the result is the exact one,
    rounded once, and depends on neither order, node numbers nor number of threads.

    References
    ----------
    Zhou, Hwang, Schmidt, Sigal and Mori (2015), Hierarchical maximum-margin clustering, arXiv:1502.01827, section
    5, "Performance measures". Fergus, Bernal, Weiss and Torralba (2010), Semantic label sharing for learning with
    many categories, ECCV (path sharing). Harispe, Ranwez, Janaqi and Montmain (2013), Semantic measures for the
    comparison of units of language, concepts or entities from text and knowledge base analysis, arXiv:1310.1285
    (shortest path).

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import semantic_similarity
    >>> class_tree = Hierarchy.from_nested([[0, 1], 2])
    >>> tree = Hierarchy.from_nested([[0, 1], 2])
    >>> semantic_similarity(tree, [0, 1, 2], class_tree)
    1.0
    >>> round(semantic_similarity(tree, [0, 2, 1], class_tree), 4)
    0.9259

    Of a class tree with names, labels may be names:

    >>> named = Hierarchy.from_nested([[0, 1], 2], sample_names=["cat", "dog", "car"])
    >>> round(semantic_similarity(tree, ["cat", "car", "dog"], named), 4)
    0.9259
    """
    return _moments(hierarchy, labels, class_tree, kind).agreement


def semantic_scores(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> Scores:
    """Score semantic similarity, with its value by chance.

    Parameters
    ----------
    hierarchy, labels, class_tree, kind
        As for :func:`semantic_similarity`, whose errors and complexity are those of this function.

    Returns
    -------
    Scores
        ``permuted``: with a the similarity of a pair in the hierarchy and b that of its classes, means being over all
        pairs, 1 - (mean a^2 + mean b^2 - 2 mean a mean b). ``corrected``: Pearson's correlation of a and b over all
        pairs, in [-1, 1], with expectation 0; 0 too where a or b is the same for all pairs, which tells nothing. With
        "shortest_path" it is the cophenetic correlation of the two trees, each edge being of length 1.

    Notes
    -----
    Under a uniformly random permutation of the samples each pair of the one tree meets each pair of the other with the
    same probability, so that the expectation of a b is the product of the means. Exact, and rounded once.

    References
    ----------
    Sokal and Rohlf (1962), The comparison of dendrograms by objective methods, Taxon 11(2) (cophenetic correlation).
    Mantel (1967), The detection of disease clustering and a generalized regression approach, Cancer Research 27(2)
    (permutation of one of two matrices of dissimilarities).

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import semantic_scores
    >>> class_tree = Hierarchy.from_nested([[0, 1], 2])
    >>> semantic_scores(class_tree, [0, 1, 2], class_tree).corrected
    1.0
    """
    moments = _moments(hierarchy, labels, class_tree, kind)
    return Scores(moments.agreement, moments.permuted, moments.correlation)


def best_constant(labels: npt.ArrayLike, class_tree: Hierarchy, kind: Kind = "shortest_path") -> float:
    """Score the best constant similarity: one number for all pairs.

    That degree is the mean similarity of the pairs' classes, and what it leaves is their variance. The constant knows
    nothing of which samples belong together; no tree need have it.

    Parameters
    ----------
    labels, class_tree, kind
        As for :func:`semantic_similarity`.

    Returns
    -------
    float
        One minus the variance, over all pairs of samples, of the similarity of their classes.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import best_constant
    >>> round(best_constant([0, 1, 2], Hierarchy.from_nested([[0, 1], 2])), 4)
    0.9753
    """
    clusters = np.zeros(np.shape(labels), dtype=np.int64)
    return _moments(clusters, labels, class_tree, kind).best_constant


def _moments(
    hierarchy: Hierarchy | npt.ArrayLike, labels: npt.ArrayLike, class_tree: Hierarchy, kind: Kind
) -> PairMoments:
    """Check the arguments and compute what all functions above read."""
    if kind not in get_args(Kind):
        raise ValueError(f"kind is {kind!r}; expected one of {', '.join(map(repr, get_args(Kind)))}")
    if not isinstance(class_tree, Hierarchy):
        raise TypeError(
            f"class_tree is {type(class_tree).__name__}; expected a Hierarchy whose samples are the classes"
        )
    flat = not isinstance(hierarchy, Hierarchy)
    if isinstance(hierarchy, Hierarchy):
        tree, n_samples = hierarchy, hierarchy.n_samples
    else:
        names, place = np.unique(_clusters(hierarchy), return_inverse=True)
        n_samples = len(place)
    codes = _class_labels(labels, n_samples, class_tree)
    if n_samples < 2:
        raise ValueError(f"n_samples is {n_samples}; expected at least 2: the measure is a mean over pairs")
    if flat:  # clusters below one root are as far from each other as two leaves can be
        tree = Hierarchy([-1] + [0] * len(names), place + 1)
    return pair_moments(tree, codes, class_tree, kind, flat)


def _clusters(given: Any) -> IntArray:
    """Return the clusters of a flat method as integers.

    TypeError if they are not an array.
    """
    array = as_array("hierarchy", given, "integers")
    if array.ndim == 0 or array.dtype == object:
        raise TypeError(
            f"hierarchy is {type(given).__name__}; expected a Hierarchy, such as estimator.hierarchy_, "
            "or an array of integers: flat clusters"
        )
    return as_index("hierarchy", given)


def _class_labels(labels: npt.ArrayLike, n_samples: int, class_tree: Hierarchy) -> IntArray:
    """Return the labels as integers in 0..n_classes-1, one for each sample."""
    array, n_classes = as_array("labels", labels), class_tree.n_samples
    text = array.dtype.kind == "U" or (array.size and all(isinstance(label, str) for label in array.flat))
    codes = as_index("labels", _numbers_of(array, class_tree) if text else labels)
    if len(codes) != n_samples:
        raise ValueError(
            f"labels has length {len(codes)}; expected {n_samples}, as many as the hierarchy's samples"
        )
    outside = (codes < 0) | (codes >= n_classes)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(f"labels[{at}] is {codes[at]}; expected a class of class_tree: 0..{n_classes - 1}")
    return codes


def _numbers_of(names: npt.NDArray[Any], class_tree: Hierarchy) -> list[int]:
    """Look up names of classes in the class tree."""
    known = class_tree.sample_names
    if known is None:
        raise ValueError(
            f"labels are text; expected integers 0..{class_tree.n_samples - 1}, or a class_tree with sample_names"
        )
    numbers = {name: number for number, name in enumerate(known)}
    if len(numbers) < len(known):
        raise ValueError(
            "class_tree has sample_names that are equal; expected different ones for labels of text"
        )
    for at, name in enumerate(names.flat):
        if name not in numbers:
            raise ValueError(f"labels[{at}] is {shown(str(name))}; expected one of class_tree.sample_names")
    return [numbers[name] for name in names.flat]
