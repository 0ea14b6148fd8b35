"""The figures of the exemplar paper, from records with known values."""

from types import SimpleNamespace

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import DataUnavailable
from cladebench.papers.exemplar import data_sets
from cladebench.papers.exemplar.artifacts import ARTIFACTS
from cladebench.papers.exemplar.figures import NOISY_OVER_CLEAN, first_of, name_of, said_of_lead
from exemplar_records import ARRAYS, FEATURES, LABELS, ROUNDS, context, of_images, pictures, run, unfinished
from golden_looks import check_looks
from golden_records import build, cell_id, legend_of, notes_of, points_of, texts


def test_objectives_of_points(golden):
    figure = build(ARTIFACTS, "figure-2a", golden)
    (axes,) = figure.axes
    labels = [data_sets.SIZES[name] for name in ("noisy-mixtures-50-n100", "noisy-mixtures-50")]
    assert legend_of(figure) == [labels[0], f"{labels[1]} (2 runs)"]
    assert [line.get_ydata().tolist() for line in axes.lines] == [pytest.approx([1.0, 0.5, 0.1])] * 4
    assert notes_of(figure) == "3 runs, each of ten training sets."


def test_weights_of_dimensions(golden):
    figure = build(ARTIFACTS, "figure-2b", golden)
    (axes,) = figure.axes
    (dots,) = [line for line in axes.lines if len(line.get_xdata()) == 4]
    # Two runs on the larger sets, and not the one on the smaller ones.
    assert points_of(dots) == [(1, 0.625), (2, 1.0), (3, 0.25), (4, 0.0)]
    assert "noisy dimensions" in texts(figure)
    (ground,) = axes.patches
    assert ground.get_x() == 2.5 and ground.get_x() + ground.get_width() == 4.5
    notes = notes_of(figure)
    assert notes.startswith("The squared differences of each dimension are scaled to mean 1.")
    assert notes.endswith("weights of noisy dimensions are about 13 times smaller still.")


def test_how_much_larger_noisy_differences_are():
    parts = datasets.load("noisy-mixtures-50").parts
    # Variances within a set, of which each dimension has its own: those of all sets together are near the truth.
    of_dimensions = np.mean([part.content.X.var(axis=0) for part in parts.values()], axis=0)
    assert of_dimensions[50:].mean() / of_dimensions[:50].mean() == pytest.approx(NOISY_OVER_CLEAN, rel=0.1)


