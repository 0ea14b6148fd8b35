"""Numerical taxonomy clustering: against the algorithm written out, and what is told of a fit."""

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from cladebench.class_labels import by_first_member
from cladebench.methods import NumericalTaxonomy
from cladebench.methods import numerical_taxonomy as module
from cladebench.reference import dependence as twin
from cladebench.reference import tree_metric as trees
from cladebench.solvers.gram import center
from kernel_cases import gaussian, gram_of
from plain_taxonomy import distances_of, norm, structure_of, written_out

FITTED = ("search", "neighbor-joining", "all", "star", "random")


def blobs(n: int = 40, centers: int = 4, seed: int = 0, spread: float = 4.0) -> np.ndarray:
    X: np.ndarray = make_blobs(n, 4, centers=centers, cluster_std=spread, random_state=seed)[0]
    return X


def pairs_of_groups(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Four groups: 0 and 1 are near each other, and so are 2 and 3."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(4), 8))
    centres = np.array([[0.0, 0, 0], [0, 4, 0], [12, 0, 0], [12, 0, 4]])
    return centres[y] + 0.3 * rng.normal(size=(32, 3)), y


@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("how", "plain"),
    [
        ({"taxonomy": "search"}, {}),
        ({"taxonomy": "all"}, {}),
        ({"taxonomy": "all", "tree_distance": "square"}, {"square": True}),
        ({"taxonomy": "all", "clip": True}, {"clip": True}),
        ({"taxonomy": "none"}, {"tree": False}),
    ],
)
def test_a_fit_is_the_algorithm_written_out(
    k: int, seed: int, how: dict[str, Any], plain: dict[str, Any]
) -> None:
    X = blobs(20, 5, seed, 5.0)
    start = np.random.default_rng(seed).permutation(20) % k
    H = twin.centring(20)
    expected = written_out(H @ gaussian(X) @ H, start, **plain)
    found = NumericalTaxonomy(k, start=start, **how).fit(X)
    assert found.n_iter_ == expected["n_iter"] and found.converged_
    assert np.array_equal(found.labels_, expected["labels"])
    assert found.structure_ == pytest.approx(expected["structure"], abs=1e-8)
    assert found.distances_ == pytest.approx(expected["distances"], abs=1e-8)
    assert found.objective_path_ == pytest.approx(np.array(expected["path"]), abs=1e-8)


def test_some_of_these_take_several_steps() -> None:
    steps = []
    for seed in range(4):
        start = np.random.default_rng(seed).permutation(20) % 4
        steps.append(NumericalTaxonomy(4, start=start).fit(blobs(20, 5, seed, 5.0)).n_iter_)
    assert max(steps) > 2


@pytest.mark.parametrize("taxonomy", [*FITTED, "none"])
@pytest.mark.parametrize("tree_distance", ["distance", "square"])
def test_what_is_told_of_a_fit_is_so(taxonomy: str, tree_distance: str) -> None:
    X, k = blobs(40, 6), 5
    found = NumericalTaxonomy(
        k, taxonomy=taxonomy, tree_distance=tree_distance, start="random", random_state=3
    ).fit(X)
    labels, K = found.labels_, gaussian(X)
    H = twin.centring(40)
    assert found.n_clusters_ == k == labels.max() + 1
    assert norm(labels, found.structure_) == pytest.approx(1.0)
    assert found.objective_ == pytest.approx(twin.dependence(K, labels, found.structure_))
    D = distances_of(twin.optimal_structure(H @ K @ H, labels, k))
    square = tree_distance == "square" and taxonomy != "none"
    assert found.distances_ == pytest.approx(D**2 if square else D, abs=1e-8)
    values = np.linalg.eigvalsh(found.structure_)
    assert found.least_eigenvalue_ == pytest.approx(values[0] / values[-1], abs=1e-9)
    path = found.objective_path_
    # A circle ends as convergence does: with a partition that was there before.
    assert len(path) == 1 + 2 * found.n_iter_
    assert (path[2::2] >= path[1::2] - 1e-12).all()
    assert set(found.trace_) == {"seconds", "iterations", "objective"}
    assert all(len(values) == found.n_iter_ for values in found.trace_.values())
    assert found.trace_["iterations"].tolist() == list(range(1, found.n_iter_ + 1))
    assert found.trace_["objective"].tolist() == path[2::2].tolist()
    assert (np.diff(found.trace_["seconds"]) >= 0).all()
    assert found.n_features_in_ == 4
    if taxonomy == "none":
        assert found.tree_ is None and found.hierarchy_ is None and found.residual_ == 0.0
        assert np.array_equal(found.tree_distances_, found.distances_)
        return
    tree, hierarchy = found.tree_, found.hierarchy_
    assert tree.n_samples == k and len(set(tree.leaf_of)) == k
    assert all(not len(tree.children(node)) for node in tree.leaf_of)
    assert (tree.edge_lengths >= 0).all()
    T, paths = found.tree_distances_, trees.path_lengths(tree)
    assert paths == pytest.approx(T, abs=1e-12)
    assert trees.four_point_excess(T) <= 1e-12 * T.max()
    gaps = [(found.distances_[a, b] - T[a, b]) ** 2 for a, b in combinations(range(k), 2)]
    assert found.residual_ == pytest.approx(np.sqrt(sum(gaps)))
    assert found.structure_ == pytest.approx(structure_of(T, labels, squared=not square), abs=1e-9)
    assert hierarchy.n_samples == 40 and np.array_equal(hierarchy.parents, tree.parents)
    assert np.array_equal(hierarchy.edge_lengths, tree.edge_lengths)
    assert np.array_equal(hierarchy.leaf_of, tree.leaf_of[labels])


