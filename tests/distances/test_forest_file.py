"""Files of forests: whole ones are taken up, others are refused."""

import copy
import hashlib
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest

from cladebench.distances import HierarchyForest
from cladebench.distances import _forest_checkpoint as checkpoint
from cladebench.distances import _forest_parts as parts
from cladebench.distances._forest_file import KIND, read_forest
from random_forests import forest_of


def test_copies_and_files_give_the_same_forest(tmp_path) -> None:
    X = np.random.default_rng(6).normal(size=(50, 4))
    forest = forest_of(X, random_state=np.random.RandomState(1), cannot_link=[[0, 1]])
    forest.save(tmp_path / "forest")
    for other in (
        pickle.loads(pickle.dumps(forest)),
        copy.deepcopy(forest),
        HierarchyForest.load(tmp_path / "forest"),
    ):
        assert np.array_equal(other.pairwise(X[:9], X), forest.pairwise(X[:9], X))
        for a, b in zip(
            other.kneighbors(candidates_per_tree=2), forest.kneighbors(candidates_per_tree=2), strict=True
        ):
            assert np.array_equal(a, b)
        assert other.seed_ == forest.seed_ and other.constraints_digest_ == forest.constraints_digest_
        assert other.n_features_in_ == 4
    assert HierarchyForest.load(tmp_path / "forest").get_params() == {
        **forest.get_params(),
        "random_state": None,
    }


def test_a_fit_that_was_interrupted_is_taken_up(tmp_path, monkeypatch) -> None:
    X = np.random.default_rng(8).normal(size=(40, 5))
    given = {"must_link": [[0, 1]], "cannot_link": [[2, 3]], "splits": "max-margin"}
    whole = forest_of(X, 9, **given)
    folder = tmp_path / "kept"
    grow, grown, most = parts.grow_trees, [], 99

    def counted(*args):
        if sum(grown) >= most:
            raise KeyboardInterrupt
        grown.append(args[-1])
        return grow(*args)

    monkeypatch.setattr(checkpoint, "STEP", 2)
    monkeypatch.setattr(parts, "grow_trees", counted)
    forest_of(X, 9, checkpoint=folder, **given)
    assert grown == [2, 2, 2, 2, 1] and not folder.exists()  # it took no minute
    monkeypatch.setattr(checkpoint, "INTERVAL", 0.0)
    for most in (4, 2):
        grown.clear()
        with pytest.raises(KeyboardInterrupt):
            forest_of(X, 9, checkpoint=folder, **given)
        assert sum(grown) == most
    grown, most = [], 99
    forest = forest_of(X, 9, checkpoint=str(folder), **given)
    assert grown == [2, 1] and forest.seconds_taken_up_ > 0
    for name in ("n_nodes_", "right_", "size_", "features_", "weights_"):
        assert np.array_equal(getattr(forest, name), getattr(whole, name))
    assert forest_of(X, 9, checkpoint=None, **given).seconds_taken_up_ == whole.seconds_taken_up_ == 0
    for other in ({"min_node_size": 3}, {"random_state": 4}, {"cannot_link": [[2, 4]]}):
        with pytest.raises(ValueError, match="holds trees of another fit"):
            forest_of(X, 9, checkpoint=folder, **given | other)
    with pytest.raises(ValueError, match="holds trees of another fit, with rows="):
        forest_of(X + 1, 9, checkpoint=folder, **given)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    fewer = forest_of(X, 3, checkpoint=folder, **given)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert np.array_equal(fewer.weights_, whole.weights_[: len(fewer.weights_)])
    first = folder / "trees-from-000000.npz"
    first.write_bytes(first.read_bytes()[:-1])
    with pytest.raises(ValueError, match="its digest does not fit; expected a file of a forest, whole"):
        forest_of(X, 9, checkpoint=folder, **given)
    with pytest.raises(ValueError, match="checkpoint=3: expected None or the path of a folder"):
        forest_of(X, checkpoint=3)


