import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from cladebench.distances import HierarchyForest
from cladebench.metrics import average_precision, precision_at, vote


@given(st.integers(0, 2**32 - 1))
def test_a_vote_is_that_of_most_and_the_nearest_of_equals(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    k = int(rng.integers(1, n + 1))
    labels = np.array(["c", "a", "b"])[rng.integers(3, size=n)]
    near = np.stack([rng.permutation(n)[:k] for _ in range(5)])
    near[rng.random(near.shape) < rng.choice([0, 0.4])] = -1
    near = near[(near >= 0).any(axis=1)]
    if not len(near):
        return
    for row, winner in zip(near, vote(near, labels), strict=True):
        votes = labels[row[row >= 0]].tolist()  # -1 is none, wherever it stands
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


def test_missing_neighbours_are_never_hits_and_have_no_vote():
    assert average_precision([[-1, 2]], [[3, 2]], 2).tolist() == [0.25]
    assert vote([[0, -1, -1]], ["a", "b", "z"]).tolist() == ["a"]
    assert vote([[-1, 2, 1], [-1, -1, 1]], ["a", "b", "z"]).tolist() == ["z", "b"]


def test_votes_of_a_search_that_finds_too_few_are_those_of_what_it_found():
    X, y = make_blobs(n_samples=80, centers=4, random_state=0)
    forest = HierarchyForest(n_trees=2, random_state=0).fit(X)
    near = forest.neighbors_of(n_neighbors=30, candidates_per_tree=3, refill=False)[1]
    assert ((near < 0).any(axis=1) & (near >= 0).any(axis=1)).all()
    found = vote(near, y)
    for row, winner in zip(near, found, strict=True):
        assert winner == vote([row[row >= 0]], y)[0]
    assert (found == y).mean() > 0.8


@pytest.mark.parametrize(
    ("near", "said"),
    [
        ([[0, 3]], r"neighbors\[0, 1\] is 3; expected a row, 0\.\.2, or -1 for none"),
        ([[0, 1], [-2, 1]], r"neighbors\[1, 0\] is -2; expected"),
        ([[0, 1], [-1, -1]], r"neighbors\[1\] names no row; expected at least one neighbour"),
        ([[0, 1], [2, 2]], r"neighbors\[1\] has row 2 twice; expected different rows"),
        ([[0, 1.0]], "neighbors has dtype float64; expected integers"),
        ([[True, 0]], r"neighbors\[0\] is True; expected an integer"),
        ([["0", "1"]], "neighbors has dtype <U1; expected integers"),
        (np.array([[0, 1]], dtype="timedelta64[s]"), "neighbors has dtype timedelta64"),
        (np.ma.masked_equal([[0, 1]], 1), "neighbors has 1 masked entries"),
        ([[0, 2**64]], r"neighbors\[1\] is 18446744073709551616; expected at most"),
        ([0, 1], r"neighbors has shape \(2,\); expected \(n_queries, k\)"),
        ([[]], r"neighbors has shape \(1, 0\); expected \(n_queries, k\), neither 0"),
        ([[0], [0, 1]], "neighbors is not an array of integers"),
    ],
)
def test_what_is_no_list_of_rows_has_no_vote(near, said):
    with pytest.raises(ValueError, match=said):
        vote(near, [0, 1, 2])


def test_lists_of_which_there_is_no_average_precision():
    for found, true, k, said in [
        ([[7, 7, 7]], [[7, 8, 9]], 3, r"found\[0\] has row 7 twice"),
        ([[7, 8, 9]], [[7, 7, 7]], 3, r"true\[0\] has row 7 twice"),
        ([[7, -3, 9]], [[7, 8, 9]], 3, r"found\[0, 1\] is -3; expected a row, 0\.\., or -1 for none"),
        ([[7, -1, 9]], [[7, 8, -1]], 3, r"true\[0, 2\] is -1; expected a row, 0\.\.$"),
        ([[7, 8, 9]], [[7, 8, 9]] * 2, 3, "found has 1 queries; expected 2, as many as true"),
        ([[7, 8, 9]], [[7, 8, 9]], 0, "k is 0; expected at least 1"),
    ]:
        with pytest.raises(ValueError, match=said):
            average_precision(found, true, k)
    for k, n_relevant in ((1.0, None), (True, None), (1, 2.0)):
        with pytest.raises(TypeError, match="expected an integer"):
            average_precision([[7, 8, 9]], [[7, 8, 9]], k, n_relevant)


@pytest.mark.parametrize(
    ("relevant", "said"),
    [
        ([[2, 0]], r"relevant\[0, 0\] is 2; expected true or false"),
        ([[True, False], [True, np.nan]], r"relevant\[1, 1\] is nan; expected true or false"),
        ([[-1, 0]], r"relevant\[0, 0\] is -1"),
        ([True, False], r"relevant has shape \(2,\); expected \(n_queries, k\), neither 0"),
        (np.empty((0, 2), dtype=bool), r"relevant has shape \(0, 2\)"),
        (np.empty((2, 0), dtype=bool), r"relevant has shape \(2, 0\)"),
        ([["yes", "no"]], "relevant is not an array of numbers"),
    ],
)
def test_what_is_neither_relevant_nor_not_has_no_precision(relevant, said):
    with pytest.raises(ValueError, match=said):
        precision_at(relevant)
