"""The protocol of the GHC paper: what a cell computes, against brute force and against itself under permutation."""

import numpy as np
import pytest

from cladebench import datasets
from cladebench.bench.cell_spec import CellSpec, Limits, MethodPlan
from cladebench.bench.plan import PlanError, read_plan
from cladebench.hierarchy import Hierarchy
from cladebench.papers.catalogue import load_plan
from cladebench.papers.ghc import protocol


def spec(method, repetition=0, setting=None, dataset="nested-blobs"):
    return CellSpec("ghc", dataset, method, setting or {}, repetition, 7, Limits(60, 2000))


def complete_linkage(name="HAC-C", **params):
    return MethodPlan(name, "Agglomerative", {"linkage": "complete", **params}, name, "baseline")


def test_shuffling_is_undone_before_the_tree_is_stored():
    data = datasets.load("nested-blobs")
    trees = []
    for repetition in (0, 1):
        out = protocol.run(spec("HAC-C", repetition), complete_linkage(), data)
        hierarchy = Hierarchy(out.arrays["parents"], out.arrays["leaf_of"])
        trees.append({frozenset(hierarchy.samples(v).tolist()) for v in range(hierarchy.n_nodes)})
    # the data have no ties, so complete linkage finds the same clusters whatever the order of the rows
    assert trees[0] == trees[1]


def test_metrics_are_those_of_the_stored_tree():
    data = datasets.load("nested-blobs")
    out = protocol.run(spec("HAC-C"), complete_linkage(), data)
    hierarchy = Hierarchy(out.arrays["parents"], out.arrays["leaf_of"])
    similarity = protocol.SIMILARITY(data.X)
    i, j = np.triu_indices(len(data.X), 1)
    price = hierarchy.sizes[hierarchy.lca(i, j)]
    assert out.metrics["dasgupta_cost_unordered"] == pytest.approx(
        (similarity[i, j] * price).sum(), rel=1e-10
    )
    assert out.metrics["dasgupta_cost"] == pytest.approx(
        2 * out.metrics["dasgupta_cost_unordered"], rel=1e-12
    )
    np.testing.assert_array_equal(out.arrays["labels"], data.labels)


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
    found = protocol.cost_variants(hierarchy, similarity, cost)
    assert found["dasgupta_cost_with_self_pairs"] == pytest.approx(with_self)
    assert found["dasgupta_cost_without_leaf_term"] == pytest.approx(without)
    assert found["dasgupta_cost_unordered"] == pytest.approx(cost / 2)


def test_zscored_features_change_the_tree_but_not_the_similarity():
    data = datasets.load("digits")
    raw = protocol.run(spec("HAC-C"), complete_linkage(), data)
    scaled = protocol.run(spec("HAC-C"), complete_linkage(features="zscore"), data)
    assert raw.metrics["dendrogram_purity"] != scaled.metrics["dendrogram_purity"]
    # the cost of the scaled tree, under the similarity of the raw features
    hierarchy = Hierarchy(scaled.arrays["parents"], scaled.arrays["leaf_of"])
    i, j = np.triu_indices(len(data.X), 1)
    expected = 2 * (protocol.SIMILARITY(data.X)[i, j] * hierarchy.sizes[hierarchy.lca(i, j)]).sum()
    assert scaled.metrics["dasgupta_cost"] == pytest.approx(expected, rel=1e-10)


def test_zscored_leaves_constant_features_at_zero():
    X = np.array([[1.0, 5.0], [3.0, 5.0]])
    np.testing.assert_allclose(protocol.zscored(X), [[-1, 0], [1, 0]])


def test_controls_bracket_every_method():
    data = datasets.load("nested-blobs")
    purity = {
        name: protocol.run(spec(name), MethodPlan(name, estimator, {}, name, "control"), data).metrics[
            "dendrogram_purity"
        ]
        for name, estimator in (("Random", "RandomTree"), ("Oracle", "OracleTree"))
    }
    assert purity["Oracle"] == 1.0
    assert purity["Random"] < 0.5


def test_root_balance():
    assert protocol.root_balance(Hierarchy.from_nested([[0, 1, 2], [3]])) == 0.25
    assert protocol.root_balance(Hierarchy([-1], [0, 0])) == 0.0
    # a unary root is not a split
    assert protocol.root_balance(Hierarchy([-1, 0, 1, 1], [2, 3])) == 0.5


def test_every_method_of_the_plan_is_accepted():
    protocol.validate(load_plan("ghc"))


def test_a_wrong_parameter_name_is_refused_before_anything_runs(tmp_path):
    text = load_plan("ghc").path.read_text().replace("linkage: ward", "linkge: ward")
    folder = tmp_path / "ghc"
    folder.mkdir()
    (folder / "plan.yaml").write_text(text)
    plan = read_plan(folder / "plan.yaml", "cladebench.papers.ghc")
    with pytest.raises(PlanError, match=r"plan\.yaml.*methods\.HAC-Ward\.params.*linkge.*linkage"):
        protocol.validate(plan)


def test_iterations_to_one_percent_counts_the_last_time_it_was_far():
    trace = {
        "iterations": np.array([0, 10, 20, 30, 40]),
        "cost": np.array([200.0, 100.5, 150.0, 100.9, 100.0]),
    }
    assert protocol.iterations_to_one_percent(trace) == 30
    assert protocol.iterations_to_one_percent({k: v[-1:] for k, v in trace.items()}) == 0
