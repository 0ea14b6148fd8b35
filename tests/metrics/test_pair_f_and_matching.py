"""F-measure over pairs and matched accuracy, against plain counts, enumeration and permutations."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cladebench import _core
from cladebench.metrics import f_scores, matched_scores

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


def dense_matched(true, predicted, n_true, n_predicted) -> int:
    """By SciPy, over all pairs."""
    counts = np.zeros((n_true, n_predicted), dtype=np.int64)
    np.add.at(counts, (true, predicted), 1)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return int(counts[rows, columns].sum())


@settings(max_examples=300)
@given(
    st.integers(1, 30),
    st.integers(1, 30),
    st.integers(30, 150),
    st.sampled_from([0.0, 0.5, 3.0]),
    st.integers(0, 999),
)
def test_matching_over_the_pairs_that_occur_is_matching_over_all(n_true, n_predicted, n, skew, seed) -> None:
    # Without skew names are equally frequent; with it, few pairs have most samples, and many names have none.
    rng = np.random.default_rng(seed)
    true, predicted = ((k * rng.random(n) ** (1.0 + skew)).astype(np.int64) for k in (n_true, n_predicted))
    if seed % 3 == 0:
        predicted = np.where(rng.random(n) < 0.7, true % n_predicted, predicted)
    exact = dense_matched(true, predicted, n_true, n_predicted)
    assert _core.most_matched(true, predicted) == exact


@pytest.mark.parametrize("n", [400, 2000, 20_000])
def test_many_clusters_are_matched(n) -> None:
    rng = np.random.default_rng(n)
    true, predicted = rng.integers(0, 300, n), rng.integers(0, 200, n)
    drawn = np.where(rng.random(n) < 0.5, true % 200, predicted)
    for labels in (predicted, drawn):
        assert _core.most_matched(true, labels) == dense_matched(true, labels, 300, 200)


def test_the_core_refuses_names_out_of_range() -> None:
    one = np.array([0, 1])
    assert _core.most_matched(one[:0], one[:0]) == 0
    for bad, words in (
        (np.array([0, 2]), r"a name is 2; expected 0\.\.1"),
        (np.array([-1, 0]), "a name is -1"),
        (one[:1], "differ in length"),
    ):
        for names in ((bad, one), (one, bad)):
            with pytest.raises(ValueError, match=words):
                _core.most_matched(*names)
