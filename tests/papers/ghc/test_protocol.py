"""The protocol of the GHC paper: what a cell computes, against brute force and against itself under permutation."""

from functools import partial

import numpy as np
import pytest

from cladebench import datasets
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative
from cladebench.metrics import cost_scores, dasgupta_cost, purity_scores
from cladebench.metrics.similarity import Similarity
from cladebench.paper.catalogue import load_plan
from cladebench.paper.protocol import stored_tree
from cladebench.papers.ghc import protocol
from cladebench.reference.metrics import mean_over_permutations
from task_draws import drawn_cell


def cell(method, repetition=0, dataset="nested-blobs", task=None, **setting):
    task = task or {"shuffled": True}
    return drawn_cell("ghc", method, dataset, setting=setting, repetition=repetition, task=task)


def run(method, repetition=0, **how):
    return protocol.PROTOCOL.run(cell(method, repetition, **how))


def complete_linkage(name="HAC-C", **params):
    return MethodPlan(name, "Agglomerative", {"linkage": "complete", **params}, name, "baseline")


def test_shuffling_is_undone_before_the_tree_is_stored():
    trees = []
    for repetition in (0, 1):
        hierarchy = stored_tree(run(complete_linkage(), repetition).arrays)
        trees.append({frozenset(hierarchy.samples(v).tolist()) for v in range(hierarchy.n_nodes)})
    # the data have no ties, so complete linkage finds the same clusters whatever the order of the rows
    assert trees[0] == trees[1]


def test_metrics_are_those_of_the_stored_tree():
    data = datasets.load("nested-blobs")
    out = run(complete_linkage())
    hierarchy = stored_tree(out.arrays)
    assert hierarchy.heights is not None
    similarity = Similarity(kind="inv_sq", features="raw")(data.X)
    i, j = np.triu_indices(len(data.X), 1)
    price = hierarchy.sizes[hierarchy.lca(i, j)]
    assert out.metrics["dasgupta_cost_unordered"] == pytest.approx(
        (similarity[i, j] * price).sum(), rel=1e-10
    )
    assert out.metrics["dasgupta_cost"] == pytest.approx(
        2 * out.metrics["dasgupta_cost_unordered"], rel=1e-12
    )
    assert out.metrics["dendrogram_purity"] == pytest.approx(purity(hierarchy, data.labels), rel=1e-10)
    assert out.metrics["depth"] == hierarchy.depths.max()
    assert out.metrics["n_nodes"] == hierarchy.n_nodes == 2 * len(data.X) - 1
    assert out.metrics["n_leaves_used"] == len(data.X)
    np.testing.assert_array_equal(out.arrays["labels"], data.labels)


@pytest.mark.parametrize("name", ["HAC-C", "Random-balanced", "Star"])
def test_what_chance_gives_stands_beside_each_measure(name):
    one = cell(load_plan("ghc").methods[name], task={"rows": 60, "shuffled": True})
    out = protocol.PROTOCOL.run(one)
    hierarchy, labels = stored_tree(out.arrays), out.arrays["labels"]
    found = {key: out.metrics[f"dendrogram_purity{key}"] for key in ("", "_permuted", "_adjusted")}
    assert tuple(found.values()) == purity_scores(hierarchy, labels)
    similarity = protocol.SIMILARITY(one.data.X[np.sort(one.task.rows)])
    value, permuted, _ = cost_scores(hierarchy, similarity, "ordered")
    assert (out.metrics["dasgupta_cost"], out.metrics["dasgupta_cost_permuted"]) == (value, permuted)
    assert out.metrics["dasgupta_cost_unordered_permuted"] == permuted / 2
    if name == "Star":
        assert (value, found[""]) == pytest.approx((permuted, found["_permuted"]))
    if name == "HAC-C":
        assert value < permuted and found[""] > found["_permuted"]


