"""The figures of the exemplar paper: what they show of the data that come in, and that nothing covers anything."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from cladebench.papers.exemplar import drawings, weight_drawings
from cladebench.plotting import SMALL, use_style
from golden_records import apart, extents, inside, least_text, legend_of, points_of, texts

NOTE = "A note of many words that takes more than a line. " * 3
NAMES = ["gist", "dense HOG", "rot-LBP", "MR8 textons"]
KINDS = ["chi2", "l2", "l1", "RBF"]


@pytest.fixture(autouse=True)
def style():
    with use_style():
        yield


def laid_out(figure):
    """Lay a figure out once and for all: what asks for places afterwards need not do it again."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def check_readable(figure):
    """Nothing that is written is small, cut off, or covered by something else that is written."""
    laid_out(figure)
    # Ticks beyond the ends of an axis are there, but not drawn.
    beyond = {
        tick.label1
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    written = [text for text in figure.findobj(Text) if text not in beyond and text.get_visible()]
    written = [text for text in written if text.get_text().strip()]
    boxes = extents(figure, written)
    assert len(boxes) > 4 and all(box.width > 0 for box in boxes)
    assert least_text(figure) >= SMALL
    assert all(inside(box, figure.bbox_inches) for box in boxes)
    assert apart(boxes)
    assert figure.get_figwidth() <= 6.5


def ends_of(axes):
    """Ends of the lines of each collection of a panel, in the order in which they were drawn."""
    return [[segment.tolist() for segment in lines.get_segments()] for lines in axes.collections]


# ------------------------------------------------------------------ objective

PATHS = {
    "N = 500, M = 10": [np.array([8.0, 4.0, 1.0, 2.0]), np.array([10.0, 5.0])],
    "one run": [np.array([3.0, 6.0, 1.5])],
}


def test_objectives_are_drawn_over_their_start_with_their_mean():
    figure = drawings.objective_paths(PATHS)
    (axes,) = figure.axes
    first, second, mean, alone = [line.get_ydata().tolist() for line in axes.lines]
    assert first == [1.0, 0.5, 0.125, 0.25]  # as it is, not its running minimum
    assert second == [1.0, 0.5]
    assert mean == [1.0, 0.5, 0.3125, 0.375]  # the shorter one stays at 0.5
    assert alone == [1.0, 2.0, 0.5]
    assert [line.get_xdata().tolist() for line in axes.lines[::3]] == [[0, 1, 2, 3], [0, 1, 2]]
    thin, _, thick, only = [line.get_linewidth() for line in axes.lines]
    assert thin < thick / 2 and only == thick
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("round", "objective, relative to the start")
    assert legend_of(figure) == ["N = 500, M = 10 (2 runs)", "one run"]
    assert figure.legends[0].get_title().get_text() == "thin: runs, thick: mean"
    assert to_hex(axes.lines[0].get_color()) == to_hex(axes.lines[2].get_color())


def test_a_run_that_stopped_early_stays_at_its_lowest_value():
    figure = drawings.objective_paths({"a": [np.array([4.0, 1.0, 3.0]), np.array([4.0] * 5)]})
    assert figure.axes[0].lines[-1].get_ydata().tolist() == [1.0, 0.625, 0.875, 0.625, 0.625]


def test_round_0_is_on_the_axis_and_few_rounds_take_most_of_it():
    figure = drawings.objective_paths({"a": [np.linspace(5, 1, 301)]})
    (axes,) = figure.axes
    assert axes.get_xlim() == (0, 300) and axes.get_ylim()[0] == 0
    places = axes.transAxes.inverted().transform(axes.transData.transform([(x, 1) for x in (0, 1, 10, 300)]))
    assert places[0, 0] == pytest.approx(0) and places[3, 0] == pytest.approx(1)
    assert 0.05 < places[1, 0] < 0.2 and places[2, 0] > 0.4
    figure.draw_without_rendering()
    assert [tick.get_text() for tick in axes.get_xticklabels()][:4] == ["0", "1", "10", "100"]
    assert figure.legends[0].get_title().get_text() == ""  # one line is neither thick nor thin


def test_an_objective_that_falls_little_has_its_own_scale():
    low, _ = drawings.objective_paths({"a": [np.array([100.0, 97.0])]}).axes[0].get_ylim()
    assert 0.9 < low < 0.97


def test_all_groups_look_different():
    groups = {f"N = {k}": [np.array([2.0, 1.0])] for k in range(30)}
    figure = drawings.objective_paths(dict(itertools.islice(groups.items(), 18)))
    assert len({(line.get_color(), line.get_linestyle()) for line in figure.axes[0].lines}) == 18
    check_readable(drawings.objective_paths(groups))


def test_long_names_leave_the_axes_their_room():
    names = [f"UIUC, {k} textures (stand-in data), four distances a feature" for k in range(4)]
    figure = drawings.objective_paths({name: [np.array([2.0, 1.0])] * 10 for name in names})
    (box,) = extents(figure, figure.axes)
    assert box.width > figure.get_figwidth() / 2
    check_readable(figure)


def test_runs_without_a_value_are_left_out():
    figure = drawings.objective_paths({"a": [], "b": [np.array([])], "c": [np.array([2.0]), np.array([])]})
    assert legend_of(figure) == ["c"] and figure.axes[0].lines[0].get_ydata().tolist() == [1.0]
    assert texts(drawings.objective_paths({"a": [], "b": [np.array([])]})) == [
        "No objectives of learning in this scope."
    ]


@pytest.mark.parametrize("start", [0.0, -1.0, np.nan])
def test_nothing_is_relative_to_a_start_that_is_not_above_0(start):
    with pytest.raises(ValueError, match=r"paths: a run of 'a' starts at .*; expected a number above 0"):
        drawings.objective_paths({"a": [np.array([start, 1.0])]})


# ------------------------------------------------------------------ weights of dimensions


def test_dimensions_have_their_mean_weight_and_its_spread():
    figure = weight_drawings.weights_by_dimension(np.array([[1.0, 2.0, 0.0], [3.0, 2.0, 0.0]]), noisy_from=2)
    (axes,) = figure.axes
    (dots,) = axes.lines
    assert points_of(dots) == [(1, 2), (2, 2), (3, 0)] and not dots.get_clip_on()
    ((first, *_),) = ends_of(axes)
    assert first == [[1, pytest.approx(2 - 2**0.5)], [1, pytest.approx(2 + 2**0.5)]]
    (ground,) = axes.patches
    assert (ground.get_x(), ground.get_width()) == (2.5, 1.0)
    assert texts(figure) == ["noisy dimensions"]
    (box,), (room,) = extents(figure, axes.texts), extents(figure, [axes.patch])
    assert box.ymin > room.ymax  # over no weight
    assert axes.get_ylim()[0] == 0 and axes.get_ylabel() == "weight, mean and sd of 2 runs"


def test_one_run_has_no_spread_and_weights_may_all_be_0():
    (axes,) = weight_drawings.weights_by_dimension(np.array([[0.5, 0.25]]), noisy_from=1).axes
    assert ends_of(axes) == [[[[1, 0.5], [1, 0.5]], [[2, 0.25], [2, 0.25]]]]
    assert axes.get_ylabel() == "weight"
    (axes,) = weight_drawings.weights_by_dimension(np.zeros((3, 4)), noisy_from=2).axes
    assert axes.get_ylim() == (0, 1) and points_of(axes.lines[0]) == [(k, 0) for k in range(1, 5)]
    (axes,) = weight_drawings.weights_by_dimension(np.array([[1.0, -0.5]]), noisy_from=1).axes
    assert axes.get_ylim()[0] < -0.5  # a weight below 0 is seen


@pytest.mark.parametrize(("n_dimensions", "size"), [(2, 4.0), (100, 2.5), (500, 0.5)])
def test_dots_of_many_dimensions_do_not_touch(n_dimensions, size):
    (axes,) = weight_drawings.weights_by_dimension(np.ones((2, n_dimensions)), 1).axes
    assert axes.lines[0].get_markersize() == size


@pytest.mark.parametrize("noisy_from", [0, 50, 97])
def test_the_label_stands_over_the_noisy_dimensions(noisy_from):
    figure = laid_out(weight_drawings.weights_by_dimension(np.ones((2, 100)), noisy_from))
    (axes,) = figure.axes
    text, ground, room = extents(figure, [*axes.texts, *axes.patches, axes.patch])
    assert room.xmin < text.xmin and text.xmax < room.xmax + 0.02
    if noisy_from < 97:
        assert (text.xmin + text.xmax) / 2 == pytest.approx((ground.xmin + ground.xmax) / 2, abs=0.02)
    else:
        assert text.xmax == pytest.approx(ground.xmax, abs=0.02)


def test_where_no_dimension_is_noisy_none_is_shaded():
    figure = weight_drawings.weights_by_dimension(np.ones((2, 4)), noisy_from=4)
    assert texts(figure) == [] and not figure.axes[0].patches
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match=rf"noisy_from is {wrong}; expected 0, ..., 4"):
            weight_drawings.weights_by_dimension(np.ones((2, 4)), noisy_from=wrong)
    assert texts(weight_drawings.weights_by_dimension(np.ones((0, 4)), 2)) == [
        "No learned weights in this scope."
    ]


