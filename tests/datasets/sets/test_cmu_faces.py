from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from archives import tar_of
from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import cmu_faces
from cladebench.hierarchy import Hierarchy

PEOPLE = ("ann", "bob", "cy", "di")
FACETS = {"pose": cmu_faces.POSES, "expression": cmu_faces.EXPRESSIONS}


def pgm(value, largest=200, width=64, height=60, extra=0):
    """An image with one value but for its first and last pixels: 1 on top left, 2 on top right, 3 at the end."""
    pixels = np.full((height, width), value, dtype=np.uint8)
    pixels[0, 0], pixels[0, -1], pixels[-1, -1] = 1, 2, 3
    return b"P5\n%d %d\n%d\n" % (width, height, largest) + pixels.tobytes() + bytes(extra)


def all_faces():
    """Names of all images of four people; the value of each image is its number."""
    names = product(PEOPLE, cmu_faces.POSES, cmu_faces.EXPRESSIONS, cmu_faces.EYES)
    return {
        f"faces_2/{person}/{person}_{pose}_{expression}_{eyes}_2.pgm": pgm(10 + number)
        for number, (person, pose, expression, eyes) in enumerate(names)
    }


def packed(members):
    """The archive, its members in reverse order."""
    return tar_of(sorted(members.items(), reverse=True), "w:gz")


def names_of(content, members):
    """File name of each image of made-up faces, by its value."""
    by_value = {image[-100]: name.rsplit("/")[-1] for name, image in members.items()}
    return [by_value[int(row[100])] for row in content.X]


@pytest.fixture(scope="module", params=["cmu-faces", "cmu-faces-expressions"])
def real(request) -> Iterator[list[datasets.Dataset]]:
    """All draws where the file is; asked for before the folders of the tests take their place."""
    if datasets.availability(request.param) is None:
        pytest.skip("the file of the faces is not on this machine")
    yield [datasets.load(request.param, draw) for draw in range(datasets.info(request.param).n_draws)]


@pytest.mark.parametrize("facet", FACETS)
def test_each_image_has_the_class_that_its_name_says(facet):
    members = all_faces()
    content = cmu_faces.draw_faces(packed(members), 3, facet)
    names = names_of(content, members)
    assert names == sorted(names) and len(names) == 72 and content.X.shape == (72, 3840)
    for name, label in zip(names, content.labels, strict=True):
        person, pose, expression, _, _ = name.split("_")
        assert content.label_names[label] == f"{person} {pose if facet == 'pose' else expression}"
    assert np.bincount(content.labels).tolist() == [8] * 9
    pairs = [name.split() for name in content.label_names]
    people, values = sorted({person for person, _ in pairs}), sorted({value for _, value in pairs})
    assert pairs == [[person, value] for person in people for value in values]
    assert len(people) == 3 and set(values) < set(FACETS[facet])


def test_the_loaders_take_the_two_facets():
    files = {cmu_faces.FACES.name: packed(all_faces())}
    poses, expressions = cmu_faces.load_cmu_faces(files, 0), cmu_faces.load_cmu_faces_expressions(files, 0)
    assert {name.split()[1] for name in poses.label_names} < set(cmu_faces.POSES)
    assert {name.split()[1] for name in expressions.label_names} < set(cmu_faces.EXPRESSIONS)


def test_the_tree_has_the_people_below_the_root():
    content = cmu_faces.draw_faces(packed(all_faces()), 0, "pose")
    assert content.class_parents.tolist() == [9, 9, 9, 10, 10, 10, 11, 11, 11, 12, 12, 12, -1]


def test_rows_are_images_by_rows_and_images_stand_upright():
    content = cmu_faces.draw_faces(packed(all_faces()), 0, "pose")
    assert content.X.dtype == np.float64 and content.X[0, [0, 63, 3839]].tolist() == [1, 2, 3]
    assert content.images.pixels.shape == (72, 60, 64) and content.images.pixels.dtype == np.uint8
    assert content.images.pixels[5, [0, 0, -1], [0, -1, -1]].tolist() == [1, 2, 3]


def test_only_complete_pairs_are_drawn():
    members = all_faces()
    del members["faces_2/bob/bob_left_sad_open_2.pgm"], members["faces_2/di/di_up_happy_sunglasses_2.pgm"]
    found = {cmu_faces.draw_faces(packed(members), draw, "pose").label_names for draw in range(20)}
    # Without bob to the left and di upwards, the two have no three poses in common.
    possible = [
        (("ann", "bob", "cy"), ("right", "straight", "up")),
        (("ann", "cy", "di"), ("left", "right", "straight")),
    ]
    assert found == {tuple(f"{person} {pose}" for person, pose in product(*names)) for names in possible}


