"""The figures of the taxonomy paper, from records with known values."""

from types import SimpleNamespace

import numpy as np
import pytest

from cladebench.datasets import DataUnavailable, Images
from cladebench.paper.protocol import tree_arrays
from cladebench.papers.taxonomy.artifacts import ARTIFACTS
from cladebench.papers.taxonomy.figures import repetition_of
from golden_looks import check_looks
from golden_records import cell_id, cells, context_of, failed, legend_of, line_of, points_of, texts
from taxonomy_records import FACES, LABELS, PRINTED_ENTROPIES, THREE, TOP, documents, label, made


def test_the_picture_of_table_1_has_all_columns_in_order_and_its_own_printed_numbers():
    figure = made("table-1-figure", *FACES, published=PRINTED_ENTROPIES)
    (axes,) = figure.axes
    shown = [label(name) for name in ("Spectral", "CLUHSIC-h", "NTC", "KM", "CLUHSIC-b")]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == shown
    dots = [[x for x, _ in points_of(line)] for line in axes.lines if line.get_marker() == "o"]
    assert dots == [[0.5], [0.7], [0.4, 0.2], [0.8]]
    printed = [points_of(line) for line in axes.lines if line.get_marker() == "D"]
    assert printed == [[(0.2807, 2)], [(0.497, 4)]]


def test_figure_1_has_trees_of_2_to_9_children_over_nine_clusters():
    figure = made("figure-1")
    titles = [axes.get_title() for axes in figure.axes]
    named = [*(f"{arity}-ary" for arity in range(2, 9)), "star"]
    assert titles == [f"({letter}) {name}" for letter, name in zip("abcdefgh", named, strict=True)]
    assert all(len(axes.lines[-1].get_xdata()) == 9 for axes in figure.axes)
    # Of 9 leaves under nodes with so many children: as many layers as it takes.
    assert [-min(y for _, y in points_of(axes.lines[-1])) for axes in figure.axes] == [
        *(4, 2, 2, 2, 2, 2, 2, 1)
    ]


ARRAYS = {
    **tree_arrays(THREE),
    "labels": LABELS,
    "class_names": np.array(["anna left", "bob up"]),
    "class_counts": np.array([[1, 2], [2, 0], [1, 1]]),
}
VALUES = [0.9, 0.2, 0.5, 0.4]


