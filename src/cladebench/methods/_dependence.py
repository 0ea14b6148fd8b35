"""Share kernel matrix, starts and orders of visits between clusterers by dependence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from cladebench.class_labels import by_first_member
from cladebench.methods._kernel import STARTS, check_kernel_parameters, gram_matrix, start_labels
from cladebench.methods.base import Clusterer
from cladebench.solvers.gram import CenteredGram
from cladebench.threads import one_thread
from cladebench.validation import as_index, check_at_most_samples, check_choice, check_int

VISITS = ("index", "random")


class DependenceClusterer(Clusterer):
    """A clusterer that sees the samples through their centred kernel matrix alone.

    A subclass takes ``kernel``, ``width``, ``matrix``, ``rank``, ``start``, ``n_starts``, ``visit``, ``max_sweeps`` and
    ``random_state``, and defines `_raise`.
    """

    takes_sparse = True
    n_clusters: int
    kernel: str
    width: float
    matrix: str
    rank: int | None
    start: Any
    n_starts: int
    visit: str
    max_sweeps: int
    random_state: int | np.random.RandomState | None

    @abstractmethod
    def _raise(self, gram: CenteredGram, random: np.random.RandomState) -> np.ndarray:
        """Find the clusters of a matrix's points; set fitted attributes."""

    def _check_parameters(self) -> None:
        check_kernel_parameters(self.kernel, self.width, self.matrix, self.rank)
        check_choice("visit", self.visit, VISITS)
        check_int("n_starts", self.n_starts, 1)
        check_int("max_sweeps", self.max_sweeps, 1)
        if isinstance(self.start, str):
            check_choice("start", self.start, STARTS)

    def _cluster(self, X: np.ndarray, y: np.ndarray | None) -> np.ndarray:
        random = check_random_state(self.random_state)
        gram = gram_matrix(
            X, kernel=self.kernel, width=self.width, matrix=self.matrix, rank=self.rank, random=random
        )
        return self._raise(gram, random)

    def fit_gram(self, gram: CenteredGram) -> Self:
        """Fit to a matrix that is made already.

        It gives what `fit` gives on the samples that it is of.

        Parameters
        ----------
        gram : CenteredGram
            The parameters ``kernel``, ``width``, ``matrix`` and ``rank`` are then not read.

        Returns
        -------
        self
        """
        self._check_parameters()
        check_at_most_samples(self, "n_clusters", self.n_clusters, gram.n)
        with one_thread("blas"):
            labels = self._raise(gram, check_random_state(self.random_state))
        self.labels_ = by_first_member(labels)
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that X may be a matrix of pairs."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def best_start(
    estimator: DependenceClusterer,
    gram: CenteredGram,
    random: np.random.RandomState,
    run: Callable[[np.ndarray, np.ndarray], tuple[float, Any]],
) -> Any:
    """Run from each start.

    Give what the one with the largest objective found, the first among equals.

    Parameters
    ----------
    estimator : DependenceClusterer
        Its parameters say how to start and in which order to visit the points.
    gram : CenteredGram
    random : RandomState
    run : callable
        ``run(labels, order)`` gives the objective and what was found.
    """
    results = []
    for _ in range(estimator.n_starts):
        if isinstance(estimator.start, str):
            labels = start_labels(gram, estimator.n_clusters, estimator.start, random)
        else:
            labels = given_start(estimator.start, gram.n, estimator.n_clusters)
        order = np.arange(gram.n)
        if estimator.visit == "random":
            order = random.permutation(gram.n)
        results.append(run(labels, order))
    return max(results, key=lambda result: result[0])[1]


def given_start(start: Any, n: int, n_clusters: int) -> np.ndarray:
    """Check a partition that the user gives.

    ValueError unless it has n clusters of 0..n_clusters-1.
    """
    labels = as_index("start", start)
    if len(labels) != n:
        raise ValueError(f"start has length {len(labels)}; expected {n}, a cluster for each sample")
    if not 0 <= labels.min() <= labels.max() < n_clusters:
        bad = labels[(labels < 0) | (labels >= n_clusters)][0]
        raise ValueError(f"start contains {bad}; expected clusters 0..{n_clusters - 1}")
    return labels
