"""The tables and figures of the HMMC paper, from records with known values."""

import dataclasses

import pytest

from cladebench.audit.claims_file import load_claims
from cladebench.audit.pipeline.one_choice import Evaluation
from cladebench.audit.reading import Reader
from cladebench.notation import significant
from cladebench.papers.hmmc.artifacts import ARTIFACTS, PAPER_DATASETS
from golden_records import build, cell_id, cells, check_made, context_of
from hmmc_records import AT, BEST, RATIOS


def entries(table, method):
    (row,) = table.frame[table.frame.method == method].to_dict("records")
    return row


def test_table_1_has_published_label_free_and_oracle_side_by_side(golden):
    table = build(ARTIFACTS, "table-1-sp", golden)
    columns = [
        f"{d}: {h}"
        for d in (*PAPER_DATASETS, "nested-blobs")
        for h in ("published", "chosen without labels", "chosen with test labels")
    ]
    assert list(table.frame.columns) == ["method", "role", *columns]
    row = entries(table, "HMMC")
    assert [
        row[f"awa-attr: {h}"] for h in ("published", "chosen without labels", "chosen with test labels")
    ] == [*("94.40", "81.00 ± 1.00 (3)", "89.00 ± 3.00 (3)")]
    assert row["imagenet: chosen with test labels"] == "not planned"
    number = table.frame.index[table.frame.method == "HMMC"][0]
    assert table.claims == {(number, "awa-attr: published"): "sp-hmmc"}
    assert table.sources[number, "awa-attr: chosen with test labels"] == tuple(
        cell_id("awa-attr", "HMMC", BEST, r) for r in range(3)
    )
    flat = entries(table, "KM")
    assert (flat["awa-attr: chosen without labels"], flat["awa-attr: chosen with test labels"]) == (
        "60.00 ± 14.14 (2)",
        "no choice",
    )
    assert (flat["nested-blobs: published"], flat["nested-blobs: chosen without labels"]) == (
        "–",
        "100.00 (1)",
    )
    assert entries(table, "SC")["vehicle: chosen with test labels"] == "timeout"
    assert entries(table, "HMMC, K > 2")["awa-attr: chosen with test labels"] == "84.00 (1)"
    assert entries(table, "HMMC, K > 2")["awa-attr: chosen without labels"] == "83.00 (1)"
    assert "assignment-study" not in set(table.frame.method)


def test_table_1_says_how_settings_were_chosen_and_what_numbers_rest_on(golden):
    notes = build(ARTIFACTS, "table-1-sp", golden).notes
    assert "chosen with test labels: the setting with the highest mean SP (%) at leaf_factor: 1.0." in notes
    assert (
        "chosen without labels: the setting with the lowest mean leaf inertia at leaf_factor: 1.0; uses no labels."
        in notes
    )
    assert "Rows used: awa-attr 1,000 of 30,475; vehicle all; nested-blobs all." in notes
    assert any("called K > 2: their K is chosen with the rest of the setting" in note for note in notes)
    assert not any("another machine" in note for note in notes)


def test_other_measures_have_tables_of_their_own(golden):
    path_sharing = entries(build(ARTIFACTS, "table-1-ps", golden), "HMMC")
    assert (path_sharing["awa-attr: published"], path_sharing["awa-attr: chosen with test labels"]) == (
        "73.30",
        "60.00 ± 0.00 (3)",
    )
    times = build(ARTIFACTS, "table-1-runtime", golden)
    row = entries(times, "HMMC")
    assert [
        row[f"awa-attr: {h}"] for h in ("published", "chosen without labels", "chosen with test labels")
    ] == [
        "20",
        "9 ± 0 (3)",
        "4 ± 2 (3)",
    ]
    assert any("another machine" in note for note in times.notes)


def test_ratios_of_time(golden):
    """Of the repetition that both have: three of HMMC stand beside one of MMC, and two of the study beside three."""
    table = build(ARTIFACTS, "ratios-of-time", golden)
    frame = table.frame[table.frame.dataset == "awa-attr"]
    cbc, highs, flow = "integer programme (CBC)", "integer programme (HiGHS)", "flow (OR-tools)"
    range_, found = "at least 10 and at most 100", frame.to_numpy().tolist()
    assert found == [
        # Both in the setting of the best SP.
        ["MMC / HMMC", "awa-attr", "at least 1.4 and at most 8", "3", "8", "16 / 2"],
        [f"{cbc} / {flow}, K = 2", "awa-attr", range_, "–", "10.33", "10 / 1.15"],
        [f"{cbc} / {flow}, K = 5", "awa-attr", range_, "–", "100", "30 / 0.3000"],
        [f"{highs} / {flow}, K = 2", "awa-attr", range_, "–", "12", "6 / 0.5000"],
        [f"{highs} / {flow}, K = 5", "awa-attr", range_, "–", "20", "6 / 0.3000"],
    ]
    first, second, *_ = frame.index
    assert table.sources[first, "measured"] == (
        cell_id("awa-attr", "MMC", {"alpha": 0.01}),
        cell_id("awa-attr", "HMMC", BEST),
    )
    study = [cell_id("awa-attr", "assignment-study", None, r) for r in range(2)]
    assert table.sources[second, "measured"] == (*study, *study)
    assert table.claims[first, "claimed"] == "runtime/mmc/awa-attr"
    assert table.claims[second, "claimed"] == "runtime/flow-cbc/2/awa-attr"
    others = table.frame[table.frame.dataset != "awa-attr"]
    assert set(others.seconds) == set(others.printed) == {"–"}
    assert table.frame.dataset.tolist() == [*PAPER_DATASETS] * 5
    assert table.notes[1].endswith("chosen by the rule 'chosen with test labels'.")


