"""The random forest distance.

A forest that tells pairs that belong together from pairs that do not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench import _core
from cladebench.distances._forest_single import in_single, warn_of_loss, zeros_and_units
from cladebench.distances.base import Distance, FloatArray, IntArray
from cladebench.validation import check_int


class RandomForestDistance(Distance):
    """Count the trees that call two samples different [1]_.

    The distance is their share of a forest that is trained on constrained pairs.

    A pair is described by where its samples differ and by where it lies, ``[|x1 - x2|, (x1 + x2) / 2]`` (section 3 of
    [1]_), so that the distance may differ from place to place. A random forest learns from these features to tell
    cannot-links (1) from must-links (0); the distance is the mean over trees of the share of cannot-links in the leaf
    that a pair reaches. It is symmetric and in [0, 1], but no metric: a sample may be at a distance from itself.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees; T = 500 in [2]_, section 4.
    max_features : {"sqrt", "log2"}, int or None, default="sqrt"
        How many of the ``2 * n_features`` features of a pair each node looks at, as in scikit-learn; None, and what is
        more than there are, is all. The papers leave it open. The default is what [3]_ and scikit-learn advise for
        classification; code that an author of both papers published later has "log2".
    min_samples_leaf : int, default=1
        Pairs that a leaf holds at least, those that a bootstrap sample has several times counted once as in
        scikit-learn. By default trees are fully grown, as in [3]_.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest: of its bootstrap samples and of the features that a node looks at.

    Attributes
    ----------
    trees_ : dict of str to ndarray
        The nodes of all trees, one tree after another, each in preorder: ``first_node`` (n_estimators + 1,), and for
        each node ``feature`` (-1 at a leaf), ``threshold``, ``left``, ``right`` (places in the tree) and ``value``, the
        share of cannot-links among the pairs of the node.
    seed_ : int
        Drawn from ``random_state``.
    zero_, scale_ : ndarray of shape (n_features,)
        `zero_` is taken from the features, which are then divided by `scale_`, powers of two, and turned into single
        precision, as in scikit-learn's trees. The zero and the unit of a feature do not matter.

    Notes
    -----
    Single precision merges what lies closer than its rounding in the zeros and units above; `fit` warns where it merges
    more than a tenth of the values of a feature.

    With must-links alone all distances are 0, with cannot-links alone 1, with no constraints at all 1/2: the forest has
    nothing to tell apart. A pair that is both must-link and cannot-link is learned as both; its share is about 1/2.

    Trees are those of [3]_ with the choices of scikit-learn's: each has a bootstrap sample of the pairs, a node draws
    features without replacement, and more where all of these are constant there; of all their thresholds, midway
    between neighbouring values, the one of least Gini impurity is taken; nodes are split until they are pure.
    Two things differ: values that are apart by 1e-7 at most are not taken for equal, and impurities are compared
    without rounding, of equal ones that of the feature drawn first and of its lowest threshold being taken.

    A fit takes O(T n_pairs h m) steps, with m features looked at at a node and h the mean depth at which pairs come to
    rest, and all threads of the environment; the result does not depend on their number. A distance takes T times the
    depth of a tree; [2]_ names this price as the reason to look for another distance. Here all rows of a block go down
    a tree together, and for `kneighbors` no further once they are farther by some of the trees than the neighbours are
    by all.

    References
    ----------
    .. [1] C. Xiong, D. Johnson, R. Xu, J. J. Corso, Random forests for metric learning with implicit pairwise position
       dependence, KDD 2012.
    .. [2] D. M. Johnson, C. Xiong, J. J. Corso, Semi-supervised nonlinear distance metric learning via forests of
       max-margin cluster hierarchies, IEEE Transactions on Knowledge and Data Engineering 28, 2016.
    .. [3] L. Breiman, Random forests, Machine Learning 45, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import RandomForestDistance
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = RandomForestDistance(random_state=0).fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_constraints = True
    is_metric = False
    order_invariant = True
    contract_params: ClassVar[Mapping[str, Any]] = {"n_estimators": 5}

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        max_features: str | int | None = "sqrt",
        min_samples_leaf: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("n_estimators", self.n_estimators, minimum=1)
        check_max_features(self.max_features)
        check_int("min_samples_leaf", self.min_samples_leaf, minimum=1)

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.zero_, self.scale_ = zeros_and_units(X)
        single = self._single("X", X)
        warn_of_loss(X, single)
        if len(must_link) == 0 or len(cannot_link) == 0:
            self.trees_ = _constant((1 + np.sign(len(cannot_link) - len(must_link))) / 2)
            return
        self.trees_ = _core.grow_pair_forest(
            single,
            must_link,
            cannot_link,
            max_features=_number_of_features(self.max_features, 2 * X.shape[1]),
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=True,
            seed=self.seed_,
            n_trees=self.n_estimators,
        )

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        distances = np.empty((len(X), len(Y)))
        a = self._single("X", X)
        _core.pair_forest_means(**self.trees_, A=a, B=a if Y is X else self._single("Y", Y), result=distances)
        return distances

    def _nearest(self, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        fitted = self._single("X", self._fit_X)
        queries = fitted if X is self._fit_X else self._single("X", X)
        distance, index = _core.pair_forest_neighbors(**self.trees_, queries=queries, rows=fitted, k=k)
        return distance.reshape(-1, k), index.reshape(-1, k)

    def _single(self, name: str, rows: FloatArray) -> np.ndarray:
        return in_single(name, rows, self.zero_, self.scale_)


def check_max_features(value: object) -> None:
    """Raise a ValueError for a wrong ``max_features``.

    Right are "sqrt", "log2", None and integers >= 1.
    """
    if value is None or value in ("sqrt", "log2"):
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 1:
        raise ValueError(f'max_features={value!r}: expected "sqrt", "log2", None or an integer >= 1')


def _number_of_features(max_features: str | int | None, n_features: int) -> int:
    """Features that a node looks at, of so many."""
    if max_features == "sqrt":
        return math.isqrt(n_features)
    if max_features == "log2":
        return n_features.bit_length() - 1
    return n_features if max_features is None else min(int(max_features), n_features)


def _constant(value: float) -> dict[str, np.ndarray]:
    """One tree that is one leaf."""
    none = np.full(1, -1, dtype=np.int32)
    return {
        "first_node": np.array([0, 1]),
        "feature": none,
        "threshold": np.zeros(1),
        "left": none,
        "right": none,
        "value": np.full(1, float(value)),
    }