def test_the_star_and_the_others_are_the_trees_of_their_names() -> None:
    X, start = blobs(40, 6), np.arange(40) % 5
    fits = {name: NumericalTaxonomy(5, taxonomy=name, start=start, max_iter=1).fit(X) for name in FITTED}
    assert not trees.splits(fits["star"].tree_)
    first = {
        name: NumericalTaxonomy(5, taxonomy=name).taxonomy_of(gram_of(X), start, seed=4) for name in FITTED
    }
    D = first["all"].distances
    residual = trees.best_topology(D)[1]
    assert first["all"].fit.residual == pytest.approx(residual)
    assert first["search"].fit.residual == pytest.approx(residual)
    joined = trees.fit_edges(D, trees.neighbor_joining(D))
    assert first["neighbor-joining"].fit.distances == pytest.approx(joined[1], abs=1e-9)
    assert first["random"].fit.residual > residual and first["star"].fit.residual > residual
    drawn = [
        NumericalTaxonomy(5, taxonomy="random").taxonomy_of(gram_of(X), start, seed=seed) for seed in range(8)
    ]
    assert len({round(taxonomy.fit.residual, 9) for taxonomy in drawn}) > 1


def test_many_starts_are_those_of_the_search_up_to_twenty_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = module.fit_tree_metric

    def told(D: np.ndarray, **how: Any) -> Any:
        asked.append((how["topologies"], how["n_starts"]))
        return real(D, topologies="star")

    monkeypatch.setattr(module, "fit_tree_metric", told)
    X = blobs(24)
    for k in (20, 21):
        NumericalTaxonomy(k).taxonomy_of(gram_of(X), np.arange(24) % k)
    NumericalTaxonomy(4, taxonomy="random").taxonomy_of(gram_of(X), np.arange(24) % 4)
    assert asked == [("search", module.TREE_STARTS), ("search", 1), ("random", 1)]


@pytest.mark.parametrize("seed", range(5))
def test_converged_means_that_nothing_changes(seed: int) -> None:
    X = blobs(40, 6, seed)
    found = NumericalTaxonomy(4, start="random", random_state=seed).fit(X)
    assert found.converged_
    again = NumericalTaxonomy(4, start=found.labels_).fit(X)
    assert np.array_equal(again.labels_, found.labels_) and again.n_iter_ == 1 and again.converged_
    assert again.objective_ == pytest.approx(found.objective_, rel=1e-12)
    # So it has where the last tree allowed is the one that changes nothing.
    assert NumericalTaxonomy(4, start=found.labels_, max_iter=1).fit(X).converged_


def test_max_iter_ends_with_the_structure_of_the_last_partition() -> None:
    X, start = blobs(40, 6, 1), np.random.default_rng(0).permutation(40) % 4
    whole = NumericalTaxonomy(4, start=start).fit(X)
    assert whole.n_iter_ > 2
    found = NumericalTaxonomy(4, start=start, max_iter=1).fit(X)
    assert found.n_iter_ == 1 and not found.converged_
    assert len(found.objective_path_) == 4 and len(found.trace_["objective"]) == 1
    assert np.array_equal(found.objective_path_, whole.objective_path_[:4])
    assert found.objective_ == pytest.approx(found.objective_path_[-1])
    assert found.objective_ == pytest.approx(twin.dependence(gaussian(X), found.labels_, found.structure_))


