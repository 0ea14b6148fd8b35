"""Hierarchy forest distance.

The mean distance of two samples in a forest of max-margin cluster hierarchies.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from cladebench.distances import _forest_parts as parts
from cladebench.distances._forest_checkpoint import grow_with_checkpoints
from cladebench.distances._forest_file import load_forest, save_forest
from cladebench.distances._forest_parts import Hierarchy
from cladebench.distances._forest_single import warn_of_loss
from cladebench.distances._least_entries import check_n_neighbors
from cladebench.distances.base import Distance, FloatArray, IntArray
from cladebench.distances.leaf_map import LeafMap
from cladebench.validation import check_choice

#: Rows by whose distances `fit` sees that splits part nothing.
_TO_COMPARE = 50


class HierarchyForest(Distance):
    r"""Average over hierarchies how far apart two samples are [1]_.

    Each of the trees is grown from all rows: at a node, features are drawn and a hyperplane is learned that
    parts the rows. In a tree the distance of two samples is 0 where they share a leaf, else

    .. math:: |\sigma(-\alpha P(a)) - \sigma(-\alpha P(b))| \cdot |node| / N

    at the smallest node that holds both, P being the projection learned there (eqs 1 to 3; the paper leaves the
    absolute value out). Two samples on the two sides of a plane and near to it are near to each other, whatever parts
    them from others: the triangle inequality does not hold.

    Standardise the features first, as the paper does: the class does not. The penalty is on weights, so that features
    far smaller than 1 give splits that part nothing; `fit` warns of these. With features far from 0, splits take a
    hundred times as long. Splits are learned in single precision, and `fit` warns where that merges more than a tenth
    of a feature's values.

    Splits of nodes without cannot-links are learned without any constraint: must-links alone change nothing.

    Parameters
    ----------
    n_trees : int, default=500
        Sec. 6.3; the paper's Tables 1 and 2 have 100.
    n_split_features : int, optional
        Features drawn at a node; a third of all, rounded up, by default (Sec. 6.3).
    min_node_size : int, default=5
        A node of more rows is split (Sec. 6.3; 30 for retrieval).
    min_leaf_size : int, default=1
        A split that leaves fewer rows on a side is not made: its node is a leaf. "The minimum size of leaf nodes is
        defined by parameter" (Sec. 2.1) may mean this one, with the number that Sec. 6.3 has for nodes.
    certainty : float, default=0.5
        :math:`\alpha`, how steeply the certainty rises with the distance from the plane (Sec. 6.3).
    splits : {"max-margin", "random"}, default="max-margin"
        How nodes are split. "random" is a control that is blind to the data: hyperplanes of random normals, each
        through a random row of the node.
    constraints : {"used", "ignored"}, default="used"
        Ignored: all splits are those of nodes without cannot-links. A control, too.
    weight : float, default=0.01
        :math:`\lambda` of the regularisation (Sec. 6.3).
    unconstrained : float, default=1.0
        C, weight of the rows without constraints (Sec. 6.3).
    share : float, default=0.25
        Share of a node's cannot-links that its split is to satisfy (Sec. 6.3).
    tolerance : float, default=0.01
        Relative change of the weights at which the rounds of a split end, :math:`\epsilon_2` (Sec. 6.3). The steps of
        Algorithm 1 end at :math:`\epsilon_1 = 0.01`.
    max_rounds : int, default=50
        Rounds of a split at most; the paper has no limit.
    supervised_rounds : int, default=3
        First rounds of a split, in which the rows without constraints do not count (Algorithm 2).
    membership : float, default=0.25
        Least share of the rows that is labelled as of each side when a split without cannot-links is learned; the plane
        itself may leave fewer. The paper gives no number.
    ridge : float, default=0.01
        Of the matrix of must-links in the start of a split, relative to the mean of its diagonal; the paper gives no
        number.
    start : {"eigenvector", "through-zero", "random"}, default="eigenvector"
        Of a split with cannot-links: the plane of eq. 11, which goes through 0, or the one beside it through the mean
        of the rows, whichever is better; the former alone; or a random plane. The paper says "nonrandomly" in Sec.
        3.2.1 and "randomly" in Algorithm 2.
    solver : {"cutting-planes", "subgradient", "subgradient-from-random"}, default="cutting-planes"
        Of splits with cannot-links. The first proves how good its answer is. The others are the paper's Algorithm 1,
        the last from a random point in each round, as printed, the second from the weights of the round before.
    first_tree : int, default=0
        A forest of trees 0 to 499 can be grown in parts, on several machines; see `join`.
    checkpoint : str, Path or None, default=None
        A folder in which trees are kept once growing them has taken a minute, and another minute. A fit to the same
        rows and constraints with the same parameters and seed takes up those that it finds there, and the forest is the
        same; a folder with those of another fit is refused.
    candidates_per_tree : int or None, default=None
        :math:`k_O` of `kneighbors` (Sec. 4; the paper has 10, and 5 for CIFAR). None: all rows are compared.
    candidate_order : {"sampled", "nearest"}, default="sampled"
        Which rows of a node are candidates where it holds more than are needed; the paper says "sampling". "nearest"
        takes those that are nearest in the tree.
    random_state : int, RandomState instance or None, default=None
        A tree depends on it and on its own number.

    Attributes
    ----------
    seed_ : int
        Drawn from ``random_state``.
    n_nodes_ : ndarray of int64, shape (n_trees,)
        Nodes of the trees, whose arrays stand one behind the other in ``right_``, ``size_``, ``features_`` and
        ``weights_``; `tree` gives those of one.
    right_, size_ : ndarray of int32
        Right child of each node, 0 for a leaf, and how many rows it holds; see `tree`.
    features_ : ndarray of uint32, shape (n_splits, n_split_features)
    weights_ : ndarray of float64, shape (n_splits, n_split_features + 1)
    constraints_digest_ : str
        SHA-256 of the constraints that were used.
    seconds_taken_up_ : float
        Wall seconds that trees from the folder ``checkpoint`` had taken; 0 if all were grown by `fit`, or read by
        `load`.
    fitted_with_ : dict
        Parameters at the time of `fit`, which `save`, `join` and distances go by.

    Notes
    -----
    A split with cannot-links depends on its rows, features and constraints alone, a constraint that is given twice
    counting twice. It is found to 1% of its objective; among weights that are as good the order of rows and of
    constraints decides, through rounding. Where all features are drawn at every node, as the paper does on one data
    set, trees therefore differ only below nodes that have no cannot-link left, unless starts are random.

    Trees are grown, and neighbours found, on as many threads as OpenMP has; no result depends on how many.
    :math:`\sigma(\cdot)`, and the distance in a tree, are rounded to single precision, and the latter summed in double,
    so that `pairwise` and `kneighbors` agree to the last bit.

    A split costs what its solver costs; to place n rows takes O(n depth n_split_features) for each tree, a distance
    then O(n_trees). A row takes 4 bytes for each split on its way in each tree, and 16 beside; trees take 12 bytes for
    each feature of each split.

    References
    ----------
    .. [1] D. M. Johnson, C. Xiong and J. J. Corso, Semi-supervised nonlinear distance metric learning via forests of
       max-margin cluster hierarchies, IEEE Transactions on Knowledge and Data Engineering 28, 2016; arXiv:1402.5565.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import HierarchyForest
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = HierarchyForest(n_trees=20, random_state=0).fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_constraints = True
    is_metric = False
    contract_params: ClassVar = {"n_trees": 5}

    def __init__(
        self,
        n_trees: int = 500,
        *,
        n_split_features: int | None = None,
        min_node_size: int = 5,
        min_leaf_size: int = 1,
        certainty: float = 0.5,
        splits: str = "max-margin",
        constraints: str = "used",
        weight: float = 0.01,
        unconstrained: float = 1.0,
        share: float = 0.25,
        tolerance: float = 0.01,
        max_rounds: int = 50,
        supervised_rounds: int = 3,
        membership: float = 0.25,
        ridge: float = 0.01,
        start: str = "eigenvector",
        solver: str = "cutting-planes",
        first_tree: int = 0,
        checkpoint: str | Path | None = None,
        candidates_per_tree: int | None = None,
        candidate_order: str = "sampled",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_trees = n_trees
        self.n_split_features = n_split_features
        self.min_node_size = min_node_size
        self.min_leaf_size = min_leaf_size
        self.certainty = certainty
        self.splits = splits
        self.constraints = constraints
        self.weight = weight
        self.unconstrained = unconstrained
        self.share = share
        self.tolerance = tolerance
        self.max_rounds = max_rounds
        self.supervised_rounds = supervised_rounds
        self.membership = membership
        self.ridge = ridge
        self.start = start
        self.solver = solver
        self.first_tree = first_tree
        self.checkpoint = checkpoint
        self.candidates_per_tree = candidates_per_tree
        self.candidate_order = candidate_order
        self.random_state = random_state

    def _check_parameters(self) -> None:
        parts.check_parameters(self)

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        n_features = X.shape[1]
        n_drawn = -(-n_features // 3) if self.n_split_features is None else int(self.n_split_features)
        if n_drawn > n_features:
            raise ValueError(
                f"n_split_features={n_drawn}: expected at most the number of features, {n_features}"
            )
        if self.constraints == "ignored":
            must_link = cannot_link = np.empty((0, 2), dtype=np.int64)
        self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.constraints_digest_ = parts.digest_of(must_link, cannot_link)
        self.fitted_with_ = self.get_params(deep=False)
        grow = partial(parts.grow_trees, self, X, must_link, cannot_link, n_drawn)
        if self.checkpoint is None:
            arrays, self.seconds_taken_up_ = grow(int(self.first_tree), int(self.n_trees)), 0.0
        else:
            arrays, self.seconds_taken_up_ = grow_with_checkpoints(self, X, grow)
        self.n_nodes_, self.right_, self.size_, self.features_, self.weights_ = arrays
        self._place(X)
        if self.splits == "max-margin":
            with np.errstate(over="ignore"):
                warn_of_loss(X, X.astype(np.float32))  # as splits are learned
        some = X[:: max(1, len(X) // _TO_COMPARE)]
        may_split = len(X) > self.min_node_size and len(X) >= 2 * self.min_leaf_size
        if may_split and (some != some[0]).any() and not self._pairwise(some, some).any():
            lacks = "separates rows in single precision"
            if self.min_leaf_size > 1:
                lacks = f"leaves min_leaf_size={self.min_leaf_size} rows on each side"
            warnings.warn(
                f"X: no split {lacks}, and all distances are 0; expected standardised features", stacklevel=3
            )

    def _place(self, X: FloatArray) -> Any:
        """Look for the training rows in all trees.

        They are kept until the next fit, not in copies.
        """
        self._placed = parts.placed(self, X)
        return self._placed

    def _forest(self) -> Any:
        return getattr(self, "_placed", None) or self._place(self._fit_X)

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        return self._forest().pairwise(X, Y).reshape(len(X), len(Y))

    def kneighbors(  # type: ignore[override]
        self,
        X: Any = None,
        n_neighbors: int = 5,
        return_distance: bool = True,
        *,
        candidates_per_tree: int | Literal["default"] | None = "default",
        candidate_order: str | None = None,
    ) -> tuple[FloatArray, IntArray] | IntArray:
        """Find the nearest fitted rows, exactly or approximately.

        With candidates (Sec. 4), each tree gives some: rows in the leaf of the query, then of the other child of its
        parent, and so on up until there are enough. Their distances are exact, and the nearest are returned; for a
        query for which the trees together give fewer than ``n_neighbors``, ``candidates_per_tree`` is doubled until
        they do. Of equally near rows those with the lowest indices are taken, and come first.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The rows that `fit` was given by default, each left out of its own list.
        n_neighbors : int, default=5
            At most the number of fitted rows; without X, one less.
        return_distance : bool, default=True
        candidates_per_tree : int or None, default="default"
            What the class was given by default; None: all rows are compared.
        candidate_order : {"sampled", "nearest"}, optional
            What the class was given by default. "sampled" depends on ``random_state`` and on where the query stands in
            each tree: equal queries have equal candidates.

        Returns
        -------
        distance : ndarray of float64, shape (n, n_neighbors)
            Ascending. Left out if ``return_distance`` is false.
        index : ndarray of int64, shape (n, n_neighbors)
            Fitted rows.

        Raises
        ------
        ValueError
            If there are too few fitted rows, or an argument makes no sense.
        """
        distance, index, _ = self.neighbors_of(
            X, n_neighbors, candidates_per_tree=candidates_per_tree, candidate_order=candidate_order
        )
        return (distance, index) if return_distance else index

    def neighbors_of(
        self,
        X: Any = None,
        n_neighbors: int = 5,
        *,
        candidates_per_tree: int | Literal["default"] | None = "default",
        candidate_order: str | None = None,
        refill: bool = True,
    ) -> tuple[FloatArray, IntArray, IntArray]:
        """Find neighbours as `kneighbors` does, and count the compared rows.

        The count is of the rows that each query was compared with.

        Parameters
        ----------
        X, n_neighbors, candidates_per_tree, candidate_order
            See `kneighbors`.
        refill : bool, default=True
            Whether ``candidates_per_tree`` is doubled for a query that has fewer than ``n_neighbors`` candidates. The
            paper does not (Sec. 4): without it such a list ends with rows -1 at infinite distances.

        Returns
        -------
        distance : ndarray of float64, shape (n, n_neighbors)
        index : ndarray of int64, shape (n, n_neighbors)
        n_compared : ndarray of int64, shape (n,)
            Rows that were compared with the query: all, or its candidates, even those dropped on the way as too far.
        """
        check_is_fitted(self, "n_nodes_")
        rows = None if X is None else self._rows("X", X)
        n_fitted = self._fit_X.shape[0]
        check_n_neighbors(n_neighbors, n_fitted, of_fitted=rows is None)
        wanted = self.candidates_per_tree if candidates_per_tree == "default" else candidates_per_tree
        order = self.candidate_order if candidate_order is None else candidate_order
        parts.check_candidates(wanted, order)
        distance, index, compared = self._forest().neighbors(
            rows,
            k=int(n_neighbors),
            candidates=0 if wanted is None else min(int(wanted), n_fitted),
            nearest=order == "nearest",
            seed=self.seed_,
            refill=refill,
        )
        return distance.reshape(-1, n_neighbors), index.reshape(-1, n_neighbors), compared

    def _nearest(self, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        return self.neighbors_of(X, k)[:2]

    def leaf_map(self, X: Any = None, weights: str = "distance") -> LeafMap:
        """Give the forest as a sparse matrix.

        A row for each sample. Nothing of size n^2 is made.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The fitted rows by default.
        weights : {"distance", "leaf"}, default="distance"
            "distance": Q W Q' has the distances. A split has four columns: of the rows on its left 1 and their
            certainties, of those on its right the same. As the side says which certainty is the larger, the distance
            at the split is linear in either row.

            "leaf": Q W Q' has the share of the trees in which two rows share a leaf, and a leaf has one column.

        Returns
        -------
        LeafMap of shape (n, 4 n_splits) or (n, n_leaves)
            A ``csr_array``. A row has two entries for each split on its way, in single precision, which loses nothing;
            or one for each tree.

        Raises
        ------
        ValueError
            If X or ``weights`` makes no sense.

        Notes
        -----
        `pairwise` rounds the distance in a tree to single precision, three times, and the map does not: they agree
        within 2e-7 of the distance and 1e-15. What is 0 may come out as 1e-16 or -1e-16.

        O(n n_trees depth n_split_features) time, or without X as many steps as there are entries. An entry takes 8
        bytes, one of "leaf" 12.

        Examples
        --------
        >>> import numpy as np
        >>> from cladebench.distances import HierarchyForest
        >>> X = np.random.default_rng(0).normal(size=(30, 4))
        >>> forest = HierarchyForest(5, splits="random", random_state=0).fit(X)
        >>> Q = forest.leaf_map()
        >>> bool(np.allclose((Q @ Q.W @ Q.T).toarray(), forest.pairwise(X), rtol=2e-7))
        True
        """
        check_is_fitted(self, "n_nodes_")
        check_choice("weights", weights, ("distance", "leaf"))
        rows = None if X is None else self._rows("X", X)
        return parts.leaf_map_of(self, self._forest(), rows, weights)

    def tree(self, t: int) -> Hierarchy:
        """Give the arrays of one tree.

        Parameters
        ----------
        t : int
            0 to ``n_trees`` - 1, the first being tree ``first_tree`` of its seed.

        Returns
        -------
        Hierarchy
        """
        return parts.tree_of(self, t)

    @classmethod
    def join(cls, forests: Sequence[HierarchyForest]) -> HierarchyForest:
        """Make one forest of forests of consecutive trees.

        It equals the one that is grown in one piece.

        Parameters
        ----------
        forests : sequence of HierarchyForest
            Fitted to the same rows and constraints with the same parameters but for ``n_trees`` and ``first_tree``; in
            any order.

        Returns
        -------
        HierarchyForest

        Raises
        ------
        ValueError
            If they do not fit together.
        """
        return parts.join_forests(forests, cls)

    def save(self, path: str | Path) -> None:
        """Write the forest and its training rows to a file, atomically.

        A ``random_state`` that is no integer is not kept; ``seed_`` is.

        Parameters
        ----------
        path : str or Path
            Written as it is: no ending is added.
        """
        save_forest(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> HierarchyForest:
        """Read a forest that `save` wrote.

        The training rows are looked for in its trees anew, as a check.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        HierarchyForest

        Raises
        ------
        ValueError
            If the file holds something else, was cut short or altered.
        """
        return load_forest(cls, Path(path))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the places of rows, which a copy finds again."""
        return {name: value for name, value in super().__getstate__().items() if name != "_placed"}
