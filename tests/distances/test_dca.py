"""DCA, against loops over its definition and SciPy's generalised eigenvectors."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.distances import DCA
from cladebench.distances.dca import chunklet_covariances, chunklets_of
from cladebench.reference import dca as reference

Pairs = list[tuple[int, int]]


def by_definition(
    X: np.ndarray, must: Pairs, cannot: Pairs, weighting: str = "rows"
) -> tuple[list[list[int]], np.ndarray, np.ndarray]:
    """Chunklets, and both covariances term by term."""
    links = [np.reshape(part, (-1, 2)).astype(np.int64) for part in (must, cannot)]
    return reference.chunklets(len(X), links[0]), *reference.covariances(X, *links, weighting)


def pairs(n: int, most: int) -> st.SearchStrategy[Pairs]:
    return st.lists(st.permutations(range(n)).map(lambda order: (order[0], order[1])), max_size=most)


@pytest.mark.parametrize("weighting", ["chunklets", "rows"])
@given(st.data(), st.integers(2, 12), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_chunklets_and_covariances_are_those_of_the_definition(
    weighting: str, data: st.DataObject, n: int, d: int
) -> None:
    values = data.draw(st.lists(st.integers(-2, 2), min_size=n * d, max_size=n * d))
    X = np.reshape(values, (n, d)).astype(float)
    must, cannot = data.draw(pairs(n, 8)), data.draw(pairs(n, 10))
    links = np.reshape(must, (-1, 2)).astype(np.int64)
    chunklets, expected = chunklets_of(n, links), reference.chunklets(n, links)
    assert [np.flatnonzero(chunklets == k).tolist() for k in range(chunklets.max() + 1)] == expected
    found = DCA().fit(X, must_link=must, cannot_link=cannot)
    assert found.n_chunklets_ == len(expected) and np.isfinite(found.components_).all()
    if not must:
        assert np.array_equal(found.components_, np.eye(d))
        return
    _, between, within = by_definition(X, must, cannot, weighting)
    C_b, C_w = chunklet_covariances(X, chunklets, np.reshape(cannot, (-1, 2)).astype(np.int64), weighting)
    np.testing.assert_allclose(C_b, between, atol=1e-12)
    np.testing.assert_allclose(C_w, within, atol=1e-12)


def linked(seed: int, n: int = 90, d: int = 6, n_classes: int = 4) -> tuple[np.ndarray, Pairs, Pairs]:
    """Classes, each in two chunklets of different sizes, and some rows in none."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = (rng.normal(size=(n_classes, d))[y] + rng.normal(size=(n, d))) @ rng.normal(size=(d, d))
    must = []
    for k in range(n_classes):
        rows = np.flatnonzero(y == k)
        must += [(a, b) for part in (rows[:7], rows[7:-3]) for a, b in pairwise(part)]
    drawn = rng.integers(n, size=(60, 2))
    cannot = [(a, b) for a, b in drawn if y[a] != y[b]]
    return X, must, cannot


@pytest.mark.parametrize("n_components", [None, 1, 3, 6])
def test_within_first_gives_the_generalised_eigenvectors(n_components: int | None) -> None:
    X, must, cannot = linked(0)
    _, between, within = by_definition(X, must, cannot)
    values, expected = reference.components(between, within, n_components or 6)
    found = (
        DCA(n_components, first="within", shrinkage=0.0)
        .fit(X, must_link=must, cannot_link=cannot)
        .components_
    )
    np.testing.assert_allclose(found.T @ found, expected.T @ expected, rtol=1e-6)
    ratio = np.linalg.det(found @ between @ found.T) / np.linalg.det(found @ within @ found.T)
    assert ratio == pytest.approx(np.prod(values))


@pytest.mark.parametrize("weighting", ["chunklets", "rows"])
def test_both_orders_agree_on_all_dimensions_of_a_full_rank(weighting: str) -> None:
    X, must, cannot = linked(1)
    _, _, within = by_definition(X, must, cannot, weighting)
    for first in ("between", "within"):
        dca = DCA(first=first, weighting=weighting, shrinkage=0.0).fit(X, must_link=must, cannot_link=cannot)
        np.testing.assert_allclose(dca.components_.T @ dca.components_, np.linalg.inv(within), rtol=1e-6)


