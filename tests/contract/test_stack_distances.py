"""What every distance that is learned from stacks must do; a new file is met with no line of code here.

scikit-learn's `check_estimator` hands over tables of numbers, where these take stacks of square matrices: they cannot
meet it, and the checks here take its place.
"""

import re

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import contract_checks as contract
from cladebench.distances import discover
from cladebench.distances.base import StackDistance
from contract_checks import make

CLASSES = discover(StackDistance)
Kind = type[StackDistance]


def training_set(
    seed: int, n: int = 24, k: int = 3, dtype: type = np.float64
) -> tuple[np.ndarray, np.ndarray]:
    """Two dimensions that tell the classes, and two of wide noise, as squared differences."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    centres = 6.0 * rng.permutation(np.array([[0, 0], [1, 0], [0, 1], [1, 1]]))[:k]
    X = np.hstack([centres[y] + rng.normal(size=(n, 2)), 6.0 * rng.normal(size=(n, 2))])
    return np.square(X[:, None] - X[None]).transpose(2, 0, 1).astype(dtype), y


def training_sets(n_sets: int = 3, **more: object) -> tuple[list[np.ndarray], list[np.ndarray]]:
    pairs = [training_set(seed, **more) for seed in range(n_sets)]  # type: ignore[arg-type]
    return [stack for stack, _ in pairs], [y for _, y in pairs]


def is_partition(labels: np.ndarray, n: int) -> bool:
    return labels.shape == (n,) and labels.dtype == np.int64 and set(labels) == set(range(labels.max() + 1))


def check_result(cls: Kind) -> None:
    stacks, y = training_sets()
    fitted = make(cls).fit(stacks, y)
    assert fitted.n_distances_ == 4
    assert fitted.weights_.shape == (4,) and fitted.weights_.dtype == np.float64
    assert np.isfinite(fitted.weights_).all()
    test, _ = training_set(9, n=17)
    assert is_partition(fitted.predict(test), 17)
    expected = np.tensordot(fitted.weights_, test, axes=1)
    np.testing.assert_allclose(fitted.pairwise(test), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(fitted.pairwise(test[:, :5]), expected[:5], rtol=1e-10, atol=1e-12)


def check_learns_which_distances_tell(cls: Kind) -> None:
    stacks, y = training_sets(4, n=40)
    # Of distances that are brought to one scale: the wide noise has small weights in any other.
    w = np.abs(make(cls).fit(stacks, y).weights_) * np.mean(
        [stack.mean(axis=(1, 2)) for stack in stacks], axis=0
    )
    assert max(w[2:]) < 0.5 * min(w[:2])


def check_same_seed_same_weights(cls: Kind) -> None:
    stacks, y = training_sets()
    one = make(cls).fit(stacks, y)
    first = one.weights_.copy()
    assert np.array_equal(first, make(cls).fit(stacks, y).weights_)
    assert np.array_equal(first, clone(one).fit(stacks, y).weights_)
    assert np.array_equal(first, one.fit(stacks, y).weights_), "a second fit of one object differs"
    assert np.array_equal(one.predict(stacks[0]), one.predict(stacks[0]))


def check_threads(cls: Kind) -> None:
    stacks, y = training_sets(2, n=60)
    with threadpool_limits(1):
        one = make(cls).fit(stacks, y)
        first = one.predict(stacks[0])
    with threadpool_limits(2):
        two = make(cls).fit(stacks, y)
        assert np.array_equal(first, two.predict(stacks[0]))
    assert np.array_equal(one.weights_, two.weights_)


def check_names_of_clusters_do_not_matter(cls: Kind) -> None:
    stacks, y = training_sets()
    one = make(cls).fit(stacks, y)
    names = np.array(["b", "c", "a"])
    other = make(cls).fit(stacks, [names[own] if k else own + 7 for k, own in enumerate(y)])
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-6, atol=1e-9)


def check_row_permutation(cls: Kind) -> None:
    stacks, y = training_sets()
    order = np.random.default_rng(3).permutation(len(y[0]))
    one = make(cls).fit(stacks, y)
    other = make(cls).fit([s[:, order][:, :, order] for s in stacks], [own[order] for own in y])
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-6, atol=1e-9)


def check_diagonals_are_not_read(cls: Kind) -> None:
    stacks, y = training_sets()
    one = make(cls).fit(stacks, y)
    marked = [stack.copy() for stack in stacks]
    for stack in marked:
        stack[:, np.arange(24), np.arange(24)] = 1000.0
    other = make(cls).fit(marked, y)
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-12)
    assert np.array_equal(one.predict(stacks[1]), other.predict(marked[1]))


def check_single_precision(cls: Kind) -> None:
    stacks, y = training_sets(dtype=np.float32)
    one = make(cls).fit(stacks, y)
    two = make(cls).fit([stack.astype(np.float64) for stack in stacks], y)
    np.testing.assert_allclose(one.weights_, two.weights_, rtol=1e-3, atol=1e-4)


def check_asymmetric_distances(cls: Kind) -> None:
    rng = np.random.default_rng(1)
    stacks, y = training_sets()
    stacks = [stack * rng.uniform(1.0, 1.5, stack.shape) for stack in stacks]
    assert is_partition(make(cls).fit(stacks, y).predict(stacks[0]), 24)


def check_sets_of_different_sizes(cls: Kind) -> None:
    pairs = [training_set(0, n=12), training_set(1, n=30), training_set(2, n=20, k=2)]
    fitted = make(cls).fit([stack for stack, _ in pairs], [y for _, y in pairs])
    assert is_partition(fitted.predict(pairs[1][0]), 30)


def check_degenerate_sets(cls: Kind) -> None:
    stack, y = training_set(0, n=12)
    for labels in (np.zeros(12, dtype=int), np.arange(12)):  # one cluster; each its own
        assert is_partition(make(cls).fit([stack], [labels]).predict(stack), 12)
    constant = stack.copy()
    constant[1] = 0.0
    assert np.isfinite(make(cls).fit([constant], [y]).weights_).all()
    assert is_partition(make(cls).fit([np.zeros((2, 12, 12))], [y]).predict(np.zeros((2, 12, 12))), 12)
    assert is_partition(make(cls).fit([np.zeros((2, 1, 1))], [[0]]).predict(np.zeros((2, 1, 1))), 1)


def refuses(cls: Kind, stacks: object, labels: object, said: str, **params: object) -> None:
    with pytest.raises(ValueError, match=said):
        make(cls, **params).fit(stacks, labels)


def check_bad_training_sets(cls: Kind) -> None:
    stacks, y = training_sets()
    refuses(cls, [], [], "stacks is empty; expected at least one training set")
    refuses(cls, stacks, y[:2], "labels has 2 entries; expected 3")
    refuses(cls, 3, y, "stacks is of type int")
    refuses(cls, [stacks[0], stacks[1][:3], stacks[2]], y, r"stacks\[1\] has 3 distances; expected 4")
    refuses(cls, [stacks[0][0]], y[:1], r"stacks\[0\] has shape \(24, 24\); expected \(n_distances, n, n\)")
    refuses(cls, [stacks[0][:, :5]], y[:1], r"stacks\[0\] has shape \(4, 5, 24\)")
    refuses(cls, [stacks[0][:0]], y[:1], "at least one distance and one object")
    refuses(cls, [[["a"]]], [[0]], "expected real numbers")
    refuses(cls, stacks, [y[0], y[1], y[2][:20]], r"labels\[2\] has shape \(20,\); expected \(24,\)")
    refuses(cls, stacks, [y[0], y[1], [None, *y[2][1:]]], r"labels\[2\]\[0\] is None")
    for value in (np.nan, np.inf, -1.0):
        spoilt = stacks[1].copy()
        spoilt[2, 3, 4] = value
        refuses(
            cls,
            [stacks[0], spoilt, stacks[2]],
            y,
            rf"^{cls.__name__}: stacks\[1\]\[2, 3, 4\] is {value}; expected a finite",
        )


def check_bad_stacks(cls: Kind) -> None:
    stacks, y = training_sets()
    fitted = make(cls).fit(stacks, y)
    for ask in (fitted.predict, fitted.pairwise):
        with pytest.raises(ValueError, match="stack has 3 distances; expected 4, as in fit"):
            ask(stacks[0][:3])
        with pytest.raises(ValueError, match=rf"^{cls.__name__}: stack\[0, 0, 0\] is nan"):
            ask(np.full((4, 5, 5), np.nan))
    with pytest.raises(ValueError, match=r"stack has shape \(4, 5, 24\); expected \(n_distances, n, n\)"):
        fitted.predict(stacks[0][:, :5])
    for ask in (make(cls).predict, make(cls).pairwise):
        with pytest.raises(ValueError, match="not fitted yet"):
            ask(stacks[0])


def check_stacks_are_not_written_to(cls: Kind) -> None:
    stacks, y = training_sets()
    before = [stack.copy() for stack in stacks]
    for stack in stacks:
        stack.flags.writeable = False
    make(cls).fit(stacks, y).predict(stacks[0])
    assert all(np.array_equal(a, b) for a, b in zip(stacks, before, strict=True))


def check_bad_parameters(cls: Kind) -> None:
    stacks, y = training_sets(1)
    for name in cls().get_params():
        with pytest.raises(ValueError, match=re.escape(name)):
            make(cls).set_params(**{name: object()}).fit(stacks, y)


CHECKS = {name: value for name, value in globals().items() if name.startswith("check_")}


@pytest.mark.parametrize(("name", "check"), [(name, check) for name in CLASSES for check in CHECKS])
def test_contract(name: str, check: str) -> None:
    contract.run(CLASSES[name], check, lambda: CHECKS[check](CLASSES[name]))


@pytest.mark.parametrize("name", CLASSES)
def test_excuses_and_documentation(name: str) -> None:
    cls = CLASSES[name]
    assert set(cls.contract_excuses) <= set(CHECKS)
    for reason, error in cls.contract_excuses.values():
        assert len(reason.split()) >= 3 and error not in (Exception, BaseException, "")
    contract.is_documented(cls)
