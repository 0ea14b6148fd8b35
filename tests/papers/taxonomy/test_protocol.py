"""The protocol of the taxonomy paper: what a cell computes."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from cladebench import datasets
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.bench.run.cell_io import Cell
from cladebench.datasets import View
from cladebench.hierarchy import Hierarchy
from cladebench.methods import CLUHSIC, KernelSpectral, NumericalTaxonomy, _kernel
from cladebench.methods._kernel import gram_matrix, start_labels
from cladebench.methods._kmeans import kmeans_labels
from cladebench.metrics import entropy_scores, rand_scores, v_scores
from cladebench.paper.catalogue import load_plan
from cladebench.paper.protocol import stored_tree
from cladebench.papers.taxonomy import protocol, words
from cladebench.papers.taxonomy.tree_measures import taxonomy_correlation, worth_of_trees
from cladebench.reference import tree_metric as trees
from cladebench.reference.dependence import centring
from task_draws import drawn_cell

PLAN = load_plan("taxonomy")
SHARES = ("unconstrained", "tree", "star", "random_tree", "best_random_tree")


def cell(name, rows=40, method=None, **setting):
    method = method or PLAN.methods[name]
    return drawn_cell("taxonomy", method, name=name, setting=setting, task={"rows": rows})


@pytest.fixture(scope="module")
def taxonomy():
    given = cell("NTC")
    return given, protocol.PROTOCOL.run(given)


def test_measures_of_the_partition(taxonomy):
    given, out = taxonomy
    classes, labels = given.data.labels[given.task.rows], out.arrays["labels"]
    for metric, scores in {
        "conditional_entropy": entropy_scores(classes, labels),
        "ri": rand_scores(classes, labels),
        "v_measure": v_scores(classes, labels),
    }.items():
        assert out.metrics[metric] == scores.value and out.metrics[f"{metric}_permuted"] == scores.permuted
    assert out.metrics["conditional_entropy_bits"] == pytest.approx(
        entropy_scores(classes, labels).value / np.log(2)
    )
    assert out.metrics["conditional_entropy_bits_permuted"] == pytest.approx(
        entropy_scores(classes, labels).permuted / np.log(2)
    )
    counts = out.arrays["class_counts"]
    expected = [[np.sum((labels == c) & (classes == y)) for y in range(8)] for c in range(labels.max() + 1)]
    assert counts.tolist() == expected and counts.sum() == 40
    assert out.arrays["class_names"].tolist() == list(given.data.label_names)
    assert out.metrics["n_clusters"] == labels.max() + 1 == 8
    assert out.metrics["smallest_share"] == np.bincount(labels).min() / 40 and out.metrics["seconds"] > 0
    assert out.readings == [] or not list(out.readings)


def test_measures_of_the_tree(taxonomy):
    given, out = taxonomy
    X = given.task.of(given.data.X)
    fitted = NumericalTaxonomy(8, random_state=given.spec.seed).fit(X)
    assert np.array_equal(out.arrays["labels"], fitted.labels_)
    for name in ("structure", "distances", "tree_distances", "objective_path"):
        assert np.array_equal(out.arrays[name], getattr(fitted, f"{name}_"))
    assert trees.path_lengths(stored_tree(out.arrays)) == pytest.approx(fitted.tree_distances_)
    assert out.metrics["objective"] == fitted.objective_
    assert out.metrics["converged"] == float(fitted.converged_)
    assert out.metrics["n_iterations"] == fitted.n_iter_
    assert out.metrics["least_eigenvalue"] == fitted.least_eigenvalue_
    squares = np.square(np.triu(fitted.distances_)).sum()
    assert out.metrics["tree_residual"] == pytest.approx(fitted.residual_ / np.sqrt(squares))
    class_tree = Hierarchy(given.data.class_parents, np.arange(8))
    classes = given.data.labels[given.task.rows]
    assert out.metrics["taxonomy_correlation"] == taxonomy_correlation(
        fitted.tree_distances_, fitted.labels_, class_tree, classes
    )
    assert out.metrics["taxonomy_correlation"] > 0.5
    gram = protocol.gram_of(fitted, X, given.spec.seed)
    worth = worth_of_trees(gram, fitted.labels_, given.spec.seed)
    shares = (worth.unconstrained, worth.tree, worth.star, worth.random, worth.best_random)
    assert [out.metrics[f"share_{name}"] for name in SHARES] == list(shares)
    start = start_labels(gram, 8, "spectral", np.random.RandomState(given.spec.seed))
    moved = out.metrics["moved_from_start"]
    assert moved == pytest.approx(1.0 - adjusted_rand_score(start, fitted.labels_), abs=1e-12)


def test_the_matrix_is_the_one_that_the_estimator_saw(monkeypatch):
    monkeypatch.setattr(_kernel, "MEDIAN_ROWS", 8)  # so that a seed says which rows
    X = np.random.default_rng(0).normal(size=(20, 3))
    plain = {"kernel": "gaussian", "width": 1.0, "matrix": "kernel", "rank": None}
    seen = []
    for how in ({}, {"kernel": "linear"}, {"width": 0.3}, {"matrix": "normalized_cut"}, {"rank": 5}):
        found = protocol.gram_of(CLUHSIC(3, **how), X, 7)
        expected = gram_matrix(X, **{**plain, **how}, random=np.random.RandomState(7))
        assert np.array_equal(found.values, expected.values) and found.is_factor == expected.is_factor
        seen.append(found.values)
    assert not np.array_equal(protocol.gram_of(CLUHSIC(3, rank=5), X, 0).values, seen[-1])
    assert not any(np.array_equal(one, seen[0]) for one in seen[1:])


def test_sweeps_that_were_cut_off_are_told():
    method = MethodPlan("CLUHSIC", "CLUHSIC", {"start": "random", "max_sweeps": 1})
    out = protocol.PROTOCOL.run(cell("CLUHSIC", method=method))
    assert out.metrics["converged"] == 0.0 and out.metrics["n_iterations"] == 1.0
    given = cell("CLUHSIC", method=MethodPlan("CLUHSIC", "CLUHSIC", {"start": "random"}))
    out = protocol.PROTOCOL.run(given)
    fitted = CLUHSIC(8, start="random", random_state=given.spec.seed).fit(given.task.of(given.data.X))
    assert out.metrics["converged"] == 1.0 and out.metrics["n_iterations"] == fitted.n_iter_ > 1


def test_of_equal_samples_no_tree_has_a_worth():
    data = SimpleNamespace(
        name="equal", X=np.ones((9, 2)), labels=None, label_names=(), class_parents=None, feature_names=None
    )
    method = MethodPlan("NTC", "NumericalTaxonomy", {"worth": True})
    task = SimpleNamespace(of=lambda values: values)
    out = protocol.PROTOCOL.run(Cell(SimpleNamespace(seed=0, setting={}), method, data, task))
    assert out.metrics["n_clusters"] == 1.0 and out.metrics["tree_residual"] == 0.0
    assert not any(metric.startswith("share_") for metric in out.metrics)


@pytest.mark.parametrize("name", ["CLUHSIC-b", "Spectral", "NTC-star", "NTC-unconstrained", "KM", "Random"])
def test_each_method_has_the_measures_of_its_kind(name):
    out = protocol.PROTOCOL.run(cell(name))
    found = set(out.metrics)
    assert {"conditional_entropy", "ri", "v_measure", "seconds", "n_clusters"} <= found
    assert ("objective" in found) == ("taxonomy_correlation" in found) == name.startswith("NTC")
    assert ("structure" in out.arrays) == name.startswith("NTC")
    assert ("parents" in out.arrays) == (name == "NTC-star")
    assert ("moved_from_start" in found) == (name[:3] in ("NTC", "CLU"))
    assert ("centring_agreement" in found) == (name == "Spectral")
    assert not any(metric.startswith("share_") for metric in found)
    assert ("converged" in found) == (name[:3] in ("NTC", "CLU")) or name == "KM"


def test_numbers_of_clusters():
    data = datasets.load("nested-blobs")
    assert protocol.n_clusters_of(data, None) == 8 and protocol.n_clusters_of(data, 3) == 3
    assert protocol.n_clusters_of(SimpleNamespace(label_names=("a", "b")), None) == 2
    assert protocol.n_clusters_of(SimpleNamespace(label_names=()), None) == 8
    for setting, k in (({}, 8), ({"clusters": 3}, 3), ({"more_clusters": 1}, 9), ({"more_clusters": -1}, 7)):
        assert protocol.PROTOCOL.run(cell("Random", **setting)).metrics["n_clusters"] == k
    both = protocol.PROTOCOL.run(cell("Random", clusters=4, more_clusters=2))
    assert both.metrics["n_clusters"] == 6


def test_features():
    X = np.array([[0.0, 2.0], [-1.0, 0.0], [0.0, 0.0]])
    data = SimpleNamespace(X=X, labels=np.array([1, 0, 1]), label_names=("a", "b", "c"))
    assert protocol.features_of(data, "raw") is X
    assert protocol.features_of(data, "binary").tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    assert protocol.features_of(data, "classes").tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    sparse_data = SimpleNamespace(X=sparse.csr_array(X))
    binary = protocol.features_of(sparse_data, "binary")
    assert sparse.issparse(binary) and binary.toarray().tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    assert sparse_data.X.toarray().tolist() == X.tolist()  # the data stay
    with pytest.raises(
        ValueError, match="features='counts': expected one of binary, classes, one_maximum, raw"
    ):
        protocol.features_of(data, "counts")


def test_the_oracle_knows_the_classes():
    out = protocol.PROTOCOL.run(cell("Oracle"))
    assert out.metrics["conditional_entropy"] == 0.0 and out.metrics["ri"] == 1.0


def test_the_features_of_a_cell_are_those_that_are_asked_for():
    given = cell("NTC-star", features="classes")
    out = protocol.PROTOCOL.run(given)
    assert out.metrics["conditional_entropy"] == 0.0


def test_centring_changes_nothing_where_degrees_are_equal():
    """Groups of one size, all pairs within a group equally similar, and all pairs of groups."""
    for k in (3, 4, 5):
        groups = np.arange(6 * k) % k
        A = 0.1 + 0.9 * (groups[:, None] == groups)
        estimator = KernelSpectral(k, kernel="precomputed")
        found = protocol.centring_agreement(estimator, A, 0)
        assert found == {"centring_agreement": 1.0, "seed_agreement": 1.0}
        assert A.min() == 0.1 and np.diag(A).min() == 1.0  # the matrix stays


def test_centring_may_change_something_where_they_are_not():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(5):
        F = rng.gamma(0.3, size=(40, 6))
        estimator = KernelSpectral(5, kernel="precomputed")
        found.append(protocol.centring_agreement(estimator, F @ F.T + 0.01, 0)["centring_agreement"])
    assert min(found) < 1.0 and max(found) <= 1.0


@pytest.mark.parametrize("k", [3, 5])
def test_the_effect_of_centring_is_that_of_the_plain_steps(k):
    found, expected, seeds = [], [], []
    for seed in range(1, 4):
        X = np.random.default_rng(seed).normal(size=(40, 4))
        squares = cdist(X, X, "sqeuclidean")
        A = np.exp(-squares / (0.2 * np.median(squares[np.triu_indices(40, 1)])))
        np.fill_diagonal(A, 0.0)
        M = A / np.sqrt(np.outer(A.sum(axis=0), A.sum(axis=0)))
        of_cut = np.linalg.eigh(M)[1][:, ::-1][:, 1:k]
        of_centred = np.linalg.eigh(centring(40) @ M @ centring(40))[1][:, ::-1][:, : k - 1]
        one, other, again = (
            kmeans_labels(rows / np.linalg.norm(rows, axis=1)[:, None], k, n_init=100, seed=own)[0]
            for rows, own in ((of_cut, seed), (of_centred, seed), (of_cut, seed + 1))
        )
        found.append(protocol.centring_agreement(KernelSpectral(k, width=0.2), X, seed))
        expected.append(adjusted_rand_score(one, other))
        seeds.append(adjusted_rand_score(one, again))
    assert [each["centring_agreement"] for each in found] == pytest.approx(expected) and min(expected) < 1.0
    assert [each["seed_agreement"] for each in found] == pytest.approx(seeds)


def test_another_seed_is_another_start(monkeypatch):
    seeds = []

    def drawn(rows, k, n_init, seed):
        seeds.append(seed)
        return np.random.RandomState(seed).randint(k, size=len(rows)), 0.0

    monkeypatch.setattr(protocol, "kmeans_labels", drawn)
    X = np.random.default_rng(0).normal(size=(40, 4))
    found = protocol.centring_agreement(KernelSpectral(3), X, 2**32 - 1)
    assert seeds == [2**32 - 1, 2**32 - 1, 0]
    assert found["centring_agreement"] == 1.0 and found["seed_agreement"] < 0.5


def test_centring_is_looked_at_where_there_is_a_cut():
    for k, parameters in ((1, {}), (2, {}), (2, {"matrix": "kernel"})):
        method = MethodPlan("Spectral", "KernelSpectral", parameters)
        found = protocol.PROTOCOL.run(cell("Spectral", method=method, clusters=k)).metrics
        assert ("centring_agreement" in found) == ("seed_agreement" in found) == (k == 2 and not parameters)


def texts(n=48):
    """Documents of the printed words of eight clusters, and how often the words occur in them."""
    names = sorted({word for printed in words.PRINTED.values() for word in printed})
    topic = np.arange(n) % 8
    X = np.array([[word in words.PRINTED[words.LETTERS[t]] for word in names] for t in topic], dtype=float)
    counts = sparse.csr_array(X * (1.0 + np.arange(len(names)) % 3))
    views = {"counts": View("features", counts)}
    return SimpleNamespace(name="nips", feature_names=tuple(names), views=views), sparse.csr_array(X), topic


def test_words_of_the_clusters():
    data, X, topic = texts()
    counts = data.views["counts"].values
    fitted = NumericalTaxonomy(8, random_state=0).fit(X)
    metrics, readings, arrays = protocol.word_measures(data, X, counts, fitted.labels_, fitted)
    assert fitted.labels_.tolist() == topic.tolist()
    scores = words.word_scores(counts, topic, 8)
    assert np.array_equal(arrays["top_words"], words.top_words(scores, np.array(data.feature_names)))
    matched, shared = words.matched_to_printed(arrays["top_words"])
    assert arrays["matched"].tolist() == matched.tolist() == list(range(8))
    assert metrics["words_back"] == shared.sum() / 160
    assert [r.metrics["cluster_words_back"] for r in readings] == [count / 20 for count in shared]
    assert [r.at for r in readings] == [{"cluster": place} for place in range(1, 9)]
    placed = words.placement(fitted.tree_distances_, matched)
    assert {name: metrics[name] for name in placed} == placed
    for other in (KernelSpectral(8), CLUHSIC(8)):  # there is no tree
        found = protocol.word_measures(data, X, counts, topic, other)[0]
        assert set(found) == {"words_back", "words_back_documents"}
    # With too few clusters some letters are nowhere.
    few = NumericalTaxonomy(4, random_state=0).fit(X)
    found = protocol.word_measures(data, X, counts, few.labels_, few)[0]
    assert set(found) == {"words_back", "words_back_documents"}


def test_words_by_documents_are_those_of_occurrence():
    """Half of the clusters say a word of another one so often that by counts it is theirs."""
    data, X, topic = texts()
    counts = data.views["counts"].values.toarray()
    rng = np.random.default_rng(0)
    counts[:, :] *= 1.0 + 9.0 * (rng.random(counts.shape) < 0.2)
    moved = rng.permutation(topic)
    fitted = NumericalTaxonomy(8, random_state=0).fit(X)
    metrics, readings, _ = protocol.word_measures(data, X, sparse.csr_array(counts), moved, fitted)
    plain, at, _ = protocol.word_measures(data, X, X, moved, fitted)
    assert metrics["words_back"] != metrics["words_back_documents"] == plain["words_back"]
    assert metrics["f_apart_documents"] == plain["f_apart"] == plain["f_apart_documents"]
    for one, other in zip(readings, at, strict=True):
        assert one.metrics["cluster_words_back_documents"] == other.metrics["cluster_words_back"]


def test_of_other_texts_the_words_alone():
    data, X, topic = texts()
    data.name = "newsgroups"
    metrics, readings, arrays = protocol.word_measures(data, X, X, topic, None)
    assert metrics == {} and readings == [] and set(arrays) == {"top_words"}


def test_counts_are_those_of_the_rows_and_without_them_what_methods_meet():
    data, X, _ = texts()
    task = SimpleNamespace(of=lambda values: values[[3, 1]])
    found = protocol.counts_of_words(SimpleNamespace(data=data, task=task), X)
    assert found.toarray().tolist() == data.views["counts"].values.toarray()[[3, 1]].tolist()
    data.views = {}
    assert protocol.counts_of_words(SimpleNamespace(data=data, task=task), X) is X


def test_images_of_one_maximum():
    X = np.array([[1.0, 4.0], [0.0, 0.0], [5.0, 2.5]])
    found = protocol.features_of(SimpleNamespace(X=X), "one_maximum")
    assert found.tolist() == [[0.25, 1.0], [0.0, 0.0], [1.0, 0.5]] and X.max() == 5.0
    with pytest.raises(ValueError, match=r"one_maximum.*dense"):
        protocol.features_of(SimpleNamespace(X=sparse.csr_array(X)), "one_maximum")


def test_a_cell_without_labels():
    data, X, topic = texts()
    data.X, data.labels, data.label_names, data.class_parents = X, None, (), None
    method = MethodPlan("NTC", "NumericalTaxonomy", {"worth": True})
    spec = SimpleNamespace(seed=0, setting={})
    task = SimpleNamespace(of=lambda values: values)
    given = Cell(spec, method, data, task)
    out = protocol.PROTOCOL.run(given)
    assert out.arrays["labels"].tolist() == topic.tolist()
    assert "words_back" in out.metrics and "share_tree" in out.metrics and len(out.readings) == 8
    assert not {"conditional_entropy", "taxonomy_correlation", "moved_from_start"} & set(out.metrics)
