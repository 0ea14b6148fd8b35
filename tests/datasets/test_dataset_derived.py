"""Kept copies of computed features: used when they are right, and only then."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import Content, DatasetError, DatasetInfo, derived, registry
from cladebench.datasets.base import content_sha256

RAW = b"what the features are computed from"
LABELS = np.array([0, 1, 1, 0])


def features(draw=0):
    return np.arange(12.0).reshape(4, 3) / 7 + draw


@pytest.fixture
def toy(places, make_file, monkeypatch):
    """A registered data set that computes its features, and counts how often."""
    computed = []

    def load(files, draw):
        def compute():
            computed.append(draw)
            return features(draw)

        return Content(compute, LABELS, ("a", "b"), np.array([2, 2, -1]))

    def make(**changes):
        fields = {
            "name": "toy",
            "title": "Toy",
            "kind": "real",
            "n_samples": 4,
            "n_features": 3,
            "n_classes": 2,
            "licence": "L",
            "citation": "C",
            "loader": load,
            "files": (make_file(content=RAW, made_from="made up"),),
            "n_draws": 2,
            "content_sha256": content_sha256(features(), LABELS),
        }
        entry = DatasetInfo(**(fields | changes))
        monkeypatch.setattr(registry, "registry", lambda: {"toy": entry})
        return entry

    places.put(places.mirror, RAW)
    make.computed = computed
    return make


def test_features_are_computed_once_and_then_read(toy, places):
    entry = toy()
    first, second = datasets.load("toy"), datasets.load("toy")
    assert toy.computed == [0]
    assert [p.name for p in (places.cache / "derived").iterdir()] == [derived.derived_path(entry).name]
    np.testing.assert_array_equal(second.X, features())
    assert first.content_sha256 == second.content_sha256 == entry.content_sha256
    assert second.source == datasets.availability("toy") == "mirror"
    assert second.X.flags.writeable and not np.shares_memory(first.X, second.X)


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: b"",
        lambda kept: kept[:-8],
        lambda kept: kept[:-1],
        lambda kept: kept + kept[:8],
        lambda kept: kept[:40] + bytes([kept[40] ^ 1]) + kept[41:],
        lambda kept: kept[::-1],
    ],
    ids=["empty", "cut by a number", "cut by a byte", "longer", "one bit", "reversed"],
)
def test_a_damaged_copy_is_not_used_and_is_mended(toy, damage):
    path = derived.derived_path(toy())
    datasets.load("toy")
    good = path.read_bytes()
    path.write_bytes(damage(good))
    np.testing.assert_array_equal(datasets.load("toy").X, features())
    assert toy.computed == [0, 0] and path.read_bytes() == good


def test_a_copy_does_not_serve_other_labels(toy):
    """The digest is of features and labels together."""
    toy()
    datasets.load("toy")
    toy(loader=lambda files, draw: Content(features, 1 - LABELS, ("a", "b")))
    with pytest.raises(DatasetError, match="what was computed from them is not"):
        datasets.load("toy")


def test_wrong_content_is_an_error_and_is_not_kept(toy, places):
    toy(content_sha256="0" * 64)
    with pytest.raises(
        DatasetError, match=r"^toy: the files are the registered ones, but .* sha256 0{64}, found"
    ):
        datasets.load("toy")
    assert not places.cache.exists()


def test_only_draw_0_is_kept_and_nothing_without_a_digest(toy, places):
    toy()
    assert datasets.load("toy", 1).X[0, 0] == 1
    toy(content_sha256=None)
    datasets.load("toy")
    assert toy.computed == [1, 0] and not places.cache.exists()


def test_a_cache_that_cannot_be_written_is_no_error(toy, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("a regular file, below which no folder can be made")
    monkeypatch.setenv("CLADEBENCH_CACHE", str(tmp_path / "file" / "cache"))
    toy()
    for _ in range(2):
        np.testing.assert_array_equal(datasets.load("toy").X, features())
    assert toy.computed == [0, 0]


def test_a_copy_does_not_stand_in_for_the_files(toy, places):
    toy()
    datasets.load("toy")
    (places.mirror / "toy/toy.data").unlink()
    assert datasets.availability("toy") is None
    with pytest.raises(datasets.DataUnavailable, match="it is made up"):
        datasets.load("toy")


def test_copies_of_other_content_have_other_names(toy):
    names = {derived.derived_path(toy(content_sha256=hashlib.sha256(v).hexdigest())) for v in (b"1", b"2")}
    assert len(names) == 2
