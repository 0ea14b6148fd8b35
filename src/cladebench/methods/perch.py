"""PERCH: incremental clustering with rotations that keep the tree pure and balanced."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from cladebench import _core
from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.validation import check_choice, check_flag, check_int, check_scale

ROTATIONS = ("none", "masking", "masking+balance")


class Perch(HierarchicalClusterer):
    """Insert samples one by one, with purity enhancing rotations (PERCH).

    Points arrive one at a time. Each is put beside its nearest leaf, which A* search finds with the distance to
    a node's bounding box as the lower bound; then rotations repair the tree on the way up.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    rotations : {"masking+balance", "masking", "none"}, default="masking+balance"
        What follows an insertion. "masking": a node that is nearer to all of its aunt than to its sibling changes
        places so that it is beside the aunt. "masking+balance", the paper's algorithm: then also rotations that
        make the two sides of a node nearer in size, where the boxes leave it possible that the node is masked.
        Trees are much flatter and somewhat less pure (see Notes).
    max_leaves : int or None, default=None
        Collapsed mode: the largest number of leaves. When an insertion exceeds it, the two sibling leaves with
        the least upper bound on their distance become one leaf of several samples. None keeps a leaf for each
        sample.
    shuffle : bool, default=True
        Whether the samples arrive in random order, or else in the order of the rows.
    random_state : int, RandomState instance or None, default=None
        Determines the order of arrival; not used without ``shuffle``.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A binary tree; samples are numbered as the rows of X. Heights are the diagonals of the bounding boxes.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.

    Notes
    -----
    Where the paper leaves room or its authors' program does otherwise:

    - *Bounds between two nodes.* The paper bounds distances between a point and a box. Between two boxes this
      takes the least and the greatest distance that any of their points can have, which are true bounds; the
      authors' program looks at two corners of each box, and at the points themselves in small nodes.
    - *Masking.* A node is rotated when the boxes prove that each of its points is nearer to all of its aunt than
      to any of its sibling, which implies the paper's definition of masked. The way up starts at the new leaf's
      sibling, passes leaves that are not masked and stops at the first inner node that is not.
    - *Balance.* From the new leaf's sibling up to the root, at each node the smaller of it and its sibling is
      tried first. Size is the number of samples below. A rotation must strictly improve the balance, and the
      least possible distance to the aunt must be strictly below the greatest to the sibling.
    - *Collapsed mode.* Of a collapsed leaf only the box and the number of samples are kept; the search takes the
      distance to the box as the distance to the leaf.
    - *Ties.* Among equally near leaves the one that was made first is split. Equal distances never rotate.
      Equal samples are separate leaves.
    - *Cut.* The paper chooses flat clusters by collapsing; here the tree is cut at the nodes with the longest
      diagonals.

    Dendrogram purity, mean and standard deviation over 200 shufflings of glass: 0.487 and 0.019 with "masking",
    0.460 and 0.024 with "masking+balance"; printed are 0.47 and 0.02.

    Exact: time is that of n searches, O(n d log n) where boxes rule out most of the tree and O(n^2 d) at worst
    (many dimensions, no clusters), where it is a scan; memory 24 n d bytes. Collapsed mode: n searches among at
    most ``max_leaves`` leaves. Single-threaded; the interpreter lock is released.

    References
    ----------
    A. Kobren, N. Monath, A. Krishnamurthy and A. McCallum, A hierarchical algorithm for extreme clustering, KDD
    2017, https://doi.org/10.1145/3097983.3098079

    Examples
    --------
    >>> from cladebench.methods import Perch
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> Perch(n_clusters=3, random_state=0).fit(X).labels_.tolist()
    [0, 0, 2, 2, 1]
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        rotations: Literal["masking+balance", "masking", "none"] = "masking+balance",
        max_leaves: int | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.rotations = rotations
        self.max_leaves = max_leaves
        self.shuffle = shuffle
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("rotations", self.rotations, ROTATIONS)
        if self.max_leaves is not None:
            check_int("max_leaves", self.max_leaves, minimum=1)
        check_flag("shuffle", self.shuffle)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        check_scale(X)
        order = np.arange(len(X))
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(len(X))
        arriving = np.ascontiguousarray(X[order])
        max_leaves = None if self.max_leaves is None else min(self.max_leaves, len(X))
        parents, arrived_at, heights = _core.perch(arriving, self.rotations, max_leaves)
        leaf_of = np.empty(len(X), dtype=np.intp)
        leaf_of[order] = arrived_at
        return Hierarchy.from_parents(parents, leaf_of, heights=heights)
