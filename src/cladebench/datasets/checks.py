"""Bring what a loader gives into one form, compared with the registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, Images, Part, View
from cladebench.datasets.content import Labels, Matrix, features_sha256
from cladebench.datasets.derived import computed
from cladebench.validation import as_index, check_columns, without_overflow


def checked(entry: DatasetInfo, content: Content, draw: int) -> Content:
    """Give content computed and in one form, if it is as registered.

    Parameters
    ----------
    entry : DatasetInfo
    content : Content
        As the loader gives it.
    draw : int

    Raises
    ------
    DatasetError
        Names the data set, its files, the part, what was expected and what was found.
    """
    check = _Checker(entry, draw)
    check.same_names("parts", entry.parts, {name: part.role for name, part in content.parts.items()})
    if not entry.parts:
        return check.single(content, entry.n_samples)
    for field in fields(Content):
        given = getattr(content, field.name)
        empty = given is None or (isinstance(given, tuple | Mapping) and not given)
        check.require(empty or field.name == "parts", f"no {field.name} beside the parts", "some")
    parts, n_classes = {}, list[int]()
    for name in entry.parts:
        inner = _Checker(entry, draw, part=name)
        single = content.parts[name].content
        inner.require(not single.parts, "no parts in a part", "some")
        parts[name] = Part(content.parts[name].role, inner.single(single, None))
        n_classes.append(len(single.label_names))
    whole = Content(parts=parts)
    check.require(
        whole.n_samples == entry.n_samples, f"{entry.n_samples} objects in all parts", whole.n_samples
    )
    if entry.n_classes is not None:
        check.require(
            max(n_classes) == entry.n_classes,
            f"{entry.n_classes} classes in the part with the most",
            max(n_classes),
        )
    return whole


class _Checker:
    """Compute and check the content of a data set or a part."""

    def __init__(self, entry: DatasetInfo, draw: int, part: str | None = None) -> None:
        self.entry, self.draw = entry, draw
        place = ", ".join(file.name for file in entry.files) or "the generator"
        self.where = f"{entry.name} ({place})" + (f", part {part}" if part else "")
        self.prefix = f"part-{part}-" if part else ""
        self.whole = part is None

    def require(self, holds: bool, expected: str, found: object) -> None:
        if not holds:
            raise DatasetError(f"{self.where}: expected {expected}, found {found}")

    def same_names(self, what: str, registered: Mapping[str, str], found: Mapping[str, str]) -> None:
        self.require(dict(registered) == dict(found), f"{what} {_listed(registered)}", _listed(found))

    def single(self, content: Content, n_samples: int | None) -> Content:
        """Content without parts, computed and checked; without `n_samples` it is counted."""
        entry = self.entry
        for what, registered, given in (
            ("X", entry.n_features is not None, content.X),
            ("labels", entry.n_classes is not None, content.labels),
            ("images", entry.images, content.images),
        ):
            expected, found = (what, "none") if registered else (f"no {what}", "some")
            self.require((given is not None) == registered, expected, found)
        n_training = entry.n_training if self.whole else None
        self.require(content.n_training == n_training, f"n_training to be {n_training}", content.n_training)
        self.same_names("views", entry.views, {name: view.kind for name, view in content.views.items()})
        labels = None if content.labels is None else self.labels(content.labels)
        X = None if content.X is None else self.features(content.X, labels)
        views = {
            name: View(kind, self.values(f"view-{name}", content.views[name].values))
            for name, kind in entry.views.items()
        }
        content = replace(content, X=X, labels=labels, views=views)
        n_samples = content.n_samples if n_samples is None else n_samples
        self.check_features(content, n_samples)
        self.check_classes(content, n_samples)
        if content.images is not None:
            self.check_images(content.images, n_samples)
        for name, view in views.items():
            self.check_view(name, view, n_samples)
        if content.class_parents is None:
            return content
        return replace(content, class_parents=np.ascontiguousarray(content.class_parents, dtype=np.intp))

    # ------------------------------------------------------------------ computing

    def labels(self, labels: Labels) -> NDArray[np.intp]:
        labels = np.asarray(labels)
        self.require(labels.dtype.kind in "iu", "integers as labels", f"dtype {labels.dtype}")
        return np.ascontiguousarray(labels, dtype=np.intp)

    def features(self, X: Matrix, labels: Labels) -> Matrix:
        """X computed; that of draw 0 must have the registered digest."""
        registered = self.entry.features_sha256 if self.whole and self.draw == 0 else None
        if registered is None:
            return self.values("X", X)
        values = self.values("X", X, lambda checked: features_sha256(checked, labels) == registered)
        digest = features_sha256(values, labels)
        if digest != registered:
            raise DatasetError(
                f"{self.entry.name}: features computed from the registered files differ; "
                f"expected sha256 {registered}, found {digest}"
            )
        return values

    def values(self, place: str, values: Matrix, accept: Any = lambda values: True) -> Matrix:
        """Float64 by rows, or a canonical csr_array; functions are computed."""
        if callable(values):
            function = values
            values = computed(
                self.entry, self.draw, self.prefix + place, lambda: self.sound(place, function()), accept
            )
        else:
            values = self.sound(place, values)
        if scipy.sparse.issparse(values):
            values = scipy.sparse.csr_array(without_overflow(values), dtype=np.float64, copy=True)
            values.sum_duplicates()
            values.eliminate_zeros()
            return values
        return np.ascontiguousarray(values, dtype=np.float64)

    # ------------------------------------------------------------------ checking

    def sound(self, place: str, values: Matrix) -> Matrix:
        """Values as they are, if SciPy can compute with them."""
        try:
            check_columns(values, place)
        except ValueError as error:
            raise DatasetError(f"{self.where}: {error}") from error
        return values

    def check_features(self, content: Content, n_samples: int) -> None:
        if content.X is not None:
            shape = (n_samples, self.entry.n_features)
            self.require(content.X.shape == shape, f"X of shape {shape}", content.X.shape)
            self.require(_finite(content.X), "finite features", "NaN or infinity")
            kinds = {True: "sparse X", False: "dense X"}
            self.require(
                scipy.sparse.issparse(content.X) == self.entry.sparse,
                f"{kinds[self.entry.sparse]} (the entry's sparse is {self.entry.sparse})",
                kinds[not self.entry.sparse],
            )
        if content.feature_names is not None:
            names, expected = len(content.feature_names), self.entry.n_features or 0
            self.require(names == expected, f"{expected} feature names", names)

    def check_classes(self, content: Content, n_samples: int) -> None:
        """Check labels, their names and the tree over the classes."""
        # Parts may have fewer classes than the part with the most.
        n_classes = (self.entry.n_classes or 0) if self.whole else len(content.label_names)
        names = len(content.label_names)
        self.require(names == n_classes, f"{n_classes} label names", names)
        if content.labels is not None:
            self.require(
                content.labels.shape == (n_samples,), f"labels of shape {(n_samples,)}", content.labels.shape
            )
            classes = np.unique(content.labels)
            self.require(
                np.array_equal(classes, np.arange(n_classes)),
                f"labels 0..{n_classes - 1}, each occurring",
                classes.tolist(),
            )
        elif not self.whole:
            self.require(names == 0, "no label names without labels", names)
        if content.class_parents is not None:
            fault = _tree_fault(content.class_parents, n_classes) if n_classes else "no classes"
            self.require(
                fault is None,
                f"class_parents to be the parent of each node of a tree (-1 at the root), nodes 0..{n_classes - 1} "
                "being the classes",
                fault,
            )

    def check_images(self, images: Images, n_samples: int) -> None:
        self.require(len(images) == n_samples, f"{n_samples} images", len(images))
        for i, pixels in enumerate(images.pixels):
            shape = getattr(pixels, "shape", None)
            fits = (
                shape is not None
                and (len(shape) == 2 or (len(shape) == 3 and shape[2] == 3))
                and min(shape) > 0
            )
            self.require(fits, f"image {i} of shape (height, width) or (height, width, 3)", shape)
            self.require(pixels.dtype == np.uint8, f"image {i} of dtype uint8", pixels.dtype)

    def check_view(self, name: str, view: View, n_samples: int) -> None:
        values = view.values
        if view.kind == "features":
            fits = values.ndim == 2 and values.shape[0] == n_samples and values.shape[1] > 0
            self.require(fits, f"view {name} of shape ({n_samples}, n_features)", values.shape)
            self.require(_finite(values), f"finite features in view {name}", "NaN or infinity")
            return
        self.require(not scipy.sparse.issparse(values), f"view {name} as a dense array", "a sparse matrix")
        shape = (n_samples, n_samples)
        self.require(values.shape == shape, f"view {name} of shape {shape}", values.shape)
        self.require(_finite(values), f"finite distances in view {name}", "NaN or infinity")
        self.require(bool((values >= 0).all()), f"no negative distance in view {name}", values.min())
        diagonal = np.diagonal(values)
        self.require(
            not diagonal.any(), f"zero distance of each object from itself in view {name}", diagonal.max()
        )


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({value})" for name, value in sorted(names.items())) or "none"


def _finite(values: Matrix) -> bool:
    return bool(np.isfinite(values.data if scipy.sparse.issparse(values) else values).all())


def _tree_fault(parents: NDArray[np.intp], n_classes: int) -> str | None:
    """Say why these are not a class tree's parents, else None."""
    # It needs the compiled core, which a look at the registry does not.
    from cladebench.hierarchy import Hierarchy

    try:
        n_nodes = len(as_index("class_parents", parents))
        if n_nodes < n_classes:
            return f"{n_nodes} nodes"
        Hierarchy(parents, np.arange(n_classes))
    except ValueError as error:
        return str(error)
    return None
