r"""Learn a support vector machine with a weighted sum of given kernels."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from cladebench.class_labels import class_codes
from cladebench.classifiers._kernel_weights import learn_weights
from cladebench.distances._stack_base import checked_stack
from cladebench.threads import one_thread
from cladebench.validation import check_choice, check_int, check_real

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class MultipleKernelSVM(ClassifierMixin, BaseEstimator):
    r"""Classify by a weighted sum of kernels, one for each distance.

    Weights are learned together with the machine.

    Distance k gives the kernel :math:`K_k`, the exponential of :math:`-\gamma_k` times it. For two classes the machine
    w, with the kernel :math:`\sum_k d_k K_k`, its errors :math:`\xi_i` and the weights :math:`d \geq 0` minimise
    :math:`\frac 1 2 w^T w + C \sum_i \xi_i + \sigma \sum_k d_k` [1]_. The sum of the weights is an l1 penalty, which
    leaves few kernels in use. Several classes are told apart by several such problems, each with weights of its own.

    Parameters
    ----------
    C : float, default=1000
        Price of an error: so high that the margin is hard wherever the kernels tell the training objects apart, which
        leaves one parameter less to choose. It is not taken from the paper.
    sigma : float, default=1
        Price of a unit of weight, the same for all kernels. With a hard margin it scales the weights, by one over its
        root, and changes no prediction.
    multiclass : {"one_vs_rest", "one_vs_one"}, default="one_vs_rest"
        The problems of several classes: each class against all others, where the highest value wins, or each class
        against each other one, where most wins count and values settle ties; [1]_ uses both. Two classes are one
        problem either way.
    max_iter : int, default=100
        Most steps in a problem. Each tries new weights with one support vector machine; three more find where to start.
    tol : float, default=1e-4
        A problem is solved when its objective is proved to be above the least one by no more than this share of it.
        Where equal objects are of different classes, their errors are most of the objective if C is large.
    width : float, default=1
        Width of the kernels, as a multiple of the mean distance between training objects.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    problem_weights_ : ndarray of float64, shape (n_problems, n_distances)
        Weights of the kernels in each problem; many are 0. Problems are in the order of classes, or of pairs of them;
        a single one for two classes, none for one class.
    weights_ : ndarray of float64, shape (n_distances,)
        Their mean over the problems. Equal, with sum 1, where there is only one class.
    scales_ : ndarray of float64, shape (n_distances,)
        `width` times the mean of each distance over the pairs of training objects, the inverse of :math:`\gamma`; 1
        where that mean is 0.
    shifts_ : ndarray of float64, shape (n_distances,)
        What was added to the diagonal of each kernel to make it positive semidefinite; mostly 0.
    objectives_ : ndarray of float64, shape (n_problems,)
        Objective of each problem.
    gaps_ : ndarray of float64, shape (n_problems,)
        How far it can be from the least, as a share.
    n_iter_ : int
        Steps in the problem that took most of them.
    converged_ : bool
        Whether all problems were solved to `tol`.
    n_distances_ : int
    n_objects_ : int
        Number of training objects.

    Notes
    -----
    The paper leaves :math:`\gamma` open; the default is one over the mean distance between training objects.

    Kernels are taken between objects, so that distances are made symmetric in `fit` (the mean of both directions), and
    the diagonal is taken as 0. Not every distance gives a positive semidefinite kernel. Where one does not, its most
    negative eigenvalue is taken off the diagonal; the objective is convex in the weights only then.

    With :math:`Y = \mathrm{diag}(y)`, the objective for given weights is a maximum of functions linear in them,

    .. math:: T(d) = \max_{0 \leq \alpha \leq C,\ \alpha^T y = 0} 1^T \alpha
              + \sum_k d_k (\sigma - \tfrac 1 2 \alpha^T Y K_k Y \alpha),

    so that it is convex, with the slope :math:`\sigma - \frac 1 2 \alpha^T Y K_k Y \alpha` at the best
    :math:`\alpha`. The paper takes projected gradient steps of a length found by Armijo's rule. Here steps minimise a
    quadratic model over :math:`d \geq 0`, with the curvature that T has while the same objects are support vectors at
    their margin, damped until T falls enough: same objective, fewer machines. A shrunken :math:`\alpha` with
    :math:`\frac 1 2 \alpha^T Y K_k Y \alpha \leq \sigma` for all k proves the bound :math:`1^T \alpha` on the minimum.
    The constraints that the paper allows on the weights beside :math:`d \geq 0` are not offered.

    For n objects and K distances a step takes :math:`O(K n^2)`, and what a support vector machine takes. Kernels are
    kept, in 8 K n^2 bytes.

    References
    ----------
    .. [1] M. Varma, D. Ray, Learning the discriminative power-invariance trade-off, ICCV 2007.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["a", "b", "c"], 10)
    >>> X = np.column_stack([np.repeat([0.0, 5.0, 9.0], 10) + 0.1 * rng.normal(size=30), rng.normal(size=30)])
    >>> stack = np.abs(X[:, None] - X[None]).transpose(2, 0, 1)
    >>> model = MultipleKernelSVM().fit(stack, y)
    >>> bool(model.weights_[0] > model.weights_[1])
    True
    >>> [str(label) for label in model.predict(stack[:, ::10])]
    ['a', 'b', 'c']
    """

    def __init__(
        self,
        C: float = 1000.0,
        sigma: float = 1.0,
        multiclass: Literal["one_vs_rest", "one_vs_one"] = "one_vs_rest",
        max_iter: int = 100,
        tol: float = 1e-4,
        width: float = 1.0,
    ) -> None:
        self.C = C
        self.sigma = sigma
        self.multiclass = multiclass
        self.max_iter = max_iter
        self.tol = tol
        self.width = width

    def fit(self, stack: npt.ArrayLike, labels: npt.ArrayLike) -> Self:
        """Learn weights and machines.

        Parameters
        ----------
        stack : array-like of shape (n_distances, n, n)
            Distances between n training objects: finite, not negative. The diagonals are not read.
        labels : array-like of shape (n,)
            Class of each object: all strings or all numbers.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter has a value that makes no sense, the stack is not one of distances, or labels do not fit.
        """
        check_real("C", self.C, 0.0, open_minimum=True)
        check_real("sigma", self.sigma, 0.0, open_minimum=True)
        check_real("width", self.width, 0.0, open_minimum=True)
        check_choice("multiclass", self.multiclass, ("one_vs_rest", "one_vs_one"))
        check_int("max_iter", self.max_iter, 1)
        check_real("tol", self.tol, 0.0, open_minimum=True)
        checked = checked_stack(f"{type(self).__name__}: stack", stack)
        self.n_distances_, self.n_objects_ = checked.shape[:2]
        self.classes_, codes = class_codes(labels, self.n_objects_)
        learned = partial(
            learn_weights,
            C=float(self.C),
            sigma=float(self.sigma),
            max_iter=int(self.max_iter),
            tol=float(self.tol),
        )
        with one_thread("blas"):
            kernels = self._kernels(checked)
            solved = [(rows, learned(part, y)) for rows, part, y in self._problems(kernels, codes)]
        self.problem_weights_ = np.array([one.weights for _, one in solved]).reshape(-1, self.n_distances_)
        self.weights_ = (
            self.problem_weights_.mean(axis=0)
            if solved
            else np.full(self.n_distances_, 1.0 / self.n_distances_)
        )
        self._coefficients = np.zeros((len(solved), self.n_objects_))
        for coefficients, (rows, one) in zip(self._coefficients, solved, strict=True):
            coefficients[rows] = one.coefficients
        self._intercepts = np.array([one.intercept for _, one in solved])
        self.objectives_ = np.array([one.objective for _, one in solved])
        self.gaps_ = np.array([one.gap for _, one in solved])
        self.n_iter_ = max((one.n_iter for _, one in solved), default=0)
        self.converged_ = bool((self.gaps_ <= self.tol).all())
        return self

    def predict(self, stack: npt.ArrayLike) -> npt.NDArray[Any]:
        """Classify new objects.

        Parameters
        ----------
        stack : array-like of shape (n_distances, m, n)
            Distances from m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m,)
            One of `classes_` for each object; of classes that are equally good the first.

        Raises
        ------
        ValueError
            If the stack is not one of distances, or has not as many as in `fit`, or not to as many objects.
        """
        check_is_fitted(self, "weights_")
        checked = checked_stack(f"{type(self).__name__}: stack", stack, square=False)
        if (len(checked), checked.shape[2]) != (self.n_distances_, self.n_objects_):
            raise ValueError(
                f"stack has {len(checked)} distances to {checked.shape[2]} objects; expected {self.n_distances_} to "
                f"{self.n_objects_}, as in fit"
            )
        n_classes = len(self.classes_)
        values = self._values(checked)
        if n_classes == 1:
            return np.repeat(self.classes_, checked.shape[1])
        if n_classes == 2:
            return self.classes_[(values[:, 0] > 0).astype(int)]
        if self.multiclass == "one_vs_one":
            values = _scores_of_pairs(values, n_classes)
        return self.classes_[values.argmax(axis=1)]

    def _kernels(self, stack: npt.NDArray[Any]) -> FloatArray:
        """Set scales and shifts; return the kernels of the training objects."""
        n = self.n_objects_
        kernels = np.empty(stack.shape)
        self.scales_, self.shifts_ = np.ones(len(stack)), np.zeros(len(stack))
        for k, distances in enumerate(stack):
            halved = 0.5 * distances.astype(np.float64)
            symmetric = halved + halved.T
            np.fill_diagonal(symmetric, 0.0)
            largest = symmetric.max()
            if largest > 0:  # without a sum that could overflow
                self.scales_[k] = self.width * largest * ((symmetric / largest).sum() / (n * (n - 1)))
            kernels[k] = np.exp(-symmetric / self.scales_[k])
            self.shifts_[k] = _shift(kernels[k])
            kernels[k].flat[:: n + 1] += self.shifts_[k]
        return kernels

    def _problems(self, kernels: FloatArray, codes: IntArray) -> Any:
        """Yield rows, kernels and signs of each problem of two classes."""
        n_classes, everything = len(self.classes_), np.arange(len(codes))
        if n_classes == 2:
            yield everything, kernels, np.where(codes == 1, 1.0, -1.0)
        elif n_classes > 2 and self.multiclass == "one_vs_rest":
            for c in range(n_classes):
                yield everything, kernels, np.where(codes == c, 1.0, -1.0)
        elif n_classes > 2:
            for a, b in combinations(range(n_classes), 2):
                rows = np.flatnonzero((codes == a) | (codes == b))
                yield rows, kernels[:, rows[:, None], rows], np.where(codes[rows] == a, 1.0, -1.0)

    def _values(self, stack: npt.NDArray[Any]) -> FloatArray:
        """Values of the problems' machines, shape (m, n_problems)."""
        values = np.tile(self._intercepts, (stack.shape[1], 1))
        with one_thread("blas"):
            for k, weights in enumerate(self.problem_weights_.T):
                if weights.any():
                    kernel = np.exp(-stack[k].astype(np.float64) / self.scales_[k])
                    values += kernel @ (weights[:, None] * self._coefficients).T
        return values


def _shift(kernel: FloatArray) -> float:
    """Return how far the lowest eigenvalue is below 0.

    0 where it is so by rounding alone.
    """
    rounding = 1e-10 * len(kernel)
    try:  # much faster than eigenvalues
        cholesky(kernel + rounding * np.eye(len(kernel)), check_finite=False)
        return 0.0
    except LinAlgError:
        return float(max(0.0, -np.linalg.eigvalsh(kernel)[0]))


def _scores_of_pairs(values: FloatArray, n_classes: int) -> FloatArray:
    """Count the pairs that each class wins.

    Sums of values, squeezed to less than half a win, settle ties.
    """
    wins, sums = np.zeros((2, len(values), n_classes))
    for value, (a, b) in zip(values.T, combinations(range(n_classes), 2), strict=True):
        wins[:, a] += value > 0
        wins[:, b] += value <= 0
        sums[:, a] += value
        sums[:, b] -= value
    return wins + sums / (3.0 * (np.abs(sums) + 1.0))
