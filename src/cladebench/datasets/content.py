"""Hold features, labels, images, views and parts, and their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

Kind = Literal["real", "stand-in", "synthetic"]
ViewKind = Literal["features", "distances"]
Role = Literal["train", "test"]

#: A dense array of float64, a `scipy.sparse.csr_array` of float64, or a function without arguments that computes
#: either (:mod:`cladebench.datasets.derived`).
Matrix: TypeAlias = Any
#: An array of intp, or None. The registry entry of a data set says which.
Labels: TypeAlias = Any


@dataclass(frozen=True, eq=False)
class Images:
    """Images, one for each object.

    Parameters
    ----------
    pixels : sequence of ndarray
        Each uint8 of shape (height, width) or (height, width, 3); a tuple, or one array where all have one size.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.datasets import Images
    >>> len(Images(np.zeros((2, 8, 8), np.uint8)).pixels)
    2
    """

    pixels: Sequence[NDArray[np.uint8]] | NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.pixels)

    def thumbnail(self, i: int, size: int = 64) -> NDArray[np.uint8]:
        """Shrink an image to a longer side of at most `size` pixels.

        A smaller one is copied as it is.

        Parameters
        ----------
        i : int
            Number of the image.
        size : int, default=64
            Pixels, at least 1.

        Returns
        -------
        ndarray of uint8, shape (height, width) or (height, width, 3)
            Each pixel is the rounded mean of those that it covers.
        """
        if size < 1:
            raise ValueError(f"size is {size}; expected at least 1")
        total = np.asarray(self.pixels[i]).astype(np.int64)
        scale = size / max(total.shape[:2])
        if scale >= 1:
            return np.array(self.pixels[i])
        covered = 1
        for axis in (0, 1):
            length = total.shape[axis]
            parts = max(1, round(length * scale))
            starts = np.arange(parts) * length // parts
            total = np.add.reduceat(total, starts, axis=axis)
            sizes = np.diff(starts, append=length)
            covered = covered * sizes.reshape([-1 if a == axis else 1 for a in range(total.ndim)])
        return ((total + covered // 2) // covered).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class View:
    """The same objects seen in another way.

    Parameters
    ----------
    kind : {"features", "distances"}
    values : ndarray, csr_array or callable
        Features of shape (n_samples, n) or distances of shape (n_samples, n_samples): finite, not negative, zero on
        the diagonal; neither symmetric nor a metric. A function without arguments is called only where there is no
        kept copy of what it gives.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.datasets import View
    >>> View("distances", np.array([[0.0, 2.0], [3.0, 0.0]])).kind
    'distances'
    """

    kind: ViewKind
    values: Matrix


@dataclass(frozen=True, eq=False)
class Content:
    """What a loader gives back.

    Arrays, before they are checked against the registry.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), or callable, optional
        Features as the source has them; scaling is the business of methods and papers. A function without
        arguments is called only where there is no kept copy of what it gives.
    labels : ndarray of shape (n_samples,), optional
        Classes 0..n_classes-1.
    label_names : tuple of str, default=()
        Name of each class.
    class_parents : ndarray of shape (n_nodes,), optional
        A known tree over the classes: parent of each node, -1 at the root; node c < n_classes is class c.
    feature_names : tuple of str, optional
        Name of each feature.
    images : Images, optional
    views : mapping of str to View, default={}
        Further features or distances of the same objects.
    parts : mapping of str to Part, default={}
        Training and test sets. Where there are parts, all other fields are empty: they stand in the parts.
    n_training : int, optional
        So many rows, the first ones, are for training and the others for testing, as the source has it. None where it
        has no such split.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.datasets import Content
    >>> Content(X=np.array([[1.0], [2.0]]), labels=np.array([0, 1]), label_names=("a", "b")).X.shape
    (2, 1)
    """

    X: Matrix = None
    labels: Labels = None
    label_names: tuple[str, ...] = ()
    class_parents: NDArray[np.intp] | None = None
    feature_names: tuple[str, ...] | None = None
    images: Images | None = None
    views: Mapping[str, View] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    n_training: int | None = None

    @property
    def n_samples(self) -> int:
        """Number of objects, of all parts together where there are parts.

        Functions are not called for it.
        """
        if self.parts:
            return sum(part.content.n_samples for part in self.parts.values())
        for rows in (self.labels, self.X, self.images, *(view.values for view in self.views.values())):
            if rows is not None and not callable(rows):
                return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)
        raise ValueError("content: nothing to count samples by; expected labels, features, views or images")

    def freeze(self) -> None:
        """Make all arrays of data, images, views and parts read-only."""
        for _, leaf in leaves(self):
            if isinstance(leaf, np.ndarray):
                leaf.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Part:
    """A training or test set of a problem of several.

    Parameters
    ----------
    role : {"train", "test"}
    content : Content
        Without parts of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.datasets import Content, Part
    >>> Part("train", Content(X=np.array([[1.0], [2.0]]))).role
    'train'
    """

    role: Role
    content: Content


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset(Content):
    """Hold a loaded data set, computed and compared with the registry.

    Attributes
    ----------
    X : ndarray or csr_array of float64, shape (n_samples, n_features), or None
        Finite; C-contiguous where dense, without stored zeros and in canonical order where sparse.
    labels : ndarray of intp, shape (n_samples,), or None
        Each of 0..n_classes-1 occurs.
    label_names, class_parents, feature_names, images, views, parts, n_training
        See :class:`Content`; views and parts come in the order of the registry.
    name, kind, stand_in_for
        As in the registry (:class:`~cladebench.datasets.base.DatasetInfo`).
    source : str
        Where the bytes came from: cache, mirror, bundled, official, copy, or generated. Several files from
        different places give the places joined by ``+``.
    files : dict
        Name of each file read -> its sha256.
    content_sha256 : str
        Digest of all that :class:`Content` has (:func:`content_sha256`): the same for equal content, whatever its
        source.
    draw : int

    Examples
    --------
    >>> from cladebench.datasets import load
    >>> data = load("digits")
    >>> data.X.shape, data.labels.shape, data.kind
    ((200, 64), (200,), 'real')
    """

    name: str
    kind: Kind
    stand_in_for: str | None
    source: str
    files: dict[str, str]
    content_sha256: str
    draw: int


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Walk through content down to its arrays, texts and Nones.

    Each comes with the names that lead to it.

    The number of entries of a tuple or mapping and the shape of a sparse matrix come as texts, so that two contents
    that differ in anything give different sequences.
    """
    # The next one last: generators inside each other are slow for millions of entries.
    waiting = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if value is None or isinstance(value, str | np.ndarray):
            yield path, value
        else:
            waiting += reversed([((*path, name), entry) for name, entry in _entries(value, path)])


