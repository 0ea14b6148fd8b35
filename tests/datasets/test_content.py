"""What a data set holds: its digest hears every field, its arrays can be frozen, its images shrunk."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from cladebench import datasets
from cladebench.datasets import Content, Images, Part, View
from cladebench.datasets.content import content_sha256, features_sha256, leaves

X = np.arange(6.0).reshape(3, 2)
PIXELS = np.arange(3 * 2 * 4, dtype=np.uint8).reshape(3, 2, 4)
INNER = Content(X, np.array([0, 1, 1]), ("a", "b"))


def everything(**changes):
    """A content with all fields, which no data set may have; the digest does not care."""
    fields = {
        "X": X,
        "labels": np.array([0, 1, 1]),
        "label_names": ("a", "bc"),
        "class_parents": np.array([2, 2, -1]),
        "feature_names": ("width", "height"),
        "images": Images(PIXELS),
        "views": {"one": View("features", X), "two": View("distances", np.ones((3, 3)) - np.eye(3))},
        "parts": {"first": Part("train", INNER), "second": Part("test", INNER)},
        "n_training": 2,
    }
    return Content(**(fields | changes))


def inner(**changes):
    return {
        "first": Part("train", dataclasses.replace(INNER, **changes)),
        "second": Part("test", INNER),
    }


def views(name="one", kind="features", values=X):
    return {name: View(kind, values), "two": everything().views["two"]}


#: For each field, values that differ from the one above in one thing.
CHANGES = {
    "X": [
        None,
        X + np.eye(3, 2) * 1e-15,
        X.reshape(2, 3),
        X.ravel(),
        sparse.csr_array(X),
        sparse.csr_array(X[:, ::-1]),
        sparse.csr_array((X[X != 0], sparse.csr_array(X).indices, sparse.csr_array(X).indptr), shape=(3, 3)),
    ],
    "labels": [None, np.array([0, 1, 0]), np.array([0, 1]), np.array([[0, 1, 1]]), np.array([0.0, 1.0, 1.0])],
    "label_names": [(), ("ab", "c"), ("bc", "a"), ("a", "bc", "")],
    "class_parents": [None, np.array([2, 2, 3, -1]), np.array([1, 2, -1])],
    "feature_names": [None, ("width",), ("height", "width"), ("widthheight", "")],
    "images": [
        None,
        Images(PIXELS + np.uint8(1)),
        Images(PIXELS[:2]),
        Images(PIXELS.reshape(3, 4, 2)),
        Images((PIXELS[0], PIXELS[1], PIXELS[2].T)),
    ],
    "views": [
        {},
        views(name="other"),
        views(kind="distances"),
        views(values=X + 1),
        dict(reversed(views().items())),
        {"one": views()["one"]},
    ],
    "parts": [
        {},
        {"first": inner()["first"]},
        {"1": inner()["first"], "second": inner()["second"]},
        {"first": Part("test", INNER), "second": Part("test", INNER)},
        inner(X=X[::-1]),
        inner(labels=np.array([1, 0, 0])),
        inner(label_names=("a", "c")),
        inner(class_parents=np.array([2, 2, -1])),
        inner(feature_names=("w", "h")),
        inner(images=Images(PIXELS)),
        inner(views=views()),
        inner(parts={"inmost": Part("train", INNER)}),
        inner(n_training=2),
    ],
    "n_training": [None, 1],
}


def test_every_field_is_tried():
    assert set(CHANGES) == {own.name for own in dataclasses.fields(Content)}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_one_field_alone_changes_the_digest(name):
    digests = [content_sha256(everything())]
    digests += [content_sha256(everything(**{name: value})) for value in CHANGES[name]]
    assert len(set(digests)) == 1 + len(CHANGES[name])


def test_data_without_an_official_split_keep_the_digests_that_they_had():
    # Records and features_sha256 rest on it.
    digest = "6d89ac3f3edd622c2d1d427ff6cc4828d273dcc3ce6deee0c69c4b6f4fb4f2b5"
    assert content_sha256(Content(X, np.array([0, 1, 1]), ("a", "b"))) == digest


def test_no_two_contents_share_a_digest():
    """The same bytes in another place are other content."""
    row = np.array([[1.0, 2.0]])
    contents = [
        Content(row),
        Content(row.T),
        Content(views={"X": View("features", row)}),
        Content(views={"Y": View("features", row)}),
        Content(views={"X": View("distances", row)}),
        Content(parts={"X": Part("train", Content(row))}),
        Content(parts={"X": Part("test", Content(row))}),
        Content(row.view(np.int64)),
        Content(None, row.view(np.int64)),
        Content(images=Images((row.view(np.uint8),))),
        Content(images=Images((row.view(np.uint8).reshape(2, 8),))),
        Content(images=Images(row.view(np.uint8))),
        Content(label_names=("a", "b")),
        Content(label_names=("a, b",)),
        Content(feature_names=("a", "b")),
        Content(feature_names=()),
        Content(feature_names=("None",)),
        Content(),
    ]
    assert len({content_sha256(content) for content in contents}) == len(contents)


def test_the_digest_is_of_values_and_not_of_how_they_lie_in_memory():
    digest = content_sha256(everything())
    same = everything(X=np.asfortranarray(X), labels=np.array([0, 1, 1], dtype=np.int32))
    assert content_sha256(same) == digest
    swapped = X.astype(X.dtype.newbyteorder())
    assert content_sha256(everything(X=swapped)) == digest


def test_what_has_no_digest_is_named():
    with pytest.raises(TypeError, match=r"^views\.one\.values is <function .*expected an array"):
        content_sha256(everything(views={"one": View("features", lambda: X)}))


def test_a_data_set_has_the_digest_of_its_content():
    data = datasets.load("split-distances")
    assert data.content_sha256 == content_sha256(data)
    assert data.content_sha256 == content_sha256(Content(parts=data.parts))


def test_features_sha256_depends_on_features_and_labels_alone():
    labels = np.array([0, 1, 1])
    digest = features_sha256(X, labels)
    # Registered digests rest on it.
    assert digest == "8e9a486ae11c15a225d2bf53f5ccd669a918964469aca2b1adf4ab6694edd42b"
    assert digest == features_sha256(np.asfortranarray(X), labels.astype(np.int32))
    others = [
        (X.reshape(2, 3), labels),
        (X + 1e-15 * (X == 1), labels),
        (X, labels[::-1]),
        (X, None),
        (sparse.csr_array(X), labels),
        (sparse.csr_array(X), None),
    ]
    assert len({digest, *(features_sha256(*other) for other in others)}) == 7


# --- freezing and counting ----------------------------------------------------------------------------------------


def test_freeze_makes_every_array_read_only():
    content = everything(
        X=sparse.csr_array(X),
        labels=np.array([0, 1, 1]),
        class_parents=np.array([2, 2, -1]),
        images=Images((PIXELS[0].copy(), PIXELS[1].copy())),
        views={"one": View("features", X.copy()), "two": View("features", sparse.csr_array(X))},
        parts={"first": Part("train", dataclasses.replace(INNER, X=X.copy(), labels=np.array([0, 1, 1])))},
    )
    arrays = {path: leaf for path, leaf in leaves(content) if isinstance(leaf, np.ndarray)}
    assert len(arrays) == 3 + 2 + 2 + 1 + 3 + 2 and all(array.flags.writeable for array in arrays.values())
    content.freeze()
    assert [path for path, array in arrays.items() if array.flags.writeable] == []
    with pytest.raises(ValueError, match="read-only"):
        content.X.data[0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        content.parts["first"].content.X[0] = 7.0


@pytest.mark.parametrize(
    ("content", "n"),
    [
        (Content(X), 3),
        (Content(sparse.csr_array(X)), 3),
        (Content(lambda: X, np.array([0, 1])), 2),
        (Content(images=Images((PIXELS[0],) * 5)), 5),
        (Content(lambda: X, views={"f": View("features", lambda: X), "g": View("features", X[:2])}), 2),
        (Content(parts={"a": Part("train", Content(X)), "b": Part("test", Content(X[:2]))}), 5),
    ],
)
def test_objects_are_counted_by_whatever_there_is(content, n):
    assert content.n_samples == n


def test_nothing_to_count_is_said():
    with pytest.raises(ValueError, match="nothing to count samples by"):
        _ = Content(lambda: X).n_samples


# --- thumbnails ---------------------------------------------------------------------------------------------------


def test_a_small_image_is_its_own_thumbnail():
    images = Images(PIXELS)
    for size in (4, 5, 64):
        thumbnail = images.thumbnail(1, size)
        np.testing.assert_array_equal(thumbnail, PIXELS[1])
        assert not np.shares_memory(thumbnail, PIXELS)


def test_each_pixel_of_a_thumbnail_is_the_rounded_mean_of_those_that_it_covers():
    image = np.array([[0, 1, 10, 20], [1, 1, 30, 41]], dtype=np.uint8)  # means 0.75 and 25.25
    thumbnail = Images((image,)).thumbnail(0, 2)
    assert thumbnail.dtype == np.uint8 and thumbnail.tolist() == [[1, 25]]
    assert Images((image,)).thumbnail(0, 1).tolist() == [[13]]  # 104 / 8


def test_thumbnails_of_uneven_sizes_and_of_colours():
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (7, 50, 3)).astype(np.uint8)
    thumbnail = Images([image]).thumbnail(0, 20)
    assert thumbnail.shape == (3, 20, 3)
    rows = [np.arange(r * 7 // 3, (r + 1) * 7 // 3) for r in range(3)]
    columns = [np.arange(c * 50 // 20, (c + 1) * 50 // 20) for c in range(20)]
    for r, c in ((0, 0), (1, 7), (2, 19)):
        mean = image[np.ix_(rows[r], columns[c])].mean(axis=(0, 1))
        assert np.abs(thumbnail[r, c] - mean).max() <= 0.5
    assert Images([np.full((300, 2), 255, np.uint8)]).thumbnail(0).tolist() == [[255]] * 64
    with pytest.raises(ValueError, match="size is 0; expected at least 1"):
        Images([image]).thumbnail(0, 0)