# ------------------------------------------------------------------ clustering

POINTS = np.array([[0.0, 0], [1, 0], [0, 1], [9, 9], [9, 8], [8, 9], [5, 5]])
LABELS = np.array(["b", "b", "b", "a", "a", "a", "b"])
FOUND = np.array([7, 7, 7, 3, 3, 3, 3])


def marks(figure, label):
    return [
        points_of(line)
        for line in figure.axes[0].lines
        if str(line.get_label()).replace("\n", " ").startswith(label)
    ]


def test_points_have_the_look_of_their_true_cluster():
    figure = drawings.clustering(POINTS, LABELS, np.array([0, 3]), FOUND, ("x", "y"))
    (axes,) = figure.axes
    assert [points_of(line) for line in axes.lines[:2]] == [
        [(9, 9), (9, 8), (8, 9)],
        [(0, 0), (1, 0), (0, 1), (5, 5)],
    ]
    assert figure.get_suptitle().startswith("2 clusters found, 2 true clusters; ")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "y")
    assert axes.get_aspect() == 1 and axes.get_adjustable() == "datalim"


def test_exemplars_have_rings_and_points_astray_have_crosses():
    figure = drawings.clustering(POINTS, LABELS, np.array([0, 3]), FOUND)
    assert marks(figure, "exemplar") == [[(0, 0), (9, 9)]]
    assert marks(figure, "its found cluster") == [[(5, 5)]]
    ring, cross = figure.axes[0].lines[-2:]
    assert ring.get_markerfacecolor() == "none" and ring.get_markersize() > 2 * cross.get_markeredgewidth()
    assert (ring.get_marker(), cross.get_marker()) == ("o", "x")
    assert [text.replace("\n", " ") for text in legend_of(figure)] == [
        "exemplar",
        "its found cluster has more of another true cluster (1)",
    ]


