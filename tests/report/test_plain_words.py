"""Pages have names and plain words where the audit has ids."""

import pytest

from cladebench.paper.catalogue import load_plan
from cladebench.report.claim_rows import said_by
from cladebench.report.plain_words import Names, in_plain_words, names_of, with_places

NAMES = Names(
    {"Grid": "gridded method", "Grid-K": "gridded method, K > 2", "Random": "random tree", "KM": "KM"},
    {"iris": "Iris, 150 flowers"},
    {"pair_f": "F over pairs", "sp": "SP"},
)
CLAIM = {
    "claim": "grid/iris",
    "kind": "order",
    "quote": "the gridded method is better",
    "published": "Grid > KM in sp",
    "place": "section 4",
    "methods": ["Grid", "KM"],
    "metric": "sp",
    "dataset": "iris",
    "reason": "printed 2 against 1",
}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Grid > KM in pair_f", "gridded method > KM in F over pairs"),
        (
            "Grid (pair_f) > Grid-K (pair_f) in pair_f",
            "gridded method > gridded method, K > 2 in F over pairs",
        ),
        ("Grid (pair_f) 0.9 against KM 0.8", "gridded method (F over pairs) 0.9 against KM 0.8"),
        (
            "a random method passes too (Random); Grid 0.9",
            "a random method passes too (random tree); gridded method 0.9",
        ),
        ("iris has 150 samples", "Iris, 150 flowers has 150 samples"),
        (
            "Grid > KM in the change of pair_f from iris",
            "gridded method > KM in the change of F over pairs from Iris, 150 flowers",
        ),
        ("they look at iris here", "they look at iris here"),
        ("Random numbers, see grid/Grid/a and Grid-like", "Random numbers, see grid/Grid/a and Grid-like"),
        ("", ""),
    ],
)
def test_ids_of_a_claim_become_names_and_words_stay(text, written):
    assert NAMES.in_text(text, ["Grid", "Grid-K"], ["pair_f"]) == written


def test_ids_between_commas_become_names():
    assert NAMES.in_list("SP (%), iris, Grid, chosen") == "SP (%), Iris, 150 flowers, gridded method, chosen"


def test_without_names_texts_stay():
    assert Names().in_text("Grid > KM in sp", ["Grid"], ["sp"]) == "Grid > KM in sp"
    assert Names().run("Grid", "iris") == "Grid on iris"


@pytest.mark.parametrize(
    ("reason", "plain"),
    [
        ("with our choices contradicted: 0.1", "with our choices we measure otherwise: 0.1"),
        ("within noise on stand-in data: x", "too close to call on stand-in data: x"),
        ("1 direction only; decided by a/b (open), c; d", "1 on the claimed side, not significant"),
        ("reproducedly", "reproducedly"),
    ],
)
def test_verdicts_are_said_in_plain_words(reason, plain):
    assert in_plain_words(reason) == plain


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "gridded method > KM in SP, Iris, 150 flowers"),
        ({"dataset": "several"}, "gridded method > KM in SP"),
        ({"kind": "sentence", "dataset": ""}, "“the gridded method is better”"),
        ({"published": ""}, "“the gridded method is better”, Iris, 150 flowers"),
        (
            {"kind": "value", "published": "0.5", "place": "Table 1, section abstract"},
            "Table 1, abstract: 0.5",
        ),
        ({"published": "", "quote": "", "dataset": ""}, "grid/iris"),
        ({"kind": "arithmetic", "published": ""}, "printed 2 against 1"),
    ],
)
def test_a_claim_is_said_in_a_line(change, said):
    assert said_by(CLAIM | change, NAMES) == said


def test_places_in_print_stand_for_ids_of_claims():
    places = {"table1/iris/grid": "Table 1, row Grid, column Iris, section 4", "data/points": "section 4"}
    text = "printed 2 against 1 (table1/iris/grid), of 7 (data/points) (p = 1) (other)"
    assert with_places(text, places) == "printed 2 against 1 (Table 1, Grid, Iris), of 7 (p = 1) (other)"


def test_names_come_from_the_plan():
    names = names_of(load_plan("page_paper"), ["glass"])
    assert names.run("Grid", "glass") == "Gridded method on Glass identification"
    assert names.metrics["purity"] == "purity"


@pytest.mark.parametrize(
    ("column", "text", "head", "entry"),
    [
        ("dataset", "iris", "data set", "Iris, 150 flowers"),
        ("method", "Grid", "method", "gridded method"),
        ("iris", "0.5", "Iris, 150 flowers", "0.5"),
        ("iris: Grid", "iris", "Iris, 150 flowers: Grid", "iris"),
        ("faces: published", "0.5", "Drawn faces (stand-in for FACES): published", "0.5"),
        ("many", "Grid", "Many", "Grid"),  # what the paper has is described there, and has no name
        ("setting", "iris", "setting", "iris"),
    ],
)
def test_tables_have_names_in_their_heads_and_entries(column, text, head, entry):
    names = Names(
        NAMES.methods,
        {**NAMES.datasets, "faces": "Drawn faces", "many": "Many"},
        stand_ins={"faces": "FACES", "many": "185 images of three people"},
    )
    assert (names.head(column), names.entry(column, text)) == (head, entry)


@pytest.mark.parametrize(
    ("note", "written"),
    [
        ("Rows used: iris 10 of 150.", "Rows used: Iris, 150 flowers 10 of 150."),
        (
            "Beyond the paper, which does not use them: iris.",
            "Beyond the paper, which does not use them: Iris, 150 flowers.",
        ),
        (
            "iris: stand-in data (Iris, 150 flowers) for lilies.",
            "Iris, 150 flowers: stand-in data for lilies.",
        ),
        ("iris are flowers; see iris: there.", "iris are flowers; see iris: there."),
    ],
)
def test_notes_of_tables_name_data_where_they_list_them(note, written):
    assert NAMES.note(note) == written
