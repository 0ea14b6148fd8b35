"""The registry: what an entry must say, how files are found, and what load() refuses."""

from __future__ import annotations

import dataclasses
import os
import sys
import textwrap

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import Content, DatasetError, DatasetInfo, RemoteFile, registry, sets
from cladebench.datasets.content import features_sha256

FILE = RemoteFile("toy/toy.data", "0" * 64, 10, ("https://example.org/toy.data",))


def toy_content(files=None, draw=0):
    return Content(np.eye(3), np.array([0, 1, 1]), ("a", "b"))


def entry(**changes):
    fields = {
        "name": "toy",
        "title": "Toy",
        "kind": "synthetic",
        "n_samples": 3,
        "n_features": 3,
        "n_classes": 2,
        "licence": "none needed",
        "citation": "nobody",
        "loader": toy_content,
    }
    return DatasetInfo(**(fields | changes))


@pytest.fixture
def register(monkeypatch):
    """Put entries in the place of the whole registry."""

    def put(*entries):
        monkeypatch.setattr(registry, "registry", lambda: {e.name: e for e in entries})

    return put


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "/etc/passwd"}, "plain relative path"),
        ({"name": "toy/../../x"}, "plain relative path"),
        ({"name": "toy\\x"}, "plain relative path"),
        ({"name": "toy//x"}, "plain relative path"),
        ({"name": ""}, "plain relative path"),
        ({"sha256": "0" * 63}, "64 lower-case hexadecimal"),
        ({"sha256": "G" * 64}, "64 lower-case hexadecimal"),
        ({"size": 0}, "positive"),
        ({"urls": ()}, "official address first, or made_from"),
        ({"urls": ("ftp://example.org/x",)}, "http or https"),
        ({"urls": ("https://example.org",)}, "http or https"),
    ],
)
def test_a_file_entry_is_checked(changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(FILE, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Toy Set"}, "lower-case"),
        ({"kind": "fake"}, "expected one of real, stand-in, synthetic"),
        ({"kind": "stand-in", "files": (FILE,)}, "stand_in_for"),
        ({"stand_in_for": "AWA"}, "stand_in_for"),
        ({"kind": "real"}, "expected none of a synthetic data set"),
        ({"files": (FILE,)}, "expected none of a synthetic data set"),
        ({"licence": " "}, "licence is empty"),
        ({"citation": ""}, "citation is empty"),
        ({"n_classes": 0}, "n_classes is 0"),
        ({"n_draws": 0}, "n_draws is 0"),
        ({"n_features": 0}, "n_features is 0"),
        ({"n_samples": 0}, "n_samples is 0"),
        ({"n_draws": "3"}, "n_draws is '3'; expected a whole number from 1"),
        ({"n_features": None}, "nothing to cluster"),
        ({"n_features": None, "images": True, "sparse": True}, "sparse is True without X"),
        ({"views": {"A b": "features"}}, "views: name 'A b', expected lower-case"),
        ({"views": {"a": "metric"}}, "views: a is 'metric', expected one of features, distances"),
        ({"parts": {"../a": "train"}}, "parts: name '../a', expected lower-case"),
        ({"parts": {"a": "validation"}}, "parts: a is 'validation', expected one of train, test"),
        ({"n_training": 0}, "n_training is 0, expected between 1 and 2"),
        ({"n_training": 3}, "n_training is 3, expected between 1 and 2, as there are test rows too"),
        ({"n_training": 1, "parts": {"a": "train"}}, "n_training is given beside parts"),
        ({"features_sha256": "0" * 63}, "features_sha256.*64 lower-case hexadecimal"),
        ({"features_sha256": "0" * 64, "parts": {"a": "train"}}, "without an X of the whole"),
        (
            {"features_sha256": "0" * 64, "n_features": None, "images": True},
            "without an X of the whole",
        ),
    ],
)
def test_a_data_set_entry_is_checked(changes, message):
    with pytest.raises(ValueError, match=message):
        entry(**changes)


def test_unknown_name_leads_to_the_nearest_of_the_known_ones():
    said = r"data set 'glas': unknown; did you mean 'glass'\? allowed: 20news, .* and \d+ more$"
    for call in (datasets.load, datasets.info, datasets.availability):
        with pytest.raises(ValueError, match=said):
            call("glas")


@pytest.mark.parametrize(("n_draws", "draw"), [(1, 1), (1, -1), (5, -1)])
def test_a_draw_that_does_not_exist_is_refused(register, n_draws, draw):
    register(entry(n_draws=n_draws))
    with pytest.raises(ValueError, match=f"draw is {draw}"):
        datasets.load("toy", draw)


