"""What cells of the exemplar paper learn from and are judged by: distances of images, points, noise."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.bench.plan.cell_spec import CellSpec, Limits
from cladebench.bench.plan.task import draw_task
from cladebench.datasets import Content, Dataset, Part, View
from cladebench.datasets.content import content_sha256
from cladebench.metrics.histogram_distances import KINDS, histogram_distances, mean_squared_distance
from cladebench.papers.exemplar import problems
from cladebench.papers.exemplar.problems import GivenDistance, _Values, problem_of

VIEWS = ("textons", "gist", "rot-lbp", "hog")
N = 18


def dataset(content: Content) -> Dataset:
    """A data set with all that a content has, and its true digest."""
    own = dict(name="tiny", kind="synthetic", stand_in_for=None, source="generated", files={}, draw=0)
    return Dataset(**vars(content), **own, content_sha256=content_sha256(content))


def histograms(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.random((N, 5)) for name in VIEWS}


def images(values: dict[str, np.ndarray]) -> Dataset:
    labels = np.arange(N) % 3
    views = {name: View("features", own) for name, own in values.items()}
    return dataset(Content(labels=labels, label_names=("a", "b", "c"), views=views))


def points(seed: int = 0, noisy: int = 2) -> Dataset:
    rng = np.random.default_rng(seed)
    names = ("clean 1", "clean 2", *(f"noisy {i + 3}" for i in range(noisy)))
    parts = {
        name: Part(role, Content(rng.normal(size=(n, 2 + noisy)), np.arange(n) % 2, feature_names=names))
        for name, role, n in (
            ("one", "train", 6),
            ("two", "test", 7),
            ("three", "train", 8),
            ("four", "test", 9),
        )
    }
    return dataset(Content(parts=parts))


def task_of(data: Dataset, repetition: int = 0, method: str = "Exemplar", rows: int | None = None):
    how = {} if data.parts else {"test": 0.5} | ({"rows": rows} if rows else {})
    spec = CellSpec("exemplar", "tiny", method, {}, repetition, 7, Limits(60, 2000), task=how)
    return draw_task(spec, data)


VALUES = histograms(0)
IMAGES = images(VALUES)
TASK = task_of(IMAGES)


def pairs(problem) -> list[tuple[str, str]]:
    return [(own.feature, own.kind) for own in problem.distances]


def direct(X: np.ndarray, rows: np.ndarray, columns: np.ndarray, kind: str, train: np.ndarray) -> np.ndarray:
    width = mean_squared_distance(X[train]) if kind == "rbf" else None
    return histogram_distances(X[rows], X[columns], kind=kind, width=width)


def test_each_feature_has_its_own_kind_or_all_four():
    assert pairs(problem_of(IMAGES, TASK, "own", False)) == [
        ("textons", "chi2"), ("gist", "squared_l2"), ("rot-lbp", "l1"), ("hog", "chi2")
    ]  # fmt: skip
    every = problem_of(IMAGES, TASK, "all", False)
    assert pairs(every) == [(name, kind) for name in VIEWS for kind in KINDS]
    assert set(KINDS) == {"chi2", "squared_l2", "l1", "rbf"} and len(every.train[0][0]) == 16
    with pytest.raises(ValueError, match="kinds='four': expected one of"):
        problem_of(IMAGES, TASK, "four", False)


@pytest.mark.parametrize("rows", [None, 12])
@pytest.mark.parametrize("kinds", ["own", "all"])
def test_stacks_are_of_training_of_test_and_from_test_to_training(kinds, rows):
    task = task_of(IMAGES, rows=rows)
    train, test = task.rows[task.train], task.rows[task.test]
    assert not set(train) & set(test) and len(train) + len(test) == (rows or N)
    problem = problem_of(IMAGES, task, kinds, False)
    ((of_train, train_labels),), ((of_test, test_labels),) = problem.train, problem.test
    assert np.array_equal(train_labels, IMAGES.labels[train])
    assert np.array_equal(test_labels, IMAGES.labels[test])
    assert not problem.points
    for i, (name, kind) in enumerate(pairs(problem)):
        X = VALUES[name]
        for stack, one, other in (
            (of_train, train, train),
            (of_test, test, test),
            (problem.cross, test, train),
        ):
            assert stack.dtype == np.float32
            assert stack[i] == pytest.approx(direct(X, one, other, kind, train), rel=1e-5, abs=1e-6)
    assert problem.cross.shape == (len(problem.distances), len(test), len(train))


def test_the_kernel_is_as_wide_as_the_training_pairs_are_far():
    test = TASK.rows[TASK.test]
    before = problem_of(IMAGES, TASK, "all", False)
    far = {name: own.copy() for name, own in VALUES.items()}
    for own in far.values():
        own[test] *= 10.0
    after = problem_of(images(far), TASK, "all", False)
    assert np.array_equal(before.train[0][0], after.train[0][0])
    assert not np.allclose(before.test[0][0], after.test[0][0])


@pytest.mark.parametrize("times", [1.0, 0.5, 2.0])
def test_the_distance_of_a_kernel_tells_its_width(times):
    """d^2 = 2 - 2 exp(-s / width); all other distances are the same with each width."""
    usual, other = (problem_of(IMAGES, TASK, "all", False, width) for width in (1.0, times))
    i, of_squares = (pairs(other).index(("gist", kind)) for kind in ("rbf", "squared_l2"))
    d, squares = (other.train[0][0][k].astype(float) for k in (i, of_squares))
    pair = ~np.eye(len(d), dtype=bool)
    widths = -squares[pair] / np.log(1.0 - np.square(d[pair]) / 2.0)
    assert widths == pytest.approx(np.full(len(widths), times * squares[pair].mean()), rel=1e-4)
    same = [k for k, (_, kind) in enumerate(pairs(other)) if kind != "rbf"]
    assert np.array_equal(usual.cross[same], other.cross[same])


def test_a_split_has_a_width_of_its_own_though_tables_are_kept():
    other = task_of(IMAGES, repetition=1)
    for task in (TASK, other, TASK):
        train = task.rows[task.train]
        problem = problem_of(IMAGES, task, "all", False)
        i = pairs(problem).index(("hog", "rbf"))
        expected = direct(VALUES["hog"], train, train, "rbf", train)
        assert problem.train[0][0][i] == pytest.approx(expected, rel=1e-5, abs=1e-6)
    assert mean_squared_distance(VALUES["hog"][train]) != pytest.approx(
        mean_squared_distance(VALUES["hog"][other.rows[other.train]])
    )


def test_where_all_training_images_are_equal_the_kernel_tells_who_differs():
    values = {name: own.copy() for name, own in histograms(1).items()}
    train, test = TASK.rows[TASK.train], TASK.rows[TASK.test]
    values["gist"][train] = 0.5
    problem = problem_of(images(values), TASK, "all", False)
    i = pairs(problem).index(("gist", "rbf"))
    assert not problem.train[0][0][i].any()
    assert problem.cross[i] == pytest.approx(np.full((len(test), len(train)), np.sqrt(2.0)))
    assert problem.test[0][0][i] == pytest.approx(np.sqrt(2.0) * ~np.eye(len(test), dtype=bool))


def noise_of(problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    noisy = [own.noisy for own in problem.distances]
    return problem.train[0][0][noisy], problem.test[0][0][noisy], problem.cross[noisy]


@pytest.mark.parametrize("kinds", ["own", "all"])
def test_there_are_as_many_noise_features_as_features_after_these(kinds):
    plain, noisy = problem_of(IMAGES, TASK, kinds, False), problem_of(IMAGES, TASK, kinds, True)
    n = len(plain.distances)
    assert pairs(noisy)[:n] == pairs(plain)
    assert pairs(noisy)[n:] == [(f"noise {i}", "squared_l2") for i in (1, 2, 3, 4)]
    assert [own.noisy for own in noisy.distances] == [False] * n + [True] * 4
    assert np.array_equal(noisy.train[0][0][:n], plain.train[0][0])
    assert np.array_equal(noisy.cross[:n], plain.cross)


def test_noise_is_of_independent_normal_vectors_of_the_images():
    of_train, of_test, cross = noise_of(problem_of(IMAGES, TASK, "own", True))
    whole = [
        np.block([[a, c.T], [c, b]]).astype(float) for a, b, c in zip(of_train, of_test, cross, strict=True)
    ]
    upper = np.triu_indices(N, 1)
    between = np.array([table[upper] for table in whole])
    assert len(np.unique(between)) == between.size  # no pair is like another, in any of them
    assert all(not table.diagonal().any() for table in whole)
    # A hundred numbers of variance 1 differ by 200 on average, give or take sqrt(800) for one pair.
    assert between.mean() == pytest.approx(200.0, abs=10.0)
    assert 15.0 < between.std() < 45.0
    # Of one vector for each image: minus half the centred squared distances is a matrix of products.
    centring = np.eye(N) - 1.0 / N
    for table in whole:
        least, *_, most = np.linalg.eigvalsh(-0.5 * centring @ table @ centring)
        assert least > -1e-4 * most
    correlations = np.corrcoef(between) - np.eye(4)
    assert np.abs(correlations).max() < 0.4


def test_noise_is_the_same_for_all_methods_of_a_task_and_no_other():
    first = noise_of(problem_of(IMAGES, TASK, "own", True))
    task = task_of(IMAGES, method="Average")
    assert task.digest == TASK.digest
    for kinds in ("own", "all"):
        again = noise_of(problem_of(IMAGES, task, kinds, True))
        assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    # Nothing but the digest, a number of base 16, says what is drawn.
    values = np.random.default_rng(int(f"0x{TASK.digest}", 0)).standard_normal((N, 100))
    train = TASK.rows[TASK.train]
    between = ((values[train, None] - values[None, train]) ** 2).sum(axis=2)
    np.testing.assert_allclose(first[0][0], between, rtol=1e-5, atol=1e-4)
    other = noise_of(problem_of(IMAGES, replace(TASK, digest=task_of(IMAGES, 1).digest), "own", True))
    assert not any(np.array_equal(one, own) for one, own in zip(first, other, strict=True))


def test_the_oracle_is_told_the_classes_of_images():
    problem = problem_of(IMAGES, TASK, "classes", True)
    assert problem.distances == (GivenDistance("classes", "told"),) and not problem.points
    train, test = (IMAGES.labels[TASK.rows[places]] for places in (TASK.train, TASK.test))
    for stack, one, other in (
        (problem.train[0][0], train, train),
        (problem.test[0][0], test, test),
        (problem.cross, test, train),
    ):
        assert stack.dtype == np.float32
        assert stack.tolist() == [[[float(a != b) for b in other] for a in one]]
    assert np.array_equal(problem.train[0][1], train) and np.array_equal(problem.test[0][1], test)


def test_the_oracle_is_told_the_classes_of_points():
    data = points()
    problem = problem_of(data, task_of(data), "classes", False)
    assert not problem.points and problem.cross is None and len(problem.distances) == 1
    sets = [*problem.train, *problem.test]
    assert [len(labels) for _, labels in sets] == [6, 8, 7, 9]
    for stack, labels in sets:
        assert stack.tolist() == [[[float(a != b) for b in labels] for a in labels]]


def test_a_control_is_told_which_distances_are_noise():
    data = points()
    whole, told = (problem_of(data, task_of(data), kinds, False) for kinds in ("own", "clean"))
    kept = [i for i, own in enumerate(whole.distances) if not own.noisy]
    assert 0 < len(kept) < len(whole.distances) and told.points
    assert told.distances == tuple(whole.distances[i] for i in kept)
    for (X, labels), (less, same) in zip(whole.train + whole.test, told.train + told.test, strict=True):
        assert np.array_equal(less, X[:, kept]) and np.array_equal(labels, same)
    own, told = (problem_of(IMAGES, TASK, kinds, noise) for kinds, noise in (("own", False), ("clean", True)))
    assert told.distances == own.distances and not told.points
    assert np.array_equal(told.cross, own.cross)
    assert np.array_equal(told.train[0][0], own.train[0][0])


def test_sets_of_points_are_given_as_points():
    data = points()
    problem = problem_of(data, task_of(data), "own", False)
    assert problem.points and problem.cross is None
    for role, sets in (("train", problem.train), ("test", problem.test)):
        expected = [part.content for part in data.parts.values() if part.role == role]
        assert len(sets) == len(expected) == 2
        for (X, labels), content in zip(sets, expected, strict=True):
            assert X is content.X and labels is content.labels
    names = ("clean 1", "clean 2", "noisy 3", "noisy 4")
    assert pairs(problem) == [(name, "squared_l2") for name in names]
    assert [own.noisy for own in problem.distances] == [False, False, True, True]


def test_data_of_one_name_are_not_mixed_up():
    swapped = dict(zip(VIEWS, [VALUES[name] for name in VIEWS[::-1]], strict=True))
    train = TASK.rows[TASK.train]
    for values in (VALUES, histograms(5), swapped, VALUES):
        problem = problem_of(images(values), TASK, "all", False)
        for i, (name, kind) in enumerate(pairs(problem)):
            expected = direct(values[name], train, train, kind, train)
            assert problem.train[0][0][i] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_tables_are_kept_from_split_to_split(monkeypatch):
    asked = []

    def counted(values, kind):
        asked.append(kind)
        return histogram_distances(values, kind=kind)

    monkeypatch.setattr(problems, "histogram_distances", counted)
    data = images(histograms(9))  # not met before
    for repetition in range(3):
        problem_of(data, task_of(data, repetition), "all", False)
        problem_of(data, task_of(data, repetition), "own", False)
    # Of the kernel nothing is kept but what it is made of.
    assert sorted(asked) == sorted(["chi2", "squared_l2", "l1"] * 4)
    # All that two data sets of eight features need.
    assert problems._fixed_table.cache_info().maxsize >= 2 * 8 * 3


def test_values_are_told_apart_by_their_data_and_view():
    X = VALUES["gist"]
    one = _Values("sha", "gist", X)
    assert one == _Values("sha", "gist", X + 1) and hash(one) == hash(_Values("sha", "gist", X + 1))
    assert one != _Values("other", "gist", X) and one != _Values("sha", "hog", X) and one != ("sha", "gist")


def test_stacks_are_copies_of_what_is_kept():
    problem = problem_of(IMAGES, TASK, "own", False)
    before = problem.train[0][0].copy()
    problem.train[0][0][:] = problem.cross[:] = -1.0
    assert np.array_equal(problem_of(IMAGES, TASK, "own", False).train[0][0], before)


@pytest.mark.parametrize(
    ("feature", "noisy"), [("noise 1", True), ("noisy 7", True), ("clean 7", False), ("gist", False)]
)
def test_what_is_known_to_be_noise(feature, noisy):
    assert GivenDistance(feature, "chi2").noisy is noisy


def test_dense_features_are_two_of_those_of_their_own():
    data = images(
        {name: own for name, own in zip(("gist", "dense-hog", "dense-sift"), VALUES.values(), strict=False)}
    )
    task = task_of(data)
    own, dense = (problem_of(data, task, kinds, False) for kinds in ("own", "dense"))
    assert [one.feature for one in own.distances] == ["gist", "dense-hog", "dense-sift"]
    assert dense.distances == own.distances[1:]
    for (whole, _), (kept, _) in zip(own.train + own.test, dense.train + dense.test, strict=True):
        assert np.array_equal(kept, whole[1:])
    assert np.array_equal(dense.cross, own.cross[1:])
