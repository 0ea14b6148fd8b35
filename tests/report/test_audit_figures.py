"""The figures of the verdicts show each number and each stance where it belongs."""

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from cladebench.audit.verdict.verdict_types import ANSWERS, VERDICTS
from cladebench.plotting import use_style
from cladebench.report.audit_figures import BAND, LOOKS, PrintedAndOurs, main_result, words_of
from cladebench.report.choice_figures import (
    MOST_ROWS,
    STANCES,
    changing,
    claims_by_choices,
    deciding,
    first_rows,
    quoted,
)
from golden_looks import fits_a_page, hold


def printed(row, column, published, measured, verdict="reproduced", spread=None, half=0.5, **more):
    low, high = (None, None) if measured is None else (measured - half, measured + half)
    return PrintedAndOurs(
        row, column, str(published), published, spread, measured, low, high, verdict, **more
    )


def texts(figure: Figure):
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(match=lambda found: hasattr(found, "get_text"))]


def segments(axes):
    return [segment.tolist() for found in axes.collections for segment in found.get_segments()]


def test_each_number_stands_in_its_panel_and_row_in_the_look_of_its_verdict():
    entries = [
        printed("A", "x", 1.0, 3.0, "contradicted", spread=0.25, band=(2.0, 4.0)),
        printed("B", "x", 2.0, None, "not testable"),
        printed("B", "y", 5.0, 6.0, "analogue holds", stand_in=True),
    ]
    figure = main_result(
        entries, ("y", "x"), "purity", {"Random": {"x": 0.5}}, {"x": "within noise"}, direction="higher"
    )
    left, right = figure.axes
    assert left.get_title() == "y\nstand-in data" and right.get_title() == "x\norder: open"
    assert [label.get_text() for label in left.get_yticklabels()] == ["A", "B"]
    assert {axes.get_xlabel() for axes in figure.axes} == {"purity\nhigher is better →"}
    ours = {
        axes.get_title()[0]: [
            (*line.get_xdata(), *line.get_ydata(), line.get_marker())
            for line in axes.lines
            if line.get_label().startswith("ours")
        ]
        for axes in (left, right)
    }
    assert ours["x"] == [(3.0, 0, LOOKS["contradicted"].marker)]
    assert ours["y"] == [(6.0, 1, LOOKS["analogue holds"].marker)]
    spans = [sorted(line.get_xdata()) for line in right.lines if len(line.get_xdata()) == 2]
    assert [2.5, 3.5] in spans and [0.5, 0.5] in spans
    # The printed number as a tick, its spread across it, and where it could lie.
    assert [[1.0, -0.36], [1.0, 0.36]] in segments(right) and [[0.75, -0.36], [1.25, -0.36]] in segments(
        right
    )
    (band,) = right.patches
    assert (band.get_x(), band.get_width()) == (2.0, 2.0)
    assert to_hex(band.get_facecolor()) == LOOKS["contradicted"].colour
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "printed in the paper; bar on top: its spread",
        BAND,
        "ours: does not hold (we measure otherwise)",
        "ours: holds (on stand-in data)",
        "random method: Random",
    ]


def test_a_look_has_the_colour_of_its_answer():
    assert len({answer.colour for answer in ANSWERS.values()}) == len(ANSWERS)
    for verdict, look in LOOKS.items():
        assert look.colour == ANSWERS[VERDICTS[verdict].answer].colour
        why = "shown, not judged" if verdict == "not testable" else VERDICTS[verdict].why
        assert words_of(verdict) == f"ours: {VERDICTS[verdict].answer} ({why})"


def test_a_title_is_said_where_there_is_one():
    entries = [printed("A", "x", 1.0, 3.0)]
    assert main_result(entries, ("x",), "purity").get_suptitle() == ""
    assert main_result(entries, ("x",), "purity", title="It holds").get_suptitle() == "It holds"


def test_nothing_measured_is_said():
    figure = main_result([printed("A", "x", 1.0, None)], ("x",), "purity")
    assert any("None of the printed numbers" in text for text in texts(figure))