def test_a_ratio_of_time_is_that_of_its_verdict(golden):
    claims = load_claims("hmmc")
    ratios = {name: claim for name, claim in claims.claims.items() if claim.kind == "ratio"}
    claims = dataclasses.replace(claims, claims=ratios)
    judged = Evaluation(claims, Reader(golden.results, golden.own_rule), None, lambda dataset, fact: 0).run()
    table = build(ARTIFACTS, "ratios-of-time", golden)
    for (row, _), claim in table.claims.items():
        measured = judged[claim].outcome.measured
        shown = table.frame.measured[row]
        assert shown == (judged[claim].outcome.reason if measured is None else significant(measured))


def test_ratios_of_time_have_four_digits():
    rows = [
        cells("vehicle", method, {"sp": [0.5], "seconds": [seconds]}, {"alpha": 1.0}, at=AT)
        for method, seconds in (("MMC", 12.34567), ("HMMC", 1.0))
    ]
    printed = [
        (f"time-{method}", "Table 1, runtime", "vehicle", method, "seconds", seconds, "")
        for method, seconds in (("MMC", 200.0), ("HMMC", 7.0))
    ]
    context = context_of("hmmc", *rows, published=printed, ratios=RATIOS)
    frame = build(ARTIFACTS, "ratios-of-time", context).frame
    (row,) = frame[(frame.dataset == "vehicle") & (frame.ratio == "MMC / HMMC")].to_numpy().tolist()
    assert row[3:] == ["28.6", "12.35", "12.35 / 1"]


def test_a_ratio_of_which_one_side_is_missing_says_so():
    rows = [cells("vehicle", "MMC", {"sp": [0.5], "seconds": [2.0]}, at=AT)]
    rows.append(cells("awa-attr", "HMMC", {"sp": [0.5], "seconds": [2.0]}, at=AT))
    later = cells("awa-attr", "MMC", {"sp": [0.5] * 2, "seconds": [2.0] * 2}, at=AT)
    rows.append([row for row in later if row["repetition"] == 1])
    table = build(ARTIFACTS, "ratios-of-time", context_of("hmmc", *rows, ratios=RATIOS))
    assert set(table.frame.seconds) == {"–"} and table.sources == {}
    assert table.frame.measured[:3].tolist() == [
        "no shared task",
        "no run of MMC on awa-pca in these results; no run of HMMC on awa-pca in these results",
        "no run of HMMC on vehicle in these results",
    ]
    assert build(ARTIFACTS, "ratios-of-time", context_of("hmmc", *rows)).frame.empty


def test_settings_chosen(golden):
    frame = build(ARTIFACTS, "selected-settings", golden).frame
    assert list(frame.columns) == [
        "dataset",
        "method",
        "rule",
        "setting",
        "SP (%)",
        "PS without root (%)",
        "RI (%)",
        "leaf inertia",
    ]
    found = {
        (row.method, row.rule): row for row in frame[frame.dataset == "awa-attr"].itertuples(index=False)
    }
    assert list(found["HMMC", "chosen with test labels"])[3:] == [
        "alpha: 1.0, beta: 1.0",
        "89.00",
        "60.00",
        "–",
        "2",
    ]
    assert list(found["HMMC", "chosen without labels"])[3:] == [
        "alpha: 0.01, beta: 1.0",
        "81.00",
        "50.00",
        "–",
        "1",
    ]
    assert found["HMMC-K", "chosen with test labels"].setting == "alpha: 1.0, n_splits: 4"
    assert ("KM", "chosen with test labels") not in found


def test_deviations_are_measured_under_the_rule_beside(golden):
    frame = build(ARTIFACTS, "deviations", golden).frame
    found = dict(zip(frame.compared, frame.value, strict=True))
    assert found["SP (%), awa-attr, KM"] == "60.00 ± 14.14"
    assert found["SP (%), awa-attr, HMMC"] == "81.00 ± 1.00"  # chosen without labels
    assert found["SP, chains kept (%), awa-attr, HMMC"] == "95.00"
    assert found["SP (%), awa-attr, HMMC, chosen with test labels"] == "89.00 ± 3.00"
    assert found["SP (%), awa-attr, HMMC, chosen without labels"] == "81.00 ± 1.00"


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=lambda artifact: artifact.id)
def test_every_artifact_is_made_of_the_golden_records_and_of_none(golden, artifact):
    check_made(artifact, golden, context_of("hmmc", datasets=["awa-attr"]))
