"""Tables with columns that are no numbers, met by all entry points alike."""

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from cladebench import Hierarchy, linkage
from cladebench.distances import Euclidean
from cladebench.estimators import TransformedDistance
from cladebench.methods import Agglomerative, FlatKMeans
from cladebench.metrics import Similarity
from cladebench.table_entries import columns_of, entry
from cladebench.validation import as_floats

Call = Callable[[Any], object]


def fitted() -> Euclidean:
    return Euclidean().fit([[0.0, 1.0], [2.0, 3.0]])


ENTRIES: list[tuple[str, Call]] = [
    ("Agglomerative: X", lambda X: Agglomerative().fit(X)),
    ("FlatKMeans: X", lambda X: FlatKMeans(2).fit(X)),
    ("Euclidean: X", lambda X: Euclidean().fit(X)),
    ("Euclidean: Y", lambda X: fitted().pairwise([[0.0, 0.0]], X)),
    ("X", linkage),
]


@pytest.mark.parametrize(("where", "call"), ENTRIES)
@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            pd.DataFrame({"weight": [1.0, 2.0], "id": ["1", "p0"]}),
            "[1, 'id'] is 'p0'; expected numbers: leave such columns out, or encode them",
        ),
        (
            pd.DataFrame({"kind": pd.Categorical(["x", "y"]), "b": [1, 2]}),
            "[0, 'kind'] is 'x'; expected numbers: leave such columns out, or encode them",
        ),
        ([[1, "a"], [2, "b"]], "[0, 1] is 'a'; expected numbers: leave such columns out, or encode them"),
        ([[1, 2], [-(10**5000), 0]], "[1, 0] is beyond 1.8e308; expected numbers that fit into float64"),
        ([[1, Fraction(10**400)]], "[0, 1] is beyond 1.8e308; expected numbers that fit into float64"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), " has 2 columns 'a'; expected different names"),
        ([[1, 2], [1j, 0]], ": Complex data not supported; expected real numbers"),
        ([[1, 2], [3]], "[1] has length 1, and {name}[0] 2; expected rows of one length"),
        (
            pd.DataFrame({"id": [1, 2], "weight": [0.0, np.nan]}),
            "[1, 'weight'] is NaN; expected finite numbers: leave such rows out, or fill them, "
            "as sklearn.impute.SimpleImputer does",
        ),
        (
            pd.DataFrame([[1, -np.inf]], columns=[3, 4]),
            "[0, 1] is infinity; expected finite numbers: leave such rows out, "
            "or give the largest value that makes sense",
        ),
    ],
)
def test_what_is_no_number_is_named(where: str, call: Call, table: Any, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        call(table)
    assert str(caught.value) == where + words.format(name=where.split()[-1])


@pytest.mark.parametrize(("_", "call"), ENTRIES[1:4])
def test_text_that_reads_as_numbers_passes(_: str, call: Call) -> None:
    call([["1", "2.5"], ["3", "-1e3"]])
    call(pd.DataFrame({"a": ["1", "2"], "b": [3, 4]}))


def test_an_entry_of_no_place_has_no_index() -> None:
    assert entry("X", ()) == "X"
    for _, call in (ENTRIES[0], ENTRIES[4]):
        with pytest.raises(ValueError, match=r"X is 'abc'; expected numbers"):
            call("abc")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([["1", "2"], ["3", "4"]], "[0, 0] is '1'; expected numbers: leave such columns out, or encode them"),
        ([[b"1", b"2"]], "[0, 0] is b'1'; expected numbers: leave such columns out, or encode them"),
        (
            pd.DataFrame({"a": [1, 2], "b": ["3", "4"]}),
            "[0, 'b'] is '3'; expected numbers: leave such columns out, or encode them",
        ),
        (
            pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [0.5, 1.5]}),
            "[1, 'a'] is <NA>; expected numbers: leave such rows out, or fill them",
        ),
        (scipy.sparse.csr_array(np.eye(3)), " is sparse; expected a dense array"),
        (
            np.empty((0, 4)),
            ": 0 sample(s) (shape=(0, 4)) while a minimum of 1 is required; expected a 2D array",
        ),
        (
            np.empty((4, 0)),
            ": 0 feature(s) (shape=(4, 0)) while a minimum of 1 is required; expected a 2D array",
        ),
        ([[]], ": 0 feature(s) (shape=(1, 0)) while a minimum of 1 is required; expected a 2D array"),
        ([], ": shape (0,), dim 1; expected a 2D array (n_samples, n_features), both at least 1"),
        (
            np.array([(1.0, 2)], dtype=[("a", float), ("b", int)]),
            " is a structured array of a, b; expected a 2D array: numpy.lib.recfunctions",
        ),
        (np.ma.masked_less([[0.0, 1.0]], 0.5), " has 1 masked entries; expected values without a mask"),
        ({"a": 1}, ": dict, shape (), dim 0; expected a 2D array"),
        (3.0, ": float, shape (), dim 0; expected a 2D array (n_samples, n_features), both at least 1"),
        (np.zeros((2, 2, 2)), ": shape (2, 2, 2), dim 3; expected a 2D array (n_samples, n_features)"),
    ],
)
def test_linkage_and_its_estimator_refuse_in_the_same_words(table: Any, words: str) -> None:
    for where, call in (ENTRIES[0], ENTRIES[4]):
        with pytest.raises(ValueError) as caught:
            call(table)
        assert str(caught.value).startswith(where + words)


