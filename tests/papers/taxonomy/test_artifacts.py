"""The tables and figures of the taxonomy paper, from records with known values."""

import numpy as np
import pytest

from cladebench.papers.taxonomy.words import LETTERS, PRINTED
from golden_records import cell_id, cells, failed
from taxonomy_records import FACES, PLAN, PRINTED_ENTROPIES, documents, label, made


def meaning(metric):
    return PLAN.measures[metric].meaning


def rows_of(table, *columns):
    """The rows of a table as tuples, without its first columns or those that are named."""
    return [tuple(row) for row in table.frame[list(columns)].itertuples(index=False)]


def test_table_1_has_what_is_printed_and_what_was_measured():
    table = made("table-1", *FACES, published=PRINTED_ENTROPIES)
    assert list(table.frame.columns) == ["method", "role", "faces: published", "faces: measured"]
    rows = table.frame.set_index("method")
    assert rows.loc[label("NTC")].tolist() == ["method", "0.2807", "0.3000 ± 0.14 (2)"]
    assert rows.loc[label("Spectral")].tolist() == ["baseline", "–", "0.5000 (1)"]
    assert rows.loc[label("CLUHSIC-b")].tolist() == ["baseline", "0.4970", "not planned"]
    assert rows.loc[label("CLUHSIC-a")].tolist() == ["baseline", "–", "timeout"]
    assert label("CLUHSIC-c") not in rows.index
    place = table.frame.method.tolist().index(label("NTC"))
    assert table.claims[place, "faces: published"] == "one"
    assert table.sources[place, "faces: measured"] == tuple(cell_id("faces", "NTC", None, r) for r in (0, 1))
    assert any("A partition that finds the persons alone has ln 3 = 1.10." in note for note in table.notes)


def test_table_1_has_other_data_where_they_are_in_the_scope():
    other = cells("nested-blobs", "NTC", {"conditional_entropy": [0.25]})
    expressions = cells("faces-expressions", "NTC", {"conditional_entropy": [0.75]})
    table = made("table-1", *FACES, other, expressions)
    measured = [name for name in table.frame.columns if name.endswith(": measured")]
    assert measured == ["faces: measured", "faces-expressions: measured", "nested-blobs: measured"]
    row = table.frame.set_index("method").loc[label("NTC"), measured].tolist()
    assert row == ["0.3000 ± 0.14 (2)", "0.7500 (1)", "0.2500 (1)"]


@pytest.mark.parametrize(
    ("name", "metric", "datasets", "expected"),
    [
        ("texts", "conditional_entropy", ("newsgroups", "newsgroups-100"), ("0.2500 (1)", "0.7500 (1)")),
        ("words-back", "words_back", ("nips", "nips-halves"), ("25.00 (1)", "75.00 (1)")),
    ],
)
def test_tables_of_texts(name, metric, datasets, expected):
    rows = [
        cells(dataset, "NTC", {metric: [value]})
        for dataset, value in zip(datasets, (0.25, 0.75), strict=True)
    ]
    table = made(name, *rows)
    assert rows_of(table, "method", *(f"{dataset}: measured" for dataset in datasets)) == [
        (label("NTC"), *expected)
    ]
    chosen = "The words of newsgroups were chosen with the help of the labels"
    assert any(note.startswith(chosen) for note in table.notes) == (name == "texts")


def test_table_2_has_the_words_of_the_matched_clusters():
    matched = np.array([2, -1, 0, 1, -1, -1, -1, -1])
    own = [
        [*PRINTED[name][:count], *[f"none{count}"] * (7 - count)]
        for name, count in (("c", 3), ("d", 7), ("a", 0))
    ]
    rows, arrays = documents("nips", matched=matched, top_words=np.array(own))
    table = made("table-2", rows, arrays=arrays)
    assert table.frame.printed.tolist() == list(LETTERS)
    assert table.frame.documents.tolist() == ["2", "–", "3", "2", "–", "–", "–", "–"]
    assert table.frame["words printed"].tolist() == [" ".join(PRINTED[name]) for name in LETTERS]
    found = [" ".join(own[2]), "", " ".join(own[0]), " ".join(own[1]), "", "", "", ""]
    assert table.frame["words of the matched cluster"].tolist() == found
    shared = [0, 0, 3, 7, 0, 0, 0, 0]
    assert table.frame.shared.tolist() == [f"{number} of 20" for number in shared]
    assert table.sources == dict.fromkeys(
        ((place, "shared") for place in range(8)), (cell_id("nips", "NTC", None, 1),)
    )
    assert table.notes[0].startswith("Clusters are matched with the printed ones, one to one")
    assert table.notes[1].startswith("What clusters without a taxonomy") and len(table.notes) == 2


def test_table_2_without_a_finished_run_has_no_rows():
    table = made("table-2", failed("nips", "NTC", "error"))
    assert table.frame.empty and len(table.frame.columns) == 5
    assert table.notes == ("No finished run of NTC on nips in this scope.",)


WORTH = ["share_unconstrained", "share_tree", "share_best_random_tree", "share_random_tree", "share_star"]
OF_THE_RUN = ["tree_residual", "least_eigenvalue", "n_iterations", "moved_from_start"]
DATASETS = ["faces", "nips", "newsgroups", "newsgroups-100", "nested-blobs"]


