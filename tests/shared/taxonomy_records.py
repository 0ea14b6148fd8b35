"""Records of the taxonomy paper with known values, and what its artifacts make of them."""

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.paper.catalogue import load_plan
from cladebench.paper.protocol import tree_arrays
from cladebench.papers.taxonomy.artifacts import ARTIFACTS
from golden_records import build, cell_id, cells, context_of, failed

PLAN = load_plan("taxonomy")
THREE = Hierarchy([-1, 0, 0, 0], [1, 2, 3], edge_lengths=[0.0, 1.0, 2.0, 3.0])


def made(name, *rows, **more):
    return build(ARTIFACTS, name, context_of("taxonomy", *rows, **more))


def label(method):
    return PLAN.methods[method].label


FACES = [
    cells("faces", "NTC", {"conditional_entropy": [0.4, 0.2]}),
    cells("faces", "Spectral", {"conditional_entropy": [0.5]}),
    cells("faces", "CLUHSIC-h", {"conditional_entropy": [0.7]}),
    cells("faces", "KM", {"conditional_entropy": [0.8]}),
    cells("faces", "Oracle", {"conditional_entropy": [0.1]}),
    failed("faces", "CLUHSIC-a", "timeout"),
]
PRINTED_ENTROPIES = [
    ("one", "Table 1", "faces", "NTC", "conditional_entropy", 0.2807, "0.2807"),
    ("two", "Table 1", "faces", "CLUHSIC-b", "conditional_entropy", 0.4970, "0.4970"),
    ("other", "Table 9", "faces", "CLUHSIC-c", "conditional_entropy", 9.0, "9"),
]
LABELS = np.array([0, 2, 0, 1, 2, 0, 1])
TOP = np.array([[f"{c}{place}" for place in range(7)] for c in "xyz"])


def documents(dataset, **more):
    """Three runs, of which the second and the third have the largest objective; the second is shown."""
    arrays = {**tree_arrays(THREE), "labels": LABELS, "top_words": TOP, **more}
    rows = cells(dataset, "NTC", {"objective": [1.0, 3.0, 3.0]})
    return rows, {cell_id(dataset, "NTC", None, 1): arrays}