def test_a_cluster_in_two_parts_is_not_astray_and_one_exemplar_is_one():
    figure = drawings.clustering(POINTS[:3], LABELS[:3], np.array([1]), np.array([0, 0, 1]))
    assert figure.get_suptitle().startswith("1 cluster found, 1 true cluster; 0 of ")
    assert marks(figure, "exemplar") == [[(1, 0)]] and marks(figure, "its found cluster") == []


def test_fifteen_clusters_are_told_apart():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(15), 4)
    none = np.array([], dtype=np.int64)
    figure = drawings.clustering(rng.normal(size=(60, 2)), labels, none, labels, notes=[NOTE])
    looks = {(line.get_color(), line.get_marker()) for line in figure.axes[0].lines[:15]}
    assert len(looks) == 15 and figure.get_suptitle().startswith("0 clusters found, 15 true clusters")
    check_readable(figure)


def test_points_without_labels_are_refused_and_without_points_nothing_is_drawn():
    with pytest.raises(ValueError, match="labels has length 6; expected 7, one for each point"):
        drawings.clustering(POINTS, LABELS[1:], np.array([0]), FOUND)
    with pytest.raises(ValueError, match="found has length 6; expected 7"):
        drawings.clustering(POINTS, LABELS, np.array([0]), FOUND[1:])
    none = np.array([], dtype=np.int64)
    assert texts(drawings.clustering(np.zeros((0, 2)), none, none, none)) == ["No points to draw."]


# ------------------------------------------------------------------ accuracy

CURVES = {
    "learned": {90.0: np.array([0.9, 1.0]), 10.0: np.array([1.0, 1.0])},
    "Euclidean": {10.0: np.array([0.7]), 90.0: np.array([])},
}