def test_the_worth_of_the_tree():
    shares = dict(zip(WORTH, ([0.5], [0.4], [0.3], [0.2], [0.1]), strict=True))
    table = made(
        "worth-of-the-tree",
        cells("faces", "NTC", {**shares, "tree_residual": [0.25], "taxonomy_correlation": [0.75]}),
        cells("nested-blobs", "NTC-7-all", {"tree_residual": [0.125]}),
        cells("nested-blobs", "NTC-star", {"taxonomy_correlation": [0.5]}),
        *(cells(name, "NTC", {"share_tree": [0.9]}) for name in ("newsgroups-100", "newsgroups", "nips")),
    )
    assert list(table.frame.columns) == ["method", "measure", *DATASETS]
    asked = [("NTC", metric) for metric in (*WORTH, *OF_THE_RUN)]
    asked += [("NTC-7", "tree_residual"), ("NTC-7-all", "tree_residual")]
    asked += [
        (name, "taxonomy_correlation") for name in ("NTC", "NTC-unconstrained", "NTC-star", "NTC-random")
    ]
    assert rows_of(table, "method", "measure") == [
        (label(method), meaning(metric)) for method, metric in asked
    ]
    assert table.frame.faces.tolist()[:6] == [f"0.{digit}000 (1)" for digit in (5, 4, 3, 2, 1)] + [
        "0.2500 (1)"
    ]
    assert table.frame.faces[asked.index(("NTC", "taxonomy_correlation"))] == "0.7500 (1)"
    other = table.frame["nested-blobs"]
    assert other[asked.index(("NTC-7-all", "tree_residual"))] == "0.1250 (1)"
    assert other[asked.index(("NTC-star", "taxonomy_correlation"))] == "0.5000 (1)"
    assert other[0] == "not planned"


STUDIES = {
    "significance": (
        "significance-study",
        [
            *("tree_over_star", "tree_over_random", "p_tree", "tree_gain"),
            *("p_partition", "partition_gain", "p_partition_learned"),
        ],
    ),
    "number-of-clusters-numbers": (
        "number-study",
        ["elbow", "eigengap", "rules_apart", "elbow_off", "eigengap_off", "falls"],
    ),
    "stability": (
        "stability-study",
        [
            f"{what}_{name}"
            for what in ("ari", "words_back")
            for name in ("taxonomy", "unconstrained", "star", "start")
        ],
    ),
}


@pytest.mark.parametrize("name", STUDIES)
def test_tables_of_studies(name):
    method, metrics = STUDIES[name]
    values = [0.5 + place / 64 for place in range(len(metrics))]
    rows = [
        cells(dataset, method, {metric: [value] for metric, value in zip(metrics, values, strict=True)})
        for dataset in reversed(DATASETS)
    ]
    table = made(name, *rows)
    assert list(table.frame.columns) == ["measure", *DATASETS]
    assert table.frame.measure.tolist() == [meaning(metric) for metric in metrics]
    expected = [
        f"{PLAN.measures[metric].text(value)} (1)" for metric, value in zip(metrics, values, strict=True)
    ]
    assert all(table.frame[dataset].tolist() == expected for dataset in DATASETS)
    assert table.sources[3, "nips"] == (cell_id("nips", method),)


PARTITIONS = ["same_partition", "partition_ari", "partition_loss", "structure_apart", "optimum_falls"]
PARTITIONS += ["sweeps_optimal", "sweeps_loss"]


def test_best_partitions_have_the_rows_of_2_to_4_clusters_below_one_another():
    method = "partition-study"
    values = {k: [round(0.1 * k + place / 100, 9) for place in range(7)] for k in (2, 3, 4)}
    rows = [
        cells("faces", method, {m: [v] for m, v in zip(PARTITIONS, own, strict=True)}, at={"k": k})
        for k, own in values.items()
    ]
    rows += [cells("nested-blobs", method, {"partition_ari": [0.75, 0.25]}, at={"k": 3})]
    rows += [cells("nips", method, {"partition_ari": [0.75]}, at={"k": 3})]
    table = made("best-partitions", *rows)
    assert list(table.frame.columns) == ["clusters", "measure", "faces", "nested-blobs"]
    assert table.frame.clusters.tolist() == ["2"] * 7 + ["3"] * 7 + ["4"] * 7
    assert table.frame.measure.tolist() == [meaning(metric) for metric in PARTITIONS] * 3
    expected = [f"{value:.4f} (1)" for k in (2, 3, 4) for value in values[k]]
    assert table.frame.faces.tolist() == expected
    assert table.frame["nested-blobs"][8] == "0.5000 ± 0.35 (2)"
    assert not table.frame["nested-blobs"][1].startswith("0")
    own = (cell_id("faces", method),)
    assert {key: found for key, found in table.sources.items() if key[1] == "faces"} == {
        (row, "faces"): own for row in range(21)
    }
    both = tuple(cell_id("nested-blobs", method, None, r) for r in (0, 1))
    assert [(key, found) for key, found in table.sources.items() if key[1] != "faces"] == [
        ((8, "nested-blobs"), both)
    ]
    assert table.notes[0].startswith("mean ± standard deviation") and table.claims == {}
