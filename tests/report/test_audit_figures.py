"""The figures of the verdicts show each number and each stance where it belongs."""

import numpy as np
import pytest
from golden_looks import hold
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from cladebench.report.audit_figures import (
    LOOKS,
    MOST_ROWS,
    STANCES,
    Printed,
    claims_by_universes,
    disagreeing,
    main_result,
)


def printed(row, column, published, measured, verdict="reproduced", spread=None, half=0.5):
    low, high = (None, None) if measured is None else (measured - half, measured + half)
    return Printed(row, column, str(published), published, spread, measured, low, high, verdict)


def texts(figure: Figure):
    figure.canvas.draw()
    return [text.get_text() for text in figure.findobj(match=lambda found: hasattr(found, "get_text"))]


def test_each_number_stands_in_its_panel_and_row_in_the_look_of_its_verdict():
    entries = [
        printed("A", "x", 1.0, 3.0, "contradicted", spread=0.25),
        printed("B", "x", 2.0, None, "not testable"),
        printed("B", "y", 5.0, 6.0, "analogue holds"),
    ]
    figure = main_result(entries, ("y", "x"), "purity", {"Random": {"x": 0.5}}, {"x": "reproduced"})
    left, right = figure.axes
    assert left.get_title() == "y" and right.get_title() == "x\norder: reproduced"
    assert [label.get_text() for label in left.get_yticklabels()] == ["A", "B"]
    ours = {
        axes.get_title()[0]: [
            (
                float(line.get_xdata()[0]),
                round(float(line.get_ydata()[0])),
                line.get_marker(),
                to_hex(line.get_color()),
            )
            for line in axes.lines
            if line.get_label().startswith("ours")
        ]
        for axes in (left, right)
    }
    assert [found[:3] for found in ours["x"]] == [(3.0, 0, LOOKS["contradicted"].marker)]
    assert [found[:3] for found in ours["y"]] == [(6.0, 1, LOOKS["analogue holds"].marker)]
    spans = [sorted(line.get_xdata()) for line in right.lines if len(line.get_xdata()) == 2]
    assert [2.5, 3.5] in spans and [0.5, 0.5] in spans
    assert [c.lines[0].get_xdata()[0] for c in right.containers] == [1.0, 2.0]
    (segment,) = right.containers[0].lines[2][0].get_segments()
    assert segment[:, 0].tolist() == [0.75, 1.25]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "published, with its printed spread",
        "ours: contradicted",
        "ours: analogue holds",
        "Random",
    ]


def test_nothing_measured_is_said():
    figure = main_result([printed("A", "x", 1.0, None)], ("x",), "purity")
    assert any("None of the printed numbers" in text for text in texts(figure))


def claim(name, stance, **stances):
    return {"claim": name, "stance": stance, "stances": stances}


UNIVERSES = [{"factor": "f", "name": "one"}, {"factor": "g", "name": "two"}]


def test_a_claim_is_split_where_two_universes_differ():
    claims = [
        claim("a", "supports", one="supports", two="contradicts"),
        claim("b", "supports", one="supports", two="not testable"),
        claim("c", "not testable", one="supports"),
        claim("d", "undecided", one="supports"),
        claim("e", "supports"),
    ]
    assert [found["claim"] for found in disagreeing(claims)] == ["a", "d"]


