"""What every measure and every solver must refuse; a new one is missed by the first test until it stands here."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from cladebench import metrics, solvers
from cladebench.classifiers.multiple_kernel_svm import MultipleKernelSVM
from cladebench.distances import LMNN, FixedWeights, HierarchyForest, RandomForestProximity
from cladebench.hierarchy import Hierarchy
from cladebench.metrics.histogram_distances import histogram_distances, mean_squared_distance
from cladebench.solvers.dependence import checked_structure
from cladebench.solvers.gram import checked_kernel
from cladebench.solvers.max_margin_split import max_margin_split
from cladebench.solvers.sparsest_cut import checked_weights

rng = np.random.default_rng(0)
X = DATA = rng.normal(size=(6, 2))
D = np.abs(X[:, None] - X[None]).sum(axis=2)
S = 1.0 / (1.0 + D)
CODES = np.array([0, 1, 2, 0, 1, 2])
TREE = Hierarchy.from_linkage(linkage(X, "average"))
CLASSES = Hierarchy.from_nested([[0, 1], 2])
NEAR, TRUE = np.array([[1, 2], [0, 3]]), np.array([[2, 1], [4, 0]])
PAIR = {"labels_true": CODES, "labels_pred": CODES[::-1].copy()}
SEMANTIC = {"hierarchy": CODES, "labels": CODES, "class_tree": CLASSES}
COST = {"hierarchy": TREE, "similarity": S}
PURITY = {"hierarchy": TREE, "labels": CODES}
W = rng.normal(size=(3, 2))

#: Arguments with which each function works.
CALLS: dict[str, dict[str, Any]] = {
    "assignment_costs": {"X": X, "W": W},
    "average_precision": {"found": NEAR, "true": TRUE, "k": 2},
    "balanced_assignment": {"cost": D[:, :3], "lower": np.array([1, 1, 1]), "upper": np.array([4, 4, 4])},
    "best_constant": {"labels": CODES, "class_tree": CLASSES},
    "correlation_clustering": {"similarity": S - 0.3},
    "cost_scores": COST,
    "dasgupta_cost": COST,
    "dendrogram_purity": PURITY,
    "entropy_scores": PAIR,
    "expected_dasgupta_cost": COST,
    "expected_dendrogram_purity": PURITY,
    "expected_rand_index": PAIR,
    "f_scores": PAIR,
    "facility_location": {"d": D, "initial": np.array([0, 3])},
    "fit_branch_lengths": {"D": D, "tree": TREE},
    "fit_margin": {"X": X, "labels": CODES, "n_clusters": 3, "W": W, "group": np.ones(2), "l1": np.ones(2)},
    "fit_tree_metric": {"D": D},
    "four_point_excess": {"D": D},
    "linkage": {"X": X},
    "matched_scores": PAIR,
    "precision_at": {"relevant": np.array([[True, False], [False, True]])},
    "purity_scores": PURITY,
    "rand_index": PAIR,
    "rand_scores": PAIR,
    "semantic_scores": SEMANTIC,
    "semantic_similarity": SEMANTIC,
    "similarity_of_distances": {"distances": D},
    "sparse_group_prox": {"W": W, "step": 0.5, "group": np.ones(2), "l1": np.ones(2)},
    "squared_hinge": {"X": X, "labels": CODES, "W": W},
    "v_scores": PAIR,
    "vote": {"neighbors": NEAR, "labels": CODES},
}
#: Functions and classes that are not in the lists of the two packages.
MORE: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (Hierarchy, {"parents": TREE.parents, "leaf_of": TREE.leaf_of, "heights": TREE.heights}),
    (Hierarchy.from_linkage, {"Z": linkage(X, "average")}),
    (lambda values: Hierarchy([-1], [0], node_data={"name": values}), {"values": np.array([1])}),
    (TREE.class_counts, {"labels": CODES}),
    (TREE.lca, {"i": CODES, "j": CODES}),
    (metrics.LinearKernel, {"X": X}),
    (metrics.Similarity(), {"X": X}),
    (partial(histogram_distances, kind="chi2"), {"X": np.abs(X)}),
    (mean_squared_distance, {"X": X}),
    (checked_weights, {"S": S}),
    (checked_kernel, {"K": X @ X.T}),
    (checked_structure, {"structure": np.eye(3)}),
    (max_margin_split, {"X": X}),
    (LMNN().fit, {"X": X, "y": CODES}),
    (lambda X: RandomForestProximity(n_estimators=2).fit(DATA, CODES).leaf_map(X, "gap").toarray(), {"X": X}),
    (lambda X: HierarchyForest(2, splits="random").fit(DATA).leaf_map(X).toarray(), {"X": X}),
    (lambda must_link: LMNN().fit(X, CODES, must_link), {"must_link": np.array([[0, 1]])}),
    (FixedWeights().fit, {"stacks": D[None, None], "labels": CODES[None]}),
    (MultipleKernelSVM().fit, {"stack": D[None], "labels": CODES}),
]
READ_AS_LABELS = {"labels_true", "labels_pred", "labels", "y", "values"}


def functions() -> list[tuple[str, Callable[..., Any], dict[str, Any]]]:
    public = {
        name: getattr(package, name)
        for package in (metrics, solvers)
        for name in package.__all__
        if inspect.isfunction(getattr(package, name))
    }
    assert set(public) == set(CALLS)
    return [(name, public[name], given) for name, given in CALLS.items()] + [
        (getattr(call, "__qualname__", type(call).__name__), call, given) for call, given in MORE
    ]


#: By name: marks would keep the trees beyond the end of the core.
ARGUMENTS = {
    f"{function}-{name}": (call, given, name)
    for function, call, given in functions()
    for name, value in given.items()
    if isinstance(value, np.ndarray)
}


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_masked_entries_are_refused_and_dates_are_no_numbers(argument: str) -> None:
    call, given, name = ARGUMENTS[argument]
    call(**given)
    masked = np.ma.array(given[name], mask=np.zeros(given[name].shape, dtype=bool))
    call(**{**given, name: masked})  # nothing is lost
    masked.mask.flat[0] = True
    with pytest.raises(ValueError, match="masked"):
        call(**{**given, name: masked})
    if given[name].ndim == 2:
        with pytest.raises(ValueError, match="masked"):
            call(**{**given, name: list(masked)})
    if name in READ_AS_LABELS:
        return
    seconds = np.round(given[name]).astype("timedelta64[s]")
    for times in (seconds, seconds.astype("datetime64[s]"), seconds.astype(object)):
        with pytest.raises((TypeError, ValueError), match=r"dtype|not an array of|dates|ndarray"):
            call(**{**given, name: times})


#: They read their labels as integers.
INTEGERS = {"best_constant", "fit_margin", "semantic_scores", "semantic_similarity", "squared_hinge"}


def plain(result: Any, labels: Any) -> Any:
    """What was found, as numbers: of labels their places among those given, of an estimator what it has learned."""
    if isinstance(result, np.ndarray) and result.dtype.kind in "OU":
        return [labels.index(label) for label in result]
    for name in ("components_", "weights_"):
        if hasattr(result, name):
            return getattr(result, name).tolist()
    return result.tolist() if isinstance(result, np.ndarray) else result


@pytest.mark.parametrize(
    "argument", [key for key, (_, _, name) in ARGUMENTS.items() if name in READ_AS_LABELS - {"values"}]
)
def test_labels_that_numpy_would_merge_stay_apart(argument: str) -> None:
    """Beside a small integer large ones become floats; NUL at the end of a string is dropped."""
    call, given, name = ARGUMENTS[argument]
    codes = given[name]
    for label in (lambda code: 2**63 + code if code else 5, lambda code: "a" + "\0" * code):
        labels = np.vectorize(label, otypes=[object])(codes).tolist()
        assert len(np.unique(np.array(labels))) < 3
        if call.__name__ in INTEGERS:
            with pytest.raises(ValueError, match=r"labels.* expected (integers|at most)"):
                call(**{**given, name: labels})
            continue
        found, right = (plain(call(**{**given, name: values}), values) for values in (labels, codes.tolist()))
        assert found == right
