"""Average distances in a forest of max-margin cluster hierarchies."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench.distances import _forest_parts as parts
from cladebench.distances._forest_checkpoint import grow_with_checkpoints
from cladebench.distances._forest_file import load_forest, save_forest
from cladebench.distances._forest_single import warn_of_loss
from cladebench.distances._grown_forest import GrownForest
from cladebench.distances.base import FloatArray, IntArray

#: Rows by whose distances `fit` sees that splits part nothing.
_TO_COMPARE = 50


class HierarchyForest(GrownForest):
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

    Splits of nodes without cannot-links are learned without any constraint: must-links alone change nothing. With none
    at all the forest is the unsupervised one of [1]_.

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
    learns_from_rows = True
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