def test_accuracies_are_means_with_their_spread():
    figure = drawings.accuracy_against_noise(CURVES, "F-measure")
    (axes,) = figure.axes
    learned, euclidean = [line for line in axes.lines if not line.get_label().startswith("_")]
    assert learned.get_ydata().tolist() == pytest.approx([1.0, 0.95])
    assert learned.get_xdata() == pytest.approx([10, 90], abs=0.5)
    assert euclidean.get_ydata().tolist() == [0.7]
    assert learned.get_xdata()[0] != euclidean.get_xdata()[0]  # side by side
    spread = 0.1 / 2**0.5
    first, second = ends_of(axes)
    assert [[y for _, y in ends] for ends in first] == [
        [1, 1],
        pytest.approx([0.95 - spread, 0.95 + spread]),
    ]
    assert [[y for _, y in ends] for ends in second] == [[0.7, 0.7]]
    assert legend_of(figure) == ["learned", "Euclidean"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("noisy dimensions (%)", "F-measure")
    assert axes.get_ylim() == pytest.approx((0, 1), abs=0.05) and axes.get_ylim()[0] < 0


def test_seven_methods_are_told_apart_without_colours():
    figure = drawings.accuracy_against_noise({str(k): {50: np.array([0.5])} for k in range(7)}, "F")
    lines = [line for line in figure.axes[0].lines if not line.get_label().startswith("_")]
    assert len({line.get_marker() for line in lines}) == len({line.get_color() for line in lines}) == 7
    assert all(a.get_linestyle() != b.get_linestyle() for a, b in itertools.pairwise(lines))
    assert [points_of(line) for line in lines] == [
        [(50, 0.5)]
    ] * 7  # one share: nothing to be side by side of


def test_no_accuracies_are_said_to_be_none():
    for nothing in ({}, {"a": {}}, {"a": {50.0: np.array([])}}):
        assert "No finished run" in texts(drawings.accuracy_against_noise(nothing, "F"))[0]


# ------------------------------------------------------------------ weights of features

WEIGHTS = {
    "Outex": np.array([[1.0, 0.0, 3.0, 0.0], [2.0, 0.0, 5.0, 1.0]]),
    "UIUC": np.array([[0.5, 0.25, 0.0, 0.0]]),
}


def label_rows(axes):
    return [tick.get_text() for tick in axes.get_yticklabels()]


def test_features_have_bars_in_the_same_order_in_all_panels():
    figure = weight_drawings.weights_of_features(WEIGHTS, NAMES)
    for axes, (name, of) in zip(figure.axes, WEIGHTS.items(), strict=True):
        assert axes.get_title() == name
        assert [bar.get_width() for bar in axes.patches] == pytest.approx(of.mean(axis=0).tolist())
        middles = [bar.get_y() + bar.get_height() / 2 for bar in axes.patches]
        assert middles == pytest.approx([0, 1, 2, 3])
        assert axes.get_ylim() == (3.5, -0.5) and axes.get_xlim()[0] == 0
        assert axes.get_xlabel().replace("\n", " ") == "weight of the distance scaled to mean 1"
    left, right = figure.axes
    assert label_rows(left) == NAMES and label_rows(right) == [""] * 4
    ((first, *_),) = ends_of(left)
    half = 0.5**0.5
    assert first == [[pytest.approx(1.5 - half), 0], [pytest.approx(1.5 + half), 0]]
    assert ends_of(right)[0][0] == [[0.5, 0], [0.5, 0]]  # one run has no spread


def test_features_without_any_weight_are_marked():
    """Weight in one run of several is not nothing."""
    figure = weight_drawings.weights_of_features(WEIGHTS, NAMES)
    zeros = [[(text.get_text(), *text.xy) for text in axes.texts] for axes in figure.axes]
    assert zeros == [[("0", 0, 1)], [("0", 0, 2), ("0", 0, 3)]]
    figure = weight_drawings.weights_of_features({"none": np.zeros((2, 4))}, NAMES)
    assert len(figure.axes[0].texts) == 4 and figure.axes[0].get_xlim() == (0, 1)


def test_numbers_at_the_ends_of_neighbouring_panels_stay_apart():
    figure = laid_out(
        weight_drawings.weights_of_features({str(k): np.zeros((2, 4)) for k in range(3)}, NAMES)
    )
    ends = [axes.get_xticklabels() for axes in figure.axes]
    assert [(labels[0].get_text(), labels[-1].get_text()) for labels in ends] == [("0.0", "1.0")] * 3
    for left, right in itertools.pairwise(ends):
        one, other = extents(figure, [left[-1], right[0]])
        assert other.xmin - one.xmax > 0.05


def test_more_panels_than_columns_go_to_a_second_row():
    figure = weight_drawings.weights_of_features(
        {str(k): np.full((2, 4), 5.0 + k) for k in range(4)}, NAMES, [NOTE]
    )
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.patches[0].get_width() for axes in shown] == [5, 6, 7, 8]
    assert [bool(label_rows(axes)[0]) for axes in shown] == [True, False, False, True]
    check_readable(figure)


