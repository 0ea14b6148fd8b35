"""docs/large-hierarchies.md: its example runs, and its table says what `linkage` does."""

import doctest
import re

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
