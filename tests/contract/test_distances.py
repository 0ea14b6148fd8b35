"""What every distance must do; a new file in distances/ is met with no line of code here."""

import numpy as np
import pytest
from sklearn.base import clone

import contract_checks as contract
from cladebench.distances import base, discover
from cladebench.distances.base import Distance
from contract_checks import blobs, damaged_rows, make
from instruction_sets import each_number_of_threads

DISTANCES = discover(Distance)
Kind = type[Distance]


def constraints(y: np.ndarray) -> dict[str, np.ndarray]:
    """Some pairs of each sort, drawn with a fixed seed."""
    pairs = np.random.default_rng(5).integers(len(y), size=(60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


def fitted(cls: Kind, X: np.ndarray, **params: object) -> Distance:
    y = np.arange(len(X)) % min(3, len(X))
    return make(cls, **params).fit(X, y, **constraints(y))


def sound(cls: Kind, distance: Distance, X: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Check what holds of any table of distances."""
    D = distance.pairwise(X, others)
    assert D.shape == (len(X), len(others)) and D.dtype == np.float64
    assert np.isfinite(D).all() and (D >= 0).all()
    square = distance.pairwise(X)
    np.testing.assert_allclose(square, distance.pairwise(X, X), rtol=1e-9, atol=1e-12)
    if cls.is_metric:
        assert (np.diagonal(square) == 0).all()
        np.testing.assert_allclose(square, square.T, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(D, distance.pairwise(others, X).T, rtol=1e-9, atol=1e-12)
    return D


def check_result(cls: Kind) -> None:
    X, _ = blobs()
    distance = fitted(cls, X)
    assert distance.n_features_in_ == X.shape[1]
    sound(cls, distance, X[:7], np.vstack([X[20:], X[:2] + 0.5]))


def check_triangle(cls: Kind) -> None:
    X, _ = blobs()
    D = fitted(cls, X).pairwise(X)
    if cls.is_metric:
        assert (D[:, None, :] <= (D[:, :, None] + D[None, :, :]) * (1 + 1e-9)).all()


def check_equal_rows(cls: Kind) -> None:
    # Wherever an equal row stands and however many there are: its distances are the same, to the last bit.
    X, _ = blobs()
    distance = fitted(cls, X)
    whole = distance.pairwise(X)
    for i in (0, 1, 17, 29):
        assert np.array_equal(distance.pairwise(X[[i]], X)[0], whole[i])
        assert np.array_equal(distance.pairwise(X[[i, i, i]])[0], np.full(3, whole[i, i]))


def check_neighbors(cls: Kind) -> None:
    X, _ = blobs()
    X = np.vstack([X, X[5:15]])  # ties: rows 5 to 14 come twice
    distance = fitted(cls, X)
    queries = np.vstack([X[3:9], X[:4] + 0.25])
    D = distance.pairwise(queries, X)
    for k in (1, 2, 7, len(X)):
        order = np.argsort(D, axis=1, kind="stable")[:, :k]
        found, index = distance.kneighbors(queries, n_neighbors=k)
        assert np.array_equal(index, order)
        assert np.array_equal(found, np.take_along_axis(D, order, axis=1))
        assert np.array_equal(distance.kneighbors(queries, k, return_distance=False), index)
    assert distance.kneighbors(queries)[1].shape == (len(queries), 5)


def check_neighbors_among_themselves(cls: Kind) -> None:
    # Each row is left out by its index: of equal rows, more than are asked for, the others stay.
    X, _ = blobs()
    X = np.vstack([X, X[5:15], np.repeat(X[[2, 20]], 6, axis=0)])
    distance = fitted(cls, X)
    D = distance.pairwise(X)
    order = np.argsort(D, axis=1, kind="stable")
    others = order[order != np.arange(len(X))[:, None]].reshape(len(X), -1)
    for k in (1, 3, 8, len(X) - 1):
        found, index = distance.kneighbors(n_neighbors=k)
        assert np.array_equal(index, others[:, :k])
        assert np.array_equal(found, np.take_along_axis(D, index, axis=1))
        assert np.array_equal(distance.kneighbors(None, k, return_distance=False), index)
    assert distance.kneighbors()[1].shape == (len(X), 5)
    with pytest.raises(ValueError, match=r"n_neighbors=52 exceeds .*other.*n_samples - 1 = 51"):
        distance.kneighbors(n_neighbors=52)
    with pytest.raises(ValueError, match=r"n_neighbors=53 exceeds .*n_samples=52"):
        distance.kneighbors(n_neighbors=53)


def check_neighbors_in_blocks(cls: Kind) -> None:
    X, _ = blobs()
    distance = fitted(cls, X)
    whole = distance.kneighbors(X, 4), distance.kneighbors(n_neighbors=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BLOCK", 3 * len(X) + 1)
        again = distance.kneighbors(X, 4), distance.kneighbors(n_neighbors=4)
    assert all(np.array_equal(one, other) for one, other in zip(sum(whole, ()), sum(again, ()), strict=True))


def check_bad_queries(cls: Kind) -> None:
    X, _ = blobs()
    distance = fitted(cls, X)
    for ask in (distance.pairwise, distance.kneighbors, lambda rows: distance.pairwise(X, rows)):
        with pytest.raises(ValueError, match="NaN"):
            ask(np.full((2, 3), np.nan))
        with pytest.raises(ValueError, match=r"[XY] has 2 masked entries"):
            ask(np.ma.array(X[:2], mask=[[True, False, False], [False, True, False]]))
        with pytest.raises(ValueError, match=r"[XY] has dates or times"):
            ask(np.zeros((2, 3), dtype="timedelta64[D]"))
        with pytest.raises(ValueError, match=r"has 2 features, but .* is expecting 3"):
            ask(X[:, :2])
        with pytest.raises(ValueError, match=r"\[0, 0\] is 1e\+200: .*rescale"):
            ask(np.full((2, 3), 1e200))
    for wrong in (0, -1, 2.0, None, True):
        with pytest.raises(ValueError, match=f"n_neighbors={wrong}: expected an integer >= 1"):
            distance.kneighbors(X, wrong)
    with pytest.raises(ValueError, match=r"n_neighbors=31 exceeds .*n_samples=30"):
        distance.kneighbors(X, 31)
    for ask in (make(cls).pairwise, make(cls).kneighbors, lambda rows: make(cls).kneighbors()):
        with pytest.raises(ValueError, match="not fitted yet"):
            ask(X)


def check_damaged_queries(cls: Kind) -> None:
    X, _ = blobs()
    distance = fitted(cls, X)
    for rows, said in damaged_rows():
        for ask in (distance.pairwise, distance.kneighbors):
            with pytest.raises(ValueError, match=f"^{said}"):
                ask(rows)
        with pytest.raises(ValueError, match=f"^Y{said[1:]}"):
            distance.pairwise(X, rows)


def check_bad_constraints(cls: Kind) -> None:
    X, y = blobs()
    for name in ("must_link", "cannot_link"):
        for pairs, words in (
            ([[0, 30]], r"\[0\] is \[0, 30\]; expected two different rows of X: 0\.\.29"),
            ([[0, 1], [-1, 2]], r"\[1\] is \[-1, 2\]"),
            ([[0, 1], [4, 4]], r"\[1\] is \[4, 4\]"),
            ([[0.0, 1.0]], " has dtype float64; expected integers"),
            ([0, 1], r" has shape \(2,\); expected \(n_pairs, 2\)"),
            ([[0, 1, 2]], r" has shape \(1, 3\); expected \(n_pairs, 2\)"),
            (np.empty((0, 5)), r" has shape \(0, 5\); expected \(n_pairs, 2\)"),
            ([[0, 1], [2]], r"\[1\] is \[2\]; expected a pair of rows of X"),
            ([[0, 1], [2, [3]]], r"\[1\] is \[2, \[3\]\]; expected a pair of rows of X"),
            ([[0, 1], 2], r"\[1\] is 2; expected a pair of rows of X"),
            ({(0, 1)}, r" is of type set; expected an array or list of shape \(n_pairs, 2\)"),
            (zip([0], [1], strict=True), r" is of type zip; expected an array or list"),
            ((pair for pair in [(0, 1)]), r" is of type generator; expected an array or list"),
        ):
            with pytest.raises(ValueError, match=f"^{name}{words}"):
                make(cls).fit(X, y, **{name: pairs})


def check_odd_constraints(cls: Kind) -> None:
    X, y = blobs()
    both = constraints(y)
    none, contrary = np.empty((0, 2), dtype=int), np.vstack([*both.values()])
    for must, cannot in (
        (none, none),
        ([], np.empty(0)),
        (both["must_link"], none),
        (none, both["cannot_link"]),
        (contrary, contrary[::-1, ::-1]),  # each pair both ways
        (np.repeat(both["must_link"], 3, axis=0), both["cannot_link"]),
    ):
        sound(cls, make(cls).fit(X, y, must, cannot), X, X[::-1])


def check_few_classes(cls: Kind) -> None:
    X, y = blobs()
    for rows in (y == 0, y != 0, (y == 0) | (np.arange(len(y)) == np.flatnonzero(y == 1)[0])):
        sound(cls, make(cls).fit(X[rows], y[rows]), X[rows], X)


def check_same_seed_same_distance(cls: Kind) -> None:
    X, y = blobs()
    one = make(cls).fit(X, y, **constraints(y))
    D = one.pairwise(X)
    assert np.array_equal(clone(one).fit(X, y, **constraints(y)).pairwise(X), D)
    assert np.array_equal(one.fit(X, y, **constraints(y)).pairwise(X), D), "a second fit differs"
    assert np.array_equal(one.pairwise(X), D), "a second look differs"


def check_threads(cls: Kind) -> None:
    X = np.random.default_rng(1).normal(size=(300, 40))
    assert np.array_equal(*[fitted(cls, X).pairwise(X) for _ in each_number_of_threads((1, 2))])


def check_row_permutation(cls: Kind) -> None:
    X, y = blobs()
    given = constraints(y)
    D = make(cls).fit(X, y, **given).pairwise(X)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        moved = {name: np.argsort(order)[pairs] for name, pairs in given.items()}
        again = make(cls).fit(X[order], y[order], **moved).pairwise(X)
        np.testing.assert_allclose(again, D, rtol=1e-9, atol=1e-9)


def check_labels_unread(cls: Kind) -> None:
    X, y = blobs()
    given = constraints(y)
    D = make(cls).fit(X, y, **given).pairwise(X)
    if cls.uses_labels:
        assert np.array_equal(make(cls).fit(X, np.array(["c", "a", "b"])[y], **given).pairwise(X), D)
        with pytest.raises(ValueError, match="y"):
            make(cls).fit(X)
    else:
        assert np.array_equal(make(cls).fit(X, ["a string", None], **given).pairwise(X), D)
        assert np.array_equal(make(cls).fit(X, **given).pairwise(X), D)
    if not cls.uses_constraints:
        assert np.array_equal(make(cls).fit(X, y).pairwise(X), D)


def check_odd_data(cls: Kind) -> None:
    X, _ = blobs()
    for odd in (
        X[:2],
        X[:, :1],
        X[:4].repeat(20, axis=1),
        np.column_stack([np.full(len(X), 7.0), X, np.zeros(len(X))]),
        np.repeat(X[:10], 3, axis=0),
        np.full((20, 3), 1.25),
        2.0 ** np.arange(30)[:, None],
    ):
        sound(cls, fitted(cls, odd), odd, odd[::-1])


def check_extreme_scales(cls: Kind) -> None:
    contract.at_extreme_scales(lambda X: sound(cls, fitted(cls, X), X, X))


(
    test_contract,
    test_scikit_learn,
    test_excuses_name_checks_and_have_reasons,
    test_documented,
) = contract.suite(DISTANCES, globals())
