"""Kept copies of computed features and views: used when they are right, and only then."""

from __future__ import annotations

import dataclasses
import hashlib

import numpy as np
import pytest
from scipy import sparse

from cladebench import datasets
from cladebench.datasets import Content, DatasetError, DatasetInfo, Part, View, derived, registry
from cladebench.datasets.content import features_sha256

RAW = b"what the features are computed from"
LABELS = np.array([0, 1, 1, 0])


def features(draw=0):
    return np.arange(12.0).reshape(4, 3) / 7 + draw


def distances():
    return np.ones((4, 4)) - np.eye(4)


@pytest.fixture
def toy(places, make_file, monkeypatch):
    """A registered data set that computes its features and a view, and notes what it computes."""
    log = []

    def noted(what, values):
        def compute():
            log.append(what)
            return values

        return compute

    def load(files, draw):
        views = {"far": View("distances", noted(f"far {draw}", distances()))}
        return Content(noted(f"X {draw}", features(draw)), LABELS, ("a", "b"), views=views)

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
            "views": {"far": "distances"},
            "features_sha256": features_sha256(features(), LABELS),
        }
        entry = DatasetInfo(**(fields | changes))
        monkeypatch.setattr(registry, "registry", lambda: {"toy": entry})
        return entry

    places.put(places.mirror, RAW)
    make.log, make.noted = log, noted
    return make


def kept(places):
    folder = places.cache / "derived"
    return sorted(path.name.rpartition("-")[0] for path in folder.iterdir()) if folder.exists() else []


def test_each_thing_is_computed_once_and_then_read(toy, places):
    entry = toy()
    first, second = datasets.load("toy"), datasets.load("toy")
    assert toy.log == ["X 0", "far 0"]
    assert kept(places) == ["toy-0-X", "toy-0-view-far"]
    assert derived.derived_path(entry, 0, "X").exists()
    np.testing.assert_array_equal(second.X, features())
    np.testing.assert_array_equal(second.views["far"].values, distances())
    assert first.content_sha256 == second.content_sha256
    assert second.source == datasets.availability("toy") == "mirror"
    assert second.X.flags.writeable and not np.shares_memory(first.X, second.X)


def test_what_is_computed_is_logged(toy, caplog):
    toy()
    with caplog.at_level("INFO", logger="cladebench"):
        datasets.load("toy")
        datasets.load("toy")
    assert caplog.messages == ["toy: computing X; a copy is kept", "toy: computing view-far; a copy is kept"]


def test_each_draw_is_kept_for_itself(toy, places):
    toy()
    for draw in (1, 0, 1):
        np.testing.assert_array_equal(datasets.load("toy", draw).X, features(draw))
    assert toy.log == ["X 1", "far 1", "X 0", "far 0"]
    assert kept(places) == ["toy-0-X", "toy-0-view-far", "toy-1-X", "toy-1-view-far"]


def test_a_copy_is_an_array_that_numpy_reads(toy):
    path = derived.derived_path(toy(), 0, "X")
    datasets.load("toy")
    np.testing.assert_array_equal(np.load(path, allow_pickle=False), features())


@pytest.mark.parametrize(
    "damage",
    [
        lambda copy: b"",
        lambda copy: copy[:-40],
        lambda copy: copy[:-1],
        lambda copy: copy + copy[:8],
        lambda copy: copy[:150] + bytes([copy[150] ^ 1]) + copy[151:],
        lambda copy: copy[:-1] + bytes([copy[-1] ^ 1]),
        lambda copy: copy[::-1],
    ],
    ids=["empty", "cut", "cut by a byte", "longer", "one bit", "one bit of the checksum", "reversed"],
)
@pytest.mark.parametrize("registered", [True, False])
@pytest.mark.parametrize("place", ["X", "view-far"])
def test_a_damaged_copy_is_not_used_and_is_mended(toy, damage, registered, place):
    path = derived.derived_path(toy() if registered else toy(features_sha256=None), 0, place)
    datasets.load("toy")
    good = path.read_bytes()
    path.write_bytes(damage(good))
    again = datasets.load("toy")
    np.testing.assert_array_equal(again.X, features())
    np.testing.assert_array_equal(again.views["far"].values, distances())
    assert toy.log == ["X 0", "far 0", "X 0" if place == "X" else "far 0"]
    assert path.read_bytes() == good


def test_a_good_copy_of_wrong_features_is_not_used_where_the_digest_is_registered(toy):
    """As if another machine had computed them a little otherwise, in a cache that both share."""
    path = derived.derived_path(toy(), 0, "X")
    datasets.load("toy")
    good = path.read_bytes()
    path.write_bytes(derived._packed(features() + 1e-12))
    np.testing.assert_array_equal(datasets.load("toy").X, features())
    assert path.read_bytes() == good