def test_a_draw_is_an_integer(register):
    register(entry(n_draws=5))
    assert datasets.load("toy", np.int64(7)).draw == 7
    with pytest.raises(TypeError):
        datasets.load("toy", 0.5)


def test_feature_names_are_handed_on_and_counted(register):
    names = ("x", "y", "z")
    register(
        entry(
            loader=lambda files, draw: dataclasses.replace(toy_content(), feature_names=names[: 3 - draw]),
            n_draws=2,
        )
    )
    assert datasets.load("toy").feature_names == names
    with pytest.raises(DatasetError, match="3 feature names, found 2"):
        datasets.load("toy", 1)


@pytest.mark.parametrize(
    ("parents", "found"),
    [
        ([2, 2, -1], None),
        ([-1, 0], None),  # a class above another
        (np.array([3, 2, 3, -1], dtype=np.int32), None),
        ([2, 2, 2], r"parents has no root; expected exactly one -1"),
        ([2, -1, -1], "parents has two roots"),
        ([2, 5, -1], r"parents\[1\] is 5; expected -1 \(the root\) or a node 0\.\.2"),
        ([2, -2, -1], r"parents\[1\] is -2; expected"),
        ([1, 0, -1], "cycle"),
        ([-1], "1 nodes"),
        ([], "0 nodes"),
        ([2.0, 2.0, -1.0], "class_parents has dtype float64; expected integers"),
        ([[2, 2, -1]], r"class_parents has shape \(1, 3\); expected one dimension"),
    ],
)
def test_class_parents_are_those_of_a_tree_over_the_classes(register, parents, found):
    content = dataclasses.replace(toy_content(), class_parents=parents)
    register(entry(loader=lambda files, draw: content))
    if found is None:
        loaded = datasets.load("toy").class_parents
        assert loaded.dtype == np.intp and np.array_equal(loaded, parents)
        return
    with pytest.raises(DatasetError, match=found) as caught:
        datasets.load("toy")
    assert "toy (the generator): expected class_parents to be the parent of each node of a tree" in str(
        caught.value
    )


def test_features_without_their_registered_digest_are_refused(register):
    digest = features_sha256(np.eye(3), np.array([0, 1, 1]))
    register(entry(features_sha256=digest, n_draws=2))
    assert np.array_equal(datasets.load("toy").X, np.eye(3))
    register(entry(features_sha256="0" * 64, n_draws=2))
    with pytest.raises(
        DatasetError,
        match=f"^toy: .*expected sha256 0{{64}}, found {digest}$",
    ):
        datasets.load("toy")
    assert datasets.load("toy", 1).draw == 1  # the registered one is that of draw 0


@pytest.mark.parametrize(
    ("changes", "contents"),
    [
        ({}, "3 points; 3 features; 2 classes"),
        ({"n_classes": None}, "3 points; 3 features; no labels"),
        ({"sparse": True}, "3 points; 3 sparse features; 2 classes"),
        ({"n_features": None, "images": True}, "3 points; images; 2 classes"),
        ({"n_training": 2}, "3 points; 3 features; 2 classes; the first 2 for training"),
        (
            {"views": {"b": "distances", "a": "features", "c": "distances"}},
            "3 points; 3 features; views of features: a; distances: b, c; 2 classes",
        ),
        (
            {"parts": {"a": "train", "b": "test", "c": "train"}},
            "3 points; 3 features; 2 classes; in 2 training and 1 test sets",
        ),
    ],
)
def test_an_entry_says_in_words_what_there_is(changes, contents):
    assert entry(**changes).contents == contents


def test_a_loaded_data_set_says_where_it_came_from(register, places, make_file):
    first, second = (
        make_file("https://example.org/1", name="toy/1"),
        make_file("https://example.org/2", name="toy/2"),
    )
    places.put(places.cache, name="toy/1")
    places.put(places.mirror, name="toy/2")
    register(entry(kind="stand-in", stand_in_for="AWA", files=(first, second)))
    data = datasets.load("toy")
    assert data.source == datasets.availability("toy") == "cache+mirror"
    assert data.files == {"toy/1": first.sha256, "toy/2": second.sha256}
    assert (data.kind, data.stand_in_for) == ("stand-in", "AWA")
    assert data.X.dtype == np.float64 and data.labels.dtype == np.intp and data.X.flags.c_contiguous
    places.put(places.cache, places.mirror.joinpath("toy/2").read_bytes()[::-1], name="toy/2")
    assert datasets.availability("toy") == "cache"  # cheap: looked for, not read
    places.put(places.cache, b"other", name="toy/2")
    assert datasets.availability("toy") == "altered"


