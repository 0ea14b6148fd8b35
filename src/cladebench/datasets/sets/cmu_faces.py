"""Draw face images of three people in three poses or expressions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.archives import read_members
from cladebench.datasets.base import Content, DatasetError, DatasetInfo, Images, RemoteFile

FACES = RemoteFile(
    name="cmu-faces/cmu_faces_half_64x60.tar.gz",
    sha256="728caf4b4a20f0863396f8ed74e2bf98967d51f6fd9492c6b4d4dcac007ddb53",
    size=1_532_042,
    urls=(),
    made_from="faces/*/*_2.pgm of https://github.com/LuisVereau/CMUFaceImages at commit "
    "f4a6b37f86809e79d1975fba10b5b248f3e24b10, as faces_2/<person>/, packed with tar --sort=name --mtime=@0 --owner=0 "
    "--group=0 --numeric-owner and gzip -n9; the official archive of "
    "http://kdd.ics.uci.edu/databases/faces/faces.data.html has them among those of other sizes",
)

HEIGHT, WIDTH = 60, 64
POSES = ("left", "right", "straight", "up")
EXPRESSIONS = ("angry", "happy", "neutral", "sad")
EYES = ("open", "sunglasses")
#: People in a draw, and poses or expressions of each; all images of a person in a pose or with an expression.
DRAWN, PER_CELL = 3, 8
#: All images have 2,400,000 bytes.
SIZE_LIMIT = 10_000_000
SEED = 0x6661


def load_cmu_faces(files: Mapping[str, bytes], draw: int) -> Content:
    """Three people in three poses.

    Each class is a person in a pose (:func:`draw_faces`).
    """
    return draw_faces(files[FACES.name], draw, "pose")


def load_cmu_faces_expressions(files: Mapping[str, bytes], draw: int) -> Content:
    """Three people with three expressions.

    Each class is a person with an expression (:func:`draw_faces`).
    """
    return draw_faces(files[FACES.name], draw, "expression")


def draw_faces(archive: bytes, draw: int, facet: str) -> Content:
    """Draw three people and three poses or expressions.

    All pairs drawn have eight images.

    Parameters
    ----------
    archive : bytes
    draw : int
        Seeds the generator.
    facet : {"pose", "expression"}

    Returns
    -------
    Content
        Grey values of 72 images by rows of the image, in alphabetical order of their file names. Classes are sorted by
        person, then by pose or expression; the tree over them has a node for each person.
    """
    members = read_members(
        archive, lambda name: name.endswith(".pgm"), name=FACES.name, size_limit=SIZE_LIMIT
    )
    cells: dict[tuple[str, str], list[str]] = {}
    for member in sorted(members):
        person, pose, expression = parse_name(member)
        cells.setdefault((person, pose if facet == "pose" else expression), []).append(member)
    people = sorted({person for person, _ in cells})
    complete = {cell for cell, images in cells.items() if len(images) == PER_CELL}
    values = POSES if facet == "pose" else EXPRESSIONS
    classes = _draw_classes(people, values, complete, np.random.default_rng([SEED, draw]))
    labels = {member: label for label, cell in enumerate(classes) for member in cells[cell]}
    drawn = sorted(labels)
    pixels = np.stack([read_pgm(members[member], member) for member in drawn])
    n_classes, root = len(classes), len(classes) + DRAWN
    above = n_classes + np.arange(n_classes) // DRAWN
    return Content(
        pixels.reshape(len(pixels), -1).astype(np.float64),
        np.array([labels[member] for member in drawn], dtype=np.intp),
        tuple(f"{person} {value}" for person, value in classes),
        np.array([*above, *[root] * DRAWN, -1], dtype=np.intp),
        images=Images(pixels),
    )


def _draw_classes(
    people: Sequence[str],
    values: Sequence[str],
    complete: Collection[tuple[str, str]],
    rng: np.random.Generator,
) -> list[tuple[str, str]]:
    """Nine complete pairs of a person and a pose or expression, sorted.

    Each such choice has the same chance.
    """
    choices = [
        [(person, value) for person in three for value in kept]
        for three in combinations(people, DRAWN)
        for kept in combinations(values, DRAWN)
    ]
    choices = [pairs for pairs in choices if all(pair in complete for pair in pairs)]
    if not choices:
        raise DatasetError(
            f"{FACES.name}: expected {DRAWN} people with {PER_CELL} images of each of the same {DRAWN} of "
            f"{', '.join(values)}, found none such among {len(people)} people"
        )
    return choices[rng.integers(len(choices))]


def parse_name(member: str) -> tuple[str, str, str]:
    """Person, pose and expression from ``faces_2/<person>/<person>_<pose>_<expression>_<eyes>_2.pgm``."""
    pattern = rf"([a-z0-9]+)_({'|'.join(POSES)})_({'|'.join(EXPRESSIONS)})_({'|'.join(EYES)})_2\.pgm"
    match = re.fullmatch(pattern, PurePosixPath(member).name)
    if match is None or member != f"faces_2/{match[1]}/{match[0]}":
        raise DatasetError(
            f"{FACES.name}: expected members faces_2/<person>/<person>_<pose>_<expression>_<eyes>_2.pgm, "
            f"found {member!r}"
        )
    return match[1], match[2], match[3]


def read_pgm(content: bytes, member: str) -> NDArray[np.uint8]:
    """Read the grey values of a plain binary PGM, 60 x 64.

    Pixels have one byte each, and the head has no comments.

    The largest value that the head names differs from image to image; values are taken as they are.
    """
    match = re.match(rb"P5\s+(\d+)\s+(\d+)\s+(\d+)\s", content)
    if match is None or (int(match[1]), int(match[2])) != (WIDTH, HEIGHT) or int(match[3]) > 255:
        raise DatasetError(
            f"{FACES.name}: {member}: expected a binary PGM of {WIDTH} x {HEIGHT} pixels, one byte each, "
            f"found {content[:20]!r}"
        )
    pixels = np.frombuffer(content, dtype=np.uint8, offset=match.end())
    if pixels.size != HEIGHT * WIDTH or pixels.max() > int(match[3]):
        raise DatasetError(
            f"{FACES.name}: {member}: expected {HEIGHT * WIDTH} pixels up to {int(match[3])}, found {pixels.size} "
            f"up to {pixels.max(initial=0)}"
        )
    return pixels.reshape(HEIGHT, WIDTH)


_FACES = DatasetInfo(
    name="cmu-faces",
    title="CMU face images, three people in three poses",
    kind="stand-in",
    n_samples=DRAWN * DRAWN * PER_CELL,
    n_features=HEIGHT * WIDTH,
    n_classes=DRAWN * DRAWN,
    licence="Free of charge for any educational purpose, with attribution",
    citation="T. Mitchell (1997). Machine Learning. McGraw Hill. CMU Face Images, UCI KDD Archive (1999)",
    loader=load_cmu_faces,
    files=(FACES,),
    n_draws=20,
    images=True,
    stand_in_for="185 face images of three people with three facial expressions each (Song et al. 2007)",
)
_IMAGES = (
    f"72 images, grey values of {HEIGHT} x {WIDTH} pixels as in the files, whose largest value differs from image to "
    "image (119 to 159). They are drawn from 624 images of 20 people in 4 poses with 4 expressions, eyes open or "
    "behind sunglasses. 16 of the 640 images that were taken are damaged and missing."
)

DATASETS = (
    replace(
        _FACES,
        notes=f"{_IMAGES} Each draw takes three people and three poses, of those whose nine pairs all have eight "
        "images (four expressions, two kinds of eyes). The classes are person and pose instead of person and "
        "expression. Expressions cannot be recovered from these pixels: see cmu-faces-expressions. In the 20 draws the "
        "image nearest to an image shows the same person in 99.7% of the cases, the same pose in 97%. Tree: the poses "
        "of each person below a node.",
    ),
    replace(
        _FACES,
        name="cmu-faces-expressions",
        title="CMU face images, three people with three expressions",
        loader=load_cmu_faces_expressions,
        notes=f"{_IMAGES} Each draw takes three people and three expressions, of those whose nine pairs all have eight "
        "images (four poses, two kinds of eyes). Expressions cannot be recovered from these pixels, and the data are "
        "here to show it. In the 20 draws the image nearest to an image shows the same person in 99.9% of the cases. "
        "It shows the same expression in 6%, any other image in 32%. Most often it has the same pose and eyes. Tree: "
        "the expressions of each person below a node.",
    ),
)
