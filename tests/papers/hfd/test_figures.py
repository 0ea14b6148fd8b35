"""The figures of the HFD paper, from records with known values."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from cladebench.paper.catalogue import load_plan
from cladebench.paper.figures import EMPTY
from cladebench.papers.hfd.artifacts import ARTIFACTS
from cladebench.papers.hfd.figure_data import limits_note
from cladebench.papers.hfd.method_styles import STYLES
from golden_looks import check_looks
from golden_records import build, cell_id, cells, context_of, failed, notes_of, points_of, ranges_of, texts
from hfd_records import AT5, QUERY, Images, classified, neighbors

#: Below figures.
CHOSEN = "Settings chosen with test labels."


def interval(values, overlap):
    """Mean and 95% interval of three values, in percent."""
    mean, half = np.mean(values), 4.302653 * np.std(values, ddof=1) * (1 / 3 + overlap) ** 0.5
    return [pytest.approx(100 * end, abs=1e-3) for end in (mean - half, mean + half)]


def test_figures_say_what_cut_a_method_short():
    settings = {
        ("a", "LMNN"): ['{"max_samples":5000}'],
        ("b", "LMNN"): ['{"max_samples":5000}'],
        ("a", "ITML"): ['{"gamma":1.0,"max_iter":10}', '{"gamma":0.1,"max_iter":10}'],
        ("b", "HFD-pooled"): ['{"max_iter":5,"n_trees":100}'],
        ("a", "Euclidean"): ["{}"],
    }
    context = SimpleNamespace(
        results=SimpleNamespace(
            rows=lambda dataset, method: pd.DataFrame({"setting": settings.get((dataset, method), [])})
        )
    )
    methods = {"LMNN": "LMNN", "ITML": "ITML", "HFD": "HFD-pooled", "Euclidean": "Euclidean"}
    assert limits_note(context, ["a", "b"], methods) == (
        "Limits: rows at most 5,000 for LMNN; iterations at most 10 for ITML on a; iterations at most 5 and trees 100"
        " for HFD on b.",
    )
    assert limits_note(context, ["a"], {"Euclidean": "Euclidean"}) == ()


def test_figure_1_has_dots_of_five_neighbours_with_their_intervals(golden):
    figure = build(ARTIFACTS, "figure-1", golden)
    sonar, usps, blobs = (axes for axes in figure.axes if axes.axison)
    assert [axes.get_title() for axes in (sonar, usps, blobs)] == ["sonar", "usps", "nested-blobs"]
    dots = {line.get_label(): points_of(line)[0] for line in sonar.lines}
    # ITML in the setting that the paper's rule chooses.
    means = {label: mean for label, (mean, _) in dots.items()}
    assert means == pytest.approx({"Euclidean": 80, "ITML": 81, "HFD": 90})
    shown = {
        low[1]: [pytest.approx(low[0], abs=1e-9), pytest.approx(high[0], abs=1e-9)]
        for lines in sonar.collections
        for low, high in lines.get_segments()
    }
    # A third of the rows is held out; equal values, and single ones, have no interval.
    assert shown == {
        dots["Euclidean"][1]: interval([0.7, 0.8, 0.9], 0.5),
        dots["ITML"][1]: interval([0.8, 0.81, 0.82], 0.5),
    }
    assert [text.get_text() for text in sonar.texts] == [" \u2190 Random: 30"]
    assert figure.get_suptitle() == "HFD has the best mean accuracy on 1 of 2 data sets"
    assert not blobs.collections
    rows = [tick.get_text() for tick in sonar.get_yticklabels()]
    assert rows == ["Euclidean", "ITML", "RFD", "HFD"]
    said = notes_of(figure)
    assert CHOSEN in said and "oracle" not in said and "Repetitions" not in said
    assert "Missing: 1 of the " in said and "Left out: LMNN on sonar, usps: timeout." in said
    assert "NCA" not in said


def test_figure_2_has_hfd_minus_each_method_over_the_noise(golden):
    figure = build(ARTIFACTS, "figure-2", golden)
    panels = {axes.get_title(): axes for axes in figure.axes if axes.axison}
    assert list(panels) == ["Euclidean", "ITML"]
    assert points_of(panels["Euclidean"].lines[1]) == [pytest.approx((0, 10)), pytest.approx((20, 15))]
    assert points_of(panels["ITML"].lines[1]) == [pytest.approx((0, 9))]
    # Runs are paired: those of equal rows.
    assert ranges_of(panels["Euclidean"])[0] == pytest.approx((0, *interval([0.2, 0.1, 0.0], 0.5)), abs=1e-6)
    for axes in panels.values():
        assert axes.get_xlabel() == "training labels replaced (%)"
    assert panels["Euclidean"].get_ylabel() == "HFD minus\nthe method (points)"
    said = "Above 0 HFD is better: shown in 2 of 3 comparisons; shown worse in 0"
    assert figure.get_suptitle() == said
    assert CHOSEN in notes_of(figure)


def test_figure_3_has_precision_over_images_and_speaks_of_no_folds(golden):
    figure = build(ARTIFACTS, "figure-3", golden)
    (axes,) = figure.axes
    (line,) = axes.lines
    assert points_of(line) == [(5, 45), (20, 30), (50, 25)]  # and not at 7, where the paper does not look
    (at_5, at_50) = ranges_of(axes)
    half = 100 * 12.706205 * 0.05
    assert at_5 == pytest.approx((5, 45 - half, 45 + half), abs=1e-3)
    assert axes.get_ylim()[0] > -3 and axes.get_ylim()[1] < 103 and at_50[0] == 50
    assert (axes.get_title(), axes.get_ylabel()) == ("cifar10", "precision (%)\nhigher is better \u2192")
    assert "fold" not in notes_of(figure)


def test_figure_3_by_one_number_has_the_alternatives_as_their_methods_are_drawn():
    rows = [
        cells("cifar10", name, {"precision": [value, value]}, at=AT5)
        for name, value in (
            ("HFD", 0.4),
            ("HFD-pooled", 0.3),
            ("DCA-pooled-class-dimensions", 0.2),
            ("RFD", 0.1),
            ("HFD-random", 0.06),
            ("HFD-random-pooled", 0.05),
        )
    ]
    figure = build(
        ARTIFACTS,
        "figure-3-one-number",
        context_of("hfd", *rows, failed("cifar10", "LMNN-pooled", "timeout")),
    )
    (axes,) = figure.axes
    labels = load_plan("hfd").methods
    assert {line.get_label(): (line.get_color(), points_of(line)) for line in axes.lines} == {
        labels[style].label: (STYLES[style][0], [(5, pytest.approx(y, abs=1e-9))])
        for style, y in (("HFD", 30), ("DCA", 20), ("RFD", 10), ("HFD-random", 5))
    }
    left_out = [line for line in figure.get_label().splitlines() if line.startswith("Left out")]
    assert left_out == [f"Left out: {labels['LMNN-pooled'].label} on cifar10: timeout."]


def test_accuracy_stands_against_both_times(golden):
    figure = build(ARTIFACTS, "accuracy-against-time", golden)
    training, query = figure.axes
    found = [{line.get_label(): points_of(line) for line in axes.lines} for axes in (training, query)]
    # Those without times have no place.
    assert found == [
        {"Euclidean": [(0.01, 80)], "HFD": [(10, 90)]},
        {"Euclidean": [(0.1, 80)], "HFD": [(1, 90)]},
    ]
    assert (training.get_title("left"), training.get_ylabel()) == ("sonar", "accuracy (%)")
    below = "\n\u2190 lower is better"
    assert (training.get_xlabel(), query.get_xlabel()) == (f"training (s){below}", f"one query (ms){below}")
    assert figure.get_suptitle() == "HFD trains longer than the median method on 1 of 1 data set"
    assert "intervals" not in notes_of(figure)


def test_the_gallery_shows_the_same_test_images_for_all(golden):
    figure = build(ARTIFACTS, "gallery", golden)
    images = golden.load_data("usps", 0).images
    assert images.rows == [
        row
        for first in (20, 60, 40)  # Euclidean, RFD, HFD: as in all figures
        for q, query in enumerate(QUERY)
        for row in (query, *range(first + 6 * q, first + 6 * q + 5))
    ]
    assert texts(figure) == ["Euclidean", "RFD", "HFD"]
    frames = [
        [round(patch.get_x() - 0.04, 9) for patch in axes.patches if isinstance(patch, Rectangle)]
        for axes in figure.axes
    ]
    assert frames == [[1, 5], []] * 3
    assert "Left out: LMNN on usps: timeout." in notes_of(figure)


def test_the_gallery_leaves_out_who_has_not_met_the_task_and_says_where_images_are_missing(golden):
    rows = [
        classified("usps", "RFD", [0.9, 0.9, 0.9]),
        # The first task is met by one of the three alone.
        *(classified("usps", method, [0.9, 0.9, 0.9])[1:3] for method in ("HFD", "Euclidean")),
    ]
    arrays = {
        f"{cell_id('usps', method)}.1": neighbors(10 * k)
        for k, method in enumerate(("Euclidean", "HFD", "RFD"))
    }
    for images in (Images(), None):
        context = context_of(
            "hfd",
            *rows,
            arrays=arrays,
            load_data=lambda name, draw, images=images: SimpleNamespace(images=images),
        )
        figure = build(ARTIFACTS, "gallery", context)
        shown = ["Euclidean", "RFD", "HFD"] if images else ["The images of USPS are not available."]
        assert texts(figure) == shown


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("figure-1", "No finished run of classification in this scope."),
        ("figure-2", "No finished run of this experiment in this scope."),
        ("figure-3", "No finished run of this experiment in this scope."),
        ("figure-3-one-number", "No finished run of this experiment in this scope."),
        ("accuracy-against-time", "No finished run of classification in this scope."),
        ("gallery", "No finished run on USPS in this scope."),
    ],
)
def test_an_empty_figure_says_why(name, said):
    assert texts(build(ARTIFACTS, name, context_of("hfd"))) == [said]


def test_an_empty_figure_says_which_cells_are_missing_and_who_failed():
    rows = failed("usps", "HFD", "missing", repetitions=2), failed("sonar", "LMNN", "timeout")
    figure = build(ARTIFACTS, "figure-1", context_of("hfd", *rows))
    assert figure.get_label().splitlines() == [
        f"{EMPTY}No finished run of classification in this scope.",
        "Missing: 2 of the 3 runs that are planned for this.",
        "Left out: LMNN on sonar: timeout.",
    ]


def test_figures_look_as_before(golden):
    check_looks("hfd", ARTIFACTS, golden)
