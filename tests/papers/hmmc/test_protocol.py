"""The protocol of the HMMC paper: what a cell computes."""

from types import SimpleNamespace

import numpy as np
import pytest

from cladebench import datasets
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.hierarchy import Hierarchy
from cladebench.methods import GHC
from cladebench.methods._greedy import GreedyTopDown, Split
from cladebench.metrics import rand_index, rand_scores, semantic_scores
from cladebench.paper.catalogue import load_plan
from cladebench.paper.protocol import stored_tree
from cladebench.papers.hmmc import protocol
from cladebench.papers.hmmc.controls import ClassTree
from cladebench.reference.semantic import semantic_similarity
from task_draws import drawn_cell

PLAN = load_plan("hmmc")


def cell(name, repetition=0, task=None, method=None, data=None, **setting):
    how = {"setting": setting, "repetition": repetition, "task": task or {}}
    return drawn_cell("hmmc", method or PLAN.methods[name], data or "nested-blobs", name=name, **how)


def run(name, repetition=0, **how):
    return protocol.PROTOCOL.run(cell(name, repetition, **how))


def read(out, factor=1.0):
    """What was measured with so many leaves, as a multiple of the number of classes."""
    (found,) = [reading.metrics for reading in out.readings if reading.at == {"leaf_factor": factor}]
    return found


@pytest.mark.parametrize("name", ["HMMC", "CL", "HKM-D"])
def test_measures_are_those_of_the_stored_tree(name):
    drawn = cell(name, task={"rows": 60})
    out, data = protocol.PROTOCOL.run(drawn), drawn.data
    labels = data.labels[drawn.task.rows]
    tree = stored_tree(out.arrays)
    classes, full = protocol.class_trees(data)
    for metric, kind in (("sp", "shortest_path"), ("ps", "path_sharing")):
        assert read(out)[metric] == pytest.approx(semantic_similarity(tree, labels, classes, kind), rel=1e-12)
        assert out.metrics[f"{metric}_full_tree"] == pytest.approx(
            semantic_similarity(tree, labels, full, kind), rel=1e-12
        )
    assert out.metrics["ps_without_root"] == pytest.approx(
        semantic_similarity(tree, labels, classes, "path_sharing_without_root"), rel=1e-12
    )
    assert out.metrics["depth"] == tree.depths.max()
    assert read(out)["ri"] == rand_index(labels, tree.leaf_of)
    assert len(tree.leaf_of) == 60
    assert tree.n_leaves == 8 == read(out)["n_leaves"]
    X = protocol.scaled(data.X, "unit")[drawn.task.rows]
    assert read(out)["leaf_inertia"] == protocol.leaf_inertia(X, tree.leaf_of)
    counts = out.arrays["class_counts"]
    np.testing.assert_array_equal(counts[tree.root], np.bincount(labels, minlength=8))


@pytest.mark.parametrize("name", ["CL", "KM", "Random-balanced", "Star"])
def test_what_chance_gives_stands_beside_each_measure_at_each_number_of_leaves(name):
    drawn = cell(name)
    out, labels = protocol.PROTOCOL.run(drawn), drawn.data.labels
    classes, full = protocol.class_trees(drawn.data)
    tree = stored_tree(out.arrays)
    clusters = tree.leaf_of if name == "KM" else tree
    for metric, kind in (("sp", "shortest_path"), ("ps", "path_sharing")):
        found = tuple(read(out)[f"{metric}{key}"] for key in ("", "_permuted", "_correlation"))
        assert found == semantic_scores(clusters, labels, classes, kind)
        scores = semantic_scores(clusters, labels, full, kind)
        assert (out.metrics[f"{metric}_full_tree"], out.metrics[f"{metric}_full_tree_permuted"]) == scores[:2]
    without = semantic_scores(clusters, labels, classes, "path_sharing_without_root")
    assert (out.metrics["ps_without_root"], out.metrics["ps_without_root_permuted"]) == without[:2]
    assert tuple(read(out)[key] for key in ("ri", "ri_permuted", "ari")) == rand_scores(labels, tree.leaf_of)
    described = PLAN.measures
    for reading in [*out.readings, out]:
        for metric in reading.metrics:
            if described[metric].rewards_shape:
                assert f"{metric}_permuted" in reading.metrics
                assert described[f"{metric}_permuted"].unit == described[metric].unit == "%"


def test_the_star_has_as_many_leaves_as_asked_for_and_a_shape_that_no_tree_of_the_paper_beats():
    out = run("Star")
    assert [reading.metrics["n_leaves"] for reading in out.readings] == [8, 12, 16]
    assert out.metrics["depth"] == 5 and stored_tree(out.arrays).n_leaves == 8
    assert abs(read(out)["sp_correlation"]) < 0.05 < abs(read(run("HMMC"))["sp_correlation"])