def test_weights_that_do_not_fit_the_names_are_refused():
    with pytest.raises(
        ValueError, match=r"weights\['a'\]\[0\] has length 3; expected 4, one for each feature"
    ):
        weight_drawings.weights_of_features({"a": np.ones((2, 3))}, NAMES)
    with pytest.raises(ValueError, match=r"weights\['a'\]\[0\] has length 3; expected 4"):
        weight_drawings.weights_of_distances({"a": np.ones((2, 3, 4))}, NAMES, KINDS)
    with pytest.raises(
        ValueError, match=r"weights\['a'\]\[0, 0\] has length 2; expected 4, one for each kind"
    ):
        weight_drawings.weights_of_distances({"a": np.ones((2, 4, 2))}, NAMES, KINDS)


def test_without_weights_that_is_said():
    for figure in (
        weight_drawings.weights_of_features({}, NAMES),
        weight_drawings.weights_of_features({"a": np.ones((0, 4))}, NAMES),
        weight_drawings.weights_of_distances({}, NAMES, KINDS),
        weight_drawings.weights_of_distances({"a": np.ones((0, 4, 4))}, NAMES, KINDS),
    ):
        assert texts(figure) == ["No learned weights in this scope."]


# ------------------------------------------------------------------ weights of distances


def test_each_feature_has_a_bar_for_each_kind_of_distance():
    of = np.random.default_rng(0).uniform(0.1, 1, (3, 4, 4))
    of[:, 2] = 0.0  # a feature without weight
    of[:, 0, 1] = 0.0  # a distance without weight
    figure = weight_drawings.weights_of_distances({"UIUC": of}, NAMES, KINDS)
    (axes,) = figure.axes
    for k, (kind, bars) in enumerate(zip(KINDS, axes.containers, strict=True)):
        assert bars.get_label() == kind
        assert [bar.get_width() for bar in bars] == pytest.approx(of.mean(axis=0)[:, k].tolist())
        # In the order of the legend from the top of each feature's row on.
        assert [round(bar.get_y() + bar.get_height() / 2 - row, 6) for row, bar in enumerate(bars)] == [
            pytest.approx(-0.315 + 0.21 * k)
        ] * 4
        spread = of[:, 3, k].std(ddof=1)
        (low, _), (high, _) = ends_of(axes)[k][3]
        assert (low, high) == pytest.approx((of[:, 3, k].mean() - spread, of[:, 3, k].mean() + spread))
    assert len({to_hex(bars[0].get_facecolor()) for bars in axes.containers}) == 4
    assert [text.xy for text in axes.texts] == [(0, 2)]
    assert legend_of(figure) == KINDS and label_rows(axes) == NAMES
    assert axes.get_xlabel() == "weight of the distance scaled to mean 1" and axes.get_title() == "UIUC"


def test_one_run_of_distances_has_no_spread():
    (axes,) = weight_drawings.weights_of_distances({"a": np.full((1, 4, 4), 2.0)}, NAMES, KINDS).axes
    assert {(low[0], high[0]) for lines in ends_of(axes)[:4] for low, high in lines} == {(2.0, 2.0)}


# ------------------------------------------------------------------ images

SHAPES = [(48, 64), (64, 48), (30, 90), (90, 30), (50, 50, 3), (20, 20), (40, 60)]


def pictures():
    rng = np.random.default_rng(0)
    return [rng.integers(40, 200, shape).astype(np.uint8) for shape in SHAPES]


