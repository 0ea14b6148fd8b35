"""A table of several measures: its rows, its columns, what its entries rest on, and what it says where none is."""

import pytest

from cladebench.paper.catalogue import load_plan
from cladebench.paper.measures_table import label_of, measures_table
from cladebench.paper.tables import why_empty
from golden_records import N_SAMPLES, cell_id, cells, context_of

LABELS = {name: method.label for name, method in load_plan("exemplar").methods.items()}
MEASURES = load_plan("exemplar").measures
#: Any data sets whose size the golden records know.
ONE, TWO, THREE = "glass", "sonar", "digits"
AT = {"neighbors": 5}


def unfinished(dataset, method, status, n=1):
    return cells(dataset, method, {None: [None] * n}, status=status)


@pytest.fixture
def golden():
    return context_of(
        "exemplar",
        cells(ONE, "Exemplar", {"pair_f": [0.5, 0.7], "price": [3.0, 5.0], "n_clusters": [4, 4]}),
        cells(ONE, "Exemplar", {"knn_accuracy": [0.1, 0.1]}, at={"neighbors": 1}),
        cells(ONE, "Exemplar", {"knn_accuracy": [0.6, 0.8]}, at=AT),
        cells(ONE, "Random", {"pair_f": [0.25], "price": [2.0]}, n_rows=100),
        cells(TWO, "Exemplar", {"pair_f": [0.9]}),
        unfinished(TWO, "Average", "timeout"),
        cells(THREE, "Oracle", {"pair_f": [1.0]}),
        unfinished(THREE, "Random", "missing", 2),
    )


ASKED = [("Exemplar", "pair_f"), ("Exemplar", "price"), ("Random", "pair_f")]


def test_measures_are_rows_and_data_sets_columns(golden):
    table = measures_table(golden, ASKED, [TWO, ONE])
    assert list(table.frame.columns) == ["method", "measure", TWO, ONE]  # in the order that is asked for
    assert table.frame.method.tolist() == [LABELS["Exemplar"]] * 2 + [LABELS["Random"]]
    assert table.frame.measure.tolist() == [MEASURES[m].meaning for m in ("pair_f", "price", "pair_f")]
    assert table.frame[ONE].tolist() == ["0.6000 ± 0.14 (2)", "4 ± 1.4 (2)", "0.2500 (1)"]
    assert table.frame[TWO][0] == "0.9000 (1)"


def test_every_number_names_its_cells(golden):
    table = measures_table(golden, ASKED, [ONE, TWO])
    both = tuple(cell_id(ONE, "Exemplar", None, repetition) for repetition in (0, 1))
    assert table.sources == {
        **{(0, ONE): both, (0, TWO): (cell_id(TWO, "Exemplar"),)},
        **{(1, ONE): both, (2, ONE): (cell_id(ONE, "Random"),)},
    }
    assert table.claims == {}


def test_one_method_is_not_named(golden):
    table = measures_table(golden, ASKED[:2], [ONE])
    assert list(table.frame.columns) == ["measure", ONE] and len(table.frame) == 2
    assert set(table.sources) == {(0, ONE), (1, ONE)}


def test_data_sets_that_no_method_has_met_are_left_out(golden):
    # The third is met by another method alone, the last is in no scope.
    assert list(measures_table(golden, [("Exemplar", "pair_f")], [ONE, THREE, "outex"]).frame.columns) == [
        "measure",
        ONE,
    ]
    shown = measures_table(golden, ASKED, [ONE, THREE]).frame
    assert THREE in shown  # where cells of Random are missing
    nothing = measures_table(golden, ASKED, ["outex"])
    assert list(nothing.frame.columns) == ["method", "measure"] and len(nothing.frame) == 3
    assert nothing.sources == {}


def test_what_is_not_there(golden):
    table = measures_table(golden, ASKED, [ONE, TWO])
    assert table.frame[TWO][2] == "not planned"
    assert table.frame[TWO][1] in ("–", "—")  # planned and finished, and without this measure


def test_one_evaluation_point_is_shown(golden):
    asked = [("Exemplar", "knn_accuracy")]
    at_5, at_1 = (measures_table(golden, asked, [ONE], at={"neighbors": k}).frame[ONE][0] for k in (5, 1))
    assert at_5.startswith("70") and at_1.startswith("10")
    assert measures_table(golden, asked, [ONE], at={"neighbors": 3}).frame[ONE][0] in ("–", "—")


def test_notes_say_what_numbers_rest_on(golden):
    notes = measures_table(golden, ASKED, [ONE, TWO]).notes
    assert notes[0] == "mean ± standard deviation over repetitions (their number in brackets)."
    assert f"Rows used: {ONE} all (100 of 214 for {LABELS['Random']}); {TWO} all." in notes
    assert any(note.startswith("Repetitions: ") for note in notes)
    assert not any(note.startswith("Missing") for note in notes)
    missing = measures_table(golden, ASKED, [ONE, THREE]).notes
    assert "Missing: 2 of the 5 runs that are planned for this." in missing
    assert N_SAMPLES[ONE] == 214


def test_labels_are_the_plan_s(golden):
    assert label_of(golden, "Random") == LABELS["Random"] == "random weights"


def test_methods_without_a_finished_cell_say_why(golden):
    table = measures_table(golden, [*ASKED, ("Average", "pair_f")], [ONE, TWO, THREE])
    assert table.frame[TWO][3] == why_empty(golden, TWO, "Average", golden.own_rule) == "timeout"
    assert table.frame[THREE][2] == "missing"
