"""What a user writes wrongly is said in one line, with the file, the key and what was expected."""

import shutil

import pytest

from cladebench.comparison import CONTROLS, spec
from cladebench.comparison.as_plan import as_document
from cladebench.comparison.spec import fitting, read_comparison
from cladebench.datasets.own.own_data import own
from cladebench.datasets.own.own_sources import Source
from cladebench.input_files import InputFileError

GOOD = "data: {patients: {file: patients.csv, label: diagnosis}}\nmethods: [Agglomerative]\n"


def read(folder, text):
    (folder / "comparison.yaml").write_text(text)
    return read_comparison(folder / "comparison.yaml")


def test_a_short_file_is_enough(inputs):
    found = read(inputs, "data: {patients: {file: patients.csv, label: diagnosis}}\n")
    assert list(found.methods) == [*fitting(), *CONTROLS]
    assert own(found.data["patients"].name).clusters == {"diagnosis": 3}
    assert (found.mine, found.features, found.repetitions, found.rope) == ("", ("zscore",), 10, 0.02)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data: {}\n", "data: "),
        ("data: {a b: {file: x}}\n", "a name of letters"),
        ("data: {a: {registered: iriss}}\n", "data.a.registered: no data set 'iriss'"),
        (GOOD + "repetition: 3\n", "unknown key 'repetition'"),
        (GOOD + "mine: Nobody\n", "mine: no method 'Nobody'"),
        (
            GOOD + "settings: {Agglomerative: {linkages: [ward]}}\n",
            "comparison.yaml, line 3: settings.Agglomerative: no parameter 'linkages'",
        ),
        (
            GOOD + "settings:\n  Agglomerative: {linkage: [ward, wrad]}\n",
            "comparison.yaml, line 4: settings.Agglomerative: linkage='wrad': expected one of average, ",
        ),
        (
            GOOD.replace("Agg", "sklearn.cluster.KMeans, Agg") + "settings: {KMeans: {n_init: [1, x]}}\n",
            "line 3: settings.KMeans: n_init='x': expected a str among {'auto'} or an int in the range [1, inf)",
        ),
        (
            GOOD + "settings: {Agglomerative: {n_clusters: [2]}}\n",
            "settings.Agglomerative.n_clusters: the number",
        ),
        (
            GOOD.replace("[Agglomerative]", "[Agglomerativ]"),
            "Agglomerativ: is no clusterer of ours; did you mean 'Agglomerative'?",
        ),
        (
            GOOD.replace("[Agglomerative]", "[sklearn.no.X]"),
            "no module sklearn.no; expected one that is installed",
        ),
        (GOOD.replace("[Agglomerative]", '["gone.py:X"]'), "expected file.py:Class"),
        (GOOD.replace("[Agglomerative]", '["users_methods.py:Gone"]'), "users_methods has no Gone"),
        (GOOD.replace("[Agglomerative]", '["users_methods.py:Needs"]'), "its constructor needs 'must'"),
        (
            GOOD.replace("[Agglomerative]", "[sklearn.cluster.KMeanz]"),
            "sklearn.cluster has no KMeanz; did you mean 'KMeans'?",
        ),
        (
            GOOD.replace("[Agglomerative]", '["users_methods.py"]'),
            "names no class; expected users_methods.py:Class",
        ),
        (GOOD.replace("patients.csv", "gone.csv"), "gone.csv"),
        (GOOD.replace("diagnosis", "disease"), "disease"),
        (
            GOOD.replace("label: diagnosis", "ignore: [diagnosis], clusters: 19"),
            "comparison.yaml, line 1: data.patients: has 19 clusters; expected at most 18: a draw has",
        ),
        (
            GOOD.replace("label: d", "labels: d"),
            "comparison.yaml, line 1: data.patients: labels: unknown key",
        ),
        (
            GOOD.replace("label: diagnosis", "ignore: [diagnosis]"),
            "comparison.yaml, line 1: data.patients: has neither label",
        ),
        (
            GOOD.replace("[Agglomerative]", '["broken.py:X"]'),
            "yaml, line 2: methods: broken.py:X: SyntaxError: '(' was never closed (broken.py, line 2); expected",
        ),
        (
            GOOD.replace("[Agglomerative]", '["lacks.py:X"]'),
            "X: ModuleNotFoundError: No module named 'nowhere' (lacks.py, line 1); expected code that runs",
        ),
        (
            GOOD.replace("}}", "}, again: {file: copy.csv, label: diagnosis}}"),
            "comparison.yaml, line 1: data.again: has the same rows as data.patients; expected data sets that differ",
        ),
        (
            "data: {a: {registered: digits}, b: {registered: digits}}\n",
            "data.b: has the same rows as data.a; expected data sets that differ",
        ),
    ],
)
def test_mistakes_are_named(inputs, text, said):
    (inputs / "broken.py").write_text("x = 1\nclass X(\n")
    (inputs / "lacks.py").write_text("import nowhere\n")
    shutil.copy(inputs / "patients.csv", inputs / "copy.csv")
    with pytest.raises(InputFileError) as error:
        read(inputs, text)
    assert said in str(error.value) and "\n" not in str(error.value)
    assert "?" not in str(error.value) or str(error.value).endswith("?") or "unknown key" in str(error.value)
    assert "estimators.py" not in str(error.value)  # which no user wrote