def five_classes():
    """Five classes, the first below a node of its own, the next two together: a tree with a unary chain."""
    labels = np.repeat(np.arange(5), 6)
    return SimpleNamespace(
        **dict(
            name="five", X=np.random.default_rng(0).normal(size=(30, 3)) + 4 * labels[:, None], labels=labels
        ),
        **dict(
            label_names=tuple("abcde"), class_parents=np.array([6, 7, 7, 5, 5, -1, 5, 5]), feature_names=None
        ),
        **dict(n_samples=30, parts={}, content_sha256="five"),
    )


def test_the_full_tree_has_the_chains_that_the_other_leaves_out():
    data = five_classes()
    out, (classes, full) = run("HKM-D", data=data), protocol.class_trees(data)
    assert (classes.n_nodes, full.n_nodes) == (7, 8)
    tree = stored_tree(out.arrays)
    for metric, kind in (("sp", "shortest_path"), ("ps", "path_sharing")):
        short, long = (semantic_similarity(tree, data.labels, of, kind) for of in (classes, full))
        assert read(out)[metric] == pytest.approx(short, rel=1e-12)
        assert out.metrics[f"{metric}_full_tree"] == pytest.approx(long, rel=1e-12) != short


def test_half_a_leaf_is_rounded_up():
    assert [reading.metrics["n_leaves"] for reading in run("HKM-D", data=five_classes()).readings] == [
        5,
        8,
        10,
    ]


def test_flat_clusters_are_alike_or_not_at_all():
    out, data = run("KM"), datasets.load("nested-blobs")
    classes, _ = protocol.class_trees(data)
    expected = semantic_similarity(out.arrays["leaf_of"], data.labels, classes, "path_sharing")
    assert read(out)["ps"] == pytest.approx(expected, rel=1e-12)
    tree = stored_tree(out.arrays)
    assert read(out)["ps"] != pytest.approx(semantic_similarity(tree, data.labels, classes, "path_sharing"))


@pytest.mark.parametrize("name", ["HMMC", "KM", "MMC"])
def test_more_leaves_are_measured_in_the_same_cell(name):
    out = run(name)
    assert [reading.at for reading in out.readings] == [{"leaf_factor": f} for f in (1.0, 1.5, 2.0)]
    assert [reading.metrics["n_leaves"] for reading in out.readings] == [8, 12, 16]
    assert read(out, 2.0)["leaf_inertia"] < read(out)["leaf_inertia"]
    assert stored_tree(out.arrays).n_leaves == 8


class Clocked(GreedyTopDown):
    """Cuts the largest leaf into equal parts; took 100 seconds for each leaf."""

    def __init__(self, n_clusters=2, *, n_leaves=None, n_splits=2):
        self.n_clusters, self.n_leaves, self.n_splits = n_clusters, n_leaves, n_splits

    def _split(self, node):
        return Split(np.arange(len(node.samples)) % self.n_splits, float(len(node.samples)))

    def fit(self, X, y=None):
        super().fit(X, y)
        self.trace_["seconds"] = 100.0 * self.trace_["n_leaves"]
        return self


@pytest.mark.parametrize(("n_splits", "seconds"), [(2, [800, 1200, 1600]), (3, [900, 1300, 1700])])
def test_seconds_are_those_until_the_tree_had_as_many_leaves(n_splits, seconds):
    method = MethodPlan("Clocked", f"{__name__}.Clocked", {"leaf_factors": [1.0, 1.5, 2.0]})
    out = run("Clocked", method=method, n_splits=n_splits)
    assert [reading.metrics["seconds"] for reading in out.readings] == seconds


def test_seconds_of_a_flat_method_are_those_of_each_fit(monkeypatch):
    monkeypatch.setattr(
        protocol, "timed_fit", lambda estimator, X, y: (estimator.fit(X, y), estimator.n_clusters)[1]
    )
    assert [reading.metrics["seconds"] for reading in run("KM").readings] == [8, 12, 16]


def measured(out):
    return [{k: v for k, v in reading.metrics.items() if k != "seconds"} for reading in out.readings]


def test_the_tree_of_a_library_is_cut_where_our_own_is():
    more = {"linkage": "average", "leaf_factors": [1.0, 2.0]}
    theirs = run("S", method=MethodPlan("S", "sklearn.cluster.AgglomerativeClustering", more))
    ours = run("AL", method=MethodPlan("AL", "Agglomerative", more))
    for one, other in zip(measured(theirs), measured(ours), strict=True):
        assert one == pytest.approx(other, rel=1e-12)
    assert theirs.metrics == pytest.approx(ours.metrics, rel=1e-12)