@pytest.mark.parametrize("best_first", [True, False])
def test_of_a_circle_the_best_partition_is_kept(monkeypatch: pytest.MonkeyPatch, best_first: bool) -> None:
    X, y = pairs_of_groups()
    good = by_first_member(y)
    better_than_both = good.copy()
    circle = [good.copy(), good.copy()]
    for labels, n_wrong in zip(circle, (2, 4), strict=True):
        for group in range(4):
            wrong = np.flatnonzero(good == group)[-n_wrong:]
            labels[wrong] = (group + 1) % 4
    if not best_first:
        circle.reverse()
    following = {better_than_both.tobytes(): circle[0]}
    following |= {circle[i].tobytes(): circle[1 - i] for i in range(2)}

    def moved(gram: Any, structure: Any, labels: np.ndarray, **how: Any) -> SimpleNamespace:
        return SimpleNamespace(labels=following[labels.tobytes()], objective=np.array([0.0, 0.5]))

    monkeypatch.setattr(module, "greedy_partition", moved)
    # What was there before the circle is not of it, however good it is.
    found = NumericalTaxonomy(4, start=better_than_both).fit(X)
    assert not found.converged_ and found.n_iter_ == 3
    best = circle[0] if best_first else circle[1]
    assert np.array_equal(found.labels_, best)
    assert found.objective_ == pytest.approx(max(found.objective_path_[[3, 5]]))
    assert found.objective_ == pytest.approx(twin.dependence(gaussian(X), best, found.structure_))


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6), st.sampled_from(FITTED))
def test_paths_as_squares_always_have_an_embedding(k: int, seed: int, taxonomy: str) -> None:
    X = np.random.default_rng(seed).normal(size=(18, 2))
    found = NumericalTaxonomy(k, taxonomy=taxonomy, tree_distance="square").taxonomy_of(
        gram_of(X, kernel="linear"), np.arange(18) % k, seed
    )
    assert np.linalg.eigvalsh(found.structure)[0] >= -1e-10 * np.abs(found.structure).max()
    assert found.least_eigenvalue >= -1e-10


def indefinite() -> tuple[np.ndarray, np.ndarray]:
    """A kernel of six groups, whose tree has edges of length 0 at groups that lie between others."""
    centres = np.array([[1.0, 1.0], [0.0, 2.0], [0.0, -2.0], [0.0, 0.0], [-2.0, -1.0], [0.0, -1.0]])
    labels = np.arange(12) % 6
    return centres[labels] @ centres[labels].T, labels


def test_negative_eigenvalues_are_told_and_clipped() -> None:
    K, labels = indefinite()
    as_it_is, clipped = (
        NumericalTaxonomy(6, clip=clip).taxonomy_of(center(K), labels) for clip in (False, True)
    )
    assert as_it_is.fit is not None and clipped.fit is not None
    assert np.array_equal(as_it_is.fit.distances, clipped.fit.distances)
    values = np.linalg.eigvalsh(as_it_is.structure)
    assert (
        as_it_is.least_eigenvalue == pytest.approx(values[0] / values[-1]) and values[0] < -0.02 * values[-1]
    )
    assert clipped.least_eigenvalue == pytest.approx(as_it_is.least_eigenvalue)  # of the tree, before
    assert np.linalg.eigvalsh(clipped.structure)[0] >= -1e-12
    T = clipped.fit.distances
    assert clipped.structure == pytest.approx(structure_of(T, labels, clip=True), abs=1e-12)
    assert as_it_is.structure == pytest.approx(structure_of(T, labels), abs=1e-12)
    for taxonomy in (as_it_is, clipped):
        assert norm(labels, taxonomy.structure) == pytest.approx(1.0)
    fitted = NumericalTaxonomy(6, kernel="precomputed", clip=True, start=labels).fit(K)
    assert np.linalg.eigvalsh(fitted.structure_)[0] >= -1e-12


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("taxonomy", ["search", "neighbor-joining", "all"])
def test_the_tree_of_nested_groups_is_recovered(seed: int, taxonomy: str) -> None:
    X, y = pairs_of_groups(seed)
    found = NumericalTaxonomy(4, taxonomy=taxonomy, random_state=0).fit(X)
    assert np.array_equal(found.labels_, by_first_member(y))
    name = {int(group): int(found.labels_[y == group][0]) for group in range(4)}
    (split,) = trees.splits(found.tree_)
    assert split in ({name[0], name[1]}, {name[2], name[3]})


def test_parameters_have_their_effects() -> None:
    X = blobs(50, 6)
    base: dict[str, Any] = {"n_clusters": 5, "start": "random", "random_state": 0}
    one = NumericalTaxonomy(**base).fit(X)
    for change in (
        {"taxonomy": "star"},
        {"taxonomy": "none"},
        {"tree_distance": "square"},
        {"kernel": "linear"},
        {"width": 0.1},
        {"matrix": "normalized_cut"},
        {"rank": 4},
        {"start": "spectral"},
        {"visit": "random"},
        {"max_iter": 1},
        {"max_sweeps": 1},
        {"random_state": 1},
    ):
        other = NumericalTaxonomy(**{**base, **change}).fit(X)
        assert not np.array_equal(other.objective_path_, one.objective_path_), change


