"""The protocol of the HMMC paper: what a cell computes."""

import numpy as np
import pytest

from cladebench import datasets
from cladebench.bench.cell_spec import CellSpec, Limits, MethodPlan
from cladebench.bench.plan import PlanError, read_plan
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import rand_index
from cladebench.papers.catalogue import load_plan
from cladebench.papers.hmmc import protocol
from cladebench.papers.hmmc.measures import path_sharing_without_root
from cladebench.reference.semantic import semantic_similarity

PLAN = load_plan("hmmc")


def spec(method, repetition=0, setting=None):
    return CellSpec("hmmc", "nested-blobs", method, setting or {}, repetition, 7, Limits(60, 2000))


def run(name, repetition=0, **setting):
    return protocol.run(spec(name, repetition, setting), PLAN.methods[name], datasets.load("nested-blobs"))


@pytest.mark.parametrize("name", ["HMMC", "CL", "HKM-D"])
def test_measures_are_those_of_the_stored_tree(name):
    out, data = run(name, n_samples=60), datasets.load("nested-blobs")
    _, labels = protocol.drawn(data.X, data.labels, 60, protocol.row_seed(spec(name)))
    tree = Hierarchy(out.arrays["parents"], out.arrays["leaf_of"])
    classes, full = protocol.class_trees(data)
    for metric, kind in (("sp", "shortest_path"), ("ps", "path_sharing")):
        assert out.metrics[metric] == pytest.approx(
            semantic_similarity(tree, labels, classes, kind), rel=1e-12
        )
        assert out.metrics[f"{metric}_full_tree"] == pytest.approx(
            semantic_similarity(tree, labels, full, kind), rel=1e-12
        )
    assert out.metrics["ri"] == rand_index(labels, tree.leaf_of)
    assert tree.n_leaves == 8 == out.metrics["n_leaves"]
    counts = out.arrays["class_counts"]
    np.testing.assert_array_equal(counts[tree.root], np.bincount(labels, minlength=8))


def test_flat_clusters_are_alike_or_not_at_all():
    out, data = run("KM"), datasets.load("nested-blobs")
    classes, _ = protocol.class_trees(data)
    expected = semantic_similarity(out.arrays["leaf_of"], data.labels, classes, "path_sharing")
    assert out.metrics["ps"] == pytest.approx(expected, rel=1e-12)
    tree = Hierarchy(out.arrays["parents"], out.arrays["leaf_of"])
    assert out.metrics["ps"] != pytest.approx(semantic_similarity(tree, data.labels, classes, "path_sharing"))


@pytest.mark.parametrize("name", ["HMMC", "KM", "MMC"])
def test_more_leaves_are_measured_in_the_same_cell(name):
    out = run(name)
    assert out.metrics["n_leaves"] == 8
    assert out.metrics["n_leaves_1.5"] == 12
    assert out.metrics["n_leaves_2"] == 16
    assert out.metrics["leaf_inertia_2"] < out.metrics["leaf_inertia"]


def test_the_tree_of_fewer_leaves_is_the_one_grown_to_them():
    # n_leaves does not enter the splits, so a tree that is stopped at 8 is the top of the one grown to 16.
    plan = PLAN.methods["HMMC"]
    stopped = MethodPlan("HMMC", plan.estimator, {**plan.params, "leaf_factors": [1.0]}, "", "method")
    short = protocol.run(spec("HMMC"), stopped, datasets.load("nested-blobs"))
    grown = run("HMMC")
    np.testing.assert_array_equal(short.arrays["parents"], grown.arrays["parents"])
    np.testing.assert_array_equal(short.arrays["leaf_of"], grown.arrays["leaf_of"])
    assert short.metrics["zeros"] == grown.metrics["zeros"]


def test_splits_in_three_may_pass_over_the_number_of_leaves():
    out = run("HKM-D-K", n_splits=3)
    assert out.metrics["n_leaves"] == 9  # 1 + 4 * 2


def test_controls_bracket_every_method():
    oracle, random = run("Oracle").metrics, run("Random").metrics
    assert oracle["sp"] == oracle["ps"] == oracle["ri"] == 1.0
    assert random["ri"] < run("HMMC").metrics["ri"]
    assert random["sp"] < run("HMMC").metrics["sp"]


def test_features_are_scaled_to_length_one_or_unit_variance():
    X = np.array([[3.0, 0.0, 7.0], [-3.0, 8.0, 7.0], [0.0, 1.0, 7.0]])
    unit = protocol.scaled(X, "unit")
    assert np.linalg.norm(unit, axis=1).mean() == pytest.approx(1.0)
    np.testing.assert_allclose(unit.mean(axis=0), 0, atol=1e-15)
    centred = X - X.mean(axis=0)
    assert np.linalg.matrix_rank(np.stack([unit.ravel(), centred.ravel()])) == 1
    assert protocol.scaled(X, "zscore").std(axis=0) == pytest.approx([1, 1, 0])
    with pytest.raises(ValueError, match="features='raw'"):
        protocol.scaled(X, "raw")


