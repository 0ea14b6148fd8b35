"""F-measure over pairs and matched accuracy, against plain counts, enumeration and permutations."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.metrics import f_scores, matched_scores, matching

partitions = st.integers(2, 7).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)
)


def plain_f(true, predicted) -> float:
    pairs = list(combinations(range(len(true)), 2))
    kept = [(true[i] == true[j], predicted[i] == predicted[j]) for i, j in pairs]
    both = sum(one and other for one, other in kept)
    if not any(one or other for one, other in kept):
        return 1.0
    if not both:
        return 0.0
    precision, recall = both / sum(other for _, other in kept), both / sum(one for one, _ in kept)
    return 2 * precision * recall / (precision + recall)


def plain_matched(true, predicted) -> float:
    """Over all injections of the smaller side into the larger."""
    classes, clusters = sorted(set(true)), sorted(set(predicted))
    few, many = (classes, clusters) if len(classes) <= len(clusters) else (clusters, classes)
    best = 0
    for image in permutations(many, len(few)):
        match = set(zip(few, image, strict=True))
        pairs = zip(true, predicted, strict=True) if few is classes else zip(predicted, true, strict=True)
        best = max(best, sum(pair in match for pair in pairs))
    return best / len(true)


@given(partitions)
def test_f_over_pairs(both) -> None:
    true, predicted = both
    scores = f_scores(true, predicted)
    assert scores.value == pytest.approx(plain_f(true, predicted))
    if len(true) <= 6:
        mean = np.mean([plain_f(order, predicted) for order in permutations(true)])
        assert scores.permuted == pytest.approx(mean)
    if scores.permuted < 1:
        assert scores.corrected == pytest.approx((scores.value - scores.permuted) / (1 - scores.permuted))
    else:
        assert scores.corrected == 1.0


@given(partitions)
def test_matched_accuracy(both) -> None:
    true, predicted = both
    scores = matched_scores(true, predicted)
    assert scores.value == pytest.approx(plain_matched(true, predicted))
    assert matched_scores(predicted, true).value == pytest.approx(scores.value)
    if scores.permuted < 1:
        assert scores.corrected == pytest.approx((scores.value - scores.permuted) / (1 - scores.permuted))


def test_what_chance_gives_a_matching() -> None:
    true, predicted = np.repeat([0, 1, 2], 2), np.array([0, 0, 0, 1, 1, 2])
    exact = np.mean([plain_matched(order, predicted) for order in permutations(true.tolist())])
    assert matched_scores(true, predicted).permuted == pytest.approx(exact, abs=0.03)
    assert matched_scores(true, predicted) == matched_scores(true, predicted)
    draw = np.random.default_rng(0)
    drawn = [plain_matched(draw.permutation(true).tolist(), predicted) for _ in range(200)]
    assert matched_scores(true, predicted).permuted == pytest.approx(np.mean(drawn), abs=1e-12)
    rng = np.random.default_rng(1)
    large = matched_scores(rng.integers(0, 4, 5000), rng.integers(0, 4, 5000))
    assert large.value == pytest.approx(large.permuted, abs=0.03) and abs(large.corrected) < 0.04


def test_names_and_degenerate_partitions() -> None:
    assert f_scores(["a", "a", "b"], [7, 7, 1]) == (1.0, pytest.approx(1 / 3), 1.0)
    assert f_scores([0, 1, 2], [2, 1, 0]) == (1.0, 1.0, 1.0)  # no pair together anywhere
    assert f_scores([0, 0, 0], [1, 2, 3]).value == 0.0
    assert matched_scores([0, 0, 0], ["x", "x", "x"]) == (1.0, 1.0, 1.0)
    assert matched_scores([5], [6]).value == 1.0
    assert matched_scores([0, 0, 0, 1], [0, 1, 2, 3]).value == 0.5
    with pytest.raises(ValueError, match="labels_true is empty"):
        matched_scores([], [])
    with pytest.raises(ValueError, match="labels_pred has shape"):
        matched_scores([0, 1], [0])
    with pytest.raises(ValueError, match="at least 2"):
        f_scores([0], [0])


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 60), st.integers(0, 99))
def test_matching_over_the_pairs_that_occur_is_matching_over_all(n_true, n_predicted, n, seed) -> None:
    rng = np.random.default_rng(seed)
    given_codes = rng.integers(n_true, size=n), rng.integers(n_predicted, size=n), n_true, n_predicted
    assert matching._matched_sparse(*given_codes) == matching._matched_dense(*given_codes)


def test_many_clusters_are_matched(monkeypatch) -> None:
    true = np.arange(300) // 2
    few = matched_scores(true, np.arange(300) // 3)
    monkeypatch.setattr(matching, "DENSE", 10**9)
    assert matched_scores(true, np.arange(300) // 3) == few
