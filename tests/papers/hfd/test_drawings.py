"""The figures of the HFD paper: what they show of the data that come in."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from cladebench.bench.statistics.intervals import mean_interval
from cladebench.measures import Measure
from cladebench.paper.catalogue import load_plan
from cladebench.paper.figures import axis_label
from cladebench.papers.hfd import drawings
from cladebench.papers.hfd.method_styles import BLIND, STYLES, filling
from cladebench.plotting import use_style
from golden_looks import fits_a_page
from golden_records import apart, extents, inside, legend_of, points_of, ranges_of, texts

PERCENT = Measure("accuracy", "what it is", "accuracy", "%", range=(0.0, 1.0), direction="higher")
SHARE = Measure("m", "what it is", "M", direction="higher")
LABELS = {name: method.label for name, method in load_plan("hfd").methods.items()}


def exactly(*values):
    """Intervals of numbers that are known."""
    return [mean_interval(np.array([value]), point=True) for value in values]


def between(low, high):
    """An interval with these ends."""
    (middle,) = exactly((low + high) / 2)
    return type(middle)(middle.mean, low, high, 5, 0.1, 0.2)


def every_method(value=0.8):
    return {method: between(value - 0.05, value + 0.05) for method in STYLES}


def panels_of(figure):
    return [axes for axes in figure.axes if axes.axison]


def test_methods_can_be_told_apart_as_bars_and_as_curves():
    looks = [(to_hex(colour), dashes, marker, hatch) for colour, dashes, marker, hatch in STYLES.values()]
    assert len({(colour, hatch) for colour, _, _, hatch in looks}) == len(STYLES)
    assert len({(colour, dashes) for colour, dashes, _, _ in looks}) == len(STYLES)
    assert len({(colour, marker, bool(hatch)) for colour, _, marker, hatch in looks}) == len(STYLES)
    # Colours differ in more than a shade; black are the intervals on bars.
    colours = sorted({to_rgb(colour) for colour, *_ in STYLES.values()} | {(0.0, 0.0, 0.0)})
    apart_by = [np.abs(np.subtract(a, b)).max() for a, b in itertools.combinations(colours, 2)]
    assert min(apart_by) > 0.15


def test_what_is_not_in_the_paper_is_hatched_and_hollow():
    roles = {name: method.role for name, method in load_plan("hfd").methods.items()}
    for method, (colour, _, _, hatch) in STYLES.items():
        assert bool(hatch) is (roles[method] in ("extra", "control"))
        assert filling(method) == ("white" if hatch else colour)


@pytest.mark.parametrize(
    ("ends", "end"),
    [
        ([(0.8, 0.8)], 0.7),
        ([(0.75, 0.75), (0.9, 0.9)], 0.7),
        ([(0.65, 0.95)], 0.6),  # an interval has room too
        ([(0.2, 0.2)], 0.1),
        ([(0.02, 0.02)], 0.0),
        ([(-0.5, 1.0)], 0.0),
        ([(1.0, 1.0)], 0.9),
    ],
)
def test_axes_begin_at_a_tenth_below_all(ends, end):
    assert drawings.lower_end([between(*pair) for pair in ends]) == pytest.approx(end)


def test_a_single_value_counts_by_itself():
    single = mean_interval(np.array([0.83]))
    assert single.low == -np.inf and drawings.lower_end([single]) == pytest.approx(0.7)
    figure = drawings.accuracy_dots({"one": {"HFD": single}}, LABELS, PERCENT)
    assert ranges_of(figure.axes[0]) == [] and figure.axes[0].get_xlim()[0] == 70


def dots_of(axes):
    """Marker of each method on a panel: (mean, row)."""
    return {line.get_label(): points_of(line)[0] for line in axes.lines}


@pytest.mark.parametrize(("measure", "scale"), [(PERCENT, 100), (SHARE, 1)])
def test_dots_stand_in_one_order_with_their_intervals(measure, scale):
    found = {
        "one": {"HFD": between(0.7, 0.9), "Euclidean": exactly(0.75)[0], "Random": between(0.1, 0.5)},
        "two": {"LMNN": exactly(0.9)[0], "HFD": exactly(0.95)[0], "Random": exactly(0.88)[0]},
    }
    figure = drawings.accuracy_dots(found, LABELS, measure)
    one, two = panels_of(figure)
    # A method has one row in all panels, empty where it has no number.
    assert dots_of(one) == {
        LABELS["Euclidean"]: pytest.approx((0.75 * scale, 0)),
        LABELS["HFD"]: pytest.approx((0.8 * scale, 2)),
    }
    assert dots_of(two) == {
        LABELS[name]: pytest.approx((mean * scale, row))
        for name, mean, row in (("LMNN", 0.9, 1), ("HFD", 0.95, 2))
    } | {f"random method: {LABELS['Random']}": pytest.approx((0.88 * scale, 0))}  # a line from end to end
    ((left, right),) = one.collections[0].get_segments()
    assert left == pytest.approx((0.7 * scale, 2)) and right == pytest.approx((0.9 * scale, 2))
    assert not two.collections
    assert [axes.get_xlim()[0] for axes in (one, two)] == pytest.approx([0.7 * scale, 0.8 * scale])
    # A control that would stretch the axis stands as a number at its end.
    (number,) = one.texts
    assert number.get_text() == f" \u2190 {LABELS['Random']}: {0.3 * scale:.3g}"
    assert number.get_position() == pytest.approx((0.7 * scale, 3)) and not two.texts
    assert [tick.get_text() for tick in one.get_yticklabels()] == ["Euclidean", "LMNN", "HFD"]
    assert {axes.get_xlabel() for axes in (one, two)} == {axis_label(measure)}
    assert legend_of(figure) == [f"random method: {LABELS['Random']}"]
    assert figure.get_suptitle() == f"HFD has the best mean {measure.title} on 2 of 2 data sets"


def test_controls_beyond_the_axis_stand_below_one_another():
    found = {"one": {"HFD": between(0.7, 0.9), "Random": exactly(0.2)[0], "HFD-random": exactly(0.3)[0]}}
    texts_of = drawings.accuracy_dots(found, LABELS, PERCENT).axes[0].texts
    assert [text.get_position()[1] for text in texts_of] == [1, 2]


def test_dots_of_controls_alone_are_seen():
    figure = drawings.accuracy_dots({"one": {"Random": exactly(0.35)[0]}}, LABELS, PERCENT)
    assert figure.axes[0].get_xlim()[0] == 30 and not texts(figure)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 9])
def test_data_sets_have_three_panels_in_a_row(n):
    found = {f"set {k}": every_method() for k in range(n)}
    with use_style():
        figure = drawings.accuracy_dots(found, LABELS, PERCENT)
        fits_a_page(figure)
        panels = panels_of(figure)
        assert [axes.get_title() for axes in panels] == list(found)
        boxes = extents(figure, panels)
        over = extents(figure, [figure._suptitle, *figure.legends, *(axes.title for axes in panels)])
    assert apart(boxes) and min(box.width for box in boxes) > 1.4
    assert len(figure.legends) == 1 and apart(over)


def test_curves_and_images_of_many_data_sets_fit_a_page():
    of = {method: {5.0: interval, 50.0: interval} for method, interval in every_method().items()}
    rows = {method: (np.arange(20).reshape(4, 5), np.ones((4, 5), bool)) for method in STYLES}
    with use_style():
        fits_a_page(drawings.curves({f"set {k}": of for k in range(3)}, LABELS, PERCENT, "x"))
        fits_a_page(drawings.gallery(range(4), rows, LABELS, Images()))


def test_axes_end_where_values_can():
    found = {"one": {"HFD": between(-0.4, 1.6), "Random": between(0.1, 0.3)}}
    dots = drawings.accuracy_dots(found, LABELS, PERCENT).axes[0].get_xlim()
    assert dots == pytest.approx((0, 102))
    points = {"one": {method: {0.0: interval} for method, interval in found["one"].items()}}
    curves = drawings.curves(points, LABELS, PERCENT, "x").axes[0].get_ylim()
    assert curves == pytest.approx((-2, 102))
    free = drawings.curves(points, LABELS, SHARE, "x").axes[0].get_ylim()
    assert free[0] < -0.4 and free[1] > 1.6


def test_curves_stand_side_by_side_near_their_places():
    points = {method: {x: between(0.6, 0.8) for x in (30.0, 0.0, 10.0)} for method in STYLES}
    figure = drawings.curves({"one": points}, LABELS, PERCENT, "noise (%)")
    (axes,) = figure.axes
    curves = {line.get_label(): np.array(points_of(line)) for line in axes.lines}
    assert list(curves) == [LABELS[method] for method in STYLES]
    assert [line.get_markerfacecolor() for line in axes.lines] == [filling(method) for method in STYLES]
    assert legend_of(figure) == [
        f"random method: {LABELS[method]}" if method in BLIND else LABELS[method] for method in STYLES
    ]
    firsts = [curve[0, 0] for curve in curves.values()]
    assert len(set(firsts)) == len(firsts) and sorted(firsts) == firsts
    for curve in curves.values():
        assert curve == pytest.approx(np.array([[0, 70], [10, 70], [30, 70]]), abs=1)
    # Each has its interval at the very place of its marker.
    marks = sorted(x for curve in curves.values() for x in curve[:, 0])
    assert sorted(ranges_of(axes)) == [(x, 60, 80) for x in marks]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "10", "30"]
    assert (axes.get_xlabel(), axes.get_title()) == ("noise (%)", "one")
    assert axes.get_ylabel() == "accuracy (%)\nhigher is better \u2192"


def test_accuracy_stands_over_times_on_axes_of_whole_decades():
    found = {
        "one": {"HFD": (0.9, 20.0, 3e-4), "Euclidean": (0.7, 0.03, 2e-5), "Random": (0.1, 1e-9, 1e-9)},
        "two": {"HFD": (0.8, 300.0, 4e-3)},
        "controls": {"Random": (0.1, 1.0, 1.0)},
    }
    figure = drawings.accuracy_against_time(found, LABELS, PERCENT)
    panels = np.reshape(figure.axes, (2, 2))
    shown = [{line.get_label(): points_of(line) for line in axes.lines} for axes in panels.flat]
    assert shown == [
        {"Euclidean": [(0.03, 70)], "HFD": [(20, 90)]},
        {"Euclidean": [(pytest.approx(0.02), 70)], "HFD": [(pytest.approx(0.3), 90)]},
        {"HFD": [(300, 80)]},
        {"HFD": [(4, 80)]},
    ]
    assert [(axes.get_title("left"), axes.get_ylabel()) for axes in panels[:, 0]] == [
        ("one", "accuracy (%)"),
        ("two", "accuracy (%)"),
    ]
    assert [axes.get_xlabel().split("\n")[0] for axes in panels[-1]] == ["training (s)", "one query (ms)"]
    assert figure.get_suptitle() == "HFD trains longer than the median method on 1 of 1 data set"
    assert panels[0, 0].get_xlim() == pytest.approx((1e-2, 1e3))
    assert panels[1, 1].get_xlim() == pytest.approx((1e-2, 10))
    assert legend_of(figure) == ["Euclidean", "HFD"]
    figure.draw_without_rendering()
    # A number at each power of ten and at no other tick: between them they would cover each other.
    for axes in panels[-1]:
        low, high = axes.get_xlim()
        numbers = [t for t in axes.xaxis.get_major_ticks() if low <= t.get_loc() <= high]
        assert len(numbers) >= 2 and all(np.log10(t.get_loc()) % 1 == pytest.approx(0) for t in numbers)
        assert not any(label.get_text() for label in axes.xaxis.get_minorticklabels())


def test_within_a_decade_its_ends_alone_have_numbers():
    with use_style():
        axes = Figure().subplots()
        drawings.whole_decades(axes, [2.0, 3.0])
        axes.figure.draw_without_rendering()
    assert axes.get_xlim() == pytest.approx((1, 10))
    assert not any(label.get_text() for label in axes.xaxis.get_minorticklabels())


def test_times_of_zero_have_no_place_on_the_axis():
    found = {"one": {"HFD": (0.9, 0.0, 1e-3), "RFD": (0.8, 0.5, 0.0)}}
    training, query = drawings.accuracy_against_time(found, LABELS, PERCENT).axes
    assert training.get_xlim() == pytest.approx((0.1, 1)) and query.get_xlim()[1] == pytest.approx(10)


class Images:
    """Rows of the data set as images of one grey."""

    def thumbnail(self, row, size):
        return np.full((16, 16), row, dtype=np.uint8)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_the_gallery_has_a_row_for_each_method_and_a_column_for_each_query(n):
    found = {
        method: (np.arange(3 * n).reshape(n, 3) + 100 * k, np.tile([False, True, False], (n, 1)))
        for k, method in enumerate(("Euclidean", "HFD"), 1)
    }
    figure = drawings.gallery(list(range(n)), found, LABELS, Images())
    panels = np.reshape(figure.axes, (2, n))
    for k, q in itertools.product(range(2), range(n)):
        greys = [int(image.get_array()[0, 0]) for image in panels[k, q].images]
        places = [tuple(image.get_extent()[:2]) for image in panels[k, q].images]
        assert greys == [q, *(100 * (k + 1) + 3 * q + np.arange(3))]
        assert places == [(i, i + 1) for i in range(4)]
        (frame,) = panels[k, q].patches
        assert frame.get_x() > 2 and frame.get_x() + frame.get_width() < 3  # around the second one found
        assert to_hex(frame.get_edgecolor()) == "#009e73" and not frame.get_fill()
    assert texts(figure) == ["Euclidean", "HFD"]
    assert [
        text.axes for text in figure.findobj(lambda a: a in [t for p in panels[:, 0] for t in p.texts])
    ] == [*panels[:, 0]]
    assert apart(extents(figure, figure.axes))
    room = figure.bbox.transformed(figure.dpi_scale_trans.inverted())
    assert all(inside(box, room) for box in extents(figure, [t for p in panels[:, 0] for t in p.texts]))
    # Images take what the names of methods leave, to the edge.
    assert n == 1 or max(box.xmax for box in extents(figure, figure.axes)) > room.xmax - 0.15
