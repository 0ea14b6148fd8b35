"""The study of whole classes, against labels of classes that are enumerated."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.methods import HMMC
from cladebench.methods._max_margin import Penalties, balance_bounds
from cladebench.paper.catalogue import load_plan
from cladebench.papers.hmmc import objective_study as study
from cladebench.papers.hmmc import protocol
from cladebench.solvers.margin import fit_margin
from task_draws import drawn_cell


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 5)), min_size=1, max_size=7),
    st.integers(0, 10),
    st.integers(0, 10),
)
def test_the_sides_of_classes_are_those_of_the_least_cost(classes, lower, room):
    gain = np.array([g for g, _ in classes], dtype=float)
    sizes, upper = np.array([n for _, n in classes]), lower + room
    totals = [
        gain @ np.array(z)
        for z in product([0, 1], repeat=len(classes))
        if lower <= sizes @ np.array(z) <= upper
    ]
    if not totals:
        with pytest.raises(ValueError, match="no whole classes"):
            study.balanced_classes(gain, sizes, lower, upper)
        return
    sides = study.balanced_classes(gain, sizes, lower, upper)
    assert lower <= sizes @ sides <= upper and gain @ sides == pytest.approx(min(totals))


def test_splits_are_made_as_hmmc_makes_them_by_default():
    of_hmmc = HMMC().get_params()
    chosen = (study.ALPHA, study.SLACK, study.W_TOL, study.MAX_ITER)
    assert chosen == tuple(of_hmmc[name] for name in ("alpha", "slack", "w_tol", "max_iter"))


def test_purity_counts_the_larger_part_of_each_class():
    assert study.purity(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1])) == 0.8
    assert study.purity(np.array([0, 1]), np.array([0, 0])) == 1.0


def test_the_best_whole_classes_of_a_few_are_found():
    random = np.random.RandomState(0)
    classes = np.repeat(np.arange(6), 20)
    X = random.normal(size=(120, 4)) + 2.0 * random.normal(size=(6, 4))[classes]
    X -= X.mean(axis=0)
    lower, upper = balance_bounds(120, 2, 0.1)
    group = np.full(4, study.ALPHA / 8)
    penalties = Penalties(group, group * 0.0, group * 0.0)
    starts = study.class_starts(X, classes, lower, upper, random)
    found = min(study.whole_descent(X, classes, s, penalties, lower, upper).objective for s in starts)
    every = [
        fit_margin(X, np.array(z)[classes], 2, group=group, tol=1e-6).objective
        for z in product([0, 1], repeat=6)
        if sum(z) == 3
    ]
    assert len(starts) == 10 and found == pytest.approx(min(every), rel=1e-3)


def test_the_descent_of_whole_classes_moves_and_ends_where_it_stands_still(monkeypatch):
    random = np.random.RandomState(1)
    classes = np.repeat(np.arange(6), 20)
    X = random.normal(size=(120, 4)) + 2.0 * random.normal(size=(6, 4))[classes]
    X -= X.mean(axis=0)
    fits = []
    monkeypatch.setattr(
        study, "fit_margin", lambda *given, **more: fits.append(1) or fit_margin(*given, **more)
    )
    group = np.full(4, study.ALPHA / 8)
    lengths = []
    for sides in study.class_starts(X, classes, *balance_bounds(120, 2, 0.1), random):
        fits.clear()
        study.whole_descent(
            X, classes, sides, Penalties(group, group * 0.0, group * 0.0), *balance_bounds(120, 2, 0.1)
        )
        lengths.append(len(fits))
    # A fit for each round, the last of which moves nothing, and one that is exact.
    assert 2 < max(lengths) < 20 and min(lengths) >= 2


def test_what_a_cell_says():
    cell = drawn_cell("hmmc", load_plan("hmmc").methods["objective-study"], task={"rows": 200})
    out, again = (protocol.PROTOCOL.run(cell) for _ in range(2))
    found = out.metrics
    assert found["objective_onward"] <= found["objective_whole"] * (1 + 1e-3)
    assert 0.5 <= found["purity_free"] <= 1.0 and 0.5 <= found["purity_onward"] <= 1.0
    for stage in study.STAGES:
        assert 0.0 <= found[f"known_spectral{stage}"] <= 1.0 and found[f"ari_spectral{stage}"] <= 1.0
    assert again.metrics == found


def test_how_much_of_the_side_the_class_tells():
    classes = np.array([0, 0, 1, 1, 2, 2, 2, 2])
    assert study.known(classes, np.array([0, 0, 1, 1, 0, 0, 0, 0])) == pytest.approx(1.0)
    assert study.known(classes, np.array([0, 1, 0, 1, 0, 1, 0, 1])) == pytest.approx(0.0)
    # Half of the classes by size say the side for sure, the others nothing.
    assert study.known(classes, np.array([0, 0, 1, 1, 0, 0, 1, 1])) == pytest.approx(0.5)


def test_the_first_start_parts_classes_along_the_line_of_their_means():
    classes = np.repeat(np.arange(4), [4, 1, 3, 3])
    along, across = np.array([5.0, 3.0, 2.0, 1.0])[classes], np.array([1.0, -1.0, 1.0, -1.0])[classes]
    X = along[:, None] * [[1.0, 0.5]] + 0.1 * across[:, None] * [[-0.5, 1.0]]
    sides = study.class_starts(X, classes, 4, 7, np.random.RandomState(0))[0]
    assert sides.tolist() in ([1, 1, 0, 0], [0, 0, 1, 1])


def of_two_blobs():
    """190 rows here and 10 there: no side of theirs is balanced."""
    random = np.random.RandomState(0)
    X = random.normal(size=(200, 3)) + np.where(np.arange(200) < 10, 20.0, 0.0)[:, None]
    return X - X.mean(axis=0), (np.arange(200) < 10).astype(np.intp)


@pytest.mark.parametrize("stage", ["balanced", "descended"])
def test_a_split_is_balanced_before_it_goes_on(stage):
    X, labels = of_two_blobs()
    lower, upper = balance_bounds(200, 2, study.SLACK)
    assert (study.taken_on(X, labels, "as found") == labels).all()
    assert lower <= study.taken_on(X, labels, stage).sum() <= upper


def test_a_balanced_split_of_two_blobs_stays():
    random = np.random.RandomState(1)
    labels = np.arange(100) % 2
    X = random.normal(size=(100, 3)) + 20.0 * labels[:, None]
    X -= X.mean(axis=0)
    for stage in study.STAGES.values():
        assert (study.taken_on(X, labels, stage) == labels).all()


def test_trees_that_are_taken_on_have_balanced_splits():
    X, _ = of_two_blobs()
    found = study.SpectralTakenOn(n_leaves=4, random_state=0)
    assert np.bincount(found.fit(X).hierarchy_.leaf_of).min() < 11
    found.stage = "descended"
    tree = found.fit(X).hierarchy_
    for node in tree.preorder:
        sizes = [tree.sizes[child] for child in tree.children(node)]
        lower, upper = balance_bounds(tree.sizes[node], 2, study.SLACK)
        assert all(lower <= size <= upper for size in sizes)