def test_rows_are_drawn_by_the_seed_and_keep_their_order():
    X, labels = np.arange(20.0)[:, None], np.arange(20)
    few, of_few = protocol.drawn(X, labels, 5, 1)
    assert (np.diff(of_few) > 0).all()
    np.testing.assert_array_equal(few[:, 0], of_few)
    assert not np.array_equal(of_few, protocol.drawn(X, labels, 5, 2)[1])
    assert protocol.drawn(X, labels, 20, 1)[0] is X


def test_leaf_inertia_by_hand():
    X = np.array([[0.0], [2.0], [10.0]])
    assert protocol.leaf_inertia(X, np.array([4, 4, 7])) == pytest.approx(2 / 3)


def test_smallest_top_share():
    assert protocol.smallest_top_share(Hierarchy.from_nested([[0, 1, 2], [3]])) == 0.25
    assert protocol.smallest_top_share(Hierarchy([-1], [0, 0])) == 1.0


def test_data_without_a_tree_of_classes_are_refused():
    with pytest.raises(ValueError, match=r"digits.*class_parents"):
        protocol.class_trees(datasets.load("digits"))


def test_the_study_times_both_and_finds_the_same_optimum():
    out = run("assignment-study", n_samples=60)
    for n_clusters in (2, 5):
        assert abs(out.metrics[f"excess_{n_clusters}"]) < 1e-7
        assert out.metrics[f"seconds_ilp_{n_clusters}"] > 0


def test_a_tree_learned_by_hmmc_brings_what_its_figure_needs():
    arrays = run("HMMC").arrays
    assert arrays["top_features"].shape == (len(arrays["parents"]), 5)
    assert len(arrays["class_names"]) == 8
    assert len(arrays["feature_names"]) == 10
    assert (np.diff(arrays["trace_objective"]) <= 1e-9).all()


def test_every_method_of_the_plan_is_accepted():
    protocol.validate(PLAN)


def test_a_wrong_parameter_name_is_refused_before_anything_runs(tmp_path):
    folder = tmp_path / "hmmc"
    folder.mkdir()
    (folder / "plan.yaml").write_text(PLAN.path.read_text().replace("linkage: average", "linkge: average"))
    plan = read_plan(folder / "plan.yaml", "cladebench.papers.hmmc")
    with pytest.raises(PlanError, match=r"plan\.yaml.*methods\.AL\.params.*linkge.*linkage"):
        protocol.validate(plan)


def test_the_balanced_control_is_balanced_and_knows_nothing():
    out = run("Random-balanced")
    sizes = out.arrays["class_counts"][1:].sum(axis=1)
    assert sorted(sizes[-8:].tolist()) == [30] * 8
    assert out.metrics["ri"] < 0.85


def test_counts_have_a_column_for_each_class_drawn_or_not():
    tree = Hierarchy.from_nested([[0, 1], [2]])
    counts = protocol.class_counts(tree, np.array([0, 3, 3]), 5)
    assert counts.shape == (tree.n_nodes, 5)
    assert counts[tree.root].tolist() == [1, 0, 0, 2, 0]
    assert counts[:, 1].sum() == 0


def test_all_methods_of_a_repetition_meet_the_same_rows():
    assert protocol.row_seed(spec("KM", 1)) == protocol.row_seed(spec("HMMC", 1))
    assert protocol.row_seed(spec("KM", 1)) != protocol.row_seed(spec("KM", 2))
    assert spec("KM", 1).seed != spec("HMMC", 1).seed


@pytest.mark.parametrize("seed", range(3))
def test_path_sharing_without_the_root_against_pairs(seed):
    random = np.random.default_rng(seed)
    tree = Hierarchy([-1, 0, 0, 1, 1, 2, 3], random.choice([2, 4, 5, 6, 0], size=12))
    class_tree = Hierarchy([-1, 0, 1, 1, 0, 4], [2, 3, 5, 4])
    labels = random.integers(4, size=12)

    def similarity(of, i, j):
        a, b = ({*_branch(of, k)} - {of.root} for k in (i, j))
        if of.leaf_of[i] == of.leaf_of[j]:
            return 1.0
        return len(a & b) / max(len(a), len(b))

    for learned in (tree, tree.leaf_of):
        errors = [
            (
                (similarity(tree, i, j) if learned is tree else float(learned[i] == learned[j]))
                - similarity(class_tree, labels[i], labels[j])
            )
            ** 2
            for i in range(12)
            for j in range(i)
        ]
        assert path_sharing_without_root(learned, labels, class_tree) == pytest.approx(1 - np.mean(errors))


def _branch(tree, sample):
    node = int(tree.leaf_of[sample])
    while node >= 0:
        yield node
        node = int(tree.parents[node])
