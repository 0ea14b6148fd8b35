"""Large margin nearest neighbours after a map of gradient-boosted regression trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench import _core
from cladebench.distances._linear import linear_map
from cladebench.distances._mapped import MappedDistance
from cladebench.distances._triplets import (
    check_max_samples,
    check_triplet_parameters,
    find_targets,
    fit_linear,
    has_triplets,
    sampled_rows,
)
from cladebench.distances.base import FloatArray, IntArray
from cladebench.validation import check_int, check_real

#: Trees between two looks at the held-out rows.
VALIDATE_EVERY = 10
#: Where steps this much smaller than the first still raise the loss, there is none that lowers it.
LEAST_RATE = 1e-12


class GBLMNN(MappedDistance):
    """Learn a map by gradient boosting, and measure after it [1]_.

    The distance after the map is Euclidean.

    The map starts at that of :class:`LMNN`, and each regression tree of several outputs is fitted by least squares to
    the negative gradient of the LMNN loss by the mapped samples; it is added, times the step.

    Parameters
    ----------
    n_neighbors : int, default=3
        As for :class:`LMNN`; targets are found before any map, as in the authors' code.
    mu : float, default=0.5
        As for :class:`LMNN`.
    n_trees : int, default=500
        The number of the paper at hand (section 6 of Johnson, Xiong, Corso); the authors' code takes 200.
    max_depth : int, default=4
        Splits from the root to a leaf, 1 to 12. 4 is the authors' code's.
    learning_rate : float, default=1e-3
        The first step. As in the authors' code, a step grows by 1% after each tree, and is halved where it would raise
        the loss.
    validation_fraction : float, default=0.0
        Share of the samples, below 1, that is held out: of the maps after every ten trees the one with fewest errors of
        the nearest neighbour on them is kept, as the authors do with a validation set. 0: all samples are learned
        from, all trees are kept.
    smoothing : float, default=0.01
        As for :class:`LMNN`, for the map that it starts at. The boosted loss has plain hinges.
    tol : float, default=0.01
        As for :class:`LMNN`.
    max_iter : int, default=1000
        As for :class:`LMNN`.
    max_samples : int or None, default=None
        As for :class:`LMNN`; rows to be held out are drawn among those.
    random_state : int, RandomState instance or None, default=None
        Source of the rows that are drawn and of those that are held out; unused otherwise.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The linear map.
    feature_, threshold_ : ndarray of shape (n_trees, 2 ** max_depth - 1)
        Node k of a tree has the children 2k + 1 (``x[feature] <= threshold``) and 2k + 2.
    values_ : ndarray of shape (n_trees, 2 ** max_depth, n_components)
        What leaves add to the map, steps included. Trees are fewer than asked for where a validation set said so or no
        step lowers the loss.
    losses_ : ndarray of shape (n_trees + 1,)
        The loss at the linear map and after each tree; empty where there is nothing to learn.
    n_iter_ : int
        Steps that the linear map took.

    Notes
    -----
    Differences from the authors' code: all impostors count at every tree, where it takes the 50 nearest others of
    other classes anew every ten trees. The search for splits is exact in both. A tree costs O(max_depth n_samples
    n_features n_components), and the loss as for :class:`LMNN`.

    References
    ----------
    .. [1] D. Kedem, S. Tyree, K. Q. Weinberger, F. Sha, G. Lanckriet, Non-linear metric learning, NIPS 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import GBLMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = GBLMNN(random_state=0).fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_labels = True
    # The start is LMNN's, which is not; splits of equal gain but for rounding may change places, too.
    order_invariant = False
    contract_params: ClassVar[Mapping[str, Any]] = {"n_trees": 5}

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        mu: float = 0.5,
        n_trees: int = 500,
        max_depth: int = 4,
        learning_rate: float = 1e-3,
        validation_fraction: float = 0.0,
        smoothing: float = 0.01,
        tol: float = 0.01,
        max_iter: int = 1000,
        max_samples: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter
        self.max_samples = max_samples
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_triplet_parameters(self.n_neighbors, self.mu, self.smoothing)
        check_int("n_trees", self.n_trees, 0)
        check_int("max_depth", self.max_depth, 1)
        if self.max_depth > 12:
            raise ValueError(f"max_depth={self.max_depth!r}: expected at most 12")
        check_real("learning_rate", self.learning_rate, 0.0, open_minimum=True)
        check_real("validation_fraction", self.validation_fraction, 0.0)
        if self.validation_fraction >= 1.0:
            raise ValueError(f"validation_fraction={self.validation_fraction!r}: expected a number below 1")
        check_real("tol", self.tol, 0.0)
        check_int("max_iter", self.max_iter, 1)
        check_max_samples(self.max_samples)

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        codes = np.asarray(y)
        random = check_random_state(self.random_state)
        sampled = sampled_rows(len(X), self.max_samples, random)
        X, codes = X[sampled], codes[sampled]
        n_held = int(self.validation_fraction * len(X))
        drawn = random.permutation(len(X)) if n_held else np.arange(len(X))
        held, rows = np.sort(drawn[:n_held]), np.sort(drawn[n_held:])
        self._boost(X[rows], codes[rows], X[held], codes[held])

    def _boost(self, X: FloatArray, codes: IntArray, held: FloatArray, held_codes: IntArray) -> None:
        n_inner = 2**self.max_depth - 1
        self.components_, self.losses_, self.n_iter_ = np.eye(X.shape[1]), np.empty(0), 0
        trees: list[tuple[np.ndarray, FloatArray, FloatArray]] = []
        targets = find_targets(X, codes, self.n_neighbors)
        if has_triplets(codes, targets) and np.ptp(X, axis=0).any():
            start = fit_linear(
                X, codes, targets, mu=self.mu, smoothing=self.smoothing, tol=self.tol, max_iter=self.max_iter
            )
            self.components_, self.n_iter_ = start.components, start.n_iter
            trees = self._grow(X, codes, targets, held, held_codes)
        m = len(self.components_)
        self.feature_ = np.array([tree[0] for tree in trees], dtype=np.int32).reshape(-1, n_inner)
        self.threshold_ = np.array([tree[1] for tree in trees], dtype=np.float64).reshape(-1, n_inner)
        self.values_ = np.array([tree[2] for tree in trees], dtype=np.float64).reshape(-1, n_inner + 1, m)

    def _grow(
        self, X: FloatArray, codes: IntArray, targets: IntArray, held: FloatArray, held_codes: IntArray
    ) -> list[tuple[np.ndarray, FloatArray, FloatArray]]:
        loss, builder = _core.TripletLoss(codes, targets, self.mu, 0.0), _core.TreeBuilder(X)
        Z, held_Z = np.ascontiguousarray(linear_map(X, self.components_)), linear_map(held, self.components_)
        m, rate = Z.shape[1], float(self.learning_rate)
        value, _, _, product = loss.evaluate(Z, Z)
        losses: list[float] = [value]
        trees: list[tuple[np.ndarray, FloatArray, FloatArray]] = []
        fewest, kept = _errors(Z, codes, held_Z, held_codes), 0
        while len(trees) < self.n_trees and value > 0.0:
            # The gradient by Z is twice the product.
            feature, threshold, values, leaf = builder.fit(-2.0 * product.reshape(Z.shape), self.max_depth)
            values = values.reshape(-1, m)
            rises = True
            while rises and rate > LEAST_RATE * self.learning_rate:
                trial = Z + (rate * values)[leaf]
                trial_value, _, _, trial_product = loss.evaluate(trial, trial)
                rises = trial_value > value
                rate *= 0.5 if rises else 1.0
            if rises:
                break
            trees.append((feature, threshold, rate * values))
            Z, value, product = trial, trial_value, trial_product
            losses.append(value)
            rate *= 1.01
            _add([trees[-1]], self.max_depth, held, held_Z)
            if len(trees) % VALIDATE_EVERY == 0 and len(held):
                errors = _errors(Z, codes, held_Z, held_codes)
                if errors <= fewest:
                    fewest, kept = errors, len(trees)
        if len(held):
            del trees[kept:], losses[kept + 1 :]
        self.losses_ = np.array(losses)
        return trees

    def _map(self, X: FloatArray) -> FloatArray:
        Z = np.ascontiguousarray(linear_map(X, self.components_))
        _core.add_trees(X, self.feature_, self.threshold_, self.values_, self.max_depth, Z)
        return Z


def _add(
    trees: list[tuple[np.ndarray, FloatArray, FloatArray]], depth: int, X: FloatArray, Z: FloatArray
) -> None:
    """Add trees to Z in place."""
    feature, threshold, values = (np.ascontiguousarray([tree[part] for tree in trees]) for part in range(3))
    _core.add_trees(X, feature, threshold, values, depth, Z)


def _errors(Z: FloatArray, codes: IntArray, held_Z: FloatArray, held_codes: IntArray) -> int:
    """Count the held-out rows whose nearest learned row is of another class."""
    squares, wrong = np.square(Z).sum(axis=1), 0
    for start in range(0, len(held_Z), 256):
        rows = slice(start, start + 256)
        nearest = np.argmin(squares - 2.0 * held_Z[rows] @ Z.T, axis=1)
        wrong += int(np.sum(codes[nearest] != held_codes[rows]))
    return wrong