@pytest.mark.parametrize("title", ["", "A finding of some words that takes more than one line " * 2])
def test_many_columns_stand_in_several_rows(title):
    names = [f"column {k}" for k in range(6)]
    entries = [printed("A", name, 1.0, 2.0, v) for name, v in zip(names, LOOKS, strict=False)]
    with use_style():
        figure = main_result(entries, names, "purity", title=title)
        figure.draw_without_rendering()
        fits_a_page(figure)
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title() for axes in shown] == names
    heights = [round(axes.get_position().y0, 6) for axes in shown]
    assert len(set(heights)) == 2 and heights[:3] == heights[:1] * 3 and heights[3:] == heights[3:4] * 3
    parts = [*(axes.title for axes in shown), *(axes.xaxis.label for axes in shown), *figure.legends]
    boxes = [part.get_window_extent() for part in parts if part in figure.legends or part.get_text()]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


@pytest.mark.parametrize(
    ("column", "title"),
    [("aaaaaaaaaa bbbbbbbbb", "aaaaaaaaaa bbbbbbbbb"), ("aaaaaaaaaa bbbbbbbbbb", "aaaaaaaaaa\nbbbbbbbbbb")],
)
def test_titles_have_at_most_twenty_characters_a_line(column, title):
    figure = main_result(
        [printed("A", column, 1.0, 2.0)], [column], "purity", headings={column: "reproduced"}
    )
    assert figure.axes[0].get_title() == f"{title}\norder: holds"


def claim(name, stance, kind="order", main=False, quote="", **stances):
    return {
        **{"claim": name, "verdict": "depends", "stance": stance, "stances": stances},
        **{"kind": kind, "main": main, "quote": quote, "place": "", "published": ""},
    }


CHOICES = [
    {"factor": "f-f", "name": "one"},
    {"factor": "g", "name": "two"},
    {"factor": "h", "name": "three"},
]


def test_a_claim_changes_where_two_choices_differ():
    claims = [
        claim("a", "supports", one="supports", two="contradicts"),
        claim("b", "supports", one="supports", two="not testable"),
        claim("c", "not testable", one="supports"),
        claim("d", "undecided", one="supports"),
        claim("e", "supports"),
    ]
    assert [found["claim"] for found in changing(claims)] == ["a", "d"]


def test_a_row_counts_the_other_choices_and_names_those_that_change_the_answer():
    claims = [
        claim("a", "supports", quote="it works", one="undecided", two="contradicts", three="supports"),
        claim("b", "supports", one="supports"),
    ]
    figure = claims_by_choices(claims, CHOICES)
    (axes,) = figure.axes
    bars = [(bar.get_x(), bar.get_width(), to_hex(bar.get_facecolor())) for bar in axes.patches]
    colours = [ANSWERS[answer].colour for _, answer in STANCES.values()]
    assert bars == [(k, 1, colour) for k, colour in enumerate(colours)]
    # What turns the claim round comes first.
    assert [text.get_text() for text in axes.texts][:5] == [
        "1",
        "1",
        "1",
        "“it works”",
        "two; one",
    ]
    assert figure.get_suptitle() == "Another choice changes the answer to 1 of 2 claims"
    assert not any("more claims" in text for text in texts(figure))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["support", "open", "contradict"]
    # The parts are told apart without colour too, and by the legend alike.
    hatches = [bar.get_hatch() for bar in axes.patches]
    assert len({*hatches}) == 3 and [patch.get_hatch() for patch in legend.get_patches()] == hatches


def test_a_part_that_is_too_narrow_for_its_number_has_none():
    stances = {f"n{k}": "undecided" for k in range(57)} | {"last": "contradicts"}
    figure = claims_by_choices([claim("a", "undecided", quote="it works", **stances)], [])
    assert [bar.get_width() for bar in figure.axes[0].patches] == [57, 1]
    numbers = [text.get_text() for text in figure.axes[0].texts if text.get_color() == "white"]
    assert numbers == ["57"]


def test_the_main_claim_comes_first_then_sentences_then_the_most_divided():
    claims = [
        claim("one", "supports", one="undecided"),
        claim("two", "supports", one="undecided", two="undecided"),
        claim("sentence", "supports", "sentence", one="undecided"),
        claim("same", "supports", "sentence", quote="said", one="undecided", two="undecided"),
        claim("again", "supports", quote="said", one="undecided"),
        claim("main", "supports", "sentence", main=True, one="supports"),
        claim("untested", "not testable", "sentence", main=True),
    ]
    assert [found["claim"] for found in first_rows(claims)] == ["main", "same", "sentence", "two", "one"]