def test_images_are_shown_as_they_are():
    captions = [f"image {k}" for k in range(6)] + ["a class with a long name, 12 of 40"]
    figure = laid_out(drawings.exemplar_images(pictures(), captions, columns=4))
    places = iter(
        extents(figure, [part for axes in figure.axes for part in (*axes.images, axes.xaxis.label)])
    )
    shown = [axes for axes in figure.axes if axes.images]
    assert len(figure.axes) == 8 and not figure.axes[7].axison
    for axes, picture, caption in zip(shown, pictures(), captions, strict=True):
        (image,) = axes.images
        np.testing.assert_array_equal(image.get_array(), picture)
        assert image.get_clim() == (0, 255) and image.get_cmap().name == "gray"
        assert axes.get_xlabel().replace("\n", " ") == caption
        box, below = next(places), next(places)
        assert box.width / box.height == pytest.approx(picture.shape[1] / picture.shape[0], rel=0.02)
        assert 0 < box.ymin - below.ymax < 0.1
        assert (box.xmin + box.xmax) / 2 == pytest.approx((below.xmin + below.xmax) / 2, abs=0.02)
        assert max(box.width, box.height) > 0.9  # of 1.6 inches
    assert shown[-1].get_xlabel().count("\n") == 1
    check_readable(figure)


def test_captions_of_a_row_are_level_and_keep_their_lines():
    figure = drawings.exemplar_images(pictures()[:4], ["a", "b\nc", "", "d"])
    tops = [box.ymax for box in extents(figure, [figure.axes[k].xaxis.label for k in (0, 1, 3)])]
    assert tops == pytest.approx([tops[0]] * 3, abs=0.02)
    assert figure.axes[1].get_xlabel() == "b\nc"
    assert figure.get_figwidth() == pytest.approx(4 * 1.3)  # as large as in a full row


def test_images_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="captions has length 1; expected 7, one for each picture"):
        drawings.exemplar_images(pictures(), ["a"])
    with pytest.raises(ValueError, match="columns is 0; expected 1 or more"):
        drawings.exemplar_images(pictures()[:1], ["a"], columns=0)
    assert texts(drawings.exemplar_images([], [])) == ["No exemplars to show."]


# ------------------------------------------------------------------ all of them

RANDOM = np.random.default_rng(1).random
MANY, SOME, OF_KINDS = RANDOM((5, 100)), RANDOM((5, 4)), RANDOM((5, 4, 4))
DRAWN = {
    "objective": lambda notes: drawings.objective_paths(PATHS, notes),
    "dimensions": lambda notes: weight_drawings.weights_by_dimension(MANY, 50, notes),
    "few noisy dimensions": lambda notes: weight_drawings.weights_by_dimension(MANY, 97, notes),
    "clustering": lambda notes: drawings.clustering(POINTS, LABELS, np.array([0, 3]), FOUND, notes=notes),
    "accuracy": lambda notes: drawings.accuracy_against_noise(CURVES, "F-measure", notes=notes),
    "features": lambda notes: weight_drawings.weights_of_features(
        dict.fromkeys(("Outex", "UIUC", "Scene"), SOME), NAMES, notes
    ),
    "distances": lambda notes: weight_drawings.weights_of_distances({"UIUC": OF_KINDS}, NAMES, KINDS, notes),
    "images": lambda notes: drawings.exemplar_images(pictures(), list("abcdefg"), notes=notes),
}


@pytest.mark.parametrize("name", DRAWN)
def test_all_is_readable_and_notes_take_no_room(name):
    plain, noted = DRAWN[name](()), DRAWN[name]([NOTE, "Another."])
    assert plain.get_label() == "" and noted.get_label() == f"{NOTE.strip()}\nAnother."
    heights = []
    for figure in (plain, noted):
        check_readable(figure)
        (box,) = extents(figure, figure.axes[:1])
        heights.append(box.height)
    assert heights[1] == heights[0]


@pytest.mark.parametrize(
    ("noisy_from", "said"),
    [
        (1, "The 3 noisy dimensions of 4 have 75% of the weight"),
        (3, "The 1 noisy dimension of 4 have 25% of the weight"),
    ],
)
def test_the_title_counts_the_noisy_dimensions(noisy_from, said):
    figure = weight_drawings.weights_by_dimension(np.ones((2, 4)), noisy_from)
    assert said in [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]
