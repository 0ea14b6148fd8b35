"""Figures of the exemplar paper's weights: what they show, and that nothing covers anything."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex

from cladebench.papers.exemplar import weight_drawings
from drawing_checks import NOTE, check_notes, check_readable, ends_of, laid_out
from golden_records import extents, legend_of, points_of, texts

pytestmark = pytest.mark.usefixtures("style")

NAMES = ["gist", "dense HOG", "rot-LBP", "MR8 textons"]
KINDS = ["chi2", "l2", "l1", "RBF"]


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


RANDOM = np.random.default_rng(1).random
MANY, SOME, OF_KINDS = RANDOM((5, 100)), RANDOM((5, 4)), RANDOM((5, 4, 4))
DRAWN_WEIGHTS = {
    "dimensions": lambda notes: weight_drawings.weights_by_dimension(MANY, 50, notes),
    "few noisy dimensions": lambda notes: weight_drawings.weights_by_dimension(MANY, 97, notes),
    "features": lambda notes: weight_drawings.weights_of_features(
        dict.fromkeys(("Outex", "UIUC", "Scene"), SOME), NAMES, notes
    ),
    "distances": lambda notes: weight_drawings.weights_of_distances({"UIUC": OF_KINDS}, NAMES, KINDS, notes),
}


@pytest.mark.parametrize("name", DRAWN_WEIGHTS)
def test_all_weights_are_readable_and_notes_take_no_room(name):
    check_notes(DRAWN_WEIGHTS[name])


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
