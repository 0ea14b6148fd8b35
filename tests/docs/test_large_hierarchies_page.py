"""docs/large-hierarchies.md: its example runs, and its tables say what `linkage` does."""

import doctest
import re

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import pdist, squareform

from cladebench import linkage
from cladebench.methods import Agglomerative
from cladebench.solvers.graph_linkages import ALONG_GRAPH
from cladebench.solvers.linkages import METHODS, WITHOUT_MATRIX
from doc_examples import ROOT

PAGE = ROOT / "docs" / "large-hierarchies.md"
METRICS = {
    "Euclidean": "euclidean",
    "squared Euclidean": "sqeuclidean",
    "squared": "sqeuclidean",
    "cosine": "cosine",
}


def test_the_example_holds() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 5 and results.failed == 0


def test_its_table_has_what_needs_no_matrix() -> None:
    rows = re.findall(
        r"^\| ([\w, ]+) \| ([\w, ]+) \| .* \| n d", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    found: dict[str, set[str]] = {}
    for methods, metrics in rows:
        for method in methods.lower().split(", "):
            found.setdefault(method, set()).update(METRICS[metric] for metric in metrics.split(", "))
    assert found == {method: set(metrics) for method, metrics in WITHOUT_MATRIX.items()}
    assert set(found) == set(METHODS) and set(ALONG_GRAPH) == {"ward", "single", "average", "weighted"}


def test_what_is_refused_and_what_is_not() -> None:
    D = squareform(pdist(np.random.default_rng(0).normal(size=(5, 2))))
    for X, how, words in [
        ([[np.nan], [1.0]], {}, r"X\[0, 0\] is NaN; expected finite"),
        ([[1.0], [np.inf]], {}, r"X\[1, 0\] is infinity; expected finite"),
        (np.zeros((0, 2)), {}, "shape"),
        (np.zeros((2, 0)), {}, "shape"),
        ([["a"], ["b"]], {}, "numbers"),
        ([[1j], [2.0]], {}, "numbers"),
        (np.ma.masked_less([[0.0], [1.0]], 0.5), {}, "mask"),
        ([[1.0, 0.0], [0.0, 0.0]], {"method": "average", "metric": "cosine"}, "row 1 is zero"),
        ([[1.0, 2.0], [3.0, 3.0]], {"method": "average", "metric": "correlation"}, "rows 0 and 1"),
        (scipy.sparse.eye_array(3, format="csr"), {}, "sparse"),
    ]:
        with pytest.raises(ValueError, match=words):
            linkage(X, **how)
    assert linkage([[1.0, 2.0]]).shape == (0, 4) and Agglomerative(1).fit([[1.0]]).hierarchy_.n_leaves == 1
    assert linkage(np.ones((4, 2)))[:, 2].tolist() == [0.0] * 3
    assert len(linkage(np.eye(3, 50))) == 2
    with pytest.warns(UserWarning, match="taken for features"):
        linkage(D)
    tree = Agglomerative(linkage="average", metric="precomputed").fit(D).hierarchy_
    assert np.array_equal(tree.to_linkage()[:, 2], linkage(squareform(D), "average")[:, 2])
