"""A main claim is drawn as the leads that it asks for."""

from types import SimpleNamespace

import pytest

from cladebench.measures import with_own
from cladebench.report.lead_figures import MOST, Lead, draw_leads, gather_leads

MEASURES = with_own(
    {
        "rounds": {"meaning": "rounds", "direction": "lower", "range": [0, None]},
        "error": {"meaning": "share that is wrong", "direction": "lower", "range": [0, 1]},
    }
)
CONTEXT = SimpleNamespace(
    measures=MEASURES,
    datasets={
        "d": {"title": "Digits", "stand_in_for": None},
        "v": {"title": "Made words", "stand_in_for": "VEHICLE"},
        "u": {"title": "Small images", "stand_in_for": "the same images at 640 x 480 pixels"},
    },
    methods={
        "A": {"label": "ours"},
        "B": {"label": "theirs, balanced loss"},
        "A4": {"label": "ours, four distances"},
        "C": {"label": "theirs"},
        "C4": {"label": "theirs, greedy search, balanced loss, four distances"},
    },
)


def row(name, parts=(), *, main=False, **values):
    known = {"kind": "order", "verdict": "reproduced", "methods": ["A", "B"], "metric": "ari", "dataset": "d"}
    numbers = {"measured": 0.1, "low": 0.05, "high": 0.15}
    parts = [{"claim": part, "verdict": ""} for part in parts]
    return known | numbers | {"claim": name, "main": main, "parts": parts} | values


def leads(*rows, **expects):
    said = {"is": "better"} | expects
    claims = SimpleNamespace(claims={row["claim"]: SimpleNamespace(expects=said) for row in rows})
    return gather_leads(claims, rows, CONTEXT)


def test_the_deepest_parts_of_the_main_claim_are_its_leads_in_words():
    found = leads(
        row("all", ["some", "c"], main=True, kind="sentence"),
        row("some", ["a", "b"], kind="sentence"),
        row("a"),
        row("b", dataset="v", low=None, high=None),
        row("c", dataset="u"),
        row("beside"),
    )
    assert found == (
        Lead("Digits", "adjusted RI", "ours", "theirs", 10.0, 5.0, 15.0, "reproduced"),
        Lead("stand-in for VEHICLE", "adjusted RI", "ours", "theirs", 10.0, 10.0, 10.0, "reproduced"),
        Lead("Small images, stand-in data", "adjusted RI", "ours", "theirs", 10.0, 5.0, 15.0, "reproduced"),
    )


def test_rivals_of_one_name_are_told_apart():
    rows = [row("all", ["a", "b", "c"], main=True), row("a"), row("b", methods=["A", "C"])]
    found = leads(*rows, row("c", methods=["A4", "C4"]))
    assert [lead.rival for lead in found] == ["theirs, balanced loss", "theirs", "theirs, balanced loss"]
    alike = leads(row("all", ["a", "c"], main=True), row("a"), row("c"))
    assert [lead.rival for lead in alike] == ["theirs", "theirs"]


@pytest.mark.parametrize(
    ("part", "expects"),
    [
        ({"kind": "value"}, {}),
        ({"measured": None}, {}),
        ({"methods": ["A"]}, {}),
        ({"metric": "rounds"}, {}),
        ({}, {"is": "no_worse", "margin": 0.05}),
        ({}, {"by": 0.1}),
    ],
)
def test_other_claims_have_no_leads(part, expects):
    both = [row("all", ["a", "b"], main=True), row("a"), row("b", **part)]
    assert leads(*both, **expects) == ()
    assert len(leads(row("all", ["a", "b"], main=True), row("a"), row("b"))) == 2


def test_neither_one_lead_nor_very_many_make_a_figure():
    assert leads(row("a", main=True)) == leads(row("a"), row("b")) == ()
    for count in (MOST, MOST + 1):
        names = [f"p{k}" for k in range(count)]
        assert len(leads(row("all", names, main=True), *map(row, names))) == (MOST if count == MOST else 0)


def test_a_lower_measure_is_ahead_where_it_is_lower():
    low = {"metric": "error", "measured": -0.2, "low": -0.3, "high": -0.1}
    first, _ = leads(row("all", ["a", "b"], main=True), row("a", **low), row("b"))
    assert (first.mean, first.low, first.high) == (20.0, 10.0, 30.0)


def test_each_lead_is_drawn_in_the_panel_of_its_measure_and_the_row_of_its_data():
    drawn = draw_leads(
        [
            Lead("Digits", "ARI", "ours", "X", 1.0, -1.0, 3.0, "direction only"),
            Lead("Digits", "ARI", "ours", "Y", 2.0, 1.0, 3.0, "reproduced"),
            Lead("Glass", "SP", "ours", "Z", -4.0, -6.0, -2.0, "contradicted"),
        ],
        "It leads.",
    )
    ari, sp = drawn.axes
    assert [label.get_text() for label in ari.get_yticklabels()] == ["Digits", "Glass"]
    assert (ari.get_title(), sp.get_title()) == ("ARI", "SP")
    marks = [[line.get_xydata().tolist() for line in axes.lines] for axes in (ari, sp)]
    assert (
        [[-1.0, -0.25], [3.0, -0.25]] in marks[0] and [[2.0, 0.25]] in marks[0] and [[-4.0, 1.0]] in marks[1]
    )
    assert [text.get_text() for text in sp.texts] == ["Z"]
    told = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert [label.split(" (")[0] for label in told] == ["ours: holds", "ours: open", "ours: does not hold"]
    assert {axes.get_xlabel() for axes in (ari, sp)} == {"ours ahead \u2192\n(points)"}
    edges = {line.get_markeredgewidth() for line in ari.lines if line.get_marker() == "^"}
    assert edges == {0.4}, "a wide white edge leaves little of a filled marker"
    assert ari.get_xlim()[1] > 3.0 + 2 and drawn._suptitle.get_text() == "It leads."
