"""The base of all distances, met by distances of the sorts that papers learn: from labels, and from constraints."""

import warnings

import numpy as np
import pandas as pd
import pytest

from cladebench.distances import (
    DCA,
    ITML,
    Euclidean,
    HierarchyForest,
    RandomForestDistance,
    RandomForestProximity,
)
from cladebench.distances._linear import LinearDistance
from cladebench.distances._mapped import MappedDistance
from cladebench.distances.base import Distance, _pairs_of_labels


class Weighted(Distance):
    """A toy of the learned sort: features count as they tell cannot-links from must-links."""

    uses_constraints = True

    def _learn(self, X, y, must_link, cannot_link):
        assert y is None
        self.seen_ = must_link, cannot_link

        def spread(pairs):
            return np.abs(X[pairs[:, 0]] - X[pairs[:, 1]]).sum(axis=0) + 1.0

        self.weights_ = spread(cannot_link) / spread(must_link)

    def _pairwise(self, X, Y):
        return np.abs(X[:, None] - Y).dot(self.weights_)


class Blind(Distance):
    """Not a metric: the distance to a row is the row's first feature."""

    is_metric = False

    def _learn(self, X, y, must_link, cannot_link):
        self.given_ = y, must_link, cannot_link

    def _pairwise(self, X, Y):
        return np.broadcast_to(Y[:, 0], (len(X), len(Y)))


X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.arange(40) // 3 % 3


def test_constraints_reach_a_class_that_uses_them_and_no_other() -> None:
    must, cannot = np.array([[0, 1], [3, 4]]), [[0, 4]]
    found = Weighted().fit(X, must_link=must, cannot_link=cannot)
    assert found.seen_[0].tolist() == must.tolist() and found.seen_[1].tolist() == cannot
    y, none, neither = Blind().fit(X, Y, must_link=must, cannot_link=cannot).given_
    assert y is None and none.shape == neither.shape == (0, 2)


def test_constraints_are_taken_from_labels_only_where_none_are_given() -> None:
    from_labels = Weighted().fit(X, Y).seen_
    assert all(np.array_equal(a, b) for a, b in zip(from_labels, _pairs_of_labels(Y), strict=True))
    must, cannot = Weighted().fit(X, Y, must_link=[[0, 1]]).seen_
    assert must.tolist() == [[0, 1]] and cannot.shape == (0, 2)
    must, cannot = Weighted().fit(X, Y, cannot_link=[[0, 5]]).seen_
    assert must.shape == (0, 2) and cannot.tolist() == [[0, 5]]
    assert [pairs.shape for pairs in Weighted().fit(X).seen_] == [(0, 2), (0, 2)]
    with pytest.raises(ValueError, match=r"y\[1\] is 'a'"):
        Weighted().fit(X[:3], [1, "a", 2])


def test_a_class_that_reads_labels_too_gets_the_constraints_that_it_is_given() -> None:
    class Both(Weighted):
        uses_labels = True

        def _learn(self, X, y, must_link, cannot_link):
            assert y is not None
            super()._learn(X, None, must_link, cannot_link)

    for given in ({"must_link": [[0, 1]]}, {"cannot_link": [[0, 5]]}):
        seen = Both().fit(X, Y, **given).seen_
        assert [len(pairs) for pairs in seen] == [
            len(given.get(name, [])) for name in ("must_link", "cannot_link")
        ]
    assert all(np.array_equal(a, b) for a, b in zip(Both().fit(X, Y).seen_, _pairs_of_labels(Y), strict=True))


def test_pairs_of_labels_by_hand() -> None:
    # The rows are visited in a fixed random order; as they are visited, their classes are 1 1 0 1 0 2.
    visited = np.random.default_rng(0).permutation(6)
    assert visited.tolist() != list(range(6))
    y = np.empty(6, dtype=np.int64)
    y[visited] = [1, 1, 0, 1, 0, 2]
    must, cannot = _pairs_of_labels(y)
    place = np.argsort(visited)
    assert sorted(map(tuple, place[must].tolist())) == [(0, 1), (1, 3), (2, 4)]
    assert place[cannot].tolist() == [[0, 2], [1, 2], [2, 3], [3, 4], [4, 5]]
    assert [len(pairs) for pairs in _pairs_of_labels(np.zeros(3, dtype=np.int64))] == [2, 0]
    assert [len(pairs) for pairs in _pairs_of_labels(np.zeros(1, dtype=np.int64))] == [0, 0]


