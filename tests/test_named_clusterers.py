"""Clusterers that a file names: by name, dotted path or file, each with a key of its own."""

import sys

import pytest

from cladebench.input_files import InputFileError
from cladebench.named_clusterers import named_clusterers
from comparison_runs import inputs as inputs


def test_two_classes_of_one_name_have_keys_of_their_own(inputs):
    (inputs / "other.py").write_text(
        "class Mine:\n    def fit_predict(self, X):\n        return [0] * len(X)\n"
    )
    texts = ["users_methods.py:Mine", "other.py:Mine", "sklearn.cluster.KMeans"]
    keys = [method.key for method in named_clusterers(texts, inputs, "methods")]
    assert keys == ["users_methods.Mine", "other.Mine", "KMeans"]


def test_a_file_with_the_name_of_another_module_is_refused(inputs):
    (inputs / "json.py").write_text("class X:\n    def fit(self, X): pass\n")
    with pytest.raises(InputFileError, match="expected another file name"):
        named_clusterers(["json.py:X"], inputs, "methods")


def test_a_method_takes_what_its_class_does_unless_it_is_not_installed(inputs):
    birch, gone = named_clusterers(["BirchTree", "nowhere.Method"], inputs, "methods")
    assert birch.takes("distances", False, {})[1].startswith("BirchTree takes features")
    assert birch.takes("features", False, {}) == ({}, "")
    assert gone.takes("features", False, {}) == ({}, "nowhere is not installed")


def test_one_of_ours_without_its_library_is_known_before_runs(inputs, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    (ghc,) = named_clusterers(["GHC"], inputs, "methods")
    assert "n_leaves" in ghc.parameters  # so that its settings are checked
    assert ghc.takes("features", False, {}) == (
        {},
        "jax is not installed; expected pip install 'cladebench[ghc]'",
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("HDBSCAN", "did you mean 'sklearn.cluster.HDBSCAN'?"),
        ("gaussianmixture", "did you mean 'sklearn.mixture.GaussianMixture'?"),
        ("Agglomerativ", "did you mean 'Agglomerative'?"),
        ("Brich", "did you mean 'sklearn.cluster.Birch'?"),
        ("DAC", "expected one of cladebench.methods, or the dotted path of a class"),  # DCA is a distance
    ],
)
def test_a_wrong_name_is_answered_with_clusterers_alone(inputs, name, said):
    with pytest.raises(InputFileError) as caught:
        named_clusterers([name], inputs, "methods")
    assert str(caught.value) == f"methods: {name}: is no clusterer of ours; {said}"


def test_a_distance_is_no_clusterer(inputs):
    with pytest.raises(InputFileError, match=r"^methods: DCA: is a distance; expected a clusterer$"):
        named_clusterers(["DCA"], inputs, "methods")