@pytest.mark.parametrize("name", ["KMeans", "AgglomerativeClustering"])
def test_flat_clusters_of_a_library_are_a_root_with_its_clusters(name):
    plan = MethodPlan("S", f"sklearn.cluster.{name}", {"flat": True, "leaf_factors": [1.0, 1.5]})
    drawn = cell("S", method=plan)
    out = protocol.PROTOCOL.run(drawn)
    assert [reading.metrics["n_leaves"] for reading in out.readings] == [8, 12]
    X = protocol.scaled(drawn.data.X, "unit")
    fitted = protocol.PROTOCOL.build(drawn, n_clusters=8).fit(X)
    assert read(out)["leaf_inertia"] == protocol.leaf_inertia(X, fitted.labels_)
    assert read(out)["ri"] == rand_index(drawn.data.labels, fitted.labels_)
    assert out.metrics["depth"] == 1


def test_a_method_with_a_trace_of_another_kind_is_cut():
    params = {"router": "linear", "training": "full_tree", "n_leaves": 8, "n_iter": 3, "n_checkpoints": 1}
    out = run("G", method=MethodPlan("G", "cladebench.methods.GHC", params))
    assert 1 < read(out)["n_leaves"] <= 8
    assert out.details["tolerance"] == GHC().tol


def test_the_tree_of_fewer_leaves_is_the_one_grown_to_them():
    # n_leaves does not enter the splits, so a tree that is stopped at 8 is the top of the one grown to 16.
    plan = PLAN.methods["HMMC"]
    stopped = MethodPlan("HMMC", plan.estimator, {**plan.params, "leaf_factors": [1.0]}, "", "method")
    short = run("HMMC", method=stopped)
    grown = run("HMMC")
    np.testing.assert_array_equal(short.arrays["parents"], grown.arrays["parents"])
    np.testing.assert_array_equal(short.arrays["leaf_of"], grown.arrays["leaf_of"])
    assert short.metrics["zeros"] == grown.metrics["zeros"]


def test_splits_in_three_may_pass_over_the_number_of_leaves():
    out = run("HKM-D-K", n_splits=3)
    assert read(out)["n_leaves"] == 9  # 1 + 4 * 2


@pytest.mark.parametrize("name", ["CL", "KM", "HMMC"])
def test_drawn_rows_are_all_that_is_measured(name):
    part, whole = (read(run(name, task=task)) for task in ({"rows": 60}, {}))
    assert (part["sp"], part["leaf_inertia"]) != (whole["sp"], whole["leaf_inertia"])
    drawn = cell(name, task={"rows": 60, "shuffled": True})
    out = protocol.PROTOCOL.run(drawn)
    assert len(out.arrays["leaf_of"]) == len(drawn.task.rows) == 60
    assert read(out)["ri"] == rand_index(drawn.data.labels[drawn.task.rows], out.arrays["leaf_of"])


def test_controls_bracket_every_method():
    oracle, random, own = read(run("Oracle")), read(run("Random")), read(run("HMMC"))
    assert oracle["sp"] == oracle["ps"] == oracle["ri"] == 1.0
    assert random["ri"] < own["ri"]
    assert random["sp"] < own["sp"]


def test_leaf_inertia_by_hand():
    X = np.array([[0.0], [2.0], [10.0]])
    assert protocol.leaf_inertia(X, np.array([4, 4, 7])) == pytest.approx(2 / 3)


def test_smallest_top_share():
    assert protocol.smallest_top_share(Hierarchy.from_nested([[0, 1, 2], [3]])) == 0.25
    assert protocol.smallest_top_share(Hierarchy([-1], [0, 0])) == 1.0


def test_data_without_a_tree_of_classes_are_refused():
    with pytest.raises(ValueError, match=r"digits.*class_parents"):
        protocol.class_trees(datasets.load("digits"))


def test_a_tree_learned_by_hmmc_brings_what_its_figure_needs():
    arrays = run("HMMC").arrays
    assert arrays["top_features"].shape == (len(arrays["parents"]), 5)
    assert len(arrays["class_names"]) == 8
    assert len(arrays["feature_names"]) == 10
    assert (np.diff(arrays["trace_objective"]) <= 1e-9).all()
    split = np.diff(stored_tree(arrays).child_ptr) > 0
    shares = arrays["top_feature_shares"]
    assert (shares[split].sum(axis=1) > 0).all() and (shares[~split] == 0).all()
    assert (np.diff(shares, axis=1) <= 0).all() and (shares.sum(axis=1) <= 1 + 1e-12).all()