def test_pairs_of_labels_are_spread_where_rows_stand_by_class() -> None:
    y = np.repeat(np.arange(3), 50)
    must, cannot = _pairs_of_labels(y)
    assert len(must) == 147 and (y[must[:, 0]] == y[must[:, 1]]).all()
    assert len(cannot) > 140 and (y[cannot[:, 0]] != y[cannot[:, 1]]).all()
    assert len(np.unique(cannot[:, 1])) > 75, "many rows have the same partner"
    assert all(counts > 30 for counts in np.bincount(y[cannot].sum(axis=1))[1:]), "two classes have few pairs"


def test_a_target_of_regression_is_no_label() -> None:
    target = np.arange(40.0)
    Weighted().fit(X, target)  # whole numbers may be classes
    for values in (target + 0.5, (target + 0.5).astype(object)):
        with pytest.raises(
            ValueError, match=r"^y\[0\] is 0.5; expected class labels: strings or whole numbers$"
        ):
            Weighted().fit(X, values)
        Weighted().fit(X, values, must_link=[[0, 1]])  # not read
        Blind().fit(X, values)
    target[7] = 0.25
    with pytest.raises(ValueError, match=r"^y\[7\] is 0.25;"):
        Weighted().fit(X, target)


def test_a_fitted_row_is_left_out_by_its_index_and_not_by_its_distance() -> None:
    rows = [[0.0], [0.0], [0.0], [5.0]]
    assert Euclidean().fit(rows).kneighbors(None, 1)[1].tolist() == [[1], [0], [0], [0]]
    assert Euclidean().fit(rows).kneighbors(None, 3)[1].tolist() == [
        [1, 2, 3],
        [0, 2, 3],
        [0, 1, 3],
        [0, 1, 2],
    ]
    with pytest.raises(ValueError, match="n_samples - 1 = 0"):
        Euclidean().fit([[1.0]]).kneighbors(None, 1)
    # Where the distance of a row from itself is not the smallest.
    assert Blind().fit([[3.0], [1.0], [2.0]]).kneighbors(None, 1)[1].tolist() == [[1], [2], [1]]


def test_a_distance_that_is_no_metric() -> None:
    rows = np.array([[3.0], [1.0], [2.0]])
    distance, index = Blind().fit(rows).kneighbors([[9.0]], 3)
    assert index.tolist() == [[1, 2, 0]] and distance.tolist() == [[1, 2, 3]]
    assert Blind().fit(rows).pairwise([[5.0]]).tolist() == [[5.0]]


def test_distances_that_overflow_are_refused() -> None:
    class Huge(Blind):
        def _pairwise(self, X, Y):
            return np.full((len(X), len(Y)), np.inf)

    with pytest.raises(ValueError, match="distances of Huge overflow; rescale X"):
        Huge().fit(X).pairwise(X)
    with pytest.raises(ValueError, match="distances of Huge overflow; rescale X"):
        Huge().fit(X).kneighbors(X)
    Huge._pairwise = lambda self, X, Y: np.full((len(X), len(Y)), np.nan)
    with pytest.raises(ValueError, match="distances of Huge are NaN, or overflow; rescale X"):
        Huge().fit(X).pairwise(X)


def test_a_mistake_names_the_argument() -> None:
    with pytest.raises(ValueError, match=r"Y\[0, 1\] is 1e\+200.*rescale Y"):
        Euclidean().fit(X).pairwise(X, [[0.0, 1e200, 0.0]])
    with pytest.raises(ValueError, match=r"^Euclidean: Y\[0, 0\] is NaN; expected finite numbers"):
        Euclidean().fit(X).pairwise(X, X[:3] * np.nan)
    with pytest.raises(ValueError, match=r"^Euclidean: X\[0, 0\] is infinity; expected finite numbers"):
        Euclidean().fit(X).pairwise(np.abs(X) * np.inf, X)
    with pytest.raises(ValueError, match=r"^Y has 2 features, but Euclidean is expecting 3 features"):
        Euclidean().fit(X).pairwise(X, X[:, :2])


def test_names_of_features_are_compared() -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    distance = Euclidean().fit(table)
    assert np.array_equal(distance.pairwise(table, table), Euclidean().fit(X).pairwise(X))
    with pytest.raises(ValueError, match="feature names"):
        distance.pairwise(table, table[["b", "a", "c"]])


@pytest.mark.filterwarnings("ignore:.*encountered in reduce:RuntimeWarning")  # of sums, in scikit-learn
def test_values_that_the_trees_of_scikit_learn_cannot_hold_are_refused() -> None:
    words = r"\[3, 1\] is 1e\+100: expected at most 1.27e\+30 in magnitude.*; rescale "
    wide = X.copy()
    wide[3, 1] = 1e100
    with pytest.warns(UserWarning, match="feature 1: single precision leaves 2 of"):
        RandomForestProximity(n_estimators=3).fit(wide, Y)
    distance = RandomForestProximity(n_estimators=3, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="^X" + words + "X$"):
        distance.pairwise(wide)
    with pytest.raises(ValueError, match="^X" + words + "X$"):
        distance.kneighbors(wide)
    with pytest.raises(ValueError, match="^Y" + words + "Y$"):
        distance.pairwise(X, -wide * [1, -1, 1])
    RandomForestProximity(n_estimators=3).fit(X / np.abs(X).max() * 3.4e38, Y)


