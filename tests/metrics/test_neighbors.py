import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_mutual_info_score, v_measure_score

from cladebench.metrics import average_precision, precision_at, v_scores, vote


@given(st.integers(0, 2**32 - 1))
def test_a_vote_is_that_of_most_and_the_nearest_of_equals(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 9)), int(rng.integers(1, 8))
    labels = np.array(["c", "a", "b"])[rng.integers(3, size=n)]
    near = rng.integers(n, size=(5, k))
    for row, winner in zip(near, vote(near, labels), strict=True):
        votes = labels[row].tolist()
        most = max(votes.count(c) for c in votes)
        assert winner == next(c for c in votes if votes.count(c) == most)


def test_precision_is_of_the_first_k():
    relevant = [[True, False, True], [False, False, True]]
    np.testing.assert_allclose(precision_at(relevant), [1 / 2, 1 / 4, (2 / 3 + 1 / 3) / 2])


def test_average_precision_by_hand():
    # Found at places 1 and 3: (1/1 + 2/3) / 3. Places beyond k do not count, nor do empty ones.
    found = [[4, 9, 5, 6], [4, 5, 6, 7], [-1, -1, -1, -1], [7, 8, 9, 4]]
    true = [[4, 5, 6, 7]] * 3 + [[4, 5, 6, 7]]
    np.testing.assert_allclose(average_precision(found, true, 3), [(1 + 2 / 3) / 3, 1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match=r"found has 4 neighbours of each query; expected at least 5"):
        average_precision(found, true, 5)


def test_more_of_the_exact_neighbours_may_be_relevant_than_are_asked_for():
    # 9 is the fourth of the exact ones: of the first two places both are right where four are relevant, else one.
    found, true = [[4, 9, 5, 6]], [[4, 5, 6, 9, 7]]
    assert average_precision(found, true, 2).tolist() == [0.5]
    assert average_precision(found, true, 2, n_relevant=3).tolist() == [0.5]
    assert average_precision(found, true, 2, n_relevant=4).tolist() == [1.0]
    with pytest.raises(ValueError, match="n_relevant=1 with k=2; expected k or more"):
        average_precision(found, true, 2, n_relevant=1)
    with pytest.raises(ValueError, match="true has 5 neighbours of each query; expected at least 6"):
        average_precision(found, true, 2, n_relevant=6)


def test_missing_neighbours_are_never_hits():
    assert average_precision([[-1, 2]], [[-1, 2]], 2).tolist() == [0.25]


@given(st.integers(0, 2**32 - 1))
def test_v_measure_and_its_chance_corrected_form_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    true, found = rng.integers(1 + rng.integers(5), size=n), rng.integers(1 + rng.integers(5), size=n)
    scores = v_scores(true, found)
    assert scores.value == pytest.approx(v_measure_score(true, found), abs=1e-12)
    if scores.permuted < 1 - 1e-6:
        assert scores.corrected == pytest.approx(adjusted_mutual_info_score(true, found), abs=1e-9)


def test_the_expectation_is_the_mean_over_all_permutations():
    from itertools import permutations

    true, found = [0, 0, 1, 1, 2], [0, 1, 1, 1, 0]
    every = [v_measure_score(true, list(order)) for order in permutations(found)]
    assert v_scores(true, found).permuted == pytest.approx(np.mean(every), abs=1e-12)
    assert v_scores(true, found).permuted > 0.3


def test_degenerate_partitions():
    assert v_scores([1, 1, 1], [2, 2, 2]) == (1.0, 1.0, 1.0)
    assert v_scores([1, 2, 3], [3, 1, 2]) == pytest.approx((1.0, 1.0, 1.0))
    assert v_scores([1, 2, 1, 2], [0, 0, 0, 0])[0] == 0.0
    with pytest.raises(ValueError, match="labels_pred has shape"):
        v_scores([1, 2], [1])
