"""What a loader gives is compared with the registry, in every shape; each fault is named."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from cladebench import datasets
from cladebench.datasets import Content, DatasetError, DatasetInfo, Images, Part, View, registry

LABELS = np.array([0, 1, 1])
NAMES = ("a", "b")
D = np.array([[0.0, 1.0, 9.0], [2.0, 0.0, 1.0], [0.5, 1.0, 0.0]])  # neither symmetric nor a metric
PIXELS = np.zeros((3, 4, 5), dtype=np.uint8)

#: For each shape: what the entry says, and content that fits.
SHAPES = {
    "dense": ({}, Content(np.eye(3), LABELS, NAMES)),
    "sparse": ({"sparse": True}, Content(sparse.csr_array(np.eye(3)), LABELS, NAMES)),
    "unlabelled": ({"n_classes": None}, Content(np.eye(3))),
    "pairwise": (
        {"n_features": None, "views": {"d": "distances"}},
        Content(None, LABELS, NAMES, views={"d": View("distances", D)}),
    ),
    "views": (
        {"views": {"g": "features", "d": "distances"}},
        Content(
            np.eye(3),
            LABELS,
            NAMES,
            views={"d": View("distances", lambda: D), "g": View("features", np.ones((3, 7)))},
        ),
    ),
    "images": ({"n_features": None, "images": True}, Content(None, LABELS, NAMES, images=Images(PIXELS))),
    "split": ({"n_training": 2}, Content(np.eye(3), LABELS, NAMES, n_training=2)),
    "parts": (
        {
            "n_samples": 4,
            "n_features": None,
            "views": {"d": "distances"},
            "parts": {"a": "train", "b": "test"},
        },
        Content(
            parts={
                "b": Part("test", Content(None, LABELS, NAMES, views={"d": View("distances", D)})),
                "a": Part(
                    "train",
                    Content(None, LABELS[:1], NAMES[:1], views={"d": View("distances", np.zeros((1, 1)))}),
                ),
            }
        ),
    ),
}


@pytest.fixture
def load(monkeypatch):
    """Load content under an entry of a shape, with changes."""

    def run(shape, content=None, **changes):
        fields = {"n_samples": 3, "n_features": 3, "n_classes": 2} | SHAPES[shape][0] | changes
        entry = DatasetInfo(
            name="toy",
            title="Toy",
            kind="synthetic",
            licence="none needed",
            citation="nobody",
            loader=lambda files, draw: content or SHAPES[shape][1],
            **fields,
        )
        monkeypatch.setattr(registry, "registry", lambda: {"toy": entry})
        return datasets.load("toy")

    return run


def test_sparse_features_are_kept_sparse_in_canonical_order(load):
    unsorted = sparse.coo_array(([1, 2, 3, 0], ([0, 0, 1, 2], [2, 2, 1, 0])), shape=(3, 3))
    data = load("sparse", Content(unsorted, LABELS, NAMES))
    assert isinstance(data.X, sparse.csr_array) and data.X.dtype == np.float64
    assert data.X.nnz == 2 and data.X.toarray().tolist() == [[0, 0, 3], [0, 3, 0], [0, 0, 0]]
    twice = sparse.csr_array(([2.0, 1.0, 3.0, 0.0], [2, 2, 1, 0], [0, 2, 3, 4]), shape=(3, 3))
    narrow = sparse.coo_array((np.array([100, 100], dtype=np.int8), ([0, 0], [2, 2])), shape=(3, 3))
    assert load("sparse", Content(narrow, LABELS, NAMES)).X[0, 2] == 200.0
    for X in (sparse.csr_matrix(unsorted), twice):
        assert load("sparse", Content(X, LABELS, NAMES)).content_sha256 == data.content_sha256
    assert twice.nnz == 4  # what the loader gave stays as it was


@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("convert", [sparse.csr_array, sparse.csc_array])
def test_sparse_features_outside_of_their_shape_are_refused(load, convert, computed):
    for index in (3, -2):
        damaged = convert(np.eye(3))
        damaged.indices[1] = index
        content = Content((lambda X=damaged: X) if computed else damaged, LABELS, NAMES)
        place = "column" if convert is sparse.csr_array else "row"
        with pytest.raises(
            DatasetError, match=rf"^toy \(the generator\): X has the {place} {index}; expected 0\.\.2"
        ):
            load("sparse", content)


def test_data_without_labels(load):
    data = load("unlabelled")
    assert data.labels is None and data.label_names == () and data.n_samples == 3


def test_views_come_in_the_order_of_the_registry_and_are_computed(load):
    data = load("views")
    assert list(data.views) == ["g", "d"]
    np.testing.assert_array_equal(data.views["d"].values, D)
    assert data.views["g"].values.shape == (3, 7)


def test_the_official_split_is_handed_on(load):
    assert load("split").n_training == 2 and load("unlabelled").n_training is None
    assert (
        load("split").content_sha256
        != load("split", changed("split", n_training=1), n_training=1).content_sha256
    )


def test_parts_come_in_the_order_of_the_registry(load):
    data = load("parts")
    assert [(name, part.role) for name, part in data.parts.items()] == [("a", "train"), ("b", "test")]
    assert data.X is None and data.labels is None and data.n_samples == 4
    assert data.parts["a"].content.labels.dtype == np.intp
    np.testing.assert_array_equal(data.parts["b"].content.views["d"].values, D)


def pairwise(values, kind="distances"):
    return Content(None, LABELS, NAMES, views={"d": View(kind, values)})


def images(*pixels):
    return Content(None, LABELS, NAMES, images=Images(pixels))


def parts(**changes):
    found = dict(SHAPES["parts"][1].parts)
    return Content(parts=found | changes)


def part_b(**changes):
    content = dataclasses.replace(SHAPES["parts"][1].parts["b"].content, **changes)
    return parts(b=Part("test", content))


def changed(shape, **changes):
    return dataclasses.replace(SHAPES[shape][1], **changes)


GREY = np.zeros((4, 5), np.uint8)


@pytest.mark.parametrize(
    ("shape", "content", "message"),
    [
        ("sparse", Content(sparse.csr_array(np.eye(2, 3)), LABELS, NAMES), r"X of shape \(3, 3\), found \(2, 3\)"),
        ("sparse", Content(sparse.csr_array(np.diag([1, np.nan, 1])), LABELS, NAMES), "finite features"),
        ("sparse", Content(None, LABELS, NAMES), "expected X, found none"),
        ("sparse", Content(np.eye(3), LABELS, NAMES), r"expected sparse X \(the entry's .* True\), found dense X"),
        ("unlabelled", Content(sparse.csr_array(np.eye(3))), r"dense X \(the entry's .* False\), found sparse X"),
        ("sparse", Content(np.eye(3), None, NAMES), "expected labels, found none"),
        ("sparse", Content(np.eye(3), LABELS * 1.0, NAMES), "integers as labels, found dtype float64"),
        ("sparse", changed("sparse", images=Images(PIXELS)), "expected no images, found some"),
        ("sparse", changed("sparse", views={"d": View("features", D)}), r"views none, found d \(features\)"),
        ("sparse", changed("sparse", parts={"a": Part("train", Content())}), r"parts none, found a \(train\)"),
        ("dense", Content(np.eye(3)[:2], LABELS[:2], NAMES), r"X of shape \(3, 3\), found \(2, 3\)"),
        ("dense", Content(np.diag([1, np.nan, 1]), LABELS, NAMES), "finite features"),
        ("dense", Content(np.diag([1, np.inf, 1]), LABELS, NAMES), "finite features"),
        ("dense", Content(np.eye(3), LABELS[:2], NAMES), r"labels of shape \(3,\)"),
        ("dense", Content(np.eye(3), LABELS * 2, NAMES), r"labels 0\.\.1, each occurring, found \[0, 2\]"),
        ("dense", Content(np.eye(3), LABELS * 0, NAMES), r"found \[0\]"),
        ("dense", Content(np.eye(3), LABELS, NAMES[:1]), "2 label names, found 1"),
        ("unlabelled", Content(np.eye(3), LABELS), "expected no labels, found some"),
        ("unlabelled", Content(np.eye(3), label_names=NAMES), "0 label names, found 2"),
        ("unlabelled", Content(np.eye(3), class_parents=np.array([-1])), "found no classes"),
        ("pairwise", changed("pairwise", X=np.eye(3)), "expected no X, found some"),
        ("pairwise", changed("pairwise", feature_names=("a",)), "0 feature names, found 1"),
        ("pairwise", changed("pairwise", views={}), r"views d \(distances\), found none"),
        ("pairwise", pairwise(D, "features"), r"views d \(distances\), found d \(features\)"),
        ("pairwise", pairwise(D[:2]), r"view d of shape \(3, 3\), found \(2, 3\)"),
        ("pairwise", pairwise(D[:2, :2]), r"view d of shape \(3, 3\), found \(2, 2\)"),
        ("pairwise", pairwise(np.where(D == 9, np.nan, D)), "finite distances in view d"),
        ("pairwise", pairwise(np.where(D == 9, np.inf, D)), "finite distances in view d"),
        ("pairwise", pairwise(np.where(D == 9, -1e-9, D)), "no negative distance in view d, found -1e-09"),
        ("pairwise", pairwise(D + 1e-12 * np.diag([0, 0, 1])), "zero distance of each object from itself in view d"),
        ("pairwise", pairwise(sparse.csr_array(D)), "view d as a dense array, found a sparse matrix"),
        ("views", changed("views", views={**SHAPES["views"][1].views, "g": View("features", np.ones((2, 7)))}),
         r"view g of shape \(3, n_features\), found \(2, 7\)"),
        ("views", changed("views", views={**SHAPES["views"][1].views, "g": View("features", np.ones((3, 0)))}),
         r"view g of shape \(3, n_features\), found \(3, 0\)"),
        ("views", changed("views", views={**SHAPES["views"][1].views, "g": View("features", np.ones(3))}),
         r"view g of shape \(3, n_features\), found \(3,\)"),
        ("views", changed("views", views={**SHAPES["views"][1].views, "g": View("features", np.full((3, 1), np.inf))}),
         "finite features in view g"),
        ("images", images(GREY, GREY), "3 images, found 2"),
        ("images", images(GREY, GREY, GREY.astype(int)), "image 2 of dtype uint8, found int64"),
        ("images", images(GREY, GREY[0], GREY), r"image 1 of shape .*, found \(5,\)"),
        ("images", images(np.zeros((4, 5, 4), np.uint8), GREY, GREY), r"image 0 of shape .*, found \(4, 5, 4\)"),
        ("images", images(GREY, GREY, GREY[:0]), r"image 2 of shape .*, found \(0, 5\)"),
        ("images", images(GREY, GREY, [[0]]), "image 2 of shape .*, found None"),
        ("split", changed("split", n_training=1), "n_training to be 2, found 1"),
        ("split", changed("split", n_training=None), "n_training to be 2, found None"),
        ("unlabelled", changed("unlabelled", n_training=2), "n_training to be None, found 2"),
        ("parts", changed("parts", n_training=2), "no n_training beside the parts"),
        ("parts", part_b(n_training=1), "part b: expected n_training to be None, found 1"),
        ("parts", changed("parts", X=np.eye(3)), "no X beside the parts"),
        ("parts", changed("parts", label_names=NAMES), "no label_names beside the parts"),
        ("parts", changed("parts", views={"d": View("distances", D)}), "no views beside the parts"),
        ("parts", Content(parts={"a": SHAPES["parts"][1].parts["a"]}), r"a \(train\), b \(test\), found a \(train\)$"),
        ("parts", parts(b=Part("train", Content())), r"b \(test\), found a \(train\), b \(train\)"),
        ("parts", part_b(parts={"c": Part("test", Content())}), "part b: expected no parts in a part"),
        ("parts", part_b(labels=LABELS[:2]), r"part b: expected view d of shape \(2, 2\), found \(3, 3\)"),
        ("parts", part_b(labels=LABELS * 2), r"part b: expected labels 0\.\.1, each occurring, found \[0, 2\]"),
        ("parts", part_b(label_names=("a",)), r"part b: expected labels 0\.\.0, each occurring, found \[0, 1\]"),
        ("parts", part_b(views={"d": View("distances", D - 1)}), "part b: expected no negative distance in view d"),
        ("parts", part_b(views={}), r"part b: expected views d \(distances\), found none"),
        ("parts", parts(b=SHAPES["parts"][1].parts["b"], a=Part("train", part_b().parts["b"].content)),
         "4 objects in all parts, found 6"),
    ],
)  # fmt: skip
def test_content_that_differs_from_the_registry_is_refused(load, shape, content, message):
    with pytest.raises(DatasetError, match=message) as caught:
        load(shape, content)
    assert str(caught.value).startswith("toy (the generator)")


def test_the_part_with_the_most_classes_has_the_registered_number(load):
    with pytest.raises(DatasetError, match="3 classes in the part with the most, found 2"):
        load("parts", n_classes=3)