def faces(values, asked, available=True):
    def load(name, draw):
        asked.append((name, draw))
        if not available:
            raise DataUnavailable("not here")
        grey = np.array([10, 20, 40, 30, 200, 70, 50])
        return SimpleNamespace(
            images=Images(np.ones((7, 4, 3), np.uint8) * grey[:, None, None].astype(np.uint8))
        )

    rows = (
        cells("faces", "NTC", {"conditional_entropy": values}) if values else failed("faces", "NTC", "error")
    )
    # Of other draws nothing is read.
    known = sorted((value, cell_id("faces", "NTC", None, r)) for r, value in enumerate(values))
    arrays = {known[(len(known) - 1) // 2][1]: ARRAYS} if known else {}
    return made("figure-2", rows, arrays=arrays, load_data=load)


@pytest.mark.parametrize(
    ("values", "draw", "shown"),
    [(VALUES, 3, 0.4), (VALUES[:3], 2, 0.5), ([0.5, 0.5], 0, 0.5), ([0.1], 0, 0.1)],
)
def test_figure_2_is_the_median_draw(values, draw, shown):
    asked = []
    figure = faces(values, asked)
    assert asked == [("faces", draw)]
    note = figure.get_label().replace("\n", " ")
    assert note.startswith(
        f"Draw {draw + 1} of {len(values)}, the median by H(l|c) = {shown:.3f}; mean images, brightened. Below each"
        " the class that most of its images have."
    )


def test_figure_2_has_mean_images_sizes_and_the_largest_class():
    figure = faces(VALUES, [])
    (axes,) = figure.axes
    # Means 40, 40 and 110, of 150 grey values at most.
    assert [np.unique(image.get_array()).tolist() for image in axes.images] == [[68], [68], [187]]
    assert [image.get_array().shape for image in axes.images] == [(4, 3)] * 3
    assert [text.replace("\n", " ") for text in texts(figure)[:3]] == [
        *(
            "a: 3 images person 2, up, 67%",
            "b: 2 images person 1, left, 100%",
            "c: 2 images person 1, left, 50%",
        )
    ]
    edges = [line.get_xydata() for line in axes.lines if line.get_marker() != "o" and not line.get_gid()]
    assert sorted(np.hypot(*(line[1] - line[0])) for line in edges) == pytest.approx([1.0, 2.0, 3.0])


def test_figure_2_counts_the_clusters_of_one_class():
    said = [text.replace("\n", " ") for text in texts(faces(VALUES, []))]
    assert any(text.endswith("1 of 3 clusters hold one class alone") for text in said), said


def test_mean_images_are_no_brighter_than_white():
    bright = np.full((7, 2, 2), 240, np.uint8)
    figure = made(
        "figure-2",
        cells("faces", "NTC", {"conditional_entropy": [0.1]}),
        arrays={cell_id("faces", "NTC"): ARRAYS},
        load_data=lambda name, draw: SimpleNamespace(images=Images(bright)),
    )
    assert {int(value) for image in figure.axes[0].images for value in image.get_array().ravel()} == {255}


def test_figure_2_says_what_is_missing():
    assert texts(faces([], [])) == ["No finished run of NTC on faces in this scope."]
    assert texts(faces([0.3], [], available=False)) == ["The images of the faces are not available."]
    without = made(
        "figure-2",
        cells("faces", "NTC", {"conditional_entropy": [0.1]}),
        arrays={cell_id("faces", "NTC"): ARRAYS},
        load_data=lambda name, draw: SimpleNamespace(images=None),
    )
    assert texts(without) == ["The images of the faces are not available."]


@pytest.mark.parametrize(
    ("cell", "repetition"), [("p/faces/NTC/ab1/12", 12), ("p/faces/NTC/ab1/3.4", 3), ("p/f.9/NTC/ab1/0", 0)]
)
def test_the_repetition_of_a_cell(cell, repetition):
    assert repetition_of(cell) == repetition


def test_figure_3_has_the_words_of_the_run_with_the_largest_objective():
    matched = np.array([1, -1, -1, 0, -1, -1, -1, -1])
    rows, arrays = documents("nips", matched=matched)
    figure = made("figure-3", rows, arrays=arrays)
    shown = texts(figure)
    assert shown[:6:2] == ["a: 3, as d of Table 2", "b: 2, as a of Table 2", "c: 2"]
    assert [words.split() for words in shown[1:6:2]] == [own[:5].tolist() for own in TOP]
    note = figure.get_label().replace("\n", " ")
    assert note.startswith("The run with the largest objective of 3. Words: the first five")
    assert any(text.endswith("3 clusters of 7 documents") for text in shown)


def test_newsgroups_are_matched_with_nothing():
    rows, arrays = documents("newsgroups-100")
    figure = made("newsgroups", rows, arrays=arrays)
    assert texts(figure)[:6:2] == ["a: 3", "b: 2", "c: 2"]


@pytest.mark.parametrize(("name", "dataset"), [("figure-3", "nips"), ("newsgroups", "newsgroups-100")])
def test_without_a_finished_run_that_is_said(name, dataset):
    figure = made(name, failed(dataset, "NTC", "timeout"))
    assert texts(figure) == [f"No finished run of NTC on {dataset} in this scope."]


def numbers(dataset, objective, elbow, eigengap, eigenvalues):
    """Cells of the study of numbers, a repetition for each value, and what they stored."""
    n = len(elbow)
    rows = [
        row
        for k, values in objective.items()
        for row in cells(dataset, "number-study", {"objective": values}, at={"k": k})
    ]
    rows += cells(dataset, "number-study", {"elbow": elbow, "eigengap": eigengap})
    arrays = {
        cell_id(dataset, "number-study", None, r): {"eigenvalues": np.array(eigenvalues[r])} for r in range(n)
    }
    return rows, arrays


def test_the_figure_of_numbers_has_objectives_eigenvalues_and_what_the_rules_choose():
    nips = {k: [0.5 * k] for k in range(1, 17)}  # 1 and 16 are beyond what is drawn
    rows, arrays = numbers(
        "faces",
        {2: [1.0, 3.0, 5.0], 3: [4.0, 4.0, 7.0]},
        [2, 3, 3],
        [2, 2, 4],
        [[9, 4, 1], [7, 2], [5, 3, 2]],
    )
    more, of_nips = numbers("nips", nips, [15], [3], [[6, 5, 4]])
    other, of_other = numbers("nested-blobs", {2: [1.0]}, [2], [2], [[1, 1]])
    figure = made("number-of-clusters", rows, more, other, arrays=arrays | of_nips | of_other)
    left, right = figure.axes
    assert legend_of(figure) == ["faces", "nips", "elbow", "last before the gap"]
    assert line_of(left, "faces") == [(2, 3), (3, 5)]
    assert line_of(left, "nips") == [(k, 0.5 * k) for k in range(2, 16)]
    assert line_of(right, "faces") == [(1, 7), (2, 3)]  # as many as all repetitions have
    assert line_of(right, "nips") == [(1, 6), (2, 5), (3, 4)]
    marks = {
        name: [points_of(line)[0] for line in axes.lines if line.get_label() == name]
        for axes, name in ((left, "elbow"), (right, "last before the gap"))
    }
    # The medians are 3 and 15, and 2 and 3, of which the one before is the last.
    assert marks == {"elbow": [(3, 5), (15, 7.5)], "last before the gap": [(1, 7), (2, 5)]}


def test_numbers_that_did_not_finish_are_left_out():
    rows, arrays = numbers("nips", {2: [1.0], 3: [2.0]}, [3], [2], [[6, 5, 4]])
    figure = made("number-of-clusters", failed("faces", "number-study", "timeout"), rows, arrays=arrays)
    assert legend_of(figure) == ["nips", "elbow", "last before the gap"]
    assert "No finished run" in texts(made("number-of-clusters", failed("faces", "number-study", "error")))[0]
    assert "No finished run" in texts(made("number-of-clusters"))[0]


def test_figures_look_as_before():
    rows, arrays = documents("nips", matched=np.array([1, -1, -1, 0, -1, -1, -1, -1]))
    more, of_groups = documents("newsgroups-100")
    study, stored = numbers("nips", {2: [1.0, 2.0], 3: [3.0, 5.0]}, [3, 3], [2, 2], [[6, 5, 4], [5, 4, 1]])
    context = context_of(
        "taxonomy",
        *FACES,
        *(rows, more, study),
        published=PRINTED_ENTROPIES,
        arrays={**arrays, **of_groups, **stored, cell_id("faces", "NTC", None, 1): ARRAYS},
        load_data=lambda name, draw: SimpleNamespace(images=Images(np.full((7, 4, 3), 100, np.uint8))),
    )
    check_looks("taxonomy", ARTIFACTS, context)