def test_without_three_complete_people_there_is_no_draw():
    members = all_faces()
    for person in ("ann", "bob"):
        for pose in ("left", "up"):
            del members[f"faces_2/{person}/{person}_{pose}_sad_open_2.pgm"]
    with pytest.raises(
        DatasetError, match=r"expected 3 people with 8 images .* left, right, straight, up, .* 4 people"
    ):
        cmu_faces.draw_faces(packed(members), 0, "pose")
    # By expression each of the two lacks images of one alone.
    cmu_faces.draw_faces(packed(members), 0, "expression")


@pytest.mark.parametrize(
    ("name", "image", "message"),
    [
        (
            "faces_2/ann/ann_left_sad_2.pgm",
            pgm(9),
            "expected members faces_2/.*, found 'faces_2/ann/ann_left_sad_2.pgm'",
        ),
        ("faces_2/bob/ann_left_sad_open_2.pgm", pgm(9), "expected members"),
        ("faces_2/ann/ann_down_sad_open_2.pgm", pgm(9), "expected members"),
        ("faces_2/ann/ann_left_sad_open_4.pgm", pgm(9), "expected members"),
        (None, b"P2" + pgm(9)[2:], "expected a binary PGM of 64 x 60 pixels, one byte each, found b'P2"),
        (None, pgm(9, width=60, height=64), "expected a binary PGM of 64 x 60 pixels"),
        (None, pgm(9, largest=256), "expected a binary PGM of 64 x 60 pixels"),
        (None, pgm(9)[:-1], "expected 3840 pixels up to 200, found 3839 up to 9"),
        (None, pgm(9, extra=1), "expected 3840 pixels up to 200, found 3841"),
        (None, pgm(9, largest=8), "expected 3840 pixels up to 8, found 3840 up to 9"),
        (None, b"P5\n64 60\n9\n", "expected 3840 pixels up to 9, found 0 up to 0"),
    ],
)
def test_malformed_members_are_named(name, image, message):
    members = all_faces()
    for changed in [name] if name else members:
        members[changed] = image
    with pytest.raises(DatasetError, match=rf"^cmu-faces/cmu_faces_half_64x60\.tar\.gz: .*{message}"):
        cmu_faces.draw_faces(packed(members), 0, "pose")


def test_a_value_may_look_like_blank_space():
    """The head ends with one blank character; pixels of value 10 are line feeds."""
    image = b"P5\n64 60\n99\n" + bytes([10]) * 3840
    assert (cmu_faces.read_pgm(image, "a.pgm") == 10).all()
    assert (cmu_faces.read_pgm(pgm(9, largest=9), "a.pgm")[1:-1] == 9).all()


def test_they_are_stand_ins_that_only_a_mirror_has():
    for name in ("cmu-faces", "cmu-faces-expressions"):
        entry = datasets.info(name)
        assert entry.kind == "stand-in" and "185 face images" in entry.stand_in_for
        assert "cannot be recovered from these pixels" in entry.notes and not entry.fetchable
        with pytest.raises(datasets.DataUnavailable, match=r"no public address serves it.*--sort=name"):
            datasets.load(name)


def test_the_real_draws(real):
    assert len({data.label_names for data in real}) == 20
    poses = real[0].name == "cmu-faces"
    expected = {
        True: ("an2i left", "an2i straight", "an2i up", "boland left", "boland straight", "boland up"),
        False: ("an2i angry", "an2i happy", "an2i sad", "boland angry", "boland happy", "boland sad"),
    }
    assert real[0].label_names[:6] == expected[poses]
    # an2i_left_angry_open, row 5 of its pixels.
    assert real[0].images.pixels[0][5, :4].tolist() == [33, 42, 49, 41] and real[0].labels[0] == 0
    assert real[0].X[0, [0, 1, 64, 3839]].tolist() == [17, 1, 13, 7]
    tree = Hierarchy(real[0].class_parents, np.arange(9))
    assert tree.sizes[np.asarray(tree.children(tree.root))].tolist() == [3, 3, 3]
    incomplete = (
        {"mitchell left", "tammo left"} if not poses else {"mitchell up", "tammo right", "choon left"}
    )
    assert not incomplete & {name for data in real for name in data.label_names}


def test_people_and_poses_can_be_recovered_and_expressions_cannot(real):
    """By the nearest other image, as the notes of both data sets say."""
    same_person, same_value = [], []
    for data in real:
        products = data.X @ data.X.T
        squares = np.diagonal(products)
        apart = squares[:, None] + squares - 2 * products
        np.fill_diagonal(apart, np.inf)
        nearest = data.labels[apart.argmin(axis=1)]
        same_person.append(np.mean(nearest // 3 == data.labels // 3))
        same_value.append(np.mean(nearest % 3 == data.labels % 3))
    found = round(float(np.mean(same_person)), 3), round(float(np.mean(same_value)), 2)
    assert found == ((0.997, 0.97) if real[0].name == "cmu-faces" else (0.999, 0.06))