def test_seeds_decide() -> None:
    X = blobs(40, 6)

    def fit(seed: int, **how: Any) -> NumericalTaxonomy:
        return NumericalTaxonomy(5, random_state=seed, **how).fit(X)

    for how in ({"start": "random"}, {"taxonomy": "random"}, {"start": np.arange(40) % 5, "visit": "random"}):
        one, other = fit(0, **how), fit(0, **how)
        assert np.array_equal(one.labels_, other.labels_)
        assert np.array_equal(one.objective_path_, other.objective_path_)
        assert np.array_equal(one.structure_, other.structure_)
        assert len({fit(seed, **how).objective_ for seed in range(6)}) > 1


@pytest.mark.parametrize("taxonomy", [*FITTED, "none"])
def test_few_clusters_and_as_many_as_samples(taxonomy: str) -> None:
    X = blobs(7)
    one = NumericalTaxonomy(1, taxonomy=taxonomy).fit(X)
    assert not one.labels_.any() and one.n_clusters_ == 1 and one.objective_ == 0.0 and one.converged_
    assert one.structure_.tolist() == one.tree_distances_.tolist() == [[0.0]]
    two = NumericalTaxonomy(2, taxonomy=taxonomy, random_state=0).fit(X)
    assert two.n_clusters_ == 2 and two.residual_ == pytest.approx(0.0, abs=1e-12)
    assert two.tree_distances_ == pytest.approx(two.distances_)
    three = NumericalTaxonomy(3, taxonomy=taxonomy, random_state=0).fit(X)
    assert three.n_clusters_ == 3
    if taxonomy != "none":  # three distances that are a metric are those of a star
        assert three.residual_ == pytest.approx(0.0, abs=1e-12) and three.tree_.n_nodes == 4
    all_ = NumericalTaxonomy(7, taxonomy=taxonomy, start="random", random_state=0).fit(X)
    assert all_.labels_.tolist() == list(range(7)) and all_.converged_ and all_.n_iter_ == 1


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("rank", [None, 2])
def test_equal_samples_are_one_cluster(kernel: str, rank: int | None) -> None:
    X = np.full((9, 3), 0.1)
    found = NumericalTaxonomy(3, kernel=kernel, rank=rank, random_state=0).fit(X)
    assert not found.labels_.any() and found.n_clusters_ == 1
    assert found.objective_ == 0.0 and found.converged_ and found.structure_.tolist() == [[0.0]]


@pytest.mark.parametrize("taxonomy", [*FITTED, "none"])
def test_equal_samples_in_given_clusters_have_no_structure(taxonomy: str) -> None:
    found = NumericalTaxonomy(3, taxonomy=taxonomy, start=np.arange(9) % 3).fit(np.ones((9, 3)))
    assert found.labels_.tolist() == [0, 1, 2] * 3 and found.converged_
    assert found.objective_ == found.least_eigenvalue_ == 0.0 and not found.structure_.any()
    assert not found.tree_distances_.any()


def test_fewer_distinct_samples_than_clusters() -> None:
    X = np.repeat([[0.0, 0.0], [1.0, 5.0], [7.0, 2.0]], 4, axis=0)
    found = NumericalTaxonomy(3, random_state=0).fit(X)
    assert found.labels_.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    for taxonomy in ("search", "none"):
        more = NumericalTaxonomy(5, taxonomy=taxonomy, random_state=0).fit(X)
        assert 3 <= more.n_clusters_ <= 5 and len(more.structure_) == more.n_clusters_
        assert np.isfinite(more.objective_path_).all()


def test_clusters_of_a_given_start_may_have_any_order() -> None:
    X, start = blobs(), (np.arange(40) + 3) % 4
    one, other = (NumericalTaxonomy(4, start=given).fit(X) for given in (start, by_first_member(start)))
    assert np.array_equal(one.labels_, other.labels_)
    assert np.array_equal(one.objective_path_, other.objective_path_)


@pytest.mark.parametrize("start", [[0, 2] * 5, [0, 1] * 5])
def test_a_start_has_a_sample_in_each_cluster(start: list[int]) -> None:
    (empty,) = {0, 1, 2} - {*start}
    with pytest.raises(
        ValueError, match=f"start has no sample in cluster {empty}; expected one in each of 3"
    ):
        NumericalTaxonomy(3, start=start).fit(blobs(10))