def test_settings_of_a_library_that_is_not_installed_are_left_to_it(inputs):
    text = GOOD.replace("Agg", "nowhere.Clusters, Agg") + "settings: {nowhere.Clusters: {size: [1]}}\n"
    assert read(inputs, text).settings == {"Clusters": {"size": [1]}}


def test_a_method_may_be_named_twice(inputs):
    found = read(inputs, GOOD.replace("[Agglomerative]", "[Agglomerative, BirchTree, Agglomerative]"))
    assert list(found.methods) == ["Agglomerative", "BirchTree", *CONTROLS]


def test_random_methods_stand_last_though_the_file_names_them(inputs):
    found = read(inputs, GOOD.replace("[Agglomerative]", "[RandomTree, Agglomerative]"))
    assert list(found.methods) == ["Agglomerative", *CONTROLS]


@pytest.mark.parametrize(
    ("mine", "key"),
    [
        *(("other.Mine", "other.Mine"), ("other.py:Mine", "other.Mine"), ("Linked", "Linked")),
        *(("Agglomerative", "Agglomerative"), ("other.py:Agglomerative", "other.Agglomerative")),
        *(("RandomTree", "RandomTree"), ("sklearn.cluster.KMeans", "KMeans")),
    ],
)
def test_mine_is_a_key_a_class_or_what_the_file_has(inputs, mine, key):
    text = "class Mine:\n    def fit(self, X): pass\n"
    (inputs / "other.py").write_text(text + text.replace("Mine", "Agglomerative"))
    classes = ["users_methods.py:Mine", "users_methods.py:Linked", "other.py:Mine", "other.py:Agglomerative"]
    methods = ", ".join(f'"{name}"' for name in ("Agglomerative", "sklearn.cluster.KMeans", *classes))
    good = GOOD.replace("[Agglomerative]", f"[{methods}]")
    assert read(inputs, f'{good}mine: "{mine}"\n').mine == key
    with pytest.raises(InputFileError, match="mine: several methods 'Mine'; expected one of users"):
        read(inputs, f"{good}mine: Mine\n")


def test_what_is_not_said_has_its_default_and_what_is_said_counts(inputs):
    found = read(inputs, GOOD + "limits: {time_s: 7}\n")
    assert found.limits == {"time_s": 7, "memory_mb": 4000.0}


def test_controls_take_all_as_it_is(inputs):
    data = "data: {travel: {file: travel.csv, kind: distances, clusters: 3}}\nmethods: [BirchTree]\n"
    entries = {
        entry.pop("method", ""): entry for entry in as_document(read(inputs, data))["scope"]["overrides"]
    }
    for name in CONTROLS:
        assert entries[name]["grid"] == {"features": ["raw"]} and "not_applicable" not in entries[name]
    assert entries["BirchTree"]["not_applicable"].startswith("BirchTree takes features")


@pytest.mark.parametrize(("n_clusters", "refused"), [(5, False), (6, True)])
def test_registered_data_too_have_no_more_clusters_than_half_of_the_rows(
    inputs, monkeypatch, n_clusters, refused
):
    source = Source("digits", "features", False, True, 11, n_clusters)
    monkeypatch.setattr(spec, "sources_of", lambda *entry: {"d": source})
    text = "data: {d: {registered: digits}}\nmethods: [Agglomerative]\n"
    if refused:
        with pytest.raises(InputFileError, match="d: has 6 clusters; expected at most 5: a draw has half"):
            read(inputs, text)
    else:
        assert read(inputs, text).data == {"d": source}


def test_the_same_rows_with_another_label_or_number_are_other_data(inputs):
    rows = (inputs / "patients.csv").read_text().splitlines()
    halves = [rows[0] + ",half", *(f"{row},{'ab'[i % 2]}" for i, row in enumerate(rows[1:]))]
    (inputs / "halves.csv").write_text("\n".join(halves))
    entries = ["label: diagnosis, ignore: [half]", "label: half, ignore: [diagnosis]"]
    entries += [f"clusters: {k}, ignore: [half, diagnosis]" for k in (2, 3)]
    data = ", ".join(f"d{i}: {{file: halves.csv, {entry}}}" for i, entry in enumerate(entries))
    assert len(read(inputs, f"data: {{{data}}}\nmethods: [Agglomerative]\n").data) == 4
    two = "data: {a: {registered: digits}, b: {registered: nested-blobs}}\nmethods: [Agglomerative]\n"
    assert list(read(inputs, two).data) == ["a", "b"]