def test_a_clustering(golden):
    figure = build(ARTIFACTS, "figure-2c", golden)
    (axes,) = figure.axes
    stored = ARRAYS[cell_id("noisy-mixtures-50", "Exemplar", ROUNDS)]
    (rings,) = [line for line in axes.lines if line.get_label() == "exemplar"]
    assert points_of(rings) == [tuple(stored["points"][row]) for row in (1, 3)]
    (wrong,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert points_of(wrong) == [tuple(stored["points"][2])]
    first, second = axes.lines[:2]  # true clusters
    assert points_of(first) == [tuple(row) for row in stored["points"][:2]]
    assert points_of(second) == [tuple(row) for row in stored["points"][2:]]
    # Dimensions are counted from 1.
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("dimension 2", "dimension 1")
    assert figure.get_suptitle().startswith("2 clusters found, 2 true clusters; ")


def test_accuracy_against_noise(golden):
    figure = build(ARTIFACTS, "figure-2d", golden)
    (axes,) = figure.axes
    curves = {
        line.get_label().removeprefix("random method: "): np.array(points_of(line))
        for line in axes.lines
        if not str(line.get_label()).startswith("_")
    }
    assert f"random method: {LABELS['Random']}" in legend_of(figure)
    assert set(curves) == {LABELS[name] for name in ("Exemplar", "Euclidean", "Random")}
    for method, expected in {
        "Exemplar": [(50, 0.85), (90, 0.7)],
        "Euclidean": [(50, 0.3)],
        "Random": [(90, 0.3)],
    }.items():
        found = curves[LABELS[method]]
        assert found[:, 0] == pytest.approx([x for x, _ in expected], abs=1.0)
        assert found[:, 1] == pytest.approx([y for _, y in expected])
    assert axes.get_ylabel() == "F over pairs\nhigher is better \u2192"
    assert figure.get_suptitle().startswith("Learned weights alone have the best mean F at ")
    assert notes_of(figure) == "Means of ten test sets of 100 or 500 points each, over runs."


def test_all_methods_of_a_share_of_noise_are_shown_on_the_same_sets():
    # Another method alone was run on the larger sets.
    rows = [
        run("noisy-mixtures-90", "Average", {"pair_f": [0.99]}),
        run("noisy-mixtures-90-n100", "Exemplar", {"pair_f": [0.7]}),
        run("noisy-mixtures-90-n100", "Average", {"pair_f": [0.5]}),
    ]
    figure = build(ARTIFACTS, "figure-2d", context(*rows))
    (axes,) = figure.axes
    heights = {line.get_label(): line.get_ydata().tolist() for line in axes.lines}
    assert heights[LABELS["Average"]] == [0.5] and heights[LABELS["Exemplar"]] == [0.7]
    assert "of 100 points each" in notes_of(figure)


def bars_of(axes):
    return [round(float(bar.get_width()), 9) for bars in axes.containers for bar in bars]


def test_weights_of_features(golden):
    figure = build(ARTIFACTS, "figure-3", golden)
    outex, uiuc = figure.axes
    assert outex.get_title().splitlines() == [
        "title of outex",
        "unlike the paper (dense HOG and dense",
        "SIFT), rotation-invariant LBP and hog",
        "weigh most",
    ]
    assert uiuc.get_title().startswith("title of uiuc-few\n")
    assert [tick.get_text() for tick in outex.get_yticklabels()] == list(map(name_of, FEATURES))
    assert bars_of(outex) == pytest.approx([0.25, 1 / 3, 2 / 3])  # means of two splits
    assert bars_of(uiuc) == pytest.approx([0.875, 1 / 3, 2 / 3])


def test_the_title_says_where_the_largest_weights_are_the_papers():
    names, weights = ["gist", "dense-hog", "rot-lbp"], np.array([[0.1, 0.9, 0.5], [0.1, 0.7, 1.0]])
    same = said_of_lead(names, weights, ("rot-lbp", "dense-hog"))
    assert " ".join(same.split()) == "as in the paper, rotation-invariant LBP and dense HOG weigh most"
    other = said_of_lead(names, weights, ("rot-lbp", "gist")).split()
    said = (
        "in the paper rotation-invariant LBP and GIST weigh most, here dense HOG and rotation-invariant LBP"
    )
    assert other == said.split()


@pytest.mark.parametrize(
    ("name", "dataset", "first"), [("figure-5", "uiuc-few", 0.5), ("figure-6a", "scenes-few", 0.25)]
)
def test_weights_of_four_distances(golden, name, dataset, first):
    figure = build(ARTIFACTS, name, golden)
    (axes,) = figure.axes
    assert axes.get_title() == f"title of {dataset}"
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(map(name_of, FEATURES))
    assert legend_of(figure) == ["chi-squared", "squared Euclidean", "l1", "RBF kernel"]
    expected = np.arange(12) / 12
    expected[0] = first
    # A container for each kind, of which each feature has a bar.
    found = [[bar.get_width() for bar in bars] for bars in axes.containers]
    assert np.array(found) == pytest.approx(expected.reshape(3, 4).T)


@pytest.mark.parametrize(
    ("name", "dataset", "method"),
    [("figure-4", "outex", "Exemplar"), ("figure-7", "scenes-few", "Exemplar-several")],
)
def test_exemplars(golden, name, dataset, method):
    figure = build(ARTIFACTS, name, golden)
    stored = ARRAYS[cell_id(dataset, method)]
    shown = [axes for axes in figure.axes if axes.images]
    # The exemplars are places among the test images, whose rows are stored.
    rows = stored["rows"][stored["exemplars"]]
    assert rows.tolist() == [6, 4, 2]
    assert [int(axes.images[0].get_array()[0, 0]) for axes in shown] == [60, 40, 20]
    captions = [" ".join(axes.get_xlabel().split()).replace("1 images", "1 image") for axes in shown]
    # Row 6 is of class 0, as one of the two images in its cluster.
    assert captions == [
        "bark 2 images, 50% of this class",
        "wood 1 image, 100% of this class",
        "brick 1 image, 100% of this class",
    ]
    assert notes_of(figure) == "3 of 3 exemplars of the first split's test images."


def test_of_many_exemplars_ten_are_shown_from_the_first_to_the_last():
    n = 31
    stored = {
        "found": np.arange(n),
        "true": np.arange(n) % 3,
        "exemplars": np.arange(n),
        "rows": np.arange(n),
    }
    data = SimpleNamespace(
        images=SimpleNamespace(pixels=[np.full((2, 2), row, dtype=np.uint8) for row in range(n)]),
        labels=np.arange(n) % 3,
        label_names=("a", "b", "c"),
    )
    figure = build(
        ARTIFACTS,
        "figure-4",
        context(
            run("outex", "Exemplar", {"nn_accuracy": [1.0]}),
            arrays={cell_id("outex", "Exemplar"): stored},
            load_data=lambda name, draw: data,
        ),
    )
    shown = [int(axes.images[0].get_array()[0, 0]) for axes in figure.axes if axes.images]
    assert len(shown) == 10 and shown[0] == 0 and shown[-1] == 30
    assert set(np.diff(shown)) <= {3, 4}
    assert "10 of 31 exemplars" in notes_of(figure)
    assert figure.get_suptitle() == "31 clusters found, 3 classes: title of outex"


def not_here(name, draw):
    raise DataUnavailable(f"{name} is not here")


@pytest.mark.parametrize("load_data", [lambda name, draw: pictures(available=False), not_here])
def test_without_images_that_is_said(load_data):
    figure = build(
        ARTIFACTS,
        "figure-4",
        context(
            run("outex", "Exemplar", {"nn_accuracy": [1.0]}),
            arrays={cell_id("outex", "Exemplar"): of_images(0.5)},
            load_data=load_data,
        ),
    )
    assert texts(figure) == ["The images of title of outex are not available."]


def test_objectives_of_images(golden):
    figure = build(ARTIFACTS, "figure-6b", golden)
    (axes,) = figure.axes
    more = ", four distances a feature"
    assert [" ".join(label.split()) for label in legend_of(figure)] == [
        f"title of scenes-few{more}",
        f"title of uiuc-few{more}",
        "title of uiuc-few",
        "title of outex (2 runs)",
    ]
    ends = [line.get_ydata()[-1] for line in axes.lines]
    assert ends == pytest.approx([0.25 / 4, 0.5 / 4, 0.875 / 4, 0.0, 0.125, 0.0625])


def test_the_first_data_set_that_was_run_stands_for_a_group(golden):
    assert first_of(golden, data_sets.UIUC, "Exemplar") == "uiuc-few"
    assert first_of(golden, data_sets.UIUC, "Random") == "uiuc"  # neither
    assert first_of(golden, data_sets.MIXTURES[50], "Exemplar") == "noisy-mixtures-50"
    assert first_of(golden, data_sets.MIXTURES[90], "Exemplar") == "noisy-mixtures-90-n100"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *(
            (f"figure-2{x}", "No finished run of Exemplar on noisy-mixtures-50 in this scope.")
            for x in "abcd"
        ),
        *((f"figure-{n}", "No finished run of Exemplar on outex in this scope.") for n in (3, 4)),
        ("figure-5", "No finished run of Exemplar-several on uiuc in this scope."),
        *(
            (f"figure-{n}", "No finished run of Exemplar-several on scenes in this scope.")
            for n in ("6a", "6b", "7")
        ),
    ],
)
def test_an_empty_figure_says_why(nothing, name, said):
    assert texts(build(ARTIFACTS, name, nothing)) == [said]
    names = ["noisy-mixtures-50", "outex", "uiuc", "scenes"]
    rows = [
        unfinished(dataset, method, "timeout")
        for dataset in names
        for method in ("Exemplar", "Exemplar-several")
    ]
    # Nothing is read of cells that have not finished.
    assert texts(build(ARTIFACTS, name, context(*rows))) == [said]


def test_figures_look_as_before(golden):
    check_looks("exemplar", ARTIFACTS, golden)