def fitted(**more):
    """A root split in two, whose left child is split again; three features, of which the root uses the last alone."""
    models = np.full((5, 2, 3), np.nan)
    models[0] = [[0.0, 0.0, 2.0], [0.0, 0.0, -2.0]]
    models[1] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]
    costs = np.full((5, 3), np.nan)
    costs[0], costs[1] = [0.0, 0.0, 4.0], [3.0, 0.0, 1.0]
    facts = dict(largest_rise_=1e-9, largest_residual_=1e-4, n_iter_=3, objective_trace_=[5.0, 4.0])
    return SimpleNamespace(**{"models_": models, "feature_costs_": costs, **facts, **more})


NAMED = SimpleNamespace(label_names=("a", "b"), feature_names=("x", "y", "z"))
SPLIT_TWICE = Hierarchy([-1, 0, 0, 1, 1], [2, 3, 4])


def test_facts_of_models_by_hand():
    metrics, arrays = protocol.model_facts(fitted(), SPLIT_TWICE, NAMED)
    assert metrics == {
        "zeros": 8 / 12,
        "zero_features": 3 / 6,  # two at the root, one below it; a feature that one model uses is used
        "largest_rise": 1e-9,
        "largest_residual": 1e-4,
        "n_alternations": 3.0,
        "root_objective": 4.0,
        # One of the lower node's models uses the root's feature alone, the other another.
        "ancestor_overlap": 0.5,
    }
    # However small the models are.
    small = protocol.ancestor_overlap(1e-6 * fitted().models_, SPLIT_TWICE)
    assert small == pytest.approx(metrics["ancestor_overlap"], rel=1e-12)
    assert arrays["top_features"][:2].tolist() == [[2, 0, 1], [0, 2, 1]]
    assert arrays["top_feature_shares"].tolist() == [[1, 0, 0], [0.75, 0.25, 0], *[[0, 0, 0]] * 3]
    assert arrays["trace_objective"].tolist() == [5, 4]
    assert arrays["class_names"].tolist() == ["a", "b"]
    assert arrays["feature_names"].tolist() == ["x", "y", "z"]


def test_models_that_use_nothing_have_no_shares():
    found = fitted(feature_costs_=np.zeros((5, 3)))
    _, arrays = protocol.model_facts(found, SPLIT_TWICE, SimpleNamespace(label_names=(), feature_names=None))
    assert (arrays["top_feature_shares"] == 0).all()
    assert arrays["feature_names"].tolist() == ["feature 0", "feature 1", "feature 2"]


def test_facts_of_a_tree_are_of_its_top_alone():
    """Of a tree that was grown further, the nodes that a smaller one splits."""
    metrics, arrays = protocol.model_facts(fitted(), Hierarchy([-1, 0, 0], [1, 1, 2]), NAMED)
    assert metrics["zeros"] == 4 / 6 and metrics["zero_features"] == 2 / 3
    assert "ancestor_overlap" not in metrics  # one split has no ancestor
    assert arrays["top_feature_shares"].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_facts_of_a_flat_model():
    flat = fitted(models_=np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]]))
    del flat.feature_costs_
    metrics, arrays = protocol.model_facts(flat, Hierarchy([-1, 0, 0, 0], [1, 2, 3]), NAMED)
    assert metrics["zeros"] == 6 / 9 and metrics["zero_features"] == 1 / 3
    assert "top_features" not in arrays


def test_how_the_optimisation_ended_is_said():
    out = run("HMMC")
    assert out.details["converged"] is bool(out.metrics["converged"])
    assert out.details["iterations"] == out.metrics["n_alternations"] > 0
    assert out.details["tolerance"] == 1e-4
    assert run("KM").details == {}


def test_the_balanced_control_is_balanced_and_knows_nothing():
    out = run("Random-balanced")
    assert np.unique(out.arrays["leaf_of"], return_counts=True)[1].tolist() == [30] * 8
    assert read(out)["ri"] < 0.85


def test_the_tree_of_the_classes_must_be_given():
    with pytest.raises(ValueError, match="class_tree=None: expected the tree of the classes"):
        ClassTree().fit(np.zeros((2, 1)), [0, 1])
    tree = Hierarchy([-1, 0, 0], [2, 1])
    assert ClassTree(tree).get_params() == {"class_tree": tree}
    assert ClassTree(tree).fit(np.zeros((3, 1)), [0, 1, 1]).hierarchy_.leaf_of.tolist() == [2, 1, 1]


def test_counts_have_a_column_for_each_class_drawn_or_not():
    tree = Hierarchy.from_nested([[0, 1], [2]])
    counts = protocol.class_counts(tree, np.array([0, 3, 3]), 5)
    assert counts.shape == (tree.n_nodes, 5) and counts.dtype == np.int32
    assert counts[tree.root].tolist() == [1, 0, 0, 2, 0]
    assert counts[:, 1].sum() == 0