def test_masked_pairs_and_truth_values_among_rows_are_refused():
    X = np.arange(8.0).reshape(4, 2)
    masked = np.ma.array([[0, 2]], mask=[[False, True]])
    for pairs, said in ((masked, "must_link has 1 masked entries"), ([[True, 2]], r"must_link\[0\] is True")):
        with pytest.raises(ValueError, match=said):
            Weighted().fit(X, must_link=pairs)


@pytest.mark.parametrize("cls", [DCA, ITML, RandomForestDistance])
def test_with_nothing_to_learn_from_a_fit_warns(cls: type[Distance]) -> None:
    words = rf"^{cls.__name__}: nothing to learn from; expected y, must_link or cannot_link$"
    for given in ({}, {"must_link": []}, {"must_link": np.empty((0, 2), int), "cannot_link": []}):
        with pytest.warns(UserWarning, match=words) as caught:
            cls().fit(X, **given)
        assert [warning.filename for warning in caught] == [__file__]


def test_with_something_to_learn_from_no_fit_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HierarchyForest(5).fit(X)  # has an unsupervised form
        Euclidean().fit(X)  # learns nothing
        for cls in (DCA, ITML):
            cls().fit(X, Y)
            cls().fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 3), (2, 3)])


def test_without_must_links_dca_warns() -> None:
    with pytest.warns(UserWarning, match="^DCA: no must-link, and the distance is Euclidean; expected some$"):
        DCA().fit(X, cannot_link=[(0, 1)])


@pytest.mark.parametrize("cls", [Weighted, ITML])
def test_a_pair_in_both_sorts_of_constraints_is_named(cls: type[Distance]) -> None:
    words = rf"^{cls.__name__}: must_link and cannot_link share \[2, 3\], 2 in all; expected no such pair$"
    with pytest.warns(UserWarning, match=words):
        cls().fit(X, must_link=[(0, 1), (5, 4), (3, 2)], cannot_link=[(3, 2), (2, 3), (5, 4), (0, 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Blind().fit(X, must_link=[(0, 1)], cannot_link=[(0, 1)])  # reads neither


class Odd(MappedDistance, Blind):
    """Gives what it is made with, whatever it is asked for."""

    def __init__(self, pairwise=None, nearest=None, image=None):
        self.pairwise_, self.nearest_, self.image_ = pairwise, nearest, image

    def _pairwise(self, X, Y):
        return super()._pairwise(X, Y) if self.pairwise_ is None else self.pairwise_

    def _nearest(self, X, k):
        return super()._nearest(X, k) if self.nearest_ is None else self.nearest_

    def _map(self, X):
        return X if self.image_ is None else self.image_


@pytest.mark.parametrize(
    ("odd", "call", "words"),
    [
        (
            Odd(pairwise=np.ones((4, 4))),
            "pairwise",
            r"_pairwise gave shape \(4, 4\); expected shape \(40, 40\)$",
        ),
        (Odd(pairwise="near"), "pairwise", r"_pairwise gave str; expected numbers of shape \(40, 40\)$"),
        (
            Odd(nearest=(np.ones((40, 5)),) * 2),
            "kneighbors",
            r"_nearest gave shape .*; expected shape \(40, 6\)$",
        ),
        (Odd(image=np.ones((3, 2))), "transform", r"_map gave shape \(3, 2\); expected shape \(40, any\)$"),
        (Odd(image=np.ones((3, 2))), "pairwise", r"_map gave shape \(3, 2\)"),
        (Odd(image=np.ones((3, 2))), "kneighbors", r"_map gave shape \(3, 2\)"),
    ],
)
def test_what_a_subclass_gives_is_checked(odd: Odd, call: str, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^Odd: {words}"):
        getattr(odd.fit(X), call)(*([] if call == "kneighbors" else [X]))


def test_a_map_of_another_number_of_features_is_refused() -> None:
    class Narrow(LinearDistance):
        def _components(self, X, y, must_link, cannot_link):
            return np.eye(2)

    with pytest.raises(
        ValueError, match=r"^Narrow: _components gave shape \(2, 2\); expected shape \(any, 3\)$"
    ):
        Narrow().fit(X)
