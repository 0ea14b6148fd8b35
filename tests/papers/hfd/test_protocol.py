"""The protocol of the HFD paper: what a cell computes."""

import dataclasses
import itertools

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import v_measure_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from cladebench import datasets
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.distances import Euclidean
from cladebench.metrics import vote
from cladebench.paper.catalogue import load_plan
from cladebench.paper.protocol import scaled
from cladebench.papers.hfd import graph_clustering, protocol
from task_draws import drawn_cell

PLAN = load_plan("hfd")
DATA = datasets.load("nested-blobs")


def cell(estimator="Euclidean", task=None, repetition=0, data=DATA, **params):
    method = MethodPlan(estimator, estimator, params)
    return drawn_cell("hfd", method, data, repetition=repetition, task=task or {})


def run(*args, **how):
    return protocol.PROTOCOL.run(cell(*args, **how))


def read(out, metric, **at):
    (found,) = [r.metrics[metric] for r in out.readings if r.at == at and metric in r.metrics]
    return found


def test_votes_are_those_of_the_nearest_training_rows():
    drawn = cell(task={"folds": {"n": 5}})
    out, task = protocol.PROTOCOL.run(drawn), drawn.task
    X = scaled(DATA.X, "zscore")
    plain = KNeighborsClassifier(1).fit(X[task.train], DATA.labels[task.train])
    assert read(out, "accuracy", neighbors=1) == plain.score(X[task.test], DATA.labels[task.test])
    near = NearestNeighbors(n_neighbors=20).fit(X[task.train]).kneighbors(X[task.test])[1]
    same = DATA.labels[task.train][near] == DATA.labels[task.test][:, None]
    assert read(out, "precision", neighbors=20) == pytest.approx(same.mean())
    assert read(out, "precision", neighbors=5) == pytest.approx(same[:, :5].mean())
    assert {r.at["neighbors"] for r in out.readings} == {1, 3, 5, 7, 10, 15, 20, 30, 40, 50}


def test_constraints_of_both_kinds_are_counted():
    drawn = cell(task={"folds": {"n": 5}, "constraints": {"must_link": 7, "cannot_link": 4}})
    assert protocol.PROTOCOL.run(drawn).metrics["n_constraints"] == 11


def test_blocks_of_the_test_rows_are_read_one_by_one():
    def parts(n_blocks, metric, **params):
        data = dataclasses.replace(DATA, n_training=150)
        task = {"split": "official"} | ({"blocks": n_blocks} if n_blocks else {})
        drawn = cell(task=task, data=data, **params)
        out = protocol.PROTOCOL.run(drawn)
        found = {r.block: r.metrics[metric] for r in out.readings if r.at == {"neighbors": 5}}
        shown.append(out.arrays["gallery_rows"].tolist())
        return found, [len(block) for block in drawn.task.blocks]

    shown = []

    for metric in ("accuracy", "precision"):
        blocks, sizes = parts(4, metric)
        whole, none = parts(0, metric)
        assert list(blocks) == [0, 1, 2, 3] and list(whole) == [None] and not none
        assert len(set(blocks.values())) > 1
        some, _ = parts(4, metric, read_blocks=2)
        assert some == {block: blocks[block] for block in (0, 1)} and shown[-1] == shown[-3]
        assert np.average(list(blocks.values()), weights=sizes) == pytest.approx(whole[None])


def test_noise_spoils_votes_and_not_what_is_right():
    clean, noisy = (run(task={"folds": {"n": 5}, "label_noise": noise}) for noise in (0.0, 0.4))
    assert read(noisy, "accuracy", neighbors=1) < read(clean, "accuracy", neighbors=1) - 0.2
    # Neighbours are as they were, and so are the classes that they truly have.
    assert read(noisy, "precision", neighbors=10) == read(clean, "precision", neighbors=10)


def test_the_oracle_is_right_and_the_random_distance_is_not():
    assert read(run(task={"test": 0.3}, features="classes"), "accuracy", neighbors=5) == 1.0
    chance = read(run("RandomDistance", task={"test": 0.3}), "accuracy", neighbors=5)
    assert chance < 0.4


def test_the_order_of_a_sorted_file_is_worth_nothing_where_rows_come_shuffled():
    # All rows are alike and the labels sorted, so that the first rows, which are the nearest then, are of one class.
    alike = dataclasses.replace(DATA, X=np.zeros((60, 2)), labels=np.repeat([0, 1, 2], 20))

    def precision(repetition, **task):
        task = {"folds": {"n": 5}, "draws": "nested-blobs"} | task
        drawn = cell(task=task, repetition=repetition, data=alike)
        near = Euclidean().fit(drawn.task.of(alike.X)[drawn.task.train]).kneighbors(np.zeros((1, 2)), 5)[1]
        classes.append(set(drawn.task.of(alike.labels)[drawn.task.train][near[0]]))
        return read(protocol.PROTOCOL.run(drawn), "precision", neighbors=5)

    classes: list[set[int]] = []
    assert precision(0) == precision(1) == pytest.approx(1 / 3) and classes == [{0}, {0}]
    drawn = [precision(repetition, shuffled=True) for repetition in range(8)]
    assert np.mean(drawn) == pytest.approx(1 / 3, abs=0.05)
    assert len(set(map(frozenset, classes[2:]))) > 1 and max(map(len, classes[2:])) > 1


def test_rows_with_ties_come_shuffled():
    found = False
    for scope in PLAN.scopes:
        for dataset, method in PLAN.pairs(scope):
            if PLAN.data_of(dataset) == "balance":
                found = True
                shuffled = PLAN.task_of(scope, dataset, method).get("shuffled", False)
                assert shuffled != dataset.endswith("-in-file-order"), (scope, dataset, method)
    assert found


