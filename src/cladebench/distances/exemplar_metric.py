r"""A distance learned for clustering with exemplars.

Clustering finds the clusters of the training sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils import check_random_state

from cladebench.distances._exemplars import ExemplarClusters, accurate_price, matched_price, mean_scales
from cladebench.distances._stack_base import IntArray
from cladebench.solvers.cutting_planes import learn_by_planes
from cladebench.solvers.dual_decomposition import Projection, Regularizer, l1, l2, learn, nonnegative
from cladebench.solvers.exemplar_learning import ClusteringProblem
from cladebench.solvers.given_distances import GivenDistances
from cladebench.validation import check_choice, check_flag, check_int, check_real

REGULARIZERS: dict[str, Regularizer] = {"l1": l1, "l2": l2}
CONSTRAINTS: dict[str, Projection] = {"nonnegative": nonnegative, "none": lambda w: w}


class ExemplarMetric(ExemplarClusters):
    r"""Learn weights of distances from clusterings by dual decomposition.

    A clustering is a choice of exemplars: it costs what each object is far from its exemplar, and a price for each
    exemplar, so that the number of clusters comes out ([1]_, Section 2). Weights are sought under which the true
    clusters of each training set cost less than any others, by a margin that counts what is wrong with these (Sections
    3 and 4).

    Parameters
    ----------
    features : {"squared_differences"} or callable, optional
        What sets are given as in `fit` and `predict`. None: stacks of distances. "squared_differences": arrays of shape
        (n, n_features), of which the distances are the squared differences in each feature (Section 6, synthetic data);
        they are never written out. A callable makes a stack of what is given.
    regularizer : {"l1", "l2"} or callable, default="l1"
        J(w) of (13): "an l1-norm regularizer, as we found it to lead to better generalization performance" (Section 6).
        A callable gives the value and a subgradient.
    tau : float, default=1
        Its weight; the paper gives none.
    constraint : {"nonnegative", "none"} or callable, default="nonnegative"
        Weights that are allowed ("in all the experiments we imposed a positivity constraint", Section 6). A callable
        gives the nearest weights that are.
    price : {"size", "matched"} or float, default="size"
        Cost of an exemplar, the same for all. The paper says that it is fixed, and not to what; against the margin it
        says what scale distances must have, since weights only matter relative to it. "size": `beta` times the mean
        size of the true clusters, so that an exemplar costs what the margin of the objects that it serves is (the mean
        size itself where `beta` is 0).
        "matched": such that the mean of all distances, each scaled to mean 1, finds as many clusters in the training
        sets as there are.
    rematch : bool or "accuracy", default=False
        Whether the price is set anew once the weights are learned: such that they find as many clusters in the training
        sets as there are, or "accuracy", such that they recover the clusters of these best. The paper keeps it.
    scaling : {"each", "common"}, default="each"
        What distances are divided by before weights are learned, which tells in their regulariser and first steps:
        each by its own mean, or all by the mean of these. The paper does not say.
    alpha : float, default=1
        Weight of exemplars too many or too few in the margin, (15); 1 in Section 6, as is `beta`.
    beta : float, default=1
        Weight of objects that are not assigned to an exemplar of their own cluster.
    completion : {"own", "nearest"}, default="own"
        Exemplar of an object in the true clustering: that of its own cluster, or the nearest one of all clusters, as
        the pseudocode of Fig. 1 has it. The latter need not be consistent with the clusters, which the model asks for.
    step : float, default=1
        Round t takes a step of ``step / sqrt(t)`` for the multipliers. The paper does not give its steps.
    weight_step : float, default=1
        For the weights the step is ``weight_step * w0 / n`` times as long, with n the objects in all training sets and
        w0 the weight that all distances start from, such that the right number of clusters is found: their slopes are
        sums over all objects. The paper has one step for both, and does not say where weights start.
    polyak : bool, default=False
        Steps by Polyak's rule instead, with 0 for the optimum.
    rounds : int, default=1
        T of Fig. 1: rounds for each choice of exemplars ("can be set to be very small (e.g., even 1)").
    stochastic : bool, default=False
        Steps for one training set after the other, each with the whole of the regulariser, as the paper has it: that
        weighs as much as `tau` times the number of sets does without it.
    max_iter : int, default=500
        Rounds at most.
    tol : float, default=1e-3
        Rounds end when the lowest objective falls by no more than this share in 50 of them; with 0 after `max_iter`.
    gap : float, optional
        Go on by cutting planes from the weights of the rounds, until the objective is within this share of its bound.
        Rounds alone can stop far above it, and their relaxation adds to the loss. Not with a callable `regularizer` or
        `constraint`. None: take what the rounds leave, as the paper does.
    max_planes : int, default=500
        Weights that cutting planes look at, at most.
    random_state : int, RandomState or None, default=None
        Draws the order of the training sets where `stochastic`; else without effect.

    Attributes
    ----------
    weights_ : ndarray of float64, shape (n_distances,)
        Weights of the distances as they are given.
    scales_ : ndarray of float64, shape (n_distances,)
        What distances were divided by.
    means_ : ndarray of float64, shape (n_distances,)
        Mean of each distance over the pairs of a training set, averaged over the sets (1 where it is 0). ``weights_ *
        means_`` are the weights of distances of mean 1.
    price_ : float
        Cost of an exemplar.
    objective_ : float
        Lowest objective: of the rounds (27), with the relaxed loss; of cutting planes (13), with the loss itself.
    gap_ : float
        What the objective is above its bound, relative to it, for the completions of the weights; NaN without `gap`.
    objective_path_ : ndarray of shape (`n_iter_`,)
        Objective before each round.
    n_iter_ : int
        Rounds.
    n_planes_ : int
        Weights that cutting planes looked at.
    converged_ : bool
        Whether the gap is within `gap`; without it whether the rounds ceased to lower the objective.
    n_distances_ : int

    Notes
    -----
    A round reads each given distance once (twice where `stochastic`), O(n_distances n^2) for a set of n objects, and
    takes O(n^2) beside it. Cutting planes solve a problem of facility location for each training set and weights, and
    many to close the last of the gap: from seconds for sets of 100 objects to minutes for sets of 500. Where the
    paper's Lemma 1 counts features of exemplars, here they have none, as the price is fixed.

    References
    ----------
    .. [1] N. Komodakis, Learning to cluster using high order graphical models with latent variables, ICCV 2011.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 10)
    >>> X = np.column_stack([5.0 * y + rng.normal(size=30), 9.0 * rng.normal(size=30)])
    >>> metric = ExemplarMetric(features="squared_differences").fit([X], [y])
    >>> bool(metric.weights_[0] > metric.weights_[1])
    True
    >>> int(metric.predict(X).max()) + 1
    3
    """

    order_invariant: ClassVar[bool] = False
    contract_params: ClassVar[Mapping[str, Any]] = {"max_iter": 60}

    def __init__(
        self,
        features: Literal["squared_differences"] | Callable[[Any], Any] | None = None,
        regularizer: Literal["l1", "l2"] | Regularizer = "l1",
        tau: float = 1.0,
        constraint: Literal["nonnegative", "none"] | Projection = "nonnegative",
        price: Literal["size", "matched"] | float = "size",
        rematch: bool | Literal["accuracy"] = False,
        scaling: Literal["each", "common"] = "each",
        alpha: float = 1.0,
        beta: float = 1.0,
        completion: Literal["own", "nearest"] = "own",
        step: float = 1.0,
        weight_step: float = 1.0,
        polyak: bool = False,
        rounds: int = 1,
        stochastic: bool = False,
        max_iter: int = 500,
        tol: float = 1e-3,
        gap: float | None = None,
        max_planes: int = 500,
        random_state: Any = None,
    ) -> None:
        self.features = features
        self.regularizer = regularizer
        self.tau = tau
        self.constraint = constraint
        self.price = price
        self.rematch = rematch
        self.scaling = scaling
        self.alpha = alpha
        self.beta = beta
        self.completion = completion
        self.step = step
        self.weight_step = weight_step
        self.polyak = polyak
        self.rounds = rounds
        self.stochastic = stochastic
        self.max_iter = max_iter
        self.tol = tol
        self.gap = gap
        self.max_planes = max_planes
        self.random_state = random_state

    def _check_parameters(self) -> None:
        if not callable(self.regularizer):
            check_choice("regularizer", self.regularizer, REGULARIZERS)
        if not callable(self.constraint):
            check_choice("constraint", self.constraint, CONSTRAINTS)
        if isinstance(self.price, str):
            check_choice("price", self.price, ("size", "matched"))
        else:
            check_real("price", self.price, 0.0)
        for name in ("tau", "alpha", "beta", "tol"):
            check_real(name, getattr(self, name), 0.0)
        for name in ("step", "weight_step"):
            check_real(name, getattr(self, name), 0.0, open_minimum=True)
        check_choice("completion", self.completion, ("own", "nearest"))
        if self.gap is not None:
            check_real("gap", self.gap, 0.0, open_minimum=True)
            for name in ("regularizer", "constraint"):
                if callable(getattr(self, name)):
                    raise ValueError(f"{name} is a function; expected a name, or gap=None")
        for name in ("rounds", "max_iter", "max_planes"):
            check_int(name, getattr(self, name), minimum=1)
        check_choice("scaling", self.scaling, ("each", "common"))
        for name in ("polyak", "stochastic"):
            check_flag(name, getattr(self, name))
        if self.rematch != "accuracy":
            check_flag("rematch", self.rematch)

    def _learn(self, sets: list[GivenDistances], labels: list[IntArray]) -> None:
        self.means_ = mean_scales(sets)
        each = self.scaling == "each"
        self.scales_ = self.means_ if each else np.full(self.n_distances_, self.means_.mean())
        scaled = [given.scaled(self.scales_) for given in sets]
        mean_of_all = np.full(self.n_distances_, 1.0 / self.n_distances_)
        matched = matched_price(scaled, labels, mean_of_all)
        self.price_ = self._price(labels, matched)
        # Distances that find the right number of clusters at this price; steps are of their size.
        size = self.price_ / matched if self.price_ > 0 else 1.0
        problems = [
            ClusteringProblem(given, codes, self.price_, self.alpha, self.beta, self.completion)
            for given, codes in zip(scaled, labels, strict=True)
        ]
        learned = learn(
            problems,
            size * mean_of_all,
            regularizer=self.regularizer if callable(self.regularizer) else REGULARIZERS[self.regularizer],
            tau=self.tau,
            constraint=self.constraint if callable(self.constraint) else CONSTRAINTS[self.constraint],
            step=self.step,
            weight_step=self.weight_step * size / (sum(map(len, labels)) * self.n_distances_),
            polyak=self.polyak,
            rounds=self.rounds,
            max_iter=self.max_iter,
            tol=self.tol,
            stochastic=self.stochastic,
            random=check_random_state(self.random_state),
        )
        w, self.objective_path_, self.n_iter_ = learned.weights, learned.path, len(learned.path)
        self.objective_, self.gap_, self.converged_ = learned.objective, np.nan, learned.converged
        self.n_planes_ = 0
        if self.gap is not None:
            assert not callable(self.regularizer)  # as was checked
            closed = learn_by_planes(
                problems, w, regularizer=self.regularizer, tau=self.tau,
                nonnegative=self.constraint == "nonnegative", tol=self.gap, max_iter=self.max_planes,
            )  # fmt: skip
            w, self.n_planes_ = closed.weights, len(closed.path)
            self.objective_, self.gap_, self.converged_ = closed.objective, closed.gap, closed.converged
        self.weights_ = w / self.scales_
        if self.rematch == "accuracy":
            self.price_ = accurate_price(scaled, labels, w, self.price_)
        elif self.rematch:
            self.price_ = matched_price(scaled, labels, w)

    def _price(self, labels: list[IntArray], matched: float) -> float:
        if self.price == "matched":
            return matched
        if self.price == "size":
            clusters = sum(int(codes.max()) + 1 for codes in labels)
            return sum(map(len, labels)) / clusters * (self.beta if self.beta > 0 else 1.0)
        return float(self.price)