@pytest.mark.parametrize("shuffled", [False, True])
def test_of_drawn_rows_labels_similarity_and_tree_are_in_the_data_set_s_order(shuffled):
    one = cell(complete_linkage(), task={"rows": 60, "shuffled": shuffled})
    out = protocol.PROTOCOL.run(one)
    rows = np.sort(one.task.rows)
    X, labels = one.data.X[rows], one.data.labels[rows]
    np.testing.assert_array_equal(out.arrays["labels"], labels)
    hierarchy, expected = stored_tree(out.arrays), Agglomerative(linkage="complete").fit(X).hierarchy_
    clusters = [
        {frozenset(tree.samples(v).tolist()) for v in range(tree.n_nodes)} for tree in (hierarchy, expected)
    ]
    assert clusters[0] == clusters[1] and len(rows) == 60
    cost = dasgupta_cost(expected, protocol.SIMILARITY(X), pairs="ordered")
    assert out.metrics["dasgupta_cost"] == pytest.approx(cost, rel=1e-12)
    assert out.metrics["dendrogram_purity"] == pytest.approx(purity(expected, labels), rel=1e-12)


def test_the_order_of_rows_changes_where_samples_sit_and_nothing_else():
    """Sample k of the tree is row ``rows[k]`` of the data."""
    heights, lengths = [3.0, 1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.5, 3.0, 1.0]
    tree = Hierarchy([-1, 0, 0, 1, 1], [2, 3, 4], heights=heights, edge_lengths=lengths)
    found = protocol.in_original_order(tree, np.array([20, 30, 10]))
    assert found.leaf_of.tolist() == [4, 2, 3]
    assert found.parents.tolist() == tree.parents.tolist()
    assert (found.heights.tolist(), found.edge_lengths.tolist()) == (heights, lengths)


def purity(hierarchy, labels):
    """Dendrogram purity, pair by pair."""
    i, j = np.triu_indices(len(labels), 1)
    same = labels[i] == labels[j]
    lowest = hierarchy.lca(i[same], j[same])
    counts = hierarchy.class_counts(labels)
    return (counts[lowest, labels[i[same]]] / hierarchy.sizes[lowest]).mean()


def test_methods_meet_the_shuffled_rows(monkeypatch):
    """And their labels with them."""
    met = []
    monkeypatch.setattr(protocol, "timed_fit", lambda e, X, y: (met.append((X, y)), e.fit(X, y), 3.0)[2])
    shuffled = cell(complete_linkage())
    out = protocol.PROTOCOL.run(shuffled)
    np.testing.assert_array_equal(met[0][0], shuffled.data.X[shuffled.task.rows])
    np.testing.assert_array_equal(met[0][1], shuffled.data.labels[shuffled.task.rows])
    assert out.metrics["fit_seconds"] == 3.0


def test_costs_of_ghc_count_each_pair_twice():
    """Those of its trace and its objective as well as the cost of the tree, which the trace ends with."""
    method = MethodPlan(
        "GHC-N-FT",
        "GHC",
        {
            "router": "linear",
            "training": "full_tree",
            "n_leaves": 4,
            "n_iter": 6,
            "tol": 0.0,
            "n_checkpoints": 2,
        },
    )
    out = run(method)
    assert out.arrays["trace_cost"][-1] == pytest.approx(out.metrics["dasgupta_cost"], rel=1e-6)
    assert out.metrics["dasgupta_cost"] == pytest.approx(2 * out.metrics["dasgupta_cost_unordered"])
    assert out.arrays["trace_objective"][-1] == pytest.approx(out.metrics["objective"], rel=1e-6)
    assert out.arrays["trace_iterations"][-1] == out.metrics["n_iterations"] == out.details["iterations"] == 6
    seconds = out.arrays["trace_seconds"][-1]
    assert out.metrics["train_seconds"] == seconds
    assert out.metrics["seconds_per_iteration"] == pytest.approx(seconds / 6)
    assert (out.metrics["n_leaves_available"], out.metrics["depth_bound"]) == (4, 2)
    assert (out.details["tolerance"], out.details["converged"]) == (0.0, False)


