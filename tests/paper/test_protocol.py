"""What every paper's protocol is built on: scaling, building, studies, stored trees."""

import dataclasses
import re
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse
from sklearn.cluster import KMeans

from cladebench import datasets
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.bench.plan.plan import PlanError
from cladebench.bench.plan.plan_file import read_plan
from cladebench.bench.run.cell_io import CellOutput
from cladebench.bench.run.run_cell import check_output
from cladebench.estimators import as_distance, as_labels
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import rand_index
from cladebench.paper.catalogue import load_plan, validate_protocol
from cladebench.paper.protocol import Protocol, scaled, stored_tree, timed_fit, tree_arrays
from task_draws import drawn_cell


class Toy(Protocol):
    own: ClassVar = {"features": "raw", "more": 3}

    def measure(self, cell):
        return CellOutput({"measured": 1.0})


def cell(estimator="HierarchicalKMeans", role="method", task=None, **params):
    return drawn_cell("toy", MethodPlan("M", estimator, params, role=role), task=task or {})


def a_study(cell):
    return CellOutput({"studied": float(cell.data.n_samples)})


def test_an_estimator_gets_what_it_takes_and_the_plan_wins():
    built = Toy().build(cell(n_init=4), n_init=9, n_clusters=5, unknown=1)
    assert (built.n_init, built.n_clusters) == (4, 5)
    assert built.random_state == cell().spec.seed


def test_distances_go_to_no_estimator_that_would_take_them_for_features():
    """Not where it has no such parameter, and not where the plan gives it another value."""
    given = {"metric": "precomputed"}
    built = Toy().build(cell("sklearn.cluster.DBSCAN"), **given)
    assert built.metric == "precomputed"
    assert Toy().build(cell("sklearn.cluster.DBSCAN", metric="precomputed"), **given).metric == "precomputed"
    for one, has in (
        (cell("sklearn.cluster.KMeans"), "has no parameter 'metric'"),
        (cell("sklearn.cluster.DBSCAN", metric="euclidean"), "has metric='euclidean' by the plan"),
    ):
        with pytest.raises(ValueError) as caught:
            Toy().build(one, **given)
        assert str(caught.value) == (
            f"methods.M: {one.method.estimator} {has} and would take distances for features; "
            "expected an estimator with metric='precomputed'"
        )


@pytest.fixture
def met(monkeypatch):
    """What fits meet, each in place of the fit: the estimator, its rows, labels and further arguments."""
    met = []
    monkeypatch.setattr(
        "cladebench.paper.protocol.timed_fit", lambda *given, **more: (met.append((*given, more)), 3.0)[1]
    )
    return met


@pytest.mark.parametrize(
    "constraints", [{"must_link": 7, "cannot_link": 9}, {"must_link": 7}, {"cannot_link": 9}]
)
def test_a_distance_meets_the_training_rows_with_their_labels_and_constraints(met, constraints):
    """Constraints as rows among them; none at all where none are drawn."""
    how = {"rows": 60, "test": 0.5, "shuffled": True, "constraints": constraints}
    one = cell("RandomProjection", task=how)
    X = one.data.X[one.task.rows]
    fitted, seconds = Toy().fit_on_training(one, X, n_components=4, unknown=1)
    ((estimator, rows, labels, links),) = met
    assert estimator is fitted and seconds == 3.0
    assert fitted.get_params() == {"n_components": 4, "random_state": one.spec.seed}
    np.testing.assert_array_equal(rows, X[one.task.train])
    np.testing.assert_array_equal(labels, one.task.labels[one.task.train])
    assert set(links) == {"must_link", "cannot_link"}
    for kind, pairs in links.items():
        assert (pairs is None) is (kind not in constraints)
        if pairs is not None:
            assert pairs.shape == (constraints[kind], 2)
            np.testing.assert_array_equal(one.task.train[pairs], getattr(one.task, kind))


def test_what_is_no_distance_is_given_no_constraints(met):
    one = cell(task={"test": 0.5, "constraints": {"must_link": 7}})
    Toy().fit_on_training(one, one.data.X)
    assert met[0][-1] == {}


