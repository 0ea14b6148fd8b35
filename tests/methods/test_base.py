from typing import Any

import numpy as np
import pytest

from cladebench import Hierarchy
from cladebench.distances import LMNN
from cladebench.methods._flat import FlatClusterer
from cladebench.methods.base import Clusterer, HierarchicalClusterer
from cladebench.methods.controls import OracleTree, RandomTree
from cladebench.validation import check_choice, check_real, check_scale


def test_numbers() -> None:
    for value in (0, 0.0, np.float32(2)):
        check_real("t", value, 0.0)
    for value in (-1e-9, np.nan, np.inf, False, "0", None, 1j):
        with pytest.raises(ValueError, match=r"t=.*expected a finite number >= 0"):
            check_real("t", value, 0.0)
    with pytest.raises(ValueError, match=r"t=0.0: expected a finite number > 0"):
        check_real("t", 0.0, 0.0, open_minimum=True)


def test_choices() -> None:
    check_choice("c", "b", ("b", "a"))
    for value in ("d", None, ["a"]):
        with pytest.raises(ValueError, match=r"c=.*expected one of a, b"):
            check_choice("c", value, ("b", "a"))


def test_scales_at_which_squares_are_lost_are_named() -> None:
    X = np.arange(12.0).reshape(4, 3)
    for scale in (0.0, 1e-150, 1.0, 1e150):
        check_scale(X * scale)
    check_scale(np.full((4, 3), 1e-300))  # constant: no distance is lost
    X[2, 1] = -1e153
    with pytest.raises(ValueError, match=r"X\[2, 1\] is -2e\+153: expected at most 1\.94e\+153") as caught:
        check_scale(X * 2)
    assert "rescale X" in str(caught.value)
    with pytest.raises(ValueError, match=r"extend over 9e-160 at most: expected at least 1\.49e-154"):
        check_scale(np.arange(12.0).reshape(4, 3) * 1e-160)


def test_fit_predict_hands_on_the_labels() -> None:
    X, y = np.zeros((4, 1)), np.array([0, 1, 1, 0])
    assert np.array_equal(OracleTree(n_clusters=2).fit_predict(X, y), y)


@pytest.mark.parametrize("value", ["x", -1, 2**32, 1.5, np.random.default_rng(0)])
def test_a_bad_random_state_is_told_what_is_allowed(value: object) -> None:
    words = r"^random_state=.*: expected None, an integer in 0\.\.2\^32 - 1, or a numpy\.random\.RandomState"
    with pytest.raises(ValueError, match=words) as caught:
        RandomTree(random_state=value).fit([[0.0], [1.0]])
    assert repr(value) in str(caught.value)


class Giving(HierarchicalClusterer):
    """Gives what it is made with as a tree."""

    def __init__(self, given: Any = None, n_clusters: int = 2):
        self.given, self.n_clusters = given, n_clusters

    def _build(self, X, y):
        return self.given


class FlatGiving(Giving, FlatClusterer):
    """Gives it as clusters of a tree."""

    def _build(self, X, y):
        return FlatClusterer._build(self, X, y)

    def _cluster(self, X):
        return self.given


class Labelling(Clusterer):
    """Gives it as clusters."""

    def __init__(self, given: Any = None):
        self.given = given

    def _cluster(self, X, y):
        return self.given


@pytest.mark.parametrize(
    ("cls", "given", "words"),
    [
        (
            Giving,
            Hierarchy.from_nested([0, 1, 2]),
            "_build gave 3 samples; expected a Hierarchy of 5 samples",
        ),
        (Giving, None, "_build gave NoneType; expected a Hierarchy of 5 samples"),
        (Giving, [[0, 1], 2], "_build gave list; expected a Hierarchy of 5 samples"),
        (FlatGiving, np.zeros(4, int), r"_cluster gave shape \(4,\); expected shape \(5,\)"),
        (FlatGiving, None, r"_cluster gave NoneType; expected numbers of shape \(5,\)"),
        (Labelling, np.zeros((5, 1), int), r"_cluster gave shape \(5, 1\); expected shape \(5,\)"),
        (Labelling, [0, 0, 1, 1, 0.5], "_cluster gave 0.5; expected whole numbers"),
        (Labelling, [0, 0, 1, 1, np.nan], "_cluster gave nan; expected whole numbers"),
        (FlatGiving, np.linspace(0, 1, 5), "_cluster gave 0.25; expected whole numbers"),
        (Labelling, list("aabba"), r"_cluster gave text; expected numbers of shape \(5,\)"),
        (Labelling, None, r"_cluster gave NoneType; expected numbers of shape \(5,\)"),
    ],
)
def test_what_a_subclass_gives_is_checked(cls: Any, given: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{cls.__name__}: {words}$"):
        cls(given).fit(np.arange(5.0)[:, None])


def test_whole_numbers_may_be_floats() -> None:
    assert Labelling([7.0, 7.0, -1.0]).fit(np.arange(3.0)[:, None]).labels_.tolist() == [0, 0, 1]


def test_a_tree_is_cut_by_a_number_of_clusters_that_the_constructor_takes() -> None:
    class Uncut(Giving):
        def __init__(self, given: Any = None):
            self.given = given

    with pytest.raises(TypeError, match=r"^Uncut has no n_clusters; expected it in its constructor$"):
        Uncut(Hierarchy.from_nested([0, 1])).fit([[0.0], [1.0]])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0, 1], r"y has 2 labels; expected 3, one for each row of X"),
        ([0, np.nan, 1], r"y\[1\] is nan; expected a class for each sample"),
        (np.array(["a", "b", None], dtype=object), r"y\[2\] is None; expected a class"),
    ],
)
def test_a_row_without_a_class_is_named(y: Any, words: str) -> None:
    for fit in (OracleTree(n_clusters=2).fit, LMNN().fit):
        with pytest.raises(ValueError, match=f"^{words}"):
            fit([[0.0], [1.0], [2.0]], y)