def test_of_one_iteration_all_seconds_are_those_of_training():
    params = {"router": "linear", "training": "full_tree", "n_leaves": 2, "n_iter": 1, "n_checkpoints": 1}
    metrics = run(MethodPlan("G", "GHC", params)).metrics
    assert metrics["seconds_per_update"] == metrics["seconds_per_iteration"] == metrics["train_seconds"] > 0


def without_seconds(metrics):
    return {name: value for name, value in metrics.items() if "seconds" not in name}


def test_the_metrics_of_ghc_do_not_hang_on_how_the_plan_writes_its_name():
    params = {"router": "linear", "training": "full_tree", "n_leaves": 4, "n_iter": 3, "n_checkpoints": 1}
    short, long = (run(MethodPlan("G", path, params)) for path in ("GHC", "cladebench.methods.GHC"))
    assert without_seconds(short.metrics) == without_seconds(long.metrics)
    assert "depth_bound" in long.metrics and short.metrics.keys() == long.metrics.keys()


def test_the_tree_of_a_library_is_measured_as_our_own():
    path = "sklearn.cluster.AgglomerativeClustering"
    theirs = run(MethodPlan("HAC", path, {"linkage": "complete"}))
    ours = run(complete_linkage())
    assert without_seconds(theirs.metrics) == pytest.approx(without_seconds(ours.metrics), rel=1e-12)
    assert theirs.arrays["heights"].max() == pytest.approx(ours.arrays["heights"].max(), rel=1e-12)


def test_a_trace_of_another_kind_is_stored_as_it_is():
    assert run(MethodPlan("HKM", "GreedyKMeans", {"n_leaves": 4})).arrays["trace_n_leaves"].tolist() == [
        2,
        3,
        4,
    ]


def test_a_method_without_a_tree_is_told_what_is_expected():
    with pytest.raises(TypeError, match="KMeans gives no tree; expected a fitted estimator with hierarchy_"):
        run(MethodPlan("KM", "sklearn.cluster.KMeans"))


def test_block_wise_training_updates_several_blocks_an_iteration():
    params = {"router": "linear", "training": "blockwise", "block_depth": 1, "n_leaves": 8, "n_iter": 4}
    metrics = run(MethodPlan("GHC-L-BW-1", "GHC", params | {"tol": 0.0, "n_checkpoints": 1})).metrics
    assert 0 < metrics["seconds_per_update"] < metrics["seconds_per_iteration"]
    assert 0 < metrics["critical_path_seconds"] <= metrics["train_seconds"]


def test_cost_variants_against_enumeration():
    # samples 0, 1, 2 share a leaf, 3 sits at the inner node above it, 4 alone
    hierarchy = Hierarchy([-1, 0, 1, 0], [2, 2, 2, 1, 3])
    similarity = np.random.default_rng(0).uniform(size=(5, 5))
    similarity = similarity + similarity.T
    cost = without = with_self = 0.0
    for i in range(5):
        for j in range(5):
            price = hierarchy.sizes[hierarchy.lca(i, j)] * similarity[i, j]
            with_self += price
            if i != j:
                cost += price
                if hierarchy.leaf_of[i] != hierarchy.leaf_of[j]:
                    without += price
    scores = cost_scores(hierarchy, similarity, "ordered")
    found = protocol.cost_variants(hierarchy, similarity, scores)
    assert scores.value == pytest.approx(cost)
    assert found["dasgupta_cost_with_self_pairs"].value == pytest.approx(with_self)
    assert found["dasgupta_cost_without_leaf_term"].value == pytest.approx(without)
    assert found["dasgupta_cost_unordered"].value == pytest.approx(cost / 2)

    def variant(name, moved):
        return protocol.cost_variants(moved, similarity, cost_scores(moved, similarity, "ordered"))[
            name
        ].value

    for name, variant_scores in found.items():
        mean = mean_over_permutations(hierarchy, partial(variant, name))
        assert variant_scores.permuted == pytest.approx(mean, rel=1e-12)


