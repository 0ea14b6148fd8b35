"""The random forest distance: a forest that tells pairs that belong together from pairs that do not."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from cladebench import _core
from cladebench.distances.base import Distance, FloatArray, IntArray
from cladebench.validation import check_int

#: Beyond this multiple of the largest magnitude that `fit` saw, sums of single precision might overflow.
LARGEST = 2.0**100


class RandomForestDistance(Distance):
    """The share of trees, of a forest trained on constrained pairs, that hold two samples to be different [1]_.

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
        more than there are, is all. The
        papers leave it open. The default is what [3]_ and scikit-learn advise for classification; code that an author
        of both papers published later has "log2".
    min_samples_leaf : int, default=1
        Pairs that a leaf holds at least: trees are fully grown, as in [3]_.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest: of its bootstrap samples and of the features that a node looks at.

    Attributes
    ----------
    trees_ : dict of str to ndarray
        The nodes of all trees, one tree after another: ``first_node`` (n_estimators + 1,), and for each node
        ``feature`` (-1 at a leaf), ``threshold``, ``left``, ``right`` (places in the tree) and ``value``, the share of
        cannot-links among the pairs of the node.
    scale_ : ndarray of shape (n_features,)
        Powers of two by which features are divided before they are turned into single precision, that of scikit-learn's
        trees: the unit of a feature does not matter.

    Notes
    -----
    With must-links alone all distances are 0, with cannot-links alone 1, with no constraints at all 1/2: the forest has
    nothing to tell apart. A pair that is both must-link and cannot-link is learned as both; its share is about 1/2.

    A fit takes O(T n_pairs log(n_pairs) m) steps at least, with m features looked at at a node, and all threads of the
    environment; the result does not depend on their number. A distance takes T times the depth of a tree; [2]_ names
    this price as the reason to look for another distance. Here all rows of a block go down a tree together.

    References
    ----------
    .. [1] C. Xiong, D. Johnson, R. Xu, J. J. Corso, Random forests for metric learning with implicit pairwise position
       dependence, KDD 2012.
    .. [2] D. M. Johnson, C. Xiong, J. J. Corso, Semi-supervised nonlinear distance metric learning via forests of
       max-margin cluster hierarchies, IEEE Transactions on Knowledge and Data Engineering 28, 2016.
    .. [3] L. Breiman, Random forests, Machine Learning 45, 2001.
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
        self.scale_ = np.ldexp(1.0, np.frexp(np.abs(X).max(axis=0))[1])
        if len(must_link) == 0 or len(cannot_link) == 0:
            self.trees_ = _constant((1 + np.sign(len(cannot_link) - len(must_link))) / 2)
            return
        rows = self._single("X", X)
        pairs = np.vstack([must_link, cannot_link])
        a, b = rows[pairs[:, 0]], rows[pairs[:, 1]]
        features = np.hstack([np.abs(a - b), np.float32(0.5) * (a + b)])
        different = np.repeat([0, 1], [len(must_link), len(cannot_link)])
        self.trees_ = _nodes(self._forest().fit(features, different))

    def _forest(self) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(
            self.n_estimators,
            max_features=self.max_features,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=_core.max_threads(),
            random_state=self.random_state,
        )

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        distances = np.empty((len(X), len(Y)))
        a = self._single("X", X)
        _core.pair_forest_means(**self.trees_, A=a, B=a if Y is X else self._single("Y", Y), result=distances)
        return distances

    def _single(self, name: str, rows: FloatArray) -> np.ndarray:
        scaled = rows / self.scale_
        if np.abs(scaled).max() > LARGEST:
            row, column = map(int, np.unravel_index(np.argmax(np.abs(scaled)), rows.shape))
            limit = LARGEST * self.scale_[column]
            raise ValueError(
                f"{name}[{row}, {column}] is {rows[row, column]:g}: expected at most {limit:.3g} in magnitude, "
                f"2^100 times what `fit` saw; rescale {name}"
            )
        return scaled.astype(np.float32)


def check_max_features(value: object) -> None:
    """Raise a ValueError unless ``value`` is "sqrt", "log2", None or an integer >= 1."""
    if value is None or value in ("sqrt", "log2"):
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 1:
        raise ValueError(f'max_features={value!r}: expected "sqrt", "log2", None or an integer >= 1')


def _nodes(forest: Any) -> dict[str, np.ndarray]:
    """Put the nodes of a fitted forest of two classes into arrays that the core reads."""
    trees = [estimator.tree_ for estimator in forest.estimators_]

    def joined(parts: list[np.ndarray], dtype: type) -> np.ndarray:
        return np.concatenate(parts).astype(dtype)

    left = joined([tree.children_left for tree in trees], np.int32)
    return {
        "first_node": np.cumsum([0] + [tree.node_count for tree in trees], dtype=np.int64),
        "feature": np.where(left < 0, np.int32(-1), joined([tree.feature for tree in trees], np.int32)),
        "threshold": joined([tree.threshold for tree in trees], np.float64),
        "left": left,
        "right": joined([tree.children_right for tree in trees], np.int32),
        "value": joined([tree.value[:, 0, 1] for tree in trees], np.float64),
    }


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