def test_between_first_stays_in_the_range_of_the_between_covariance() -> None:
    X, must, cannot = linked(2, n_classes=3)
    must += [
        (0, 21),
        (1, 22),
        (2, 23),
        (30, 0),
        (31, 1),
        (32, 2),
        (60, 30),
        (61, 31),
        (62, 32),
    ]  # classes are whole
    chunklets, between, within = by_definition(X, must, cannot)
    rank = np.linalg.matrix_rank(between)
    assert rank == len(chunklets) - 1 < 6
    found = DCA(shrinkage=0.0).fit(X, must_link=must, cannot_link=cannot).components_
    assert found.shape == (rank, 6)
    np.testing.assert_allclose(found @ within @ found.T, np.eye(rank), atol=1e-9)
    _, vectors = np.linalg.eigh(between)
    np.testing.assert_allclose(found @ vectors[:, : 6 - rank], 0.0, atol=1e-8 * np.abs(found).max())
    kept = DCA(1, shrinkage=0.0).fit(X, must_link=must, cannot_link=cannot).components_
    assert abs(kept[0] @ vectors[:, -1]) == pytest.approx(np.linalg.norm(kept))


def test_two_chunklets_difference_of_means_or_fishers_direction() -> None:
    X, must, _ = linked(3, n_classes=2)
    must += [(0, 20), (1, 21)]
    chunklets, _, within = by_definition(X, must, [])
    assert len(chunklets) == 2
    means = [X[c].mean(axis=0) for c in chunklets]
    for first, direction in (
        ("between", means[0] - means[1]),
        ("within", np.linalg.solve(within, means[0] - means[1])),
    ):
        found = DCA(first=first, shrinkage=0.0).fit(X, must_link=must, cannot_link=[(0, 1)]).components_
        assert found.shape == (1, 6)
        cosine = found[0] @ direction / np.linalg.norm(found) / np.linalg.norm(direction)
        assert abs(cosine) == pytest.approx(1.0)


def test_without_cannot_links_between_chunklets_the_within_covariance_is_whitened() -> None:
    X, must, _ = linked(4)
    _, _, within = by_definition(X, must, [])
    inside = [(must[0][0], must[1][1])]
    for cannot in ([], inside):
        found = DCA(shrinkage=0.0).fit(X, must_link=must, cannot_link=cannot).components_
        np.testing.assert_allclose(found.T @ found, np.linalg.inv(within), rtol=1e-6)


@pytest.mark.parametrize("first", ["between", "within"])
def test_singular_covariances_and_equal_rows_stay_finite(first: str) -> None:
    X, must, cannot = linked(5)
    flat = np.column_stack([X, X[:, 0], np.full(len(X), 3.0)])
    for shrinkage in (0.0, 1e-6, 1.0):
        found = DCA(first=first, shrinkage=shrinkage).fit(flat, must_link=must, cannot_link=cannot)
        assert np.isfinite(found.components_).all()
    equal = DCA(first=first).fit(np.ones((4, 2)), must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2)])
    assert np.isfinite(equal.components_).all()


def test_without_a_cannot_link_between_chunklets_nothing_is_kept_if_asked() -> None:
    """Rows 4 and 5 are in no must-link, so that the cannot-link (0, 4) joins no chunklets."""
    X = np.random.default_rng(0).normal(size=(6, 3))
    must, apart, between = [(0, 1), (2, 3)], [(0, 4)], [(0, 2)]
    kept = DCA().fit(X, must_link=must, cannot_link=apart)
    lost = DCA(unlinked="nothing").fit(X, must_link=must, cannot_link=apart)
    assert kept.components_.shape == (3, 3) and np.linalg.matrix_rank(kept.components_) == 3
    assert not lost.components_.any() and not lost.pairwise(X).any()
    same = [DCA(unlinked=u).fit(X, must_link=must, cannot_link=between) for u in ("identity", "nothing")]
    assert np.array_equal(same[0].components_, same[1].components_) and same[0].components_.shape == (1, 3)


@pytest.mark.parametrize("weighting", ["chunklets", "rows"])
def test_single_rows_are_chunklets_if_asked(weighting: str) -> None:
    """As if each row of a cannot-link that is in no must-link were in one with itself."""
    X = np.random.default_rng(1).normal(size=(9, 3))
    must, cannot = [(0, 1), (2, 3)], [(0, 4), (4, 5), (6, 2), (1, 2)]
    found = DCA(singles=True, weighting=weighting).fit(X, must_link=must, cannot_link=cannot)
    assert found.n_chunklets_ == 5
    chunklets = np.array([0, 0, 1, 1, 2, 3, 4, -1, -1])
    C_b, C_w = chunklet_covariances(X, chunklets, np.array(cannot), weighting)
    _, between, within = by_definition(X, must + [(i, i) for i in (4, 5, 6)], cannot, weighting)
    np.testing.assert_allclose(C_b, between, atol=1e-12)
    np.testing.assert_allclose(C_w, within, atol=1e-12)
    assert len(found.components_) == 3 > len(DCA().fit(X, must_link=must, cannot_link=cannot).components_)
    assert np.array_equal(
        DCA(singles=True).fit(X, must_link=must, cannot_link=[(0, 2)]).components_,
        DCA().fit(X, must_link=must, cannot_link=[(0, 2)]).components_,
    )
