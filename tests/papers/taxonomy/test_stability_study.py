"""How stable clusters are: agreement over bootstrap samples, words that come back."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from cladebench.datasets import View
from cladebench.methods import CLUHSIC, NumericalTaxonomy
from cladebench.methods._kernel import start_labels
from cladebench.papers.taxonomy import stability_study, words
from cladebench.papers.taxonomy.protocol import gram_of
from cladebench.solvers.gram import center
from task_draws import study_cell


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
    assert list(other_seed) == list(expected)
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
    study = study_cell(30)
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
    out = stability_study.run_study(study_cell(80))
    assert set(out.metrics) == {f"ari_{name}" for name in ("taxonomy", "unconstrained", "star", "start")}
    assert all(0.3 < value <= 1.0 for value in out.metrics.values())
    assert stability_study.run_study(study_cell(80)).metrics == out.metrics


def test_words_that_come_back():
    names = sorted({word for printed in words.PRINTED.values() for word in printed})
    X = np.array([[word in printed for word in names] for printed in words.PRINTED.values()], dtype=float)
    labels = np.repeat(np.arange(8), 2)
    found = stability_study.words_back(sparse.csr_array(np.repeat(X, 2, axis=0)), labels, tuple(names))
    assert found == 1.0
    less = np.minimum(labels, 3)  # at most four clusters of the eight come back
    assert stability_study.words_back(sparse.csr_array(np.repeat(X, 2, axis=0)), less, tuple(names)) <= 0.5
