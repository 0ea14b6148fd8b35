"""What a user writes wrongly is said in one line, with the file, the key and what was expected."""

import pytest

from cladebench.comparison import CONTROLS, spec
from cladebench.comparison.methods import fitting, found_methods
from cladebench.comparison.spec import read_comparison
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
        (GOOD + "settings: {Agglomerative: {linkages: [ward]}}\n", "no parameter 'linkages'"),
        (
            GOOD + "settings: {Agglomerative: {n_clusters: [2]}}\n",
            "settings.Agglomerative.n_clusters: the number",
        ),
        (
            GOOD.replace("[Agglomerative]", "[Agglomerativ]"),
            "estimator 'Agglomerativ' is unknown; did you mean",
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
            "expected at most 18: a draw has",
        ),
    ],
)
def test_mistakes_are_named(inputs, text, said):
    with pytest.raises(InputFileError) as error:
        read(inputs, text)
    assert said in str(error.value) and "\n" not in str(error.value)
    assert "?" not in str(error.value) or str(error.value).endswith("?") or "unknown key" in str(error.value)
    assert "estimators.py" not in str(error.value)  # which no user wrote


def test_a_method_may_be_named_twice(inputs):
    found = read(inputs, GOOD.replace("[Agglomerative]", "[Agglomerative, BirchTree, Agglomerative]"))
    assert list(found.methods) == ["Agglomerative", "BirchTree", *CONTROLS]


def test_two_classes_of_one_name_have_keys_of_their_own(inputs):
    (inputs / "other.py").write_text(
        "class Mine:\n    def fit_predict(self, X):\n        return [0] * len(X)\n"
    )
    texts = ["users_methods.py:Mine", "other.py:Mine", "sklearn.cluster.KMeans"]
    keys = [method.key for method in found_methods(texts, inputs / "comparison.yaml")]
    assert keys == ["users_methods.Mine", "other.Mine", "KMeans", *CONTROLS]


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


def test_a_file_with_the_name_of_another_module_is_refused(inputs):
    (inputs / "json.py").write_text("class X:\n    def fit(self, X): pass\n")
    with pytest.raises(InputFileError, match="expected another file name"):
        found_methods(["json.py:X"], inputs / "comparison.yaml")


def test_controls_take_all(inputs):
    for method in found_methods(["Agglomerative"], inputs / "comparison.yaml")[1:]:
        assert method.takes("distances", False, {}) == method.takes("features", True, {}) == ({}, "")


def test_a_method_takes_what_its_class_does_unless_it_is_not_installed(inputs):
    (birch, gone, *_) = found_methods(["BirchTree", "nowhere.Method"], inputs / "comparison.yaml")
    assert birch.takes("distances", False, {})[1].startswith("BirchTree takes features")
    assert birch.takes("features", False, {}) == ({}, "")
    assert gone.takes("features", False, {}) == ({}, "nowhere is not installed")


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
