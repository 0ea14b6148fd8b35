"""Learn a similarity for correlation clustering by a structural SVM (SVM-cluster)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import squareform

from cladebench.distances._structural_svm import Oracle, PairSet, learn
from cladebench.distances.base import StackDistance
from cladebench.solvers.correlation_clusterings import METHODS, CorrelationClustering, correlation_clustering
from cladebench.solvers.given_distances import GivenDistances
from cladebench.validation import check_choice, check_flag, check_int, check_real

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.int64]


LOSSES = ("pairs", "balanced")


class SVMCluster(StackDistance):
    r"""Learn weights of given distances by a structural SVM [1]_.

    This is supervised clustering with support vector machines.

    The similarity of a pair is :math:`s_{pq} = b - \sum_i w_i d^i_{pq}`; correlation clustering with it should give the
    true partition of each training set, by a margin that grows with the share of wrong pairs.

    Parameters
    ----------
    C : float, default=100
        Weight of the mean loss of the training sets against half the squared norm of b and w, all distances scaled
        to a mean of 1. The original chooses it by validation. A loss is a share of wrong pairs, in [0, 1]; it is
        100 times as large in the original, where this default would be 10,000 (and weights 100 times as large).
    features : {"squared_differences"} or callable, optional
        What sets are given as; see `ExemplarMetric`.
    method : {"relaxation", "greedy"}, default="relaxation"
        How training looks for the most violated partition, and how `predict` clusters; see
        `cladebench.solvers.correlation_clustering`. "relaxation": training takes the solution of the linear relaxation
        as it is, shares and all. That bounds the loss from above, and keeps the guarantees of training, which greedy
        search ("undergenerating") loses [2]_. "greedy" is much faster.
    nonnegative : bool, default=False
        Whether weights of distances (not b) must be at least 0. The original sets no constraint; the paper says of all
        its experiments that w >= 0 was imposed, which may or may not be meant of this rival too.
    loss : {"pairs", "balanced"}, default="pairs"
        Loss of a partition in training. "pairs": the share of wrong pairs, as in the original. With many clusters few
        pairs are inside one, so that a partition of single objects costs little. "balanced": the mean of the shares of
        wrong pairs inside true clusters and between them.
    tol : float, default=0.01
        Largest gap between the objective and its bound, relative to the objective.
    max_iter : int, default=200
        Rounds of cutting planes.
    random_state : int, RandomState or None, default=None
        For the rounding in `predict`; training draws nothing.

    Attributes
    ----------
    weights_ : ndarray of shape (n_distances,)
        w for the distances as given. `pairwise` is their weighted sum, and may be negative where a weight is.
    bias_ : float
        b: pairs with a smaller distance are similar. It is learned as the weight of a constant feature 1, and shrunk
        as the others are.
    scales_ : ndarray of shape (n_distances,)
        Mean of each distance over all pairs of the training sets; 1 where that is 0.
    objective_path_ : ndarray of shape (`n_iter_`,)
        Objective of the weights of each round: half the squared norm and C times the mean loss.
    objective_ : float
        The least of them, that of the fitted weights.
    gap_ : float
        Between `objective_` and its bound by the planes, relative to the former. Proven for the relaxed loss with
        "relaxation"; with "greedy" the loss is that of the partitions that were found, and nothing is proven.
    n_iter_ : int
    converged_ : bool
        Whether the gap is within the tolerance.
    n_distances_ : int

    Notes
    -----
    Sums over pairs are divided by their number in each set, so that large sets do not count for more and weights do not
    depend on the number of objects. Asymmetric distances are averaged over both directions, as only unordered pairs
    are clustered. Training first puts the objects of a set in an order that depends on their distances alone: the
    relaxation breaks ties by index, and weights should not depend on the order in which objects come.

    A round solves the relaxation for each training set, from where the round before left it (O(n^3), and much more than
    the rest), and a quadratic programme with a plane for each set and round (`minimise_planes`).

    References
    ----------
    .. [1] T. Finley, T. Joachims, Supervised clustering with support vector machines, ICML 2005.
    .. [2] T. Finley, T. Joachims, Training structural SVMs when exact inference is intractable, ICML 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distances import SVMCluster
    >>> near = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0.0]])
    >>> stack = np.array([near, 5 - 5 * np.eye(4)])  # the second distance tells nothing
    >>> SVMCluster().fit([stack], [[0, 0, 1, 1]]).predict(stack).tolist()
    [0, 0, 1, 1]
    """

    contract_params: ClassVar[dict[str, Any]] = {"tol": 0.05, "max_iter": 60}

    bias_: float

    def __init__(
        self,
        C: float = 100.0,
        *,
        features: Any = None,
        method: str = "relaxation",
        nonnegative: bool = False,
        loss: str = "pairs",
        tol: float = 0.01,
        max_iter: int = 200,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.features = features
        self.method = method
        self.nonnegative = nonnegative
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_real("C", self.C, 0.0, open_minimum=True)
        check_choice("method", self.method, METHODS)
        check_flag("nonnegative", self.nonnegative)
        check_choice("loss", self.loss, LOSSES)
        check_real("tol", self.tol, 0.0)
        check_int("max_iter", self.max_iter, minimum=1)

    def _learn(self, sets: list[GivenDistances], labels: list[IntArray]) -> None:
        pairs = [_pairs(given, codes) for given, codes in zip(sets, labels, strict=True)]
        pairs = [(values, together) for values, together in pairs if len(together)]
        n_pairs = sum(len(together) for _, together in pairs)
        self.scales_ = np.ones(self.n_distances_)
        for i in range(self.n_distances_):
            total = sum(float(values[i].sum(dtype=np.float64)) for values, _ in pairs)
            if total > 0.0:
                self.scales_[i] = total / n_pairs
        units = np.concatenate([[1.0], -1.0 / self.scales_])
        learned = learn(
            [
                PairSet([np.ones(len(together)), *values], units, together, self.loss == "balanced")
                for values, together in pairs
            ],
            correlation_oracle(self.method, len(pairs)),
            C=float(self.C),
            nonnegative=np.array([False] + [bool(self.nonnegative)] * self.n_distances_),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
        )
        self.bias_ = float(learned.v[0])
        self.weights_ = learned.v[1:] / self.scales_
        self.objective_path_ = np.array(learned.path)
        self.objective_, self.gap_ = learned.objective, learned.gap
        self.n_iter_, self.converged_ = learned.n_iter, learned.converged

    def _cluster(self, distances: GivenDistances) -> IntArray:
        distance = distances.at(self.weights_)
        return correlation_clustering(
            self.bias_ - (distance + distance.T) / 2.0, method=self.method, random_state=self.random_state
        ).labels


def _pairs(given: GivenDistances, labels: IntArray) -> tuple[list[FloatArray], npt.NDArray[np.bool_]]:
    """Average distances of pairs over directions, and mark pairs that are together.

    Objects are first put in the order of their sums of distances: what follows breaks ties by index.
    """
    n = len(labels)
    sums = np.zeros(n)
    for values in given.each():
        both = values.sum(axis=1, dtype=np.float64) + values.sum(axis=0, dtype=np.float64)
        sums += both - 2.0 * values.diagonal()
    order = np.argsort(sums, kind="stable")
    rows, columns = (order[ends] for ends in np.triu_indices(n, 1))
    distances = [(values[rows, columns] + values[columns, rows]) / 2 for values in given.each()]
    return distances, labels[rows] == labels[columns]


def correlation_oracle(method: str, n_sets: int) -> Oracle:
    """Make the oracle that clusters.

    It begins where it ended when last asked about a set.
    """
    last: list[CorrelationClustering | None] = [None] * n_sets

    def ask(k: int, objectives: npt.NDArray[np.float64], tolerance: float) -> tuple[Any, float]:
        positive = float(np.maximum(objectives, 0.0).sum())
        if positive == 0.0:
            return np.zeros(len(objectives)), 0.0
        clustering = last[k] = correlation_clustering(
            squareform(objectives), method=method, tol=tolerance / positive, n_orders=1, start=last[k]
        )
        same = clustering.labels[:, None] == clustering.labels
        x = squareform(same, checks=False).astype(np.float64)
        if clustering.relaxed is None:
            return x, clustering.value
        shares = squareform(clustering.relaxed, checks=False)
        return (shares if objectives @ shares > clustering.value else x), clustering.bound

    return ask