def test_neighbours_are_at_most_the_training_rows():
    few = {"rows": 12, "folds": {"n": 2}}
    out = run(task=few, neighbors=[1, 5, 50])
    assert {r.at["neighbors"] for r in out.readings} == {1, 5}
    assert {r.at["neighbors"] for r in run(task=few, neighbors=[20, 50]).readings} == {6}


@pytest.mark.parametrize(
    ("task", "n_folds"), [({"folds": {"n": 5}}, 3), ({"rows": 12, "folds": {"n": 2}}, 2)]
)
def test_inner_accuracy_is_of_five_neighbours_among_the_training_rows(task, n_folds):
    """Of all of them where there are fewer: three rows are left to learn from in the second case."""
    drawn = cell(task=task, inner_folds=n_folds)
    X, scores = scaled(drawn.task.of(DATA.X), "zscore"), []
    for inner in drawn.task.inner_folds(n_folds):
        labels = np.asarray(inner.labels)
        near = (
            NearestNeighbors(n_neighbors=min(5, len(inner.train)))
            .fit(X[inner.train])
            .kneighbors(X[inner.test])[1]
        )
        scores.append(np.mean(vote(near, labels[inner.train]) == labels[inner.test]))
    assert protocol.PROTOCOL.run(drawn).metrics["inner_accuracy"] == pytest.approx(np.mean(scores))


def test_what_was_learned_from_all_training_rows_is_not_met_in_inner_folds(monkeypatch, tmp_path):
    kept, fit = [], protocol.PROTOCOL.fit_on_training

    def told(cell, X):
        kept.append(cell.kept)
        return fit(cell, X)

    monkeypatch.setattr(protocol.PROTOCOL, "fit_on_training", told)
    drawn = dataclasses.replace(cell(task={"folds": {"n": 5}}, inner_folds=2), kept=tmp_path / "fit")
    protocol.PROTOCOL.run(drawn)
    assert kept == [tmp_path / "fit", None, None]


def test_the_gallery_holds_rows_of_the_data_set():
    drawn = cell(task={"rows": 150, "test": 0.3})
    out, task = protocol.PROTOCOL.run(drawn), drawn.task
    rows, near = out.arrays["gallery_rows"], out.arrays["gallery_neighbors"]
    assert set(rows) <= set(task.rows[task.test]) and set(near.ravel()) <= set(task.rows[task.train])
    assert np.array_equal(DATA.labels[near] == DATA.labels[rows][:, None], out.arrays["gallery_relevant"])


def test_clusters_are_those_of_the_graph():
    X, labels = make_blobs(150, centers=4, cluster_std=2.5, random_state=3)
    out = graph_clustering.clustering_measures(Euclidean().fit(X), labels, (5, 10, 20), "gaussian", 7)
    far, near = NearestNeighbors(n_neighbors=20).fit(X).kneighbors()
    W = graph_clustering.graph(near, np.exp(-(far**2) / 2))
    assert (abs(W - W.T) > 0).nnz == 0 and W.nnz >= 20 * len(X)
    peer = SpectralClustering(4, affinity="precomputed", random_state=0).fit_predict(W.toarray())
    ours = read(out, "v_measure_grid", neighbors=20, width=1.0)
    assert ours == pytest.approx(v_measure_score(labels, peer), abs=0.05)
    grid = [r.metrics["v_measure_grid"] for r in out.readings]
    assert out.metrics["v_measure"] == max(grid) and len(grid) == 3 * 5 and out.metrics["graphs_failed"] == 0
    assert 0.3 < out.metrics["v_measure_permuted"] + 0.3 < out.metrics["v_measure"]


def test_one_graph_can_be_read_with_rows_of_either_length(monkeypatch):
    monkeypatch.setattr(graph_clustering, "WIDTHS", (1.0,))
    metrics = run(neighbors=[20]).metrics
    assert metrics["v_measure"] == metrics["v_measure_fixed"]
    assert metrics["v_measure_unit_rows"] == metrics["v_measure_fixed_unit_rows"] != metrics["v_measure"]


def test_other_graphs_can_be_left_out(monkeypatch):
    monkeypatch.setattr(graph_clustering, "WIDTHS", (1.0,))
    assert "v_measure_mutual" in run().metrics
    assert "v_measure_mutual" not in run(other_graphs=False).metrics


def test_the_fixed_width_is_the_nearest_to_the_median_distance():
    out = run(neighbors=[10, 20, 30], other_graphs=False)
    X = scaled(DATA.X, "zscore")
    far = NearestNeighbors(n_neighbors=20).fit(X).kneighbors()[0][:, 19]
    width = min(graph_clustering.WIDTHS, key=lambda w: abs(np.log(w / np.median(far))))
    assert out.metrics["v_measure_fixed"] == read(out, "v_measure_grid", neighbors=20, width=width)


def test_weights_never_vanish():
    assert (graph_clustering.gaussian(np.array([0.0, 1e9]), 0.1) > 0).all()
    assert graph_clustering.complement(np.array([0.0, 0.25, 1.0])).tolist() == [1.0, 0.75, np.exp(-20.0)]


def test_candidates_need_trees():
    with pytest.raises(TypeError, match="Euclidean has no trees; expected a HierarchyForest"):
        run(candidates=[1])


def test_seconds_of_a_search_are_those_between_its_ends(monkeypatch):
    drawn = cell(task={"folds": {"n": 5}})
    times = itertools.count(1000.0, 0.25)
    monkeypatch.setattr(protocol.time, "perf_counter", lambda: next(times))
    out = protocol.PROTOCOL.run(drawn)
    seconds = {
        name: out.metrics[name] for name in ("query_seconds", "seconds_per_query") if name in out.metrics
    }
    assert seconds and all(0 < value <= 1.0 for value in seconds.values())
