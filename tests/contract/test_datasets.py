"""What every registered data set must meet; a new one is tested here by itself."""

from __future__ import annotations

import ast
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from cladebench import datasets
from cladebench.datasets import Content, DatasetInfo, settings
from cladebench.datasets.content import Matrix, leaves
from cladebench.datasets.derived import derived_path
from cladebench.datasets.image_features import image_features, image_words
from cladebench.hierarchy import Hierarchy

NAMES = datasets.names()
#: Data that are on this machine; the network is never asked. Generators and bundled data are always among them.
LOCAL = [name for name in NAMES if datasets.availability(name)]
pytestmark = pytest.mark.timeout(900)
DRAWS = [(name, draw) for name in LOCAL for draw in range(datasets.info(name).n_draws)]
#: Features of more images take minutes where no copies are kept, as in a new clone.
MOST_IMAGES = 200


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "1")


@pytest.fixture(scope="module")
def another_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@contextmanager
def features_of_fewer_images(name: str, another_cache: Path) -> Iterator[None]:
    """Compute the features of a large data set for 16 images or a few more, and take their rows for all.

    Visual words are learned from fewer descriptors too: a vocabulary of 1,000 takes 15 seconds from all of them.

    Images and labels are met whole, and so are the features of the smaller sets of the same archives. Each load of a
    cell checks all rows of all features (`datasets.checks`); where copies of them are kept, so do these tests.
    """
    if not needs_minutes(name):
        yield
        return
    compute = image_features._on_one_thread

    def of_fewer(of, pixels):  # type: ignore[no-untyped-def]
        every = len(pixels) // 16
        return np.repeat(compute(of, pixels[::every]), every, axis=0)[: len(pixels)]

    with pytest.MonkeyPatch.context() as patch:
        places = settings.current()
        patch.setenv(settings.MIRROR, os.pathsep.join(map(str, (places.cache, *places.mirrors))))
        patch.setenv(settings.CACHE, str(another_cache))
        patch.setattr(image_features, "_on_one_thread", of_fewer)
        patch.setattr(image_words, "PER_WORD", 5)
        yield


@pytest.fixture(scope="module")
def load(another_cache: Path) -> Callable[[str, int], Content]:
    """Load a data set without the network."""

    def loaded(name: str, draw: int) -> Content:
        with pytest.MonkeyPatch.context() as patch, features_of_fewer_images(name, another_cache):
            patch.setenv("CLADEBENCH_OFFLINE", "1")
            return datasets.load(name, draw)

    return loaded


@pytest.fixture(scope="module")
def digests() -> dict[str, str]:
    """Whose content each is, of those met so far."""
    return {}


def needs_minutes(name: str) -> bool:
    """Whether features of many images would be computed: those of which no copies are kept."""
    entry = datasets.info(name)
    large = dict(entry.views) == dict(image_features.FEATURE_VIEWS) and entry.n_samples > MOST_IMAGES
    return large and not all(derived_path(entry, 0, f"view-{view}").exists() for view in entry.views)


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_complete(name: str) -> None:
    entry = datasets.info(name)
    assert entry.name == name and entry.n_samples > 2
    assert entry.n_classes is None or 2 <= entry.n_classes < entry.n_samples
    for file in entry.files:
        # The first address is the official one, where there is one: pinned copies, which name a commit, come after it.
        assert "raw.githubusercontent.com" not in (file.official_url or "")
        for copy in file.urls[0 if file.official_url is None else 1 :]:
            assert any(
                len(part) == 40 and set(part) <= set("0123456789abcdef") for part in copy.split("/")
            ), copy


@pytest.mark.parametrize("name", NAMES)
def test_entry_can_be_sent_to_another_process(name: str) -> None:
    assert pickle.loads(pickle.dumps(datasets.info(name))) == datasets.info(name)


