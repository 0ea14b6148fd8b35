"""The GHC estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from cladebench import extras
from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.methods.ghc.parameters import check_parameters
from cladebench.methods.ghc.standardisation import AS_GIVEN, Standardisation
from cladebench.metrics.similarity import Kind, Similarity
from cladebench.validation import (
    check_choice,
    check_features,
    check_finite,
    check_magnitude,
    check_scale,
)

if TYPE_CHECKING:
    from cladebench.methods.ghc.evaluation import TreeEvaluation
    from cladebench.methods.ghc.routers import Router
    from cladebench.methods.ghc.training import TrainingRun


class GHC(HierarchicalClusterer):
    """Train a tree of differentiable routers jointly.

    This is gradient-based hierarchical clustering.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    n_leaves : int, default=16
        Leaves L of the complete binary tree, a power of two. A hyper-parameter of the paper (section 3), which gives
        no values. Leaves that no point reaches are dropped at the end. At most 65536: path probabilities are
        held in an (n_samples, 2 L - 1) array.
    router : {"linear", "neural"} or Router, default="linear"
        Routing function: GHC-L, GHC-N, or any object that follows `cladebench.methods.ghc.routers.Router`.
    training : {"full_tree", "blockwise", "exact"}, default="full_tree"
        The paper's FT and BW (section 3); or full-batch minimisation of the exact cost by L-BFGS (not in the paper).
    block_depth : int, default=2
        Depth of the blocks of block-wise training: 2 is BW-2. Those of the last level are shallower where the
        depth of the tree is not a multiple of it.
    similarity : str, Similarity or callable, default="exp_sq"
        Sim(x, x') on the features as given. A kind of `cladebench.metrics.similarity.Similarity`, or a callable
        that maps X to a symmetric, dense (n, n) array or to a `LinearKernel` (then nothing n x n is ever made). The
        paper does not say which it uses.
    hidden_size : int, default=16
        Width of the hidden layer of ``router="neural"``.
    activation : {"tanh", "relu"}, default="tanh"
        Of the hidden layer of ``router="neural"``. Not in the paper.
    init_scale : float, default=1.0
        Scale of the routers' weights before the greedy start, for the named routers. Not in the paper.
    start_steps : int, default=30
        Steps of the greedy start for each split. Not in the paper.
    start_from : {"node", "data"}, default="node"
        Where the greedy start draws the first point of a split from: the points that reach the node, or all. The paper
        says "from the dataset", of splits "ordered in a top-down manner".
    learning_rate : float, default=3.0
        First step size of full-tree and block-wise training, of the cost divided by (pairs x points x mean `|Sim|`),
        whose gradients are small: 1 to 10 suits "sgd", 0.01 to 0.1 "adam".
        `cladebench.methods.ghc.schedule.StepSize` says when it falls. The paper names neither a value nor a schedule.
    n_iter : int or None, default=None
        Most steps of full-tree training, of each level of blocks, or of L-BFGS. None: 20000, 20000 and 200.
    n_init : int, default=1
        Starts, each trained to its end; the one with the least J' is kept (the first among equals). The first is that
        of ``n_init=1`` with the same ``random_state``. The paper speaks of no restarts.
    batch_size : int, default=64
        Pairs b of a step.
    n_second : int, default=8
        Points s of the second sample that estimates n_v, drawn for each pair.
    leaf_term : bool, default=True
        Whether two points that share a leaf pay for it, at the leaf's expected size. False: the cost as printed, whose
        least value, 0, is that of all points in one leaf.
    entropy_penalty : float, default=0.0
        Weight of the mean entropy (nats) of the pairs' lca distributions. The cost itself is divided by
        (pairs x points x mean `|Sim|`), so the weight means the same on all data. The paper penalises (section 3)
        but gives no weight.
    entropy_pairs : int, default=2048
        Exact training averages the penalty over this many pairs, drawn once; the cost is over all pairs.
    optimizer : {"sgd", "adam"}, default="sgd"
        Of full-tree and block-wise training. The paper says stochastic gradient descent.
    scale_inputs : bool, default=True
        Routers see standardised features (constant ones as zeros). For a linear router this only changes the
        parametrisation; the similarity is always that of the features as given.
    tol : float, default=0.005
        Below 1. Sampled training (each level of blocks) has settled when the exact cost no longer falls by this
        fraction, and shorter steps do not make it (`StepSize`); the parameters of least exact cost are kept. 0: take
        all steps, of one size, and keep the last parameters. L-BFGS stops when an iteration lowers the cost, divided as
        for ``learning_rate``, by less than ``tol / 50000``.
    n_checkpoints : int, default=10
        Points of ``trace_`` (of each level of blocks), after the start; up to twice as many where training ends by
        ``tol``, and fewer where it ends early.
    random_state : int, RandomState or None, default=None
        Seeds the start and the sampling.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        Greedy routing: points that share a leaf are one multi-way leaf; unused nodes are dropped.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.
    params_ : pytree of ndarray
        Parameters of nodes 1..2 L - 2 in heap order, stacked along a leading axis.
    objective_ : float
        The exact J' of the routers, each pair of distinct points once, with or without the leaf term.
    objectives_ : ndarray of shape (n_init,)
        J' at the end of each start, of which ``objective_`` is the least. All other attributes are those of the start
        that was kept.
    discrete_cost_ : float
        Dasgupta's cost of ``hierarchy_``, each pair once.
    trace_ : dict of ndarray
        ``seconds`` of training (start, compilation and the evaluation of the trace not counted), ``iterations``,
        ``objective`` (J') and ``cost`` (Dasgupta's cost of the read-out) at each checkpoint; the first is the start.
    n_iter_ : int
        Steps taken; in block-wise training summed over the levels.
    converged_ : bool
        Whether training has settled (at every level) before the steps ran out.
    mean_lca_entropy_ : float
        Mean entropy (nats) of the lca distribution over ``entropy_pairs`` pairs, drawn with a fixed seed.
    n_updates_ : int
        Steps of single blocks: a step of block-wise training updates every block of a level, each on its own pairs.
    critical_path_seconds_ : float
        Training time had each block of a level a processor of its own: at each level the steps of the slowest block,
        and what else there is to do divided by the number of blocks.
    start_seconds_, compile_seconds_ : float
        Wall time of the greedy start (its compilation included), and of compiling the training step: 0 for the
        paper's routers, whose steps are taken in the core.

    Raises
    ------
    ValueError
        For a bad parameter (``n_leaves`` not a power of two, ...) or a similarity of the wrong shape, not finite or
        not symmetric.
    FloatingPointError
        If training diverges.

    Notes
    -----
    Where the paper is silent or this differs: see `cladebench.methods.ghc.objective` (leaf term, self-pairs) and
    the parameters above (optimizer, activation, scaling of inputs, entropy weight).

    A step of sampled training routes the m <= min(n, b (s + 2)) points that it draws, in O(m L x router); a gradient
    of exact training costs O(n^2 L), or O(n L rank) with a `LinearKernel`. Memory is that of the similarity.

    Steps of the named routers are taken in the core. All else, and the steps of other routers, is computed in float64
    on one CPU thread through JAX, whose precision is left as it was. Results are bit-equal
    for one seed, whatever the number of threads, unless something else in the process has used JAX before with more
    threads: then the environment variable ``PJRT_NPROC=1`` has to be set before JAX starts.

    References
    ----------
    N. Monath, A. Kobren, A. Krishnamurthy, A. McCallum, Gradient-based hierarchical clustering, 2017.
    S. Dasgupta, A cost function for similarity-based hierarchical clustering, STOC 2016.

    Examples
    --------
    >>> from cladebench.methods import GHC
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> GHC(n_leaves=4, n_iter=50, random_state=0).fit(X).labels_.tolist()
    [1, 1, 0, 0, 0]
    """

    needs = ("jax",)
    contract_params: ClassVar[Mapping[str, Any]] = {"n_leaves": 4, "n_iter": 20}
    MAX_LEAVES: ClassVar[int] = 2**16
    DEFAULT_N_ITER: ClassVar[Mapping[str, int]] = {"full_tree": 20_000, "blockwise": 20_000, "exact": 200}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_leaves: int = 16,
        router: Literal["linear", "neural"] | Router = "linear",
        training: Literal["full_tree", "blockwise", "exact"] = "full_tree",
        block_depth: int = 2,
        similarity: Kind | Similarity | Callable[[np.ndarray], Any] = "exp_sq",
        hidden_size: int = 16,
        activation: Literal["tanh", "relu"] = "tanh",
        init_scale: float = 1.0,
        start_steps: int = 30,
        start_from: Literal["node", "data"] = "node",
        learning_rate: float = 3.0,
        n_iter: int | None = None,
        n_init: int = 1,
        batch_size: int = 64,
        n_second: int = 8,
        leaf_term: bool = True,
        entropy_penalty: float = 0.0,
        entropy_pairs: int = 2048,
        optimizer: Literal["sgd", "adam"] = "sgd",
        scale_inputs: bool = True,
        tol: float = 0.005,
        n_checkpoints: int = 10,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_leaves = n_leaves
        self.router = router
        self.training = training
        self.block_depth = block_depth
        self.similarity = similarity
        self.hidden_size = hidden_size
        self.activation = activation
        self.init_scale = init_scale
        self.start_steps = start_steps
        self.start_from = start_from
        self.learning_rate = learning_rate
        self.n_iter = n_iter
        self.n_init = n_init
        self.batch_size = batch_size
        self.n_second = n_second
        self.leaf_term = leaf_term
        self.entropy_penalty = entropy_penalty
        self.entropy_pairs = entropy_pairs
        self.optimizer = optimizer
        self.scale_inputs = scale_inputs
        self.tol = tol
        self.n_checkpoints = n_checkpoints
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_parameters(self)
        if isinstance(self.router, str):  # without JAX, as plans are checked
            check_choice("router", self.router, ("linear", "neural"))
        else:
            self._resolve_router()
        self._resolve_similarity()

    def _resolve_router(self) -> Router:
        extras.need("jax", "GHC")
        from cladebench.methods.ghc.routers import router_of

        return router_of(self.router, self.hidden_size, self.activation, float(self.init_scale))

    def _resolve_similarity(self) -> Callable[[np.ndarray], Any]:
        if isinstance(self.similarity, str):
            check_choice("similarity", self.similarity, get_args(Kind))
            return Similarity(self.similarity)
        if not callable(self.similarity):
            raise ValueError(f"similarity={self.similarity!r}: expected a name or a callable of X")
        return self.similarity

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        extras.need("jax", "GHC")
        import jax.numpy as jnp

        from cladebench.methods.ghc.objective import as_similarities, mean_magnitude, n_points_of
        from cladebench.methods.ghc.restarts import Training, best_of_starts
        from cladebench.methods.ghc.session import double_precision
        from cladebench.methods.ghc.steps import TrainingProblem

        check_scale(X)
        self._inputs = Standardisation.of(X) if self.scale_inputs else AS_GIVEN
        # One point has no pair: nothing to ask a similarity that may be undefined there.
        similarity = self._resolve_similarity()(X) if len(X) > 1 else np.zeros((1, 1))
        similarities = as_similarities(similarity)
        if n_points_of(similarities) != len(X):
            raise ValueError(f"similarity covers {n_points_of(similarities)} points, X has {len(X)}")
        if isinstance(similarities, np.ndarray):
            similarity = similarities  # the diagonal does not enter the cost: one matrix is enough
        chosen = {field.name: getattr(self, field.name) for field in fields(Training)}
        chosen |= {"learning_rate": float(self.learning_rate), "tol": float(self.tol)}
        if self.n_iter is None:
            chosen["n_iter"] = self.DEFAULT_N_ITER[self.training]
        with double_precision():
            problem = TrainingProblem(
                self._resolve_router(),
                self.n_leaves,
                jnp.asarray(self._inputs(X)),
                similarities,
                mean_magnitude(similarities),
                float(self.entropy_penalty),
                bool(self.leaf_term),
            )
            best = best_of_starts(
                Training(**chosen), problem, similarity, check_random_state(self.random_state)
            )
        self.objectives_ = best.objectives
        return self._record(X, best.run, best.results)

    def _record(self, X: np.ndarray, run: TrainingRun, results: list[TreeEvaluation]) -> Hierarchy:
        """Set what a run and its evaluated checkpoints give; return the tree."""
        import jax

        from cladebench.methods.ghc.evaluation import mean_lca_entropy, trace_of

        self._position = results[-1].leaves
        self.mean_lca_entropy_ = mean_lca_entropy(
            self._margins(X, run.checkpoints[-1][2]), self.entropy_pairs
        )
        self.critical_path_seconds_ = run.critical_path_seconds
        self.n_updates_ = run.n_updates or run.n_iter
        self.params_ = jax.tree.map(np.asarray, run.params)
        self.n_iter_, self.converged_ = run.n_iter, run.converged
        self.start_seconds_, self.compile_seconds_ = run.start_seconds, run.compile_seconds
        self.objective_, self.discrete_cost_ = results[-1].objective, results[-1].cost
        self.trace_ = trace_of(run.checkpoints, results)
        return results[-1].tree

    def _margins(self, X: np.ndarray, params: Any) -> np.ndarray:
        from cladebench.methods.ghc.routers import compiled_left_margins
        from cladebench.methods.ghc.session import double_precision

        with double_precision():
            return np.asarray(compiled_left_margins(self._resolve_router(), params, self._inputs(X)))

    def path_probabilities(self, X: Any) -> np.ndarray:
        """Compute Pr[x -> v] at every node of the complete tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, 2 L - 1)
            Heap order: root first, leaves last.
        """
        from cladebench.methods.ghc.objective import log_path_probabilities

        return np.exp(log_path_probabilities(self._fitted_margins(X), np))

    def route(self, X: Any) -> np.ndarray:
        """Route each point greedily to a leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Heap numbers, L - 1..2 L - 2. Ties go left.
        """
        from cladebench.methods.ghc.routers import route

        return route(self._fitted_margins(X))

    def predict(self, X: Any) -> np.ndarray:
        """Cluster of each point: that of the training points at its leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points. A node that no training point reached is never entered.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        from cladebench.methods.ghc.routers import entered, route

        margins = self._fitted_margins(X)
        label_of = np.zeros(2 * self.n_leaves - 1, dtype=np.intp)
        label_of[self._position] = self.labels_
        return label_of[route(margins, entered(self._position, self.n_leaves))]

    def _fitted_margins(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        columns = check_features(X, who=self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite=False)
        check_finite(X, self, columns=columns)
        check_magnitude(X)
        return self._margins(X, self.params_)