def test_without_labels_there_are_none_to_learn_from(met):
    one = cell()
    unlabelled = dataclasses.replace(one, task=dataclasses.replace(one.task, labels=None))
    Toy().fit_on_training(unlabelled, one.data.X)
    assert met[0][2] is None


class TakenUp(KMeans):
    seconds_taken_up_ = 2.0


def test_seconds_before_an_interruption_count(met):
    assert Toy().fit_on_training(one := cell(f"{__name__}.TakenUp"), one.data.X)[1] == 3.0 + 2.0


def test_the_protocols_own_parameters_are_not_the_estimators():
    one = cell(more=7, n_init=4)
    assert Toy().own_parameters(one) == {"features": "raw", "more": 7}
    assert Toy().build(one).n_init == 4


def test_a_study_is_the_function_that_its_estimator_names():
    assert Toy().run(cell(f"{__name__}.a_study", "study")).metrics == {"studied": 240.0}
    assert Toy().run(cell(f"{__name__}.a_study")).metrics == {"measured": 1.0}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (f"{__name__}.no_study", "no_study.* cannot be found.*dotted path of a function"),
        (f"{__name__}.Toy", "expected a function of a cell"),
        ("a_study", "cannot be found"),
        (
            "no_package.a_study",
            r"^'no_package\.a_study' cannot be found: .*; expected the dotted path of a func",
        ),
    ],
)
def test_a_study_that_is_none_is_named(path, said):
    with pytest.raises(ValueError, match=said):
        Toy().run(cell(path, "study"))


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        ("collections.Counter", "it has no fit"),
        ("numpy.ndarray", "it has no fit"),
        ("sklearn.base.BaseEstimator", "it has no fit"),
        (f"{__name__}.FitAlone", "it has no get_params"),
        (f"{__name__}.NeverSet", "it has no set_params"),
        ("sklearn.pipeline.Pipeline", "its constructor needs 'steps'"),
        ("cladebench.methods.base.Clusterer", "it is an abstract base class"),
    ],
)
def test_what_no_protocol_can_fit_is_refused_before_anything_runs(tmp_path, estimator, said):
    with pytest.raises(PlanError) as caught:
        Toy().validate(plan_of(tmp_path, estimator))
    assert str(caught.value) == (
        f"{tmp_path / 'toy' / 'plan.yaml'}: methods.X.estimator: estimator {estimator!r}: {said}; "
        "expected a class with fit, get_params and set_params, whose constructor needs no argument"
    )


@pytest.mark.parametrize("paper", ["ghc", "hmmc", "taxonomy"])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("folds", {"n": 3}),
        ("test", 0.5),
        ("label_noise", 0.5),
        ("constraints", {"must_link": 5}),
    ],
)
def test_a_task_that_no_protocol_of_a_paper_reads_is_refused(paper, key, value):
    plan = load_plan(paper)
    scopes = plan.scopes | {
        "smoke": plan.scopes["smoke"] | {"task": {"rows": 9, "shuffled": True, key: value}}
    }
    with pytest.raises(PlanError) as caught:
        validate_protocol(dataclasses.replace(plan, scopes=scopes))
    reads = "rows, share, parts, shuffled" if paper == "hmmc" else "rows, share, shuffled"
    assert re.sub(r", line \d+", "", str(caught.value)) == (
        f"{plan.path}: scopes.smoke.task.{key}: {value!r} is not read by the paper's protocol; expected {reads}"
    )


def test_a_protocol_reads_no_task_unless_it_says_so(tmp_path):
    """Wherever a plan may have one."""
    plan = plan_of(tmp_path, "FlatKMeans")
    also = {"method": "X", "dataset": "digits", "task": {"shuffled": True}}
    overrides = [{"method": "X"}, {"method": "X", "task": {"rows": 3}}]
    scope = plan.scopes["smoke"] | {"task": {"rows": 9}, "overrides": overrides, "also": [also]}
    drawn = dataclasses.replace(plan, scopes={"smoke": scope})
    with pytest.raises(PlanError) as caught:
        Toy().validate(drawn)
    assert [line.partition(": ")[2] for line in str(caught.value).splitlines()] == [
        "scopes.smoke.task.rows: 9 is not read by the paper's protocol; expected no task",
        "scopes.smoke.overrides[1].task.rows: 3 is not read by the paper's protocol; expected no task",
        "scopes.smoke.also[0].task.shuffled: True is not read by the paper's protocol; expected no task",
    ]

    class Reads(Toy):
        task_keys = ("rows", "shuffled")

    Reads().validate(drawn)


