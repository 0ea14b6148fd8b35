"""Studies of the taxonomy paper: the number of clusters, their stability, and what held-out rows say of the tree."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from cladebench import datasets
from cladebench.datasets import View
from cladebench.methods import CLUHSIC, NumericalTaxonomy
from cladebench.methods._kernel import start_labels
from cladebench.papers.taxonomy import number_study, significance_study, stability_study, words
from cladebench.papers.taxonomy.protocol import gram_of
from cladebench.reference import dependence as twin
from cladebench.solvers.dependence import objective_bound
from cladebench.solvers.gram import center
from task_draws import drawn_cell


def cell(rows=40, data=None, seed_of=0, **parameters):
    method = SimpleNamespace(name="study", parameters=lambda setting: parameters)
    return drawn_cell("taxonomy", method, data or "nested-blobs", repetition=seed_of, task={"rows": rows})


@pytest.mark.parametrize("study", [number_study, stability_study, significance_study])
def test_features_are_those_that_are_asked_for(study, monkeypatch):
    class Asked(Exception):
        pass

    def told(data, features):
        raise Asked(features)

    monkeypatch.setattr(study, "features_of", told)
    for parameters, features in (({}, "raw"), ({"features": "binary"}, "binary")):
        with pytest.raises(Asked, match=features):
            study.run_study(cell(**parameters))


# ---------------------------------------------------------------- the number of clusters


@pytest.mark.parametrize(
    ("y", "place"),
    [
        ([0.0, 8.0, 9.0, 10.0], 1),
        ([0.0, 4.0, 9.5, 10.0], 2),
        ([5.0, 6.0, 7.0, 8.0], 0),  # a line has no elbow
        ([0.0, 1.0, 2.0, 10.0], 0),  # nor has what lies below it
        ([3.0, 9.0, 3.0], 0),
        ([1.0, 2.0], 0),
        ([1.0], 0),
    ],
)
def test_elbow_by_hand(y, place):
    assert number_study.elbow(np.arange(2.0, 2.0 + len(y)), np.array(y)) == place


def test_the_axis_of_the_elbow_is_scaled():
    y = np.array([0.0, 6.0, 9.0, 10.0])
    assert number_study.elbow(np.array([2.0, 3.0, 4.0, 5.0]), y) == 1
    assert number_study.elbow(np.array([2.0, 5.0, 6.0, 20.0]), y) == 2
    assert number_study.elbow(np.array([20.0, 50.0, 60.0, 200.0]), 7.0 + 0.1 * y) == 2


@pytest.mark.parametrize(
    ("values", "k"),
    [
        ([9.0, 8.0, 1.0, 0.5], 3),
        ([9.0, 8.0, 7.5, 1.0], 4),
        ([99.0, 3.0, 2.5, 2.4, 0.1, 0.0], 5),  # the first gap is not compared
        ([4.0, 3.0, 2.0, 1.0], 3),
        ([4.0, 3.0], 2),
        ([4.0], 2),
    ],
)
def test_eigengap_by_hand(values, k):
    assert number_study.eigengap(np.array(values)) == k


def test_groups_that_are_points_have_their_gap(monkeypatch):
    """As many distinct rows as groups: beyond them the eigenvalues are exactly 0."""
    monkeypatch.setattr(number_study, "NUMBERS", (2, 3, 4, 5, 6))
    for n_groups in (3, 5):
        groups = np.arange(300) % n_groups
        data = SimpleNamespace(X=np.eye(n_groups)[groups], labels=groups, label_names=("",) * n_groups)
        task = SimpleNamespace(of=lambda values: values[:20])
        spec = SimpleNamespace(seed=0)
        out = number_study.run_study(SimpleNamespace(data=data, task=task, spec=spec, parameters={}))
        assert out.metrics["eigengap"] == n_groups and out.metrics["eigengap_off"] == 0.0
        assert out.arrays["eigenvalues"][n_groups:].max() == 0.0


def test_the_number_study_reads_at_each_number(monkeypatch):
    study, ranges, elbow = cell(), [], number_study.elbow

    def told(x, y):
        ranges.append((x[-1], len(x), len(y)))
        return elbow(x, y)

    monkeypatch.setattr(number_study, "elbow", told)
    out = number_study.run_study(study)
    monkeypatch.undo()
    assert ranges == [(last, last - 1, last - 1) for last in (15, 8, 10, 12)]
    assert [reading.at for reading in out.readings] == [{"k": k} for k in range(2, 16)]
    X = study.task.of(study.data.X)
    gram = gram_of(NumericalTaxonomy(), X, study.spec.seed)
    values = np.linalg.eigvalsh(gram.values)[::-1]
    objective = []
    for k, reading in zip(range(2, 16), out.readings, strict=True):
        found = reading.metrics
        assert found["eigenvalue"] == pytest.approx(values[k - 1], rel=1e-8)
        assert found["bound"] == pytest.approx(objective_bound(gram, k))
        assert found["objective"] <= found["bound"] * (1 + 1e-9)
        objective.append(found["objective"])
    for k in (2, 5):
        fitted = NumericalTaxonomy(k, random_state=study.spec.seed).fit(X)
        assert objective[k - 2] == pytest.approx(fitted.objective_)
    metrics = out.metrics
    place = number_study.elbow(np.arange(2.0, 16.0), np.array(objective))
    assert metrics["elbow"] == place + 2 and metrics["eigengap"] == number_study.eigengap(values[:16])
    assert metrics["rules_apart"] == abs(metrics["elbow"] - metrics["eigengap"])
    assert metrics["elbow_off"] == abs(metrics["elbow"] - 8)
    for last in (8, 10, 12):
        place = number_study.elbow(np.arange(2.0, last + 1.0), np.array(objective[: last - 1]))
        assert metrics[f"elbow_{last}"] == place + 2
        assert metrics[f"rules_apart_{last}"] == abs(place + 2 - metrics["eigengap"])
        assert metrics[f"elbow_off_{last}"] == abs(place + 2 - 8)
    assert metrics["eigengap_off"] == abs(metrics["eigengap"] - 8)
    falls = [(a - b) / a for a, b in pairwise(objective)]
    assert metrics["falls"] == pytest.approx(max(0.0, *falls), abs=1e-15)
    assert out.arrays["eigenvalues"] == pytest.approx(values[:16], rel=1e-8)


def test_falls_are_told(monkeypatch):
    class Told(NumericalTaxonomy):
        def fit_gram(self, gram):
            self.objective_ = {4: 0.5, 5: 0.45}.get(self.n_clusters, 1.0)
            return self

    monkeypatch.setattr(number_study, "NumericalTaxonomy", Told)
    assert number_study.run_study(cell()).metrics["falls"] == pytest.approx(0.5)


def test_rules_are_held_against_the_classes_that_rows_are_of(monkeypatch):
    """Rules that choose too few and too many: what they are off is not below 0."""
    data = datasets.load("nested-blobs")
    data = replace(data, labels=data.labels // 2)  # four of the eight names are of no row
    monkeypatch.setattr(number_study, "NUMBERS", (2, 3, 4))
    monkeypatch.setattr(number_study, "elbow", lambda x, y: 1)
    monkeypatch.setattr(number_study, "eigengap", lambda values: 6)
    metrics = number_study.run_study(cell(data=data)).metrics
    assert (metrics["elbow"], metrics["eigengap"], metrics["rules_apart"]) == (3.0, 6.0, 3.0)
    assert (metrics["elbow_off"], metrics["eigengap_off"]) == (1.0, 2.0)


def test_the_seed_of_the_number_study_is_the_cell_s(monkeypatch):
    seeds = set()

    class Told(NumericalTaxonomy):
        def fit_gram(self, gram):
            seeds.add(self.random_state)
            self.objective_ = 1.0
            return self

    monkeypatch.setattr(number_study, "NumericalTaxonomy", Told)
    study = cell()
    number_study.run_study(study)
    assert seeds == {study.spec.seed} != {0}


def test_no_more_clusters_than_rows_and_no_classes():
    data = replace(datasets.load("nested-blobs"), labels=None, label_names=())
    out = number_study.run_study(cell(6, data))
    assert [reading.at["k"] for reading in out.readings] == [2, 3, 4, 5, 6]
    assert out.readings[-1].metrics["eigenvalue"] == 0.0  # of a centred matrix
    within = {f"{name}_{last}" for name in ("elbow", "rules_apart") for last in (8, 10, 12)}
    assert set(out.metrics) == {"elbow", "eigengap", "rules_apart", "falls"} | within
    assert (
        out.metrics["elbow_8"] == out.metrics["elbow_12"] == out.metrics["elbow"]
    )  # there are six numbers of any


# ---------------------------------------------------------------- stability


def test_mean_agreement_by_hand():
    one = (np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1]))
    two = (np.array([1, 2, 3, 7]), np.array([1, 0, 0, 1]))  # the same on the rows 1, 2, 3
    three = (np.array([0, 1, 2, 3]), np.array([0, 1, 0, 1]))
    assert stability_study.mean_agreement([one, two]) == 1.0
    of_pairs = [
        1.0,
        adjusted_rand_score([0, 0, 1, 1], [0, 1, 0, 1]),
        adjusted_rand_score([1, 0, 0], [1, 0, 1]),
    ]
    assert stability_study.mean_agreement([one, two, three]) == pytest.approx(np.mean(of_pairs))


def test_the_methods_that_are_compared():
    X = np.random.default_rng(0).normal(size=(40, 3)) + 6.0 * (np.arange(40) % 3 == np.arange(3)[:, None]).T
    gram = gram_of(NumericalTaxonomy(), X, 0)
    methods = stability_study.methods(3, 0)
    assert list(methods) == ["taxonomy", "unconstrained", "star", "start"]
    for labels_of in methods.values():
        assert adjusted_rand_score(labels_of(gram), np.arange(40) % 3) == 1.0


def test_the_methods_are_those_of_their_names():
    """On points without clusters, where all four end differently, and differently from their like."""
    gram = gram_of(NumericalTaxonomy(), np.random.default_rng(8).normal(size=(60, 4)), 0)
    k, seed = 5, 3
    spectral, unit_rows = (
        start_labels(gram, k, start, np.random.RandomState(seed)) for start in ("spectral", "unit_rows")
    )
    expected = {
        "taxonomy": NumericalTaxonomy(k, random_state=seed).fit_gram(gram).labels_,
        "unconstrained": NumericalTaxonomy(k, taxonomy="none", random_state=seed).fit_gram(gram).labels_,
        "star": CLUHSIC(k, normalized=True, random_state=seed).fit_gram(gram).labels_,
        "start": spectral,
    }
    others = [CLUHSIC(k, normalized=False, random_state=seed).fit_gram(gram).labels_, unit_rows]
    assert len({tuple(labels) for labels in [*expected.values(), *others]}) == 6
    other_seed = stability_study.methods(k, 0)
    for name, labels_of in stability_study.methods(k, seed).items():
        assert np.array_equal(labels_of(gram), expected[name])
        assert not np.array_equal(other_seed[name](gram), expected[name])


def test_the_stability_study_compares_bootstrap_samples(monkeypatch):
    monkeypatch.setattr(stability_study, "N_SAMPLES", 4)
    given = []

    def methods(k, seed):
        def by_row(gram):
            given.append(gram)
            # Of copies of a row the first has its own cluster, so that it counts which copy is asked.
            first = np.concatenate([[True], np.abs(np.diff(gram.values, axis=0)).max(axis=1) > 0])
            return np.where(first, np.arange(gram.n) % k, k)

        return {"one": by_row}

    monkeypatch.setattr(stability_study, "methods", methods)
    study = cell(30)
    out = stability_study.run_study(study)
    X = study.task.of(study.data.X)
    whole = gram_of(NumericalTaxonomy(), X, study.spec.seed)
    found = []
    for sample, gram in enumerate(given):
        drawn = np.sort(np.random.default_rng([study.spec.seed, sample]).integers(30, size=30))
        assert gram.values == pytest.approx(center(whole.values[np.ix_(drawn, drawn)]).values)
        places = [drawn.tolist().index(row) for row in sorted(set(drawn.tolist()))]
        found.append((np.unique(drawn), np.array(places) % 8))
    assert out.metrics == {"ari_one": pytest.approx(stability_study.mean_agreement(found))}
    assert len(given) == 4


def test_words_are_those_of_the_rows_that_were_drawn(monkeypatch):
    X = sparse.csr_array(np.random.default_rng(0).integers(0, 3, size=(12, 5)).astype(float))
    counts = 3.0 * X
    views = {"counts": View("features", counts)}
    data = SimpleNamespace(
        name="nips", X=X, views=views, labels=None, label_names=(), feature_names=tuple("abcde")
    )
    seen = []

    def told(counts, labels, names):
        seen.append((counts.toarray().tolist(), labels.tolist(), names))
        return float(len(seen) ** 2)

    monkeypatch.setattr(stability_study, "words_back", told)
    monkeypatch.setattr(
        stability_study, "methods", lambda k, seed: {"one": lambda gram: np.arange(gram.n) % k}
    )
    spec, task = SimpleNamespace(seed=5), SimpleNamespace(of=lambda values: values)
    study = SimpleNamespace(data=data, task=task, spec=spec, parameters={"samples": 3})
    metrics = stability_study.run_study(study).metrics
    assert metrics["words_back_one"] == pytest.approx((1 + 4 + 9) / 3) and len(seen) == 3
    for sample, (given, labels, names) in enumerate(seen):
        drawn = np.sort(np.random.default_rng([5, sample]).integers(12, size=12)).tolist()
        rows = sorted(set(drawn))
        assert given == counts.toarray()[rows].tolist() and names == data.feature_names
        assert labels == [drawn.index(row) % 8 for row in rows]


def test_the_stability_study_of_nested_groups(monkeypatch):
    monkeypatch.setattr(stability_study, "N_SAMPLES", 3)
    out = stability_study.run_study(cell(80))
    assert set(out.metrics) == {f"ari_{name}" for name in ("taxonomy", "unconstrained", "star", "start")}
    assert all(0.3 < value <= 1.0 for value in out.metrics.values())
    assert stability_study.run_study(cell(80)).metrics == out.metrics


def test_words_that_come_back():
    names = sorted({word for printed in words.PRINTED.values() for word in printed})
    X = np.array([[word in printed for word in names] for printed in words.PRINTED.values()], dtype=float)
    labels = np.repeat(np.arange(8), 2)
    found = stability_study.words_back(sparse.csr_array(np.repeat(X, 2, axis=0)), labels, tuple(names))
    assert found == 1.0
    less = np.minimum(labels, 3)  # at most four clusters of the eight come back
    assert stability_study.words_back(sparse.csr_array(np.repeat(X, 2, axis=0)), less, tuple(names)) <= 0.5


# ---------------------------------------------------------------- significance


def test_nearest_means_by_loops():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    order = rng.permutation(30)
    learn, test = order[:18], order[18:]
    labels = np.argmax(np.column_stack([X[learn], -X[learn].sum(axis=1)]), axis=1)
    means = [X[learn[labels == c]].mean(axis=0) for c in range(4)]
    expected = [int(np.argmin([np.linalg.norm(X[i] - mean) for mean in means])) for i in test]
    found = significance_study.nearest_means(X @ X.T, learn, labels, test)
    assert found.tolist() == expected and set(labels) == set(expected) == {0, 1, 2, 3}


def test_of_means_that_are_equally_near_the_first():
    x = np.array([[-1.0], [1.0], [0.0], [0.75]])
    found = significance_study.nearest_means(x @ x.T, np.array([0, 1]), np.array([0, 1]), np.array([2, 3]))
    assert found.tolist() == [0, 1]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_p_value_by_hand(sign):
    observed = 2.0 * sign
    permuted = np.array([3.0, 1.0, observed, observed * (1.0 + 1e-15), observed - 1e-6, -5.0])
    at_least = 3 if sign > 0 else 4
    assert significance_study.p_value(observed, permuted) == (1 + at_least) / 7
    assert significance_study.p_value(9.0, permuted) == 1 / 7
    assert significance_study.p_value(0.0, np.zeros(3)) == 1.0


def test_ties_count_where_the_dependence_is_negative():
    for observed in (-0.3, -1e-5, 0.3):
        assert significance_study.p_value(observed, np.array([observed, observed - 1.0])) == 2 / 3


def test_the_significance_study_of_nested_groups(monkeypatch):
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 99)
    out = significance_study.run_study(cell(160))
    assert significance_study.run_study(cell(160)).metrics == out.metrics
    assert set(out.metrics) == {
        *("p_tree", "p_partition", "p_partition_learned", "tree_gain", "partition_gain"),
        *("tree_over_star", "tree_over_random"),
    }
    assert out.metrics["p_tree"] <= 0.05 and out.metrics["p_partition"] == 0.01
    assert out.metrics["p_partition_learned"] == 0.01
    assert out.metrics["tree_gain"] > 1.0 and out.metrics["tree_over_star"] > 1.0
    assert out.metrics["tree_over_random"] > 1.0


def test_the_significance_study_is_what_it_says_of_itself(monkeypatch):
    """What goes into a share of permutations is looked at, as three small ones would be equal."""
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 19)
    monkeypatch.setattr(significance_study, "N_RANDOM", 3)
    monkeypatch.setattr(significance_study, "p_value", lambda observed, values: observed / values.max())
    data = datasets.load("nested-blobs")
    study = cell(60, replace(data, X=np.random.default_rng(1).normal(size=data.X.shape)))
    metrics = significance_study.run_study(study).metrics
    X, rng = study.task.of(study.data.X), np.random.default_rng(study.spec.seed)
    squares = cdist(X, X, "sqeuclidean")
    K = np.exp(-squares / np.median(squares[np.triu_indices(60, 1)]))
    order = rng.permutation(60)
    learn, test = np.sort(order[:30]), np.sort(order[30:])
    fitted = NumericalTaxonomy(8, random_state=study.spec.seed).fit_gram(center(K[np.ix_(learn, learn)]))
    Y, own = fitted.structure_, fitted.labels_
    labels = significance_study.nearest_means(K, learn, own, test)

    def value(rows, labels, Y):
        return twin.dependence(K[np.ix_(rows, rows)], labels, Y)

    permutations = [[rng.permutation(n) for _ in range(19)] for n in (len(Y), 30, 30)]
    leaves = np.array([value(test, labels, Y[np.ix_(p, p)]) for p in permutations[0]])
    rows = np.array([value(test, labels[p], Y) for p in permutations[1]])
    learned = np.array([value(learn, own[p], Y) for p in permutations[2]])
    observed = value(test, labels, Y)
    star = value(test, labels, significance_study.other_tree(fitted, "star"))
    drawn = [value(test, labels, significance_study.other_tree(fitted, "random", i)) for i in range(3)]
    assert metrics == pytest.approx(
        {
            "tree_over_star": observed / star,
            "tree_over_random": observed / np.mean(drawn),
            "p_tree": observed / leaves.max(),
            "p_partition": observed / rows.max(),
            "p_partition_learned": value(learn, own, Y) / learned.max(),
            "tree_gain": observed / leaves.mean(),
            "partition_gain": observed / rows.mean(),
        }
    )


def test_held_out_rows_are_not_learned_from(monkeypatch):
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 9)
    seen = []
    real = significance_study.nearest_means

    def told(K, learn, labels, test):
        seen.append((learn, test))
        return real(K, learn, labels, test)

    monkeypatch.setattr(significance_study, "nearest_means", told)
    significance_study.run_study(cell(41))
    ((learn, test),) = seen
    assert len(learn) == 20 and sorted([*learn, *test]) == list(range(41))


def test_in_the_half_that_was_learned_from_noise_has_clusters(monkeypatch):
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 49)
    data = datasets.load("nested-blobs")
    noise = replace(data, X=np.random.default_rng(0).normal(size=data.X.shape))
    assert significance_study.run_study(cell(60, noise)).metrics["p_partition_learned"] == 0.02


def test_other_trees():
    X = np.random.default_rng(0).normal(size=(40, 3))
    found = NumericalTaxonomy(5, random_state=0).fit(X)
    same = significance_study.other_tree(found, "search")
    scale = np.linalg.norm(found.structure_) / np.linalg.norm(same)
    assert same * scale == pytest.approx(found.structure_, abs=1e-8)
    star = significance_study.other_tree(found, "star")
    drawn = [significance_study.other_tree(found, "random", draw) for draw in range(4)]
    assert not np.allclose(star, same) and not all(np.allclose(Y, drawn[0]) for Y in drawn)


def test_the_least_p_value_is_one_in_a_thousand():
    permuted = np.zeros(significance_study.N_PERMUTATIONS)
    assert significance_study.p_value(1.0, permuted) == 0.001
