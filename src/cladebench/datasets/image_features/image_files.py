"""Grey images out of an archive with a folder for each class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.archives import read_members
from cladebench.datasets.base import Content, DatasetError, Images
from cladebench.datasets.image_features.image_features import Feature, feature_views
from cladebench.datasets.image_features.opencv import opencv

Image = NDArray[np.uint8]

#: What files of each kind begin with.
STARTS = {".jpg": b"\xff\xd8\xff", ".bmp": b"BM"}
#: Pixels that each side must have at least: the filters of textons are 49 wide, and what they find is counted.
SMALLEST = 64
#: All members together, unpacked; each archive has less than a tenth of it.
SIZE_LIMIT = 500_000_000


def load_classes(
    archive: bytes,
    pattern: str,
    *,
    name: str,
    shape: tuple[int, int] | None = None,
    every: int = 1,
    instead: Mapping[str, Feature] = MappingProxyType({}),
) -> Content:
    """Images, classes and the eight features of :mod:`~cladebench.datasets.image_features.image_features`.

    Parameters
    ----------
    archive : bytes
    pattern : str
        Matches the whole names of members with images; its one group is the name of the class. These names end with
        ``.jpg`` or ``.bmp``. All other members are passed over.
    name : str
        Name of the archive, for messages.
    shape : tuple of int, optional
        Height and width that all images must have.
    every : int, default=1
        One image of so many is taken from each class: the first, in the order of their names.
    instead : mapping of str to callable, optional
        What is computed in place of features of these names.

    Returns
    -------
    Content
        Images in the order of their members' names, classes in alphabetical order.

    Raises
    ------
    DatasetError
        A member with another name, or one that is no such image (:func:`read_grey`).
    """
    members = read_members(archive, lambda member: member[-4:] in STARTS, name=name, size_limit=SIZE_LIMIT)
    seen, kept, classes = Counter[str](), list[str](), list[str]()
    for member in sorted(members):
        match = re.fullmatch(pattern, member)
        if match is None:
            raise DatasetError(f"{name}: expected images with names like {pattern}, found {member!r}")
        if seen[match[1]] % every == 0:
            kept.append(member)
            classes.append(match[1])
        seen[match[1]] += 1
    pixels = tuple(read_grey(members[member], member, name, shape) for member in kept)
    names, labels = np.unique(classes, return_inverse=True)
    return Content(
        labels=labels.astype(np.intp),
        label_names=tuple(names.tolist()),
        images=Images(pixels),
        views=feature_views(pixels, instead),
    )


def read_grey(content: bytes, member: str, archive: str, shape: tuple[int, int] | None = None) -> Image:
    """Decode a grey JPEG or BMP of eight bits.

    Parameters
    ----------
    content : bytes
    member, archive : str
        Names, for messages; that of the member says the format.
    shape : tuple of int, optional
        Height and width that it must have.

    Returns
    -------
    ndarray of uint8, shape (height, width)

    Raises
    ------
    DatasetError
        Another format, a file that is cut short, colours, another shape, or a side below 64 pixels.
    """
    where = f"{archive}: {member}"
    suffix = member[-4:]
    if not content.startswith(STARTS[suffix]):
        raise DatasetError(f"{where}: expected a file that begins as {suffix} does, found {content[:8]!r}")
    # The decoder fills what is missing with grey and goes on. A JPEG ends with a marker, a BMP says its own length.
    if suffix == ".jpg":
        whole = content.endswith(b"\xff\xd9")
    else:
        whole = int.from_bytes(content[2:6], "little") == len(content)
    if not whole:
        raise DatasetError(f"{where}: expected a whole file, found {len(content)} bytes without its end")
    cv2 = opencv()
    try:
        pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error as error:
        raise DatasetError(f"{where}: cannot be decoded: {error}") from error
    if pixels is None:
        raise DatasetError(f"{where}: cannot be decoded")
    if pixels.ndim != 2 or pixels.dtype != np.uint8:
        raise DatasetError(
            f"{where}: expected grey values of eight bits, found {pixels.dtype} of shape {pixels.shape}"
        )
    if min(pixels.shape) < SMALLEST or (shape is not None and pixels.shape != shape):
        expected = f"{SMALLEST} or more on each side" if shape is None else f"{shape[0]} x {shape[1]}"
        raise DatasetError(
            f"{where}: expected pixels {expected}, found {pixels.shape[0]} x {pixels.shape[1]}"
        )
    return pixels
