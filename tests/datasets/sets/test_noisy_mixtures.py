import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets.sets import noisy_mixtures as module


@pytest.mark.parametrize(
    "name",
    [
        "noisy-mixtures-90-n100",
        "noisy-mixtures-50-n200",
        "noisy-mixtures-90-far",
        "noisy-mixtures-95-farther",
    ],
)
def test_what_a_set_is(name: str) -> None:
    data = datasets.load(name)
    noisy = int(name.split("-")[2])
    centres = {"far": module.FAR, "farther": module.FARTHER}.get(name.split("-")[-1], module.CENTRES)
    assert [part.role for part in data.parts.values()] == ["train"] * 10 + ["test"] * 10
    names = data.parts["train-1"].content.feature_names
    assert [own.split()[0] for own in names] == ["clean"] * (100 - noisy) + ["noisy"] * noisy
    assert names[-1] == "noisy 100"
    within, between = [], []
    for part in data.parts.values():
        X, y = part.content.X, part.content.labels
        sizes = np.bincount(y)
        assert sizes.max() - sizes.min() <= 1
        means = np.stack([X[y == c].mean(axis=0) for c in range(len(sizes))])
        within.append((X - means[y]).var(axis=0))
        between.append(means.var(axis=0))
    spread = np.sqrt(np.mean(within, axis=0))
    assert spread[: 100 - noisy] == pytest.approx(np.ones(100 - noisy), rel=0.1)
    assert spread[100 - noisy :] == pytest.approx(np.full(noisy, module.NOISE * centres), rel=0.1)
    assert np.mean(between, axis=0)[: 100 - noisy].mean() == pytest.approx(centres**2, rel=0.35)


def test_sets_and_draws_differ_and_draws_are_repeatable() -> None:
    one, again, other = (datasets.load("noisy-mixtures-50-n100", draw) for draw in (0, 0, 1))
    assert one.content_sha256 == again.content_sha256 != other.content_sha256
    sets = [part.content.X for part in one.parts.values()]
    assert len({X.tobytes() for X in sets}) == 20
    assert datasets.load("noisy-mixtures-10-n100").content_sha256 != one.content_sha256


@pytest.mark.parametrize("dimensions", [50, 200])
def test_half_of_other_numbers_of_dimensions_are_noisy(dimensions: int) -> None:
    content = datasets.load(f"noisy-mixtures-50-d{dimensions}").parts["test-3"].content
    X, y = content.X, content.labels
    means = np.stack([X[y == c].mean(axis=0) for c in range(10)])
    spread = (X - means[y]).std(axis=0)
    assert X.shape == (500, dimensions) and content.feature_names[-1] == f"noisy {dimensions}"
    assert spread[: dimensions // 2] == pytest.approx(np.ones(dimensions // 2), rel=0.2)
    assert spread[dimensions // 2 :] == pytest.approx(np.full(dimensions // 2, module.NOISE), rel=0.2)


def test_names_of_kinds() -> None:
    names = {entry.name for entry in module.DATASETS}
    assert {"noisy-mixtures-95", "noisy-mixtures-50-n800", "noisy-mixtures-90-n100"} <= names
    assert len(names) == len(module.KINDS)
    assert (
        datasets.info("noisy-mixtures-50").n_samples == 10_000
        and datasets.info("noisy-mixtures-50").n_classes == 10
    )
