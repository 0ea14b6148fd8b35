"""The tables and figures of the exemplar paper, from records with known values."""

import pytest

from cladebench.papers.exemplar import data_sets
from cladebench.papers.exemplar.artifacts import ARTIFACTS
from cladebench.papers.exemplar.figures import AGAINST_NOISE
from exemplar_records import LABELS, PLAN
from golden_records import build, cell_id, check_made


def column_of(table, heading):
    (column,) = [name for name in table.frame if name == heading]
    return dict(zip(table.frame.method, table.frame[column], strict=True))


def test_accuracies_stand_beside_the_printed_ones(golden):
    clustering, neighbours = build(ARTIFACTS, "clustering", golden), build(ARTIFACTS, "neighbours", golden)
    shown = [name.partition(":")[0] for name in clustering.frame.columns[2:]]
    # Images alone, in the order of the paper; also where nothing was run but in the scope.
    assert list(dict.fromkeys(shown)) == ["outex", "uiuc", "uiuc-few", "scenes-few"]
    index = {method: i for i, method in enumerate(clustering.frame.method)}
    learned = LABELS["Exemplar"]
    assert clustering.claims == {(index[learned], "uiuc: published"): "uiuc-clustering"}
    assert column_of(clustering, "uiuc: published")[learned] == "86"
    assert column_of(neighbours, "uiuc: published")[learned] == "95.3"
    (first,) = [name for name in clustering.frame if name == f"outex: {PLAN.selection['training'].label}"]
    assert column_of(clustering, first)[learned] == "95.00 ± 7.07 (2)"
    assert clustering.sources[index[learned], first] == tuple(
        cell_id("outex", "Exemplar", None, r) for r in (0, 1)
    )
    of_scenes = column_of(clustering, f"scenes-few: {PLAN.selection['training'].label}")
    assert of_scenes[LABELS["MKL-several"]] == "timeout"
    assert of_scenes[LABELS["Average-several"]] == "missing"
    assert of_scenes[learned] == "not planned"
    # The best single distance by the test images, and by the training images.
    single = {
        rule: column_of(neighbours, f"uiuc-few: {PLAN.selection[rule].label}")[LABELS["Single"]]
        for rule in ("oracle", "training")
    }
    assert single == {"oracle": "90.00 (1)", "training": "50.00 (1)"}
    assert "What is printed for the scenes is of four distances a feature." in clustering.notes
    assert not any(LABELS[name] in index for name in ("Exemplar-weak", "Euclidean"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("figure-2d-numbers", "0.8500 ± 0.071 (2)"),
        ("number-of-clusters", "75.00 ± 35.36 (2)"),
        ("noisy-dimensions", "18.75 ± 8.84 (2)"),
    ],
)
def test_tables_of_points_have_all_sets_of_points(golden, name, expected):
    table = build(ARTIFACTS, name, golden)
    shown = list(dict.fromkeys(name.partition(":")[0] for name in table.frame.columns[2:]))
    assert shown == ["noisy-mixtures-50", "noisy-mixtures-50-n100", "noisy-mixtures-90-n100"]
    (column,) = [
        column for column in table.frame if column == f"noisy-mixtures-50: {PLAN.selection['training'].label}"
    ]
    assert column_of(table, column)[LABELS["Exemplar"]] == expected
    assert table.claims == {}


def test_five_neighbours(golden):
    table = build(ARTIFACTS, "five-neighbours", golden)
    column = f"outex: {PLAN.selection['training'].label}"
    assert column_of(table, column)[LABELS["Exemplar"]] == "60.00 ± 14.14 (2)"


def test_what_random_features_do(golden):
    table = build(ARTIFACTS, "noise-features", golden)
    assert list(table.frame.columns) == ["method", "measure", "uiuc-few"]
    rows = {(row.method, row.measure): row._2 for row in table.frame.itertuples(index=False)}

    def shown(method, metric):
        return rows[LABELS[method], PLAN.measures[metric].meaning]

    assert shown("Exemplar", "nn_accuracy") == "90.00 (1)"
    assert shown("Exemplar-noise", "nn_accuracy") == "65.00 (1)"
    assert shown("Average", "matched_accuracy") == "60.00 (1)"
    assert shown("Average-noise", "matched_accuracy") == "not planned"
    assert shown("Exemplar-noise", "noise_share") == "2.00 (1)"
    assert shown("Exemplar-noise", "noise_largest") == "5.00 (1)"
    assert shown("Exemplar-noise", "noise_suppressed") in ("–", "—")
    assert len(rows) == 2 * 6 + 2 * 3


