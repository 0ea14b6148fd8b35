"""The figures of the exemplar paper: what they show of the data that come in, and that nothing covers anything."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex

from cladebench.papers.exemplar import drawings
from drawing_checks import NOTE, check_notes, check_readable, ends_of, laid_out
from golden_records import extents, legend_of, points_of, texts

pytestmark = pytest.mark.usefixtures("style")
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
    (alone,) = drawings.exemplar_images(pictures()[:1], ["a"]).axes
    assert len(alone.images) == 1


def test_images_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="captions has length 1; expected 7, one for each picture"):
        drawings.exemplar_images(pictures(), ["a"])
    with pytest.raises(ValueError, match="columns is 0; expected 1 or more"):
        drawings.exemplar_images(pictures()[:1], ["a"], columns=0)
    assert texts(drawings.exemplar_images([], [])) == ["No exemplars to show."]


DRAWN = {
    "objective": lambda notes: drawings.objective_paths(PATHS, notes),
    "clustering": lambda notes: drawings.clustering(POINTS, LABELS, np.array([0, 3]), FOUND, notes=notes),
    "accuracy": lambda notes: drawings.accuracy_against_noise(CURVES, "F-measure", notes=notes),
    "images": lambda notes: drawings.exemplar_images(pictures(), list("abcdefg"), notes=notes),
}


@pytest.mark.parametrize("name", DRAWN)
def test_all_is_readable_and_notes_take_no_room(name):
    check_notes(DRAWN[name])