def test_what_is_not_shown_is_counted():
    many = [claim(f"c{k:03}", "supports", one="undecided") for k in range(MOST_ROWS + 5)]
    figure = claims_by_choices(many, CHOICES)
    assert len([bar for bar in figure.axes[0].patches if bar.get_width()]) == MOST_ROWS
    assert "5 more claims change: see the list of claims." in texts(figure)


def test_a_row_quotes_the_paper_or_names_the_printed_number():
    assert quoted(claim("a", "supports", quote="it works")) == "“it works”"
    number = claim("a", "supports", "value", quote="0.5") | {"place": "Table 1, row A", "published": "0.5"}
    assert quoted(number) == "Table 1, row A: 0.5"
    assert quoted(claim("a", "supports")) == "a"


def test_each_entry_of_the_register_is_named_before_a_second_choice_of_one():
    stances = {"one": "contradicts", "two": "contradicts", "three": "contradicts", "four": "undecided"}
    found = claim("a", "supports", **stances)
    assert deciding(found, {"four": "h", "one": "f", "two": "f", "three": "g"}) == [
        "one",
        "three",
        "two",
        "four",
    ]


def test_names_take_two_lines_and_what_has_no_room_is_counted():
    names = ["a long name of another choice that takes far more than the two lines which are there", "b" * 30]
    found = claim("a", "supports", **dict.fromkeys([*names, "c"], "contradicts"))
    for order, ending in ((names, "and 1 more"), ([names[1], "c", names[0]], "c and 1 more")):
        figure = claims_by_choices([found], [{"factor": name, "name": name} for name in order])
        (text,) = [text for text in texts(figure) if text.startswith(order[0][:10])]
        assert " ".join(text.split()).endswith(ending) and text.count("\n") == 1


def test_choices_together_are_not_named():
    found = claim("a", "supports", one="supports", **{"one + two": "contradicts"})
    assert deciding(found, {"one": "f", "two": "g"}) == []
    assert "–" in texts(claims_by_choices([found], CHOICES))


@pytest.mark.parametrize("claims", [[], [claim("a", "supports", one="supports")]])
def test_where_none_changes_that_is_said(claims):
    assert any("No claim of this run" in text for text in texts(claims_by_choices(claims, CHOICES)))


def test_long_sentences_take_two_lines():
    claims = [claim(f"c{k}", "supports", quote=f"{k} many words " * 20, one="undecided") for k in range(3)]
    with use_style():
        figure = claims_by_choices(claims, CHOICES)
        fits_a_page(figure)
        shown = [text for text in figure.axes[0].texts if "many words" in text.get_text()]
        assert len(shown) == 3 and all(text.get_text().count("\n") == 1 for text in shown)
        assert all(text.get_text().endswith("…”") for text in shown)
        figure.draw_without_rendering()
        ends = [text.get_window_extent().transformed(figure.dpi_scale_trans.inverted()) for text in shown]
        left = figure.axes[0].get_position().x0 * figure.get_figwidth()
        assert all(end.xmin >= 0 and end.xmax < left for end in ends)


def test_figures_of_verdicts_look_as_before():
    verdicts = [verdict for verdict in LOOKS if verdict != "not testable"]
    names = [f"column {k}" for k in range(len(verdicts))]
    entries = [
        printed("A", name, 1.0, 2.0, verdict, spread=0.25, band=(0.5, 3.5))
        for name, verdict in zip(names, verdicts, strict=True)
    ]
    claims = [
        claim("a/1", "supports", one="undecided", two="contradicts"),
        claim("a/2", "contradicts", one="supports", two="not testable"),
        claim("b", "contradicts", two="supports", **{"one, two": "contradicts"}),
    ]
    blind = {"Random": {names[0]: 0.5, names[1]: 0.25}, "Star": {names[0]: 0.75}}
    with use_style():
        figures = {
            "main-result": main_result(entries, names, "purity", blind, {names[0]: "reproduced"}),
            "universes": claims_by_choices(claims, CHOICES),
        }
        hold("verdicts", figures)