def test_zscored_features_change_the_tree_but_not_the_similarity():
    data = datasets.load("digits")
    raw = run(complete_linkage(), dataset="digits")
    scaled = run(complete_linkage(features="zscore"), dataset="digits")
    assert raw.metrics["dendrogram_purity"] != scaled.metrics["dendrogram_purity"]
    # the cost of the scaled tree, under the similarity of the raw features
    hierarchy = stored_tree(scaled.arrays)
    i, j = np.triu_indices(len(data.X), 1)
    expected = 2 * (protocol.SIMILARITY(data.X)[i, j] * hierarchy.sizes[hierarchy.lca(i, j)]).sum()
    assert scaled.metrics["dasgupta_cost"] == pytest.approx(expected, rel=1e-10)


def test_root_balance():
    assert protocol.root_balance(Hierarchy.from_nested([[0, 1, 2], [3]])) == 0.25
    assert protocol.root_balance(Hierarchy([-1], [0, 0])) == 0.0
    # a unary root is not a split
    assert protocol.root_balance(Hierarchy([-1, 0, 1, 1], [2, 3])) == 0.5


def test_iterations_to_one_percent_counts_the_last_time_it_was_far():
    trace = {
        "iterations": np.array([0, 10, 20, 30, 40]),
        "cost": np.array([200.0, 100.5, 150.0, 100.9, 100.0]),
    }
    assert protocol.iterations_to_one_percent(trace) == 30
    assert protocol.iterations_to_one_percent({k: v[-1:] for k, v in trace.items()}) == 0
    # The last checkpoint alone is as near: nothing says that the cost stays there.
    assert protocol.iterations_to_one_percent({**trace, "cost": trace["cost"] + [0, 0, 0, 9, 0]}) is None


def test_a_count_of_iterations_is_given_only_where_training_has_settled():
    params = {"router": "linear", "training": "full_tree", "n_leaves": 4, "learning_rate": 3.0}
    settled, cut_off = (
        run(MethodPlan("G", "GHC", params | {"n_iter": n, "n_checkpoints": 5})) for n in (20_000, 500)
    )
    assert (settled.metrics["settled"], cut_off.metrics["settled"]) == (1.0, 0.0)
    assert (settled.details["converged"], cut_off.details["converged"]) == (True, False)
    assert settled.details["iterations_to_one_percent"] == settled.metrics["iterations_to_one_percent"]
    assert cut_off.details["iterations_to_one_percent"] == "not reached"
    assert "iterations_to_one_percent" not in cut_off.metrics


def test_costs_under_the_other_similarity_are_those_of_the_stored_tree():
    """Of methods that are told a similarity, and of controls; the others are in no claim about costs."""
    out = run(MethodPlan("Cut", "SparsestCut", {}))
    X = datasets.load("nested-blobs").X
    other = Similarity(kind="exp")((X - X.mean(axis=0)) / X.std(axis=0))
    expected = 2 * dasgupta_cost(stored_tree(out.arrays), other)
    assert out.metrics["dasgupta_cost_exp"] == pytest.approx(expected, rel=1e-10)
    assert "dasgupta_cost_exp" in run(MethodPlan("R", "RandomTree", {}, "R", "control")).metrics
    assert "dasgupta_cost_exp" not in run(complete_linkage()).metrics


def test_similarities_are_built_again_for_other_rows_data_and_kinds():
    one, other = (cell(complete_linkage(), dataset=name) for name in ("nested-blobs", "digits"))
    rows = np.arange(40)
    kept = protocol.similarities(protocol.SIMILARITY, one, rows)
    assert protocol.similarities(protocol.SIMILARITY, one, np.arange(40)) is kept and not kept.flags.writeable
    for where, which, kind in (
        (one, rows[:-1], protocol.SIMILARITY),
        (one, rows[::-1].copy(), protocol.SIMILARITY),
        (other, rows, protocol.SIMILARITY),
        (one, rows, protocol.OTHER_SIMILARITY),
    ):
        found = protocol.similarities(kind, where, which)
        assert np.array_equal(found, kind(where.data.X[which])) and not np.array_equal(found, kept)