class FitAlone:
    def fit(self, X, y=None): ...


class NeverSet(FitAlone):
    def get_params(self): ...


def plan_of(folder, estimator):
    (folder / "toy").mkdir()
    path = folder / "toy" / "plan.yaml"
    path.write_text(f"""
paper: toy
title: A toy
citation: none
methods:
  X: {{estimator: {estimator}, params: {{features: raw, max_iter: 3}}}}
scopes:
  smoke: {{datasets: [nested-blobs], repetitions: 1, limits: {{time_s: 60, memory_mb: 2000}}}}
""")
    return read_plan(path, "toy")


def test_a_fit_is_timed(monkeypatch):
    class Fitted:
        def fit(self, X, y, **more):
            self.met = X, y, more

    ticks = iter([2.0, 5.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    assert timed_fit(fitted := Fitted(), "X", "y", must_link=[]) == 3.0
    assert fitted.met == ("X", "y", {"must_link": []})


class Writes:
    """A method of somebody else's, which uses what it is given as its own."""

    def fit(self, X, y, **more):
        for given in (X, y, *more.values()):
            (given.data if scipy.sparse.issparse(given) else given)[:] = 0


@pytest.mark.parametrize("kind", [np.array, scipy.sparse.csr_array])
@pytest.mark.parametrize("frozen", [False, True])
def test_a_method_that_writes_into_its_rows_changes_them_for_nobody_else(kind, frozen):
    """Ours do not, and meet the rows themselves."""
    X, y, links = kind([[1.0, 2.0]]), np.array([3]), np.array([[0, 1]])
    if frozen:
        for values in (X if kind is np.array else X.data, y, links):
            values.flags.writeable = False
    timed_fit(Writes(), X, y, must_link=links)
    assert (X.sum(), y.sum(), links.sum()) == (3, 3, 1)
    met = []
    ours = type(
        "Ours", (), {"fit": lambda self, *given: met.extend(given), "__module__": "cladebench.methods.x"}
    )
    timed_fit(ours(), X, y)
    assert met[0] is X and met[1] is y


def test_hdbscan_which_writes_into_distances_leaves_them_as_they_are():
    D = np.abs(np.subtract.outer(*[np.arange(30.0) ** 1.5] * 2))
    before = D.copy()
    D.flags.writeable = False
    timed_fit(Toy().build(cell("sklearn.cluster.HDBSCAN", copy=False), metric="precomputed"), D)
    np.testing.assert_array_equal(D, before)


class Sparse(Protocol):
    """Clusters, or neighbours, of sparse rows."""

    def measure(self, cell):
        X = cell.task.of(cell.data.X)
        fitted, _ = self.fit_on_training(cell, X)
        if hasattr(fitted, "labels_"):
            return CellOutput({"ri": rand_index(cell.task.labels[cell.task.train], as_labels(fitted))})
        near = as_distance(fitted).kneighbors(X[cell.task.test], 1, return_distance=False)[:, 0]
        right = cell.task.labels[cell.task.train][near] == cell.task.labels[cell.task.test]
        return CellOutput({"accuracy": right.mean()})


@pytest.mark.parametrize(
    ("estimator", "params"),
    [("FlatKMeans", {"n_clusters": 5}), ("Euclidean", {}), ("RandomProjection", {"n_components": 50})],
)
def test_sparse_data_stay_sparse_from_the_data_set_to_the_measure(monkeypatch, estimator, params):
    data = datasets.load("topic-counts")
    written_out = dataclasses.replace(data, X=data.X.toarray())

    def out(of):
        method = MethodPlan("M", estimator, params)
        return Sparse().run(drawn_cell("toy", method, of, task={"test": 0.3}))

    expected = out(written_out).metrics

    def one_row_at_most(self, *args, kept=scipy.sparse.csr_array.toarray, **more):
        assert self.shape[0] == 1, "sparse data were made dense"  # k-means starts from single rows
        return kept(self, *args, **more)

    for kind in ("csr", "csc", "coo"):
        for name in ("toarray", "todense"):
            monkeypatch.setattr(getattr(scipy.sparse, f"{kind}_array"), name, one_row_at_most)
    assert out(data).metrics == expected and min(expected.values()) > 0.3


@pytest.mark.parametrize(
    "optional",
    [
        {},
        {"heights": [3.0, 1.0, 0.0, 0.0, 0.0]},
        {"edge_lengths": [0.0, 2.0, 0.5, 3.0, 1.0]},
        {"heights": [3.0, 1.0, 0.0, 0.0, 0.0], "edge_lengths": [0.0, 2.0, 0.5, 3.0, 1.0]},
    ],
)
def test_a_tree_is_stored_and_read_back(tmp_path, optional):
    tree = Hierarchy([-1, 0, 0, 1, 1], [2, 3, 4, 4], **optional)
    _, _, arrays = check_output(CellOutput({"measured": 1.0}, arrays=tree_arrays(tree)))
    np.savez(tmp_path / "cell.npz", **arrays)
    with np.load(tmp_path / "cell.npz") as stored:
        assert set(stored) == {"parents", "leaf_of", *optional}
        again = stored_tree(dict(stored))
    for name in ("parents", "leaf_of", "heights", "edge_lengths"):
        np.testing.assert_array_equal(getattr(again, name), getattr(tree, name))
    # A drawing without a root shows the lengths.
    lines = [
        [line.get_xydata().tolist() for line in one.plot_unrooted(plt.figure().subplots()).lines]
        for one in (tree, again)
    ]
    plt.close("all")
    assert lines[0] == lines[1]


def test_sparse_features_are_taken_as_they_are_or_refused():
    X = datasets.load("topic-counts").X
    assert scaled(X, "raw") is X
    for features in ("unit", "pooled", "zscore"):
        with pytest.raises(
            ValueError, match=f"^features='{features}' centres .* X is sparse.*expected 'raw'$"
        ):
            scaled(X, features)


def test_columns_of_equal_numbers_become_0_and_raw_features_stay():
    X = np.array([[3.0, 0.0, 7.0], [-3.0, 8.0, 7.0], [0.0, 1.0, 7.0]])
    assert scaled(X, "zscore").std(axis=0) == pytest.approx([1, 1, 0])
    # The mean of seven times 0.1 is not 0.1.
    assert (scaled(np.column_stack([np.full(7, 0.1), np.arange(7)]), "zscore")[:, 0] == 0).all()
    assert scaled(X, "raw") is X
    for features in ("unit", "pooled"):
        assert (scaled(np.ones((3, 2)), features) == 0).all()
    with pytest.raises(ValueError, match="features='none'"):
        scaled(X, "none")


@pytest.mark.parametrize("features", ["unit", "pooled", "zscore"])
def test_scaled_features_do_not_depend_on_the_unit(features):
    """To the last bit, also where squares overflow or vanish."""
    X = np.random.default_rng(0).normal(3.0, size=(7, 3))
    right = scaled(X, features)
    for power in (-1000, -565, 532, 1000):
        np.testing.assert_array_equal(scaled(np.ldexp(X, power), features), right)
    tiny = scaled(X * [1.0, 1.0, 1e-170], features)
    assert tiny[:, 2].std() == pytest.approx(1.0 if features == "zscore" else 1e-170 * right[:, 2].std())
    assert tiny.dtype == np.float64 and scaled(X.astype(np.float32), features).dtype == np.float32
    np.testing.assert_array_equal(
        scaled((10 * X).astype(np.int8), features), scaled(np.trunc(10 * X), features)
    )


@pytest.mark.parametrize("name", ["glass", "spambase", "segmentation", "nested-blobs"])
def test_ordinary_features_are_scaled_as_they_always_were(name):
    X = datasets.load(name).X
    centred = X - X.mean(axis=0)
    deviation = centred.std(axis=0)
    for features, scale in {
        "unit": np.linalg.norm(centred, axis=1).mean(),
        "pooled": np.sqrt(centred.var(axis=0).mean()),
        "zscore": np.where(deviation > 0, deviation, 1.0),
    }.items():
        np.testing.assert_array_equal(scaled(X, features), centred / scale)
