"""Tables made of records: what is shown, where it comes from, and what happens when nothing is there."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from cladebench.bench.plan.setting_selection import Rule
from cladebench.measures import with_own
from cladebench.paper.tables import (
    basis_notes,
    comparison_table,
    fewer_rows,
    settings_table,
    status_table,
    with_spread,
)
from golden_records import cell_id, cells, context_of, failed

RULES = {
    "best": Rule("best", "oracle", "purity", "higher", uses="test labels"),
    "blind": Rule("blind", "label-free", "cost", "lower", uses="no labels"),
}
MEASURES = with_own(
    {
        "purity": {"meaning": "share of the class", "direction": "higher", "unit": "%"},
        "cost": {"meaning": "what it costs", "direction": "lower"},
    }
)
METHODS = {"A": {"label": "A", "role": "method"}, "B": {"label": "B*", "role": "extra"}}
ENTRIES = {
    "glass": {"title": "Glass", "stand_in_for": None, "n_samples": 214},
    "digits": {"title": "Digits", "stand_in_for": "the paper's digits", "n_samples": 1797},
}
PRINTED = [
    ("time-a", "Table 1", "glass", "A", "seconds", 3.0, "3.0 ± 0.1"),
    ("purity-a", "Table 1", "glass", "A", "purity", 0.47, "0.47 ± 0.02"),
    ("elsewhere", "Table 2", "glass", "A", "purity", 0.99, "0.99"),
]
ROWS = [
    cells("glass", "A", {"purity": [0.4, 0.6], "cost": [7, 8]}),
    cells("glass", "B", {"purity": [0.1], "cost": [4.0]}, {"k": 1}),
    cells("glass", "B", {"purity": [0.9], "cost": [5.0]}, {"k": 2}),
    failed("digits", "A", "unavailable"),
    cells("digits", "B", {"purity": [0.3], "cost": [1.0]}, {"k": 1}, n_rows=100),
]


def context_with(*rows, **more):
    how = dict(selection=RULES, measures=MEASURES, methods=METHODS, entries=ENTRIES, published=PRINTED, at={})
    return context_of("ghc", *rows, **(how | more))


@pytest.fixture
def context():
    return context_with(*ROWS)


def compared(context, **more):
    how = dict(artifact="Table 1", metric="purity", datasets=["glass", "digits"])
    return comparison_table(context, **(how | more))


def test_published_measured_and_their_cells(context):
    table = compared(context)
    assert list(table.frame.columns) == [
        *("method", "role", "glass: published", "glass: label-free", "glass: oracle"),
        *("digits: published", "digits: label-free", "digits: oracle"),
    ]
    assert table.frame.to_numpy().tolist() == [
        ["A", "method", "0.47 ± 0.02", "50.00 ± 14.14 (2)", "no choice", "–", "unavailable", "unavailable"],
        ["B*", "extra", "–", "10.00 (1)", "90.00 (1)", "–", "30.00 (1)", "no choice"],
    ]
    assert table.claims == {(0, "glass: published"): "purity-a"}
    assert table.sources == {
        (0, "glass: label-free"): (cell_id("glass", "A"), cell_id("glass", "A", None, 1)),
        (1, "glass: label-free"): (cell_id("glass", "B", {"k": 1}),),
        (1, "glass: oracle"): (cell_id("glass", "B", {"k": 2}),),
        (1, "digits: label-free"): (cell_id("digits", "B", {"k": 1}),),
    }


def test_below_a_comparison_stands_how_to_read_it(context):
    reading, oracle, free, *others = compared(context, notes=["One more."]).notes
    assert reading.startswith("published: as the paper prints it; label-free, oracle: what was measured here")
    assert "no choice: the method has one setting, whose number stands under label-free." in reading
    assert oracle == "oracle: the setting with the highest mean purity (%); uses test labels."
    assert free == "label-free: the setting with the lowest mean cost; uses no labels."
    assert others == [
        "Rows used: glass all; digits 100 of 1,797.",
        "Repetitions: 2 (1 for B*).",
        "Settings to choose from: 1 to 2 (B*).",
        "One more.",
        "digits: stand-in data (Digits) for the paper's digits.",
    ]


def test_a_table_of_one_rule_shows_that_alone(context):
    table = compared(context, rules=["blind"], datasets=["glass"])
    assert list(table.frame["glass: label-free"]) == ["50.00 ± 14.14 (2)", "10.00 (1)"]
    assert "glass: oracle" not in table.frame and "no choice" not in table.notes[0]
    assert not any("stands in for" in note for note in table.notes)  # digits is not in the table


def test_beside_a_measure_stands_its_form_that_is_corrected_for_chance():
    rows = [
        cells("glass", "A", {"ri": [0.8, 0.9], "ari": [0.1, 0.3], "purity": [0.1, 0.2]}),
        cells("glass", "B", {"ri": [0.7], "ari": [0.4], "purity": [0.1]}, {"k": 1}),
        cells("glass", "B", {"ri": [0.6], "ari": [0.5], "purity": [0.9]}, {"k": 2}),
        cells("digits", "A", {"ri": [0.5]}),
    ]
    table = compared(context_with(*rows), metric="ri")
    assert list(table.frame["glass: adjusted RI"]) == ["0.2000", "0.5000"]  # B in the setting of the oracle
    assert list(table.frame["digits: adjusted RI"]) == ["–", "–"]
    assert table.sources[1, "glass: adjusted RI"] == (cell_id("glass", "B", {"k": 2}),)
    assert (
        "adjusted RI: adjusted Rand index: the Rand index, corrected for chance; mean under" in table.notes[0]
    )
    far = cells("glass", "A", {"ri": [0.2], "ari": [0.7]}, at={"k_nn": 9})
    assert (
        compared(context_with(*rows, far), metric="ri", at={"k_nn": 9}).frame["glass: adjusted RI"][0]
        == "0.7000"
    )
    without = compared(context_with(rows[3]), metric="ri")
    assert not any("adjusted" in column for column in without.frame)


def test_without_rules_there_is_one_column_of_what_was_measured():
    table = compared(context_with(*ROWS[:1], selection={}), datasets=["glass"])
    assert list(table.frame["glass: measured"]) == ["50.00 ± 14.14 (2)"]
    assert ", by the rule" not in table.notes[0]
    # A method that is neither printed nor planned has no row.
    assert table.notes[-1] == "Neither printed nor planned here: B*."
    assert not any("Beyond the paper" in note for note in table.notes)


def test_data_sets_that_the_paper_does_not_use_are_named():
    entries = ENTRIES | {"digits": {**ENTRIES["digits"], "beyond": True}}
    table = compared(context_with(*ROWS, entries=entries))
    assert "Beyond the paper, which does not use them: digits." in table.notes


def test_a_fixed_setting_and_an_evaluation_point_are_told():
    fixed = {
        "fixed": Rule("fixed", "as printed", setting={"k": 2}),
        "best": dataclasses.replace(RULES["best"], at={"k_nn": 5}),
    }
    notes = compared(context_with(*ROWS, selection=fixed), datasets=["glass"]).notes
    assert notes[1] == "as printed: k: 2."
    assert notes[2] == "oracle: the setting with the highest mean purity (%) at k_nn: 5; uses test labels."


def test_studies_are_not_compared(context):
    methods = {"A": METHODS["A"] | {"role": "study"}, "B": METHODS["B"]}
    assert compared(context_with(*ROWS, methods=methods)).frame.method.tolist() == ["B*"]


def test_not_planned_and_missing_are_told_apart(context):
    methods = {**METHODS, "C": {"label": "C", "role": "method"}}
    context = context_with(*ROWS, failed("glass", "C", "missing"), methods=methods)
    assert compared(context).frame.loc[2].tolist()[3:] == [
        *("missing", "missing", "–", "not planned", "not planned")
    ]


def test_statuses_of_cells_without_a_number_are_listed():
    rows = [failed("glass", "A", "timeout", {"k": 1}), failed("glass", "A", "out_of_memory", {"k": 2})]
    assert compared(context_with(*rows)).frame["glass: oracle"][0] == "out of memory, timeout"
    other = context_with(cells("glass", "A", {"cost": [1.0]}))
    assert compared(other).frame["glass: label-free"][0] == "—"  # finished, without this metric


def few(dataset, method, setting=None):
    """One cell that finished, of four."""
    lost = failed(dataset, method, "timeout", setting, 4)[1:]
    return [*cells(dataset, method, {"purity": [0.5], "cost": [2.0]}, setting), *lost]


def test_a_mean_of_few_of_the_planned_cells_is_no_number_of_the_method():
    context = context_with(few("glass", "A"), few("glass", "B", {"k": 1}), few("glass", "B", {"k": 2}))
    said = "3 of 4 runs timeout"
    table = compared(context, datasets=["glass"])
    assert table.frame.to_numpy().tolist() == [
        ["A", "method", "0.47 ± 0.02", said, said],
        ["B*", "extra", "–", said, said],
    ]
    assert table.sources == {}
    assert set(settings_table(context, ["purity"]).frame["purity (%)"]) == {said}
    # Two records are of the one cell that finished.
    for n_records, said in ((3, "50.00 (1)"), (4, "2 of 3 runs timeout")):
        context = context_with(few("glass", "A")[:n_records])
        assert compared(context).frame["glass: label-free"][0] == said


def rows_used(*rows):
    return pd.DataFrame(rows, columns=["method", "status", "n_rows"])


def test_rows_used_of_methods():
    drawn = rows_used(("A", "ok", 1000), ("A", "ok", 1000), ("B", "ok", 30475), ("C", "timeout", None))
    assert fewer_rows(drawn[drawn.method != "B"], 1000) == ""
    assert fewer_rows(drawn[drawn.method == "A"], 30475) == "1,000 of 30,475"
    assert fewer_rows(drawn, 30475) == "1,000 of 30,475 (all for B)"


def test_rows_used_by_the_cells_of_one_method_may_differ():
    drawn = rows_used(*(("A", "ok", n) for n in (1000, 3000, 2000)))
    assert fewer_rows(drawn, 30475) == "1,000 to 3,000 of 30,475"
    assert fewer_rows(rows_used(("A", "ok", 10), ("A", "ok", 20)), 20) == "10 to 20 of 20"


def test_basis_is_told_from_the_records():
    context = context_with(
        *(cells("glass", "A", {"purity": [0.5] * 3}, {"k": k}, n_rows=100) for k in (1, 2)),
        cells("glass", "B", {"purity": [0.5]}),
        # Of C one setting did not finish, and of another one repetition: neither competes.
        *(cells("glass", "C", {"purity": [0.5] * 3}, {"k": k}) for k in (0, 1)),
        cells("glass", "C", {"purity": [0.5] * 2}, {"k": 2}),
        failed("glass", "C", "missing", {"k": 3}),
        cells("digits", "A", {"purity": [0.5]}, {"k": 1}, n_rows=100),
    )
    results = context.results
    shown = [(d, f"{m}, new", results.rows(d, m)) for d in ("glass", "digits") for m in "ABC"]
    assert basis_notes(context, shown) == (
        "Rows used: glass all (100 of 214 for A, new); digits 100 of 1,797.",
        "Repetitions: 1 to 3 (1 for B, new) (3 for C, new).",
        "Settings to choose from: 1 to 2 (A, new), 2 finished of 4 (C, new).",
        "Missing: 1 of the 17 runs that are planned for this.",
    )
    assert basis_notes(context, []) == ()
    assert basis_notes(context, [("glass", "B", results.rows("glass", "B"))]) == ("Repetitions: 1.",)


def test_folds_and_blocks_of_test_rows_are_told_apart():
    context = context_with(*(cells("glass", m, {"purity": [0.5] * 4}) for m in "ABC"))
    records = context.results.records
    folded = [context.results.rows("glass", m).assign(fold=range(4)) for m in "ABC"]
    one = records["cell_id"].iloc[0]
    in_blocks = folded[0].assign(cell_id=one)
    fewer = folded[1].iloc[:2].assign(cell_id=one)
    in_folds = folded[2].assign(cell_id=[f"{one}.{fold}" for fold in range(4)])
    shown = [("glass", "A", in_blocks), ("glass", "B", fewer)]
    assert basis_notes(context, shown) == ("Repetitions: 1.", "Blocks of test rows: 4 (2 for B).")
    assert basis_notes(context, [("glass", "C", in_folds)]) == ("Repetitions and folds: 4.",)


def test_settings_that_did_not_all_finish_somewhere_are_told():
    """Though they did on another data set."""
    context = context_with(
        *(
            cells(dataset, "C", {"purity": [0.5]}, {"k": k})
            for dataset in ("glass", "digits")
            for k in (0, 1)
        ),
        failed("digits", "C", "missing", {"k": 2}),
    )
    shown = [(dataset, "C", context.results.rows(dataset, "C")) for dataset in ("glass", "digits")]
    assert basis_notes(context, shown)[1] == "Settings to choose from: 2 finished of 2 to 3 (C)."


def test_a_table_of_settings_has_its_columns_though_nothing_was_chosen():
    table = settings_table(context_with(*ROWS[:1]), ("purity", "cost"))
    assert list(table.frame.columns) == ["dataset", "method", "rule", "setting", "purity (%)", "cost"]
    assert table.frame.empty and table.sources == {}


@pytest.mark.parametrize(
    ("plan", "at", "purity", "cost"),
    [
        (
            {},
            None,
            "50.00",
            "–",
        ),  # the rule's point; of a metric by which it did not choose, the plan's, which is none
        ({"k_nn": 9}, None, "50.00", "9"),
        ({"k_nn": 9}, {"k_nn": 9}, "90.00", "9"),
        ({}, {"k_nn": 5}, "50.00", "5"),
    ],
)
def test_what_a_rule_chose_by_is_shown_at_its_own_point(plan, at, purity, cost):
    rows = [
        cells("glass", "A", {"purity": [k / 10 + j], "cost": [k]}, {"j": j}, at={"k_nn": k})
        for k in (5, 9)
        for j in (0, -1)
    ]
    best = {"best": dataclasses.replace(RULES["best"], at={"k_nn": 5})}
    arrays = {cell_id("glass", "A", {"j": 0}): {"j": 0}}
    context = context_with(*rows, selection=best, at=plan, arrays=arrays)
    (row,) = settings_table(context, ("purity", "cost"), at=at).frame.to_dict("records")
    assert (row["setting"], row["purity (%)"], row["cost"]) == ("j: 0", purity, cost)
    assert context.best_arrays("glass", "A", "purity", "best", at=at) == {"j": 0}
    assert context.best_arrays("glass", "A", "purity", "best", at={"k_nn": 7}) is None


def test_the_best_arrays_are_those_at_the_point():
    """The repetition that is best at one point is not at the other."""
    rows = [cells("glass", "A", {"purity": values}, at={"k": k}) for k, values in ((5, [1, 0]), (9, [0, 1]))]
    arrays = {cell_id("glass", "A", None, r): r for r in range(2)}
    best = {"best": dataclasses.replace(RULES["best"], at={"k": 5})}
    context = context_with(*rows, selection=best, at={"k": 9}, arrays=arrays)
    assert context.best_arrays("glass", "A", "purity", "best") == 0
    assert context.best_arrays("glass", "A", "purity", "best", at={"k": 9}) == 1


def test_settings_are_shown_of_methods_that_have_a_choice(context):
    table = settings_table(context, ("purity", "cost"))
    assert table.frame.to_dict("records") == [
        dict(zip(["dataset", "method", "rule", "setting", "purity (%)", "cost"], row, strict=True))
        for row in (
            # On digits it has one setting: nothing was chosen there.
            ("glass", "B", "oracle", "k: 2", "90.00", "5"),
            ("glass", "B", "label-free", "k: 1", "10.00", "4"),
        )
    ]
    assert table.sources[0, "purity (%)"] == (cell_id("glass", "B", {"k": 2}),)
    assert table.sources[1, "cost"] == (cell_id("glass", "B", {"k": 1}),)
    assert table.notes == (
        "oracle: the setting with the highest mean purity (%); uses test labels.",
        "label-free: the setting with the lowest mean cost; uses no labels.",
    )


def test_a_spread_is_written_to_two_digits_and_as_percent_where_the_measure_is():
    values = np.array([1.0, 3.0])
    assert with_spread(values, MEASURES["cost"]) == "2 ± 1.4"
    assert with_spread(values, MEASURES["purity"]) == "200.00 ± 141.42"
    assert with_spread(values[:1], MEASURES["cost"]) == "1"


def test_status_table_counts_cells_not_metrics(context):
    table = status_table(context)
    row = table.frame.set_index(["dataset", "method"]).loc[("glass", "B")]
    assert row.tolist() == [2, 2, "–", "2", "1", "100"]
    assert table.sources[1, "runs"] == tuple(cell_id("glass", "B", {"k": k}) for k in (1, 2))
    assert table.frame.iloc[1].method == "B"


def test_status_table_adds_up_time_and_takes_the_most_memory():
    rows = cells("glass", "A", {"purity": [0.1] * 4, "cost": [1.0] * 4})
    for row, seconds, memory in zip(rows, [1.0, 2.0, 3.0, 40.0] * 2, [5.0, 9.0, 7.0, 6.0] * 2, strict=True):
        row |= {"cpu_seconds": seconds, "peak_memory_mb": memory}
    (row,) = status_table(context_with(rows)).frame.to_dict("records")
    assert (row["cpu_seconds"], row["median_cpu_seconds"], row["peak_memory_mb"]) == ("46", "2.5", "9")


def test_status_table_shows_a_dash_where_nothing_ran(context):
    frame = status_table(context).frame.set_index(["dataset", "method"])
    assert frame.loc[("digits", "A")].tolist() == [1, 0, "1 unavailable", "–", "–", "–"]


def test_status_table_counts_planned_cells_without_a_record():
    rows = [
        failed("glass", "A", "missing", {"k": 9}, repetitions=2),
        failed("glass", "A", "out_of_memory", {"k": 8}),
    ]
    table = status_table(context_with(ROWS[0], *rows))
    row = table.frame.set_index(["dataset", "method"]).loc[("glass", "A")]
    assert (row.runs, row.ok, row.other) == (5, 2, "2 missing, 1 out of memory")
    assert table.notes[0] == "missing: 2 runs that are planned in this scope and have no record."
    assert len(status_table(context_with(ROWS[0])).notes) == 1


def test_a_printed_number_stands_at_its_own_evaluation_point():
    rows = [cells("glass", "A", {"purity": [value]}, at={"k": k}) for k, value in ((5, 0.9), (50, 0.3))]
    printed = [
        ("at-5", "Table 1", "glass", "A", "purity", 0.9, "90", '{"k":5}'),
        ("at-50", "Table 1", "glass", "A", "purity", 0.3, "30", '{"k":50}'),
        ("no-point", "Table 2", "glass", "A", "purity", 0.9, "91"),
        ("one-setting", "Table 1", "glass", "A", "purity", 0.8, "80", '{"k":5}', '{"b":1}'),
    ]
    how = dict(
        selection=RULES, measures=MEASURES, methods={"A": METHODS["A"]}, entries=ENTRIES, published=printed
    )
    context = context_of("ghc", *rows, at={"k": 5}, **how)

    def shown(artifact, at):
        table = comparison_table(context, artifact=artifact, metric="purity", datasets=["glass"], at=at)
        return table.frame["glass: published"][0], table.frame["glass: label-free"][0]

    assert shown("Table 1", None) == shown("Table 1", {"k": 5}) == ("90", "90.00 (1)")
    assert shown("Table 1", {"k": 50}) == ("30", "30.00 (1)")
    assert shown("Table 2", None) == ("91", "90.00 (1)") and shown("Table 2", {"k": 50}) == ("–", "30.00 (1)")


def test_data_made_of_sets_draw_no_rows():
    cells = pd.DataFrame({"method": ["A", "B"], "status": "ok", "n_rows": [0, 0]})
    assert fewer_rows(cells, 10_000) == ""
    assert fewer_rows(cells.assign(n_rows=[0, 500]), 10_000) != ""