def test_how_learning_goes(golden):
    table = build(ARTIFACTS, "learning", golden)
    # Of points those of Fig. 2(a), after the images.
    assert list(table.frame.columns) == [
        *("method", "measure", "outex", "uiuc-few", "scenes-few"),
        *("noisy-mixtures-50-n100", "noisy-mixtures-50"),
    ]
    rows = table.frame.set_index(["method", "measure"])
    to_90 = PLAN.measures["rounds_to_90"].meaning
    assert rows.loc[(LABELS["Exemplar"], to_90), "outex"] == "20 ± 14 (2)"
    assert rows.loc[(LABELS["Exemplar-several"], to_90), "uiuc-few"] == "12 (1)"
    assert rows.loc[(LABELS["Exemplar"], to_90), "noisy-mixtures-50-n100"] == "7 (1)"
    price = PLAN.measures["price"].meaning
    assert rows.loc[(LABELS["Exemplar"], price), "outex"] == "20 ± 0 (2)"
    assert len(table.frame) == 12


@pytest.mark.parametrize(
    "name",
    [
        *("clustering", "neighbours", "figure-2d-numbers", "number-of-clusters", "noisy-dimensions"),
        "five-neighbours",
    ],
)
def test_a_table_says_who_was_not_run(nothing, name):
    table = build(ARTIFACTS, name, nothing)
    assert table.frame.empty and table.sources == {}
    (note,) = [note for note in table.notes if note.startswith("Neither printed nor planned here: ")]
    assert all(LABELS[name] in note for name in ("Exemplar", "Average", "SVM-cluster", "Random"))


@pytest.mark.parametrize(("name", "n_rows"), [("noise-features", 18), ("learning", 12)])
def test_of_nothing_there_are_measures_and_no_numbers(nothing, name, n_rows):
    table = build(ARTIFACTS, name, nothing)
    assert list(table.frame.columns) == ["method", "measure"] and len(table.frame) == n_rows
    assert table.sources == {} and len(table.notes) == 1


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=lambda artifact: artifact.id)
def test_every_artifact_is_made_of_the_golden_records_and_of_none(golden, nothing, artifact):
    assert len(artifact.caption.split()) > 8 and artifact.title
    # The register of unstated choices has every number of the paper looked up: once is enough.
    for made in check_made(artifact, *((golden,) if artifact.id == "deviations" else (golden, nothing))):
        if artifact.kind == "table":
            assert len(made.frame) >= 15 if artifact.id == "deviations" else made.notes


def test_artifacts_ask_for_what_the_plan_has():
    assert {
        *data_sets.IMAGES,
        *data_sets.SIZES,
        *(name for names in data_sets.MIXTURES.values() for name in names if not name.endswith("n100")),
    } <= set(PLAN.datasets)
    assert set(AGAINST_NOISE) <= set(PLAN.methods)
    ids = [artifact.id for artifact in ARTIFACTS]
    assert len(set(ids)) == len(ids)
    shown = {artifact.place for artifact in ARTIFACTS}
    assert {
        *(f"Fig. 2({x})" for x in "abcd"),
        "Fig. 3",
        "Fig. 4",
        "Fig. 5",
        "Fig. 6(a)",
        "Fig. 6(b)",
        "Fig. 7",
    } <= shown


def test_mixtures_are_data_sets_with_so_many_noisy_dimensions():
    known = {name for scope in PLAN.scopes for name in PLAN.datasets_of(scope)}
    for noisy, names in data_sets.MIXTURES.items():
        assert names == (f"noisy-mixtures-{noisy}", f"noisy-mixtures-{noisy}-n100") and known & {*names}
    assert {*data_sets.SIZES} <= known