def test_nothing_unpickles() -> None:
    for path in sorted(Path(datasets.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not modules & {"pickle", "joblib", "dill", "cloudpickle", "shelve"}, path
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant) and node.value.value is False, path


def test_something_is_always_available() -> None:
    assert {"digits", "nested-blobs"} <= set(LOCAL)


@pytest.mark.parametrize(("name", "draw"), DRAWS)
def test_content_is_what_the_registry_says(
    name: str, draw: int, load: Callable[[str, int], Content], digests: dict[str, str]
) -> None:
    entry, data = datasets.info(name), load(name, draw)
    # Draws differ from each other, and from all other data sets.
    assert digests.setdefault(data.content_sha256, f"{name} {draw}") == f"{name} {draw}"
    assert (data.name, data.kind, data.stand_in_for, data.draw) == (
        name,
        entry.kind,
        entry.stand_in_for,
        draw,
    )
    assert data.source == datasets.availability(name)
    assert data.files == {file.name: file.sha256 for file in entry.files}
    assert data.n_samples == entry.n_samples
    assert {part: data.parts[part].role for part in data.parts} == dict(entry.parts)
    for content in singles(data):
        check_single(entry, content)
    if entry.parts:
        n_classes = [len(content.label_names) for content in singles(data)]
        assert max(n_classes) == (entry.n_classes or 0)
        assert data.X is None and data.labels is None and data.images is None and not data.views


def singles(data: Content) -> list[Content]:
    """The parts of a data set, or it itself where there are none."""
    return [part.content for part in data.parts.values()] or [data]


def check_single(entry: DatasetInfo, content: Content) -> None:
    """Check what has no parts: shapes, types and values."""
    n = content.n_samples
    assert not content.parts
    assert (content.X is None) == (entry.n_features is None)
    if content.X is not None:
        assert content.X.shape == (n, entry.n_features)
        check_matrix(content.X)
    assert (content.labels is None) == (entry.n_classes is None)
    if content.labels is not None:
        assert content.labels.dtype == np.intp and content.labels.shape == (n,)
        assert np.unique(content.labels).tolist() == list(range(len(content.label_names)))
        assert entry.parts or len(content.label_names) == entry.n_classes
    assert len(set(content.label_names)) == len(content.label_names)
    assert (content.images is not None) == entry.images
    if content.images is not None:
        assert len(content.images) == n
        for i in range(n):
            thumbnail = content.images.thumbnail(i, size=16)
            assert thumbnail.dtype == np.uint8 and 1 <= max(thumbnail.shape[:2]) <= 16
    assert {name: view.kind for name, view in content.views.items()} == dict(entry.views)
    if content.class_parents is not None:
        tree = Hierarchy.from_parents(content.class_parents, np.arange(len(content.label_names)))
        assert tree.n_samples == len(content.label_names)
    for view in content.views.values():
        check_matrix(view.values)
        assert view.values.shape[0] == n
        if view.kind == "distances":
            assert view.values.shape == (n, n) and (view.values >= 0).all()
            assert not np.diagonal(view.values).any()


def check_matrix(values: Matrix) -> None:
    """Check that a matrix is finite, of float64, writeable and not constant; by rows or canonical CSR."""
    data = values
    if sparse.issparse(values):
        assert isinstance(values, sparse.csr_array) and values.has_canonical_format
        data = values.data
        assert data.all()
    else:
        assert (np.ptp(values, axis=0) > 0).any()
    assert data.dtype == np.float64 and data.flags.c_contiguous and data.flags.writeable
    assert np.isfinite(data).all()


@pytest.mark.parametrize("name", LOCAL)
def test_loading_twice_gives_equal_and_separate_arrays(
    name: str, load: Callable[[str, int], Content]
) -> None:
    first, second = load(name, 0), load(name, 0)
    assert first.content_sha256 == second.content_sha256
    pairs = list(zip(leaves(first), leaves(second), strict=True))
    arrays = [(one, two) for (_, one), (_, two) in pairs if isinstance(one, np.ndarray)]
    assert arrays and all(one.tobytes() == two.tobytes() for one, two in arrays)
    assert not any(np.shares_memory(one, two) for one, two in arrays)


@pytest.mark.parametrize("name", LOCAL)
def test_source_files_are_those_of_this_data_set(name: str) -> None:
    files = datasets.source_files(name)
    assert any("DATASETS" in path.read_text(encoding="utf-8") for path in files)
    assert not {path.stem for path in files} & {"__init__", "base", "registry", "content", "fetch", "derived"}


def test_every_shape_is_among_those_that_need_no_files() -> None:
    """The workflow can try each shape on a machine without data."""
    shapes = [datasets.info(name) for name in NAMES if not datasets.info(name).files]
    assert any(entry.n_classes is None for entry in shapes)
    assert any(entry.n_features is None and "distances" in entry.views.values() for entry in shapes)
    assert any(entry.images for entry in shapes)
    assert any({"train", "test"} <= set(entry.parts.values()) for entry in shapes)
    assert any(sparse.issparse(datasets.load(entry.name).X) for entry in shapes)