def test_the_map_has_the_stance_of_each_claim_in_each_universe():
    claims = [
        claim("a/1", "supports", one="undecided", two="contradicts"),
        claim("a/2", "supports", one="supports"),
        claim("b", "contradicts", two="supports", **{"one, two": "contradicts"}),
    ]
    figure = claims_by_universes(claims, UNIVERSES)
    (axes,) = figure.axes
    order = list(STANCES)
    values = np.array(axes.images[0].get_array())
    shown = [[order[int(value)] for value in row] for row in values]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["as chosen", "one", "two", "one, two"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a/1", "b"]
    assert shown == [
        ["supports", "undecided", "contradicts", "not testable"],
        ["contradicts", "not testable", "supports", "contradicts"],
    ]
    signs = [text.get_text() for text in axes.texts]
    assert signs == [STANCES[stance][1] for row in shown for stance in row]
    assert "2 of 3 claims" in figure.get_supxlabel()
    # A dark line below the chosen column and between groups, by the first part of names.
    grouped = [
        claim("a/1", "supports", one="undecided"),
        *claims[2:],
        claim("b/2", "supports", one="undecided"),
    ]
    (axes,) = claims_by_universes(grouped, UNIVERSES).axes
    across = [line for line in axes.lines if len(set(line.get_ydata())) == 1]
    assert [(line.get_ydata()[0], line.get_color()) for line in across] == [(0.5, "black"), (1.5, "white")]
    # A wide line parts the choices that were made from the universes.
    down = [line for line in figure.axes[0].lines if len(set(line.get_xdata())) == 1]
    widths = [(line.get_xdata()[0], line.get_linewidth()) for line in down]
    assert widths == [(0.5, 1.4), (1.5, 0.6), (2.5, 0.6)]


def test_of_many_the_most_divided_are_shown_in_their_order():
    many = [claim(f"c{k:03}", "supports", one="undecided") for k in range(MOST_ROWS + 5)]
    many[-1]["stances"]["two"] = "contradicts"
    figure = claims_by_universes(many, UNIVERSES)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(names) == MOST_ROWS and names == sorted(names) and names[-1] == many[-1]["claim"]
    assert "5 more are in the table" in figure.get_supxlabel()


@pytest.mark.parametrize("claims", [[], [claim("a", "supports", one="supports")]])
def test_where_none_is_split_that_is_said(claims):
    assert any("No claim of this run" in text for text in texts(claims_by_universes(claims, UNIVERSES)))


def test_many_columns_stand_in_several_rows():
    names = [f"column {k}" for k in range(6)]
    figure = main_result([printed("A", name, 1.0, 2.0) for name in names], names, "purity")
    figure.canvas.draw()
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title() for axes in shown] == names
    heights = [round(axes.get_position().y0, 6) for axes in shown]
    assert len(set(heights)) == 2 and heights[:4] == heights[:1] * 4 and heights[4:] == heights[4:5] * 2
    titles = [axes.title.get_window_extent() for axes in shown]
    assert not any(a.overlaps(b) for k, a in enumerate(titles) for b in titles[:k])


@pytest.mark.parametrize(
    ("column", "title"),
    [("aaaaaaaaaa bbbbbbbbb", "aaaaaaaaaa bbbbbbbbb"), ("aaaaaaaaaa bbbbbbbbbb", "aaaaaaaaaa\nbbbbbbbbbb")],
)
def test_titles_have_at_most_twenty_characters_a_line(column, title):
    figure = main_result(
        [printed("A", column, 1.0, 2.0)], [column], "purity", headings={column: "reproduced"}
    )
    assert figure.axes[0].get_title() == f"{title}\norder: reproduced"


def test_figures_of_verdicts_look_as_before():
    verdicts = [verdict for verdict in LOOKS if verdict != "not testable"]
    names = [f"column {k}" for k in range(len(verdicts))]
    entries = [
        printed("A", name, 1.0, 2.0, verdict, spread=0.25)
        for name, verdict in zip(names, verdicts, strict=True)
    ]
    claims = [
        claim("a/1", "supports", one="undecided", two="contradicts"),
        claim("a/2", "contradicts", one="supports", two="not testable"),
        claim("b", "contradicts", two="supports", **{"one, two": "contradicts"}),
    ]
    blind = {"Random": {names[0]: 0.5, names[1]: 0.25}, "Star": {names[0]: 0.75}}
    figures = {
        "main-result": main_result(entries, names, "purity", blind, {names[0]: "reproduced"}),
        "universes": claims_by_universes(claims, UNIVERSES),
    }
    hold("verdicts", figures)