def test_a_copy_does_not_serve_other_labels(toy):
    """The registered digest is of features and labels together."""
    toy()
    datasets.load("toy")
    toy(loader=lambda files, draw: Content(features, 1 - LABELS, ("a", "b")), views={})
    with pytest.raises(DatasetError, match="features computed from the registered files differ"):
        datasets.load("toy")


def test_wrong_features_are_an_error_and_are_not_kept(toy, places):
    toy(features_sha256="0" * 64)
    with pytest.raises(
        DatasetError,
        match=r"^toy: features computed from the registered files differ; expected sha256 0{64}, found",
    ):
        datasets.load("toy")
    assert kept(places) == []


def test_sparse_features_are_kept_sparse(toy):
    matrix = sparse.csr_array(np.diag([0.5, 0.0, 2.0, 3.0])[:, :3])
    entry = toy(
        loader=lambda files, draw: Content(toy.noted("X", matrix), LABELS, ("a", "b")),
        views={},
        features_sha256=None,
        sparse=True,
    )
    first, second = datasets.load("toy"), datasets.load("toy")
    assert toy.log == ["X"] and isinstance(second.X, sparse.csr_array)
    assert (matrix != second.X).nnz == 0 and first.content_sha256 == second.content_sha256
    path = derived.derived_path(entry, 0, "X")
    path.write_bytes(path.read_bytes()[:-1])
    assert (matrix != datasets.load("toy").X).nnz == 0 and toy.log == ["X", "X"]


def test_values_of_each_part_are_kept_for_themselves(toy, places):
    def load(files, draw):
        def part(role, factor):
            values = toy.noted(f"{role} {factor}", factor * distances())
            return Part(role, Content(None, LABELS, ("a", "b"), views={"far": View("distances", values)}))

        return Content(parts={"one": part("train", 1), "two": part("test", 2)})

    toy(
        loader=load, n_samples=8, n_features=None, features_sha256=None, parts={"one": "train", "two": "test"}
    )
    for _ in range(2):
        data = datasets.load("toy")
        assert [part.content.views["far"].values[0, 1] for part in data.parts.values()] == [1.0, 2.0]
    assert toy.log == ["train 1", "test 2"]
    assert kept(places) == ["toy-0-part-one-view-far", "toy-0-part-two-view-far"]


def test_the_name_of_a_copy_hears_all_that_it_is_made_from(toy, make_file, monkeypatch, tmp_path):
    entry = toy()
    name = derived.derived_path(entry, 0, "X").name
    assert derived.derived_path(dataclasses.replace(entry, title="Other", notes="n"), 0, "X").name == name
    others = [
        derived.derived_path(dataclasses.replace(entry, name="other"), 0, "X").name,
        derived.derived_path(entry, 1, "X").name,
        derived.derived_path(entry, 0, "view-far").name,
        derived.derived_path(
            dataclasses.replace(entry, files=(make_file(content=RAW + b"!", made_from="m"),)), 0, "X"
        ).name,
    ]
    with monkeypatch.context() as patch:
        patch.setattr(derived, "version", lambda library: "0" if library == "scipy" else "1")
        others.append(derived.derived_path(entry, 0, "X").name)
    code = tmp_path / "family.py"
    for text in ("DATASETS = ()", "DATASETS = (1,)"):
        code.write_text(text)
        monkeypatch.setattr(derived, "sources_of", lambda entry: [code])
        others.append(derived.derived_path(entry, 0, "X").name)
    assert len({name, *others}) == 8
    # The digest alone tells them apart.
    assert len({other.rpartition("-")[2] for other in (name, *others)}) == 8


def test_a_cache_that_cannot_be_written_is_no_error(toy, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("a regular file, below which no folder can be made")
    monkeypatch.setenv("CLADEBENCH_CACHE", str(tmp_path / "file" / "cache"))
    toy()
    for _ in range(2):
        np.testing.assert_array_equal(datasets.load("toy").X, features())
    assert toy.log == ["X 0", "far 0"] * 2


def test_a_copy_does_not_stand_in_for_the_files(toy, places):
    toy()
    datasets.load("toy")
    (places.mirror / "toy/toy.data").unlink()
    assert datasets.availability("toy") is None
    with pytest.raises(datasets.DataUnavailable, match="it is made up"):
        datasets.load("toy")


def test_pickled_content_is_not_read(toy):
    """Not even with a right checksum."""
    path = derived.derived_path(toy(), 0, "view-far")
    datasets.load("toy")
    content = path.read_bytes()[:-32].replace(b"'<f8'", b"'|O' ")
    path.write_bytes(content + hashlib.sha256(content).digest())
    with pytest.raises(ValueError, match="allow_pickle=False"):
        datasets.load("toy")