def _entries(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Name what a value is made of."""
    if is_dataclass(value):
        # Of a Dataset only what it shares with Content: not its name, source and digest.
        for field in fields(Content) if isinstance(value, Content) else fields(value):
            held = getattr(value, field.name)
            # Without a split the digest is what it was before there were any, and records of old data stay.
            if field.name != "n_training":
                yield field.name, held
            elif held is not None:
                yield field.name, str(held)
    elif scipy.sparse.issparse(value):
        yield "sparse", str(value.shape)
        for name in ("data", "indices", "indptr"):
            yield name, getattr(value, name)
    elif isinstance(value, Mapping | tuple | list):
        yield "length", str(len(value))
        for key, entry in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield str(key), entry
    else:
        raise TypeError(f"{'.'.join(path)} is {value!r}; expected an array, a text, None or several of them")


def content_sha256(content: Content) -> str:
    """Digest names, shapes, types and values of all fields.

    Functions must have been computed.
    """
    digest = hashlib.sha256()
    for path, leaf in leaves(content):
        if isinstance(leaf, np.ndarray):
            # Integers of any width count by their value, but for pixels.
            dtype = "<i8" if leaf.dtype.kind == "i" else leaf.dtype.newbyteorder("<").str
            about, body = f"{dtype} {leaf.shape}", np.ascontiguousarray(leaf, dtype=dtype).tobytes()
        else:
            about, body = type(leaf).__name__, str(leaf).encode()
        for piece in (repr(path).encode(), about.encode(), body):
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
    return digest.hexdigest()


def features_sha256(X: Matrix, labels: Labels) -> str:
    """Compute the digest of features and labels alone.

    A registry entry may require it of computed features.

    A dense X counts by its shape, X as little-endian float64 by rows, and labels as little-endian int64. A sparse one
    has :func:`content_sha256` of X and labels.
    """
    if scipy.sparse.issparse(X):
        return content_sha256(Content(X, labels))
    digest = hashlib.sha256(repr(X.shape).encode())
    digest.update(np.ascontiguousarray(X, dtype="<f8").tobytes())
    if labels is not None:
        digest.update(np.ascontiguousarray(labels, dtype="<i8").tobytes())
    return digest.hexdigest()


#: Takes the checked bytes of each file by name, and the number of the draw.
Loader: TypeAlias = Callable[[Mapping[str, bytes], int], Content]