def test_one_feature_that_is_no_column_is_told_how_to_be_one() -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\), dim 1; .*: X\.reshape\(-1, 1\) has one feature$"):
        Agglomerative().fit([1.0, 2.0, 3.0])


def test_a_transformer_is_named_too() -> None:
    from sklearn.preprocessing import StandardScaler

    with pytest.raises(ValueError, match=r"^StandardScaler: X\[0, 'a'\] is 'x'; expected numbers"):
        TransformedDistance(StandardScaler()).fit(pd.DataFrame({"a": ["x"]}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 10**400], r"\[1\] is beyond 1\.8e308"),
        ([1, "2"], r"it has dtype <U21"),
        (np.array([1, "2"], dtype=object), r"\[1\] is '2'"),
        (np.array([1, None, pd.NA], dtype=object), r"\[2\] is <NA>"),
    ],
)
def test_an_entry_that_is_no_float_is_named(values: Any, words: str) -> None:
    with pytest.raises(
        ValueError, match=rf"^v is not an array of numbers: (v)?{words}; expected real numbers$"
    ):
        as_floats("v", values)
    with pytest.raises(ValueError, match=r"^heights is not an array of numbers: "):
        Hierarchy([-1], [0], heights=values)


def test_none_is_read_as_nan_as_numpy_does() -> None:
    assert np.isnan(as_floats("v", [None, 1])).tolist() == [True, False]


def test_a_measure_names_the_column() -> None:
    with pytest.raises(ValueError, match=r"^X is not an array of numbers: X\[0, 'a'\] is 'x'; expected real"):
        Similarity("inv_sq")(pd.DataFrame({"a": ["x"], "b": [1]}))


class Frame:
    """Has columns that are no names, as other classes have."""

    shape = (1, 2)

    def columns(self) -> None:
        raise AssertionError


def test_columns_are_those_of_data_frames_alone() -> None:
    assert columns_of(Frame()) is None
    assert columns_of(np.zeros((1, 2))) is None
    assert columns_of(pd.Series([1.0])) is None
    assert entry("X", (np.int64(2), 1), ["a", 7]) == "X[2, 1]"  # a number would be taken for the place


@pytest.mark.parametrize(("where", "call"), [entry for entry in ENTRIES if entry[0] != "Euclidean: Y"])
def test_integers_that_float64_holds_in_part_are_warned_of(where: str, call: Call) -> None:
    beyond = (
        f"^{where} has integers beyond 2\\^53, and float64 loses their last digits; expected smaller ones"
    )
    unsigned = np.array([[2**53 + 1, 1], [0, 2]], dtype=np.uint64)
    for table in ([[2**52, 1], [2**53 + 1, 2]], [[2**52, 1], [-(2**53) - 1, 2]], unsigned):
        with pytest.warns(UserWarning, match=beyond):
            call(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call([[2**53, 1], [-(2**53), 2]])
        call([[2.0**60, 1.0], [0.0, 2.0]])
