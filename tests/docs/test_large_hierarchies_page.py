"""docs/large-hierarchies.md: its example runs, and its table says what `linkage` does."""

import doctest
import re

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from cladebench import linkage
from cladebench.solvers.graph_linkages import ALONG_GRAPH
from cladebench.solvers.linkages import METHODS, METRICS, WITHOUT_MATRIX
from doc_examples import ROOT

PAGE = ROOT / "docs" / "large-hierarchies.md"
METRIC_NAMES = {
    "Euclidean": "euclidean",
    "squared Euclidean": "sqeuclidean",
    "squared": "sqeuclidean",
    "cosine": "cosine",
}


def test_the_example_holds() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 5 and results.failed == 0


def test_lines_of_its_picture_are_told_apart_without_colour() -> None:
    picture = (ROOT / "docs" / "images" / "linkage-growth.svg").read_text(encoding="utf-8")
    lines = set(re.findall(r'style="fill: none;([^"]*stroke-width: 1\.2[^"]*)"', picture))
    dashes = [re.search(r"stroke-dasharray: ([\d.,]+)", line) for line in lines]
    assert len(lines) == 4 and len({found and found[1] for found in dashes}) == 4


def test_its_table_has_what_needs_no_matrix() -> None:
    rows = re.findall(
        r"^\| ([\w, ]+) \| ([\w, ]+) \| .* \| n d", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    found: dict[str, set[str]] = {}
    for methods, metrics in rows:
        for method in methods.lower().split(", "):
            found.setdefault(method, set()).update(METRIC_NAMES[metric] for metric in metrics.split(", "))
    assert found == {method: set(metrics) for method, metrics in WITHOUT_MATRIX.items()}
    found["weighted"].add("euclidean")  # SciPy's without a graph
    assert set(found) == set(METHODS) and found == {
        method: set(names) for method, names in ALONG_GRAPH.items()
    }


def test_metrics_that_are_left_out_are_taken_as_distances() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sentence = re.search(r"SciPy's other metrics are left out: (.*?)\.", text, re.DOTALL)
    assert sentence
    names = set(re.findall(r"\w+", sentence[1])) - {"functions", "and"}
    X = np.random.default_rng(0).integers(0, 2, size=(30, 5)).astype(bool)
    X[0] = True
    assert "jaccard" in names and not names & set(METRICS)
    for name in names:
        y = pdist(X + 0.0 if name == "mahalanobis" else X, name)
        with pytest.raises(ValueError, match=f"metric='{name}': expected one of"):
            linkage(X, "average", name)
        if np.isfinite(y).all():
            assert len(linkage(y, "average")) == 29


def test_its_table_has_the_bytes_of_a_matrix() -> None:
    rows = re.findall(
        r"^\| ([\w, ]+) \| [\w, ]+ \| .* \| (\d) n\^2 bytes", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rows == [("weighted", "8"), ("complete, average, weighted", "8"), ("single", "4")]