def test_altered_files_are_refused(tmp_path) -> None:
    X = np.random.default_rng(6).normal(size=(30, 3))
    file = tmp_path / "forest"
    forest_of(X, 2).save(file)
    content = file.read_bytes()
    HierarchyForest.load(file)
    damaged = [content[:-1], content[: len(content) // 2], content[:10], b"", content + b"x", content[::-1]]
    for at in [
        *np.random.default_rng(0).integers(len(content), size=60).tolist(),
        0,
        6,
        10,
        len(content) - 70,
    ]:
        damaged.append(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    for other in damaged:
        file.write_bytes(other)
        with pytest.raises(ValueError, match=f"{file}: its digest does not fit; expected a file of a forest"):
            HierarchyForest.load(file)
    with pytest.raises(FileNotFoundError):
        HierarchyForest.load(tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("right_", 0, 10**6, "has the right child 1000000"),
        ("right_", 0, 1, "has the right child 1"),
        ("right_", 0, -3, "has the right child -3"),
        ("right_", 0, 0, "node 0 is a leaf"),
        ("size_", 0, 31, "node 0 has size 31, not the number of rows"),
        ("size_", 1, 0, "not the sum of its children's"),
        ("features_", (0, 0), 3, "split 0 has the feature 3 out of its order or of X"),
        ("weights_", (1, 1), np.nan, "split 1 has a weight that is not finite"),
        ("weights_", (0, 1), 1e3, "gets .* of the training rows, its size says"),
        ("n_nodes_", 0, 10**9 + 1, "has a number of nodes that does not fit"),
        ("n_nodes_", 0, -1, "has a number of nodes that does not fit"),
    ],
)
def test_a_file_of_a_wrong_tree_is_refused(name, place, value, words, tmp_path) -> None:
    # The digest is right: what the file says is wrong.
    forest = forest_of(np.random.default_rng(6).normal(size=(30, 3)), 2, n_split_features=1)
    setattr(forest, name, getattr(forest, name).copy())
    getattr(forest, name)[place] = value
    forest.save(tmp_path / "forest")
    with pytest.raises(ValueError, match=words):
        HierarchyForest.load(tmp_path / "forest")


def closed(content: bytes) -> bytes:
    """An archive, ended as `write_forest` does: with a digest that fits."""
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"0" * 64
    content = buffer.getvalue()[:-64]
    return content + hashlib.sha256(content).hexdigest().encode()


def archive_of(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return closed(buffer.getvalue())


def array_bytes(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0))
    return buffer.getvalue()


def header_of(shape: tuple, descr: str = "<f8") -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": descr, "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def facts_of(text: str) -> bytes:
    return array_bytes(np.frombuffer(text.encode(), dtype=np.uint8))


def zipped(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return closed(buffer.getvalue())


FOREIGN = {
    "empty": b"",
    "text": b"a,b\n1,2\n" * 50,
    "an array alone": array_bytes(np.arange(9.0)),
    "a pickle": pickle.dumps({"kind": "cladebench hierarchy forest 1"}),
    "a digest alone": hashlib.sha256(b"").hexdigest().encode(),
    "text with a digest": b"text" + hashlib.sha256(b"text").hexdigest().encode(),
    "an archive of nothing": archive_of(),
    "an archive of text": archive_of(facts=b"text"),
    "other arrays": archive_of(a=array_bytes(np.arange(3)), b=array_bytes(np.eye(2))),
    "objects": archive_of(facts=array_bytes(np.array([{"kind": 1}], dtype=object))),
    "compressed": zipped(facts=np.zeros(3, dtype=np.uint8)),
    "8 TB": archive_of(facts=facts_of("{}"), X=header_of((10**6, 10**6))),
    "more than all": archive_of(facts=header_of((2**62, 2**62))),
    "less than none": archive_of(facts=header_of((-1, 8)) + b"0" * 64),
    "deep": archive_of(facts=facts_of("[" * 100_000)),
    "no text": archive_of(facts=array_bytes(np.full(9, 255, dtype=np.uint8))),
    "a list": archive_of(facts=facts_of("[1]")),
    "another kind": archive_of(facts=facts_of('{"kind": "trees"}')),
    "kind alone": archive_of(facts=facts_of('{"kind": "cladebench hierarchy forest 1"}')),
    "params of a list": archive_of(
        facts=facts_of('{"kind": "cladebench hierarchy forest 1", "params": [1]}')
    ),
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_foreign_files_are_refused(content: bytes, tmp_path) -> None:
    file = tmp_path / "forest"
    file.write_bytes(content)
    with pytest.raises(
        ValueError, match=f"^{file}( is no file of a forest| holds |: its digest does not fit)"
    ):
        HierarchyForest.load(file)


def test_a_folder_and_a_pipe_are_no_files(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ValueError, match=f"^{path} is no file; expected a file of a forest"):
            HierarchyForest.load(path)


def test_facts_of_other_types_are_refused(tmp_path) -> None:
    forest = forest_of(np.random.default_rng(6).normal(size=(30, 3)), 2)
    forest.save(tmp_path / "forest")
    arrays, facts = read_forest(tmp_path / "forest", KIND)
    for name, value in [
        ("seed", 1e400),
        ("seed", None),
        ("params", "text"),
        ("params", facts["params"] | {"n_trees": 10**30}),
        ("params", facts["params"] | {"max_rounds": 10**30}),
        ("params", facts["params"] | {"unknown": 1}),
        ("params", {}),
        ("feature_names", 3),
        ("feature_names", ["a"]),
    ]:
        text = json.dumps({**facts, name: value})
        members = {key: array_bytes(array) for key, array in arrays.items()}
        (tmp_path / "other").write_bytes(archive_of(facts=facts_of(text), **members))
        with pytest.raises(ValueError, match=r"^.*other holds no forest that can be used"):
            HierarchyForest.load(tmp_path / "other")