def test_availability_never_reads_or_asks(register, make_file, server):
    register(entry(kind="real", files=(make_file(server.url + "/toy"),)))
    assert datasets.availability("toy") is None
    assert server.requests == []


MODULE = """
import numpy as np
from cladebench.datasets import Content, DatasetInfo, RemoteFile


def load(files, draw):
    return Content(np.eye(2), np.array([0, 1]), ("a", "b"))


DATASETS = (
    DatasetInfo(
        name="{name}", title="T", kind="real", n_samples=2, n_features=2, n_classes=2, licence="L", citation="C",
        loader=load, files=(RemoteFile("{file}", "{digit}" * 64, 3, ("https://example.org/x",)),),
    ),
)
"""


@pytest.fixture
def add_module(tmp_path, monkeypatch):
    """Write a module into a folder that the package searches too."""
    folder = tmp_path / "families"
    folder.mkdir()
    monkeypatch.setattr(sets, "__path__", [*sets.__path__, str(folder)])
    added = []

    def write(module, **values):
        (folder / f"{module}.py").write_text(textwrap.dedent(MODULE).format(**values))
        added.append(f"cladebench.datasets.sets.{module}")
        registry.registry.cache_clear()

    yield write
    registry.registry.cache_clear()
    for module in added:
        sys.modules.pop(module, None)
        if hasattr(sets, module.rsplit(".", 1)[1]):
            delattr(sets, module.rsplit(".", 1)[1])


def test_a_new_file_is_found_by_itself(add_module):
    before = datasets.names()
    add_module("extra_family", name="extra", file="extra/x", digit="1")
    assert datasets.names() == sorted([*before, "extra"])


def test_a_file_that_cannot_be_imported_leaves_the_others_alive(add_module, tmp_path):
    before = datasets.names()
    add_module("broken_family", name="extra", file="extra/x", digit="1")
    file = tmp_path / "families" / "broken_family.py"
    file.write_text("import no_such_library\n" + file.read_text())
    with pytest.warns(UserWarning, match=r"broken_family\.py cannot be imported .*no_such_library.*left out"):
        assert datasets.names() == before
    with pytest.raises(ValueError, match=r"'extra': unknown \(broken_family\.py could not be read\); "):
        datasets.info("extra")


def test_a_name_used_twice_names_both_modules(add_module):
    add_module("extra_family", name="glass", file="extra/x", digit="1")
    with pytest.raises(ValueError, match=r"'glass' is used in extra_family and in uci"):
        datasets.names()


def test_a_file_registered_with_two_contents_is_refused(add_module):
    add_module("extra_family", name="extra", file="glass/glass.data", digit="1")
    with pytest.raises(ValueError, match=r"glass/glass.data is registered twice"):
        datasets.names()


def test_registry_frame_has_a_row_for_each():
    frame = datasets.registry_frame()
    assert frame["name"].tolist() == datasets.names()
    assert frame.set_index("name").loc["glass", ["n_samples", "n_features", "n_classes"]].tolist() == [
        214,
        9,
        6,
    ]
    rows = frame.set_index("name")
    assert rows["n_features"].isna()["uneven-distances"] and rows["n_classes"].isna()["unlabelled-blobs"]
    assert rows.loc["split-distances", "contents"].endswith("in 3 training and 2 test sets")
    assert not frame.drop(columns=["n_features", "n_classes"]).isna().any(axis=None)
    assert str(frame.dtypes["n_features"]) == "Int64"


def test_a_loader_leaves_the_process_as_it_was(monkeypatch):
    """As OpenCV does not, whose import changes both: a cell would end its process after it."""

    def load(files, draw):
        os.environ["OWN_OF_A_LIBRARY"] = "1"
        os.environ["HOME"] += "/elsewhere"
        sys.path.insert(0, "of-a-library")
        sys.path = ["another", *sys.path]
        return Content(np.eye(3))

    entry = dataclasses.replace(
        datasets.info("unlabelled-blobs"), loader=load, n_samples=3, n_features=3, files=()
    )
    monkeypatch.setattr(registry, "info", lambda name: entry)
    environment, path, entries = dict(os.environ), sys.path, list(sys.path)
    monkeypatch.setattr(sys, "path", path)
    assert datasets.load("unlabelled-blobs").n_samples == 3
    assert dict(os.environ) == environment and sys.path is path and path == entries
