"""Records of the HMMC paper with known values, and the context that reads them."""

import numpy as np

from cladebench.audit.claim_tables import ratios_table
from cladebench.audit.claims_file import load_claims
from cladebench.hierarchy import Hierarchy
from cladebench.paper.protocol import tree_arrays
from golden_records import cell_id, cells, context_of, failed

#: Settings of HMMC: the first has the most compact leaves, the second the best SP, the third neither.
COMPACT, BEST, OTHER = ({"alpha": alpha, "beta": 1.0} for alpha in (0.01, 1.0, 100.0))
K3, WORSE_K3, K4 = ({"n_splits": k, "alpha": alpha} for k, alpha in ((3, 1.0), (3, 0.1), (4, 1.0)))
POINTS = [{"leaf_factor": factor} for factor in (1.0, 1.5, 2.0)]
AT = POINTS[0]
STUDY = [{"n_splits": k} for k in (2, 5)]
PRINTED = [
    ("sp-hmmc", "Table 1, SP", "awa-attr", "HMMC", "sp", 0.944, "94.40"),
    ("ps-hmmc", "Table 1, PS", "awa-attr", "HMMC", "ps_without_root", 0.733, "73.30"),
    ("time-hmmc", "Table 1, runtime", "awa-attr", "HMMC", "seconds", 20.0, "20"),
    ("time-mmc", "Table 1, runtime", "awa-attr", "MMC", "seconds", 60.0, "60"),
]
RATIOS = ratios_table(load_claims("hmmc"))
ROWS = [
    # HMMC on awa-attr; the compact setting is the better one with twice as many leaves.
    cells("awa-attr", "HMMC", {"sp": [0.80, 0.82, 0.81], "ps": [0.7] * 3}, COMPACT, at=AT, n_rows=1000),
    cells("awa-attr", "HMMC", {"leaf_inertia": [1.0] * 3, "seconds": [9.0] * 3}, COMPACT, at=AT, n_rows=1000),
    cells("awa-attr", "HMMC", {"sp": [0.99] * 3}, COMPACT, at=POINTS[2], n_rows=1000),
    cells("awa-attr", "HMMC", {"zeros": [0.1] * 3}, COMPACT, n_rows=1000),
    cells("awa-attr", "HMMC", {"sp": [0.86, 0.92, 0.89], "ps": [0.8] * 3}, BEST, at=AT, n_rows=1000),
    cells("awa-attr", "HMMC", {"ps_without_root": [0.6] * 3}, BEST, n_rows=1000),
    cells("awa-attr", "HMMC", {"leaf_inertia": [2.0] * 3, "seconds": [2, 4, 6]}, BEST, at=AT, n_rows=1000),
    cells("awa-attr", "HMMC", {"sp": [0.70, 0.71, 0.75]}, BEST, at=POINTS[1], n_rows=1000),
    cells("awa-attr", "HMMC", {"sp": [0.60, 0.61, 0.65]}, BEST, at=POINTS[2], n_rows=1000),
    cells("awa-attr", "HMMC", {"zeros": [0.5, 0.7, 0.6]}, BEST, n_rows=1000),
    cells("awa-attr", "HMMC", {"sp": [0.1] * 3, "leaf_inertia": [3.0] * 3}, OTHER, at=AT, n_rows=1000),
    cells(
        "awa-attr",
        "HMMC",
        {"sp_full_tree": [0.95], "ps_full_tree": [0.7], "ps_without_root": [0.5]},
        COMPACT,
        n_rows=1000,
    ),
    cells("awa-attr", "HMMC-G", {"zeros": [0.2]}, {"alpha": 1.0}, n_rows=1000),
    cells("awa-attr", "HMMC-G", {"zeros": [0.9]}, {"alpha": 0.01}, n_rows=1000),
    # One setting, and one K that is better than the other.
    cells("awa-attr", "KM", {"sp": [0.5, 0.7]}, at=AT, n_rows=1000),
    cells("awa-attr", "KM", {"sp": [0.4, 0.6]}, at=POINTS[1], n_rows=1000),
    cells("awa-attr", "HMMC-K", {"sp": [0.83], "leaf_inertia": [5.0]}, K3, at=AT, n_rows=1000),
    cells("awa-attr", "HMMC-K", {"sp": [0.2], "leaf_inertia": [7.0]}, WORSE_K3, at=AT, n_rows=1000),
    cells("awa-attr", "HMMC-K", {"sp": [0.84], "leaf_inertia": [6.0]}, K4, at=AT, n_rows=1000),
    cells("awa-attr", "MMC", {"sp": [0.4], "seconds": [16.0]}, {"alpha": 0.01}, at=AT, n_rows=1000),
    cells("awa-attr", "MMC", {"sp": [0.3], "seconds": [1.0]}, {"alpha": 1.0}, at=AT, n_rows=1000),
    cells("awa-attr", "assignment-study", {"seconds_cbc": [8.0, 12.0]}, at=STUDY[0], n_rows=1000),
    cells("awa-attr", "assignment-study", {"seconds_flow": [0.5, 1.8, 0.1]}, at=STUDY[0], n_rows=1000),
    cells("awa-attr", "assignment-study", {"seconds_cbc": [30.0]}, at=STUDY[1], n_rows=1000),
    cells("awa-attr", "assignment-study", {"seconds_flow": [0.3]}, at=STUDY[1], n_rows=1000),
    cells(
        "awa-attr", "assignment-study", {"seconds_highs": [6.0], "seconds_assignment": [0.01]}, at=STUDY[0]
    ),
    cells(
        "awa-attr", "assignment-study", {"seconds_highs": [6.0], "seconds_assignment": [0.01]}, at=STUDY[1]
    ),
    # Another data set.
    cells("vehicle", "KM", {"sp": [0.3]}, at=AT),
    cells("vehicle", "HMMC", {"zeros": [0.4]}, BEST),
    failed("vehicle", "SC", "timeout"),
    cells("nested-blobs", "KM", {"sp": [1.0]}, at=AT),
]


def stored(leaf, trace=()):
    """A root split in two, of which the left part is split again; ``leaf`` says how many images go where."""
    tree = Hierarchy([-1, 0, 0, 1, 1], np.repeat([2, 3, 4], leaf))
    counts = np.zeros((5, 3), dtype=int)
    for node, kind, n in ((2, 0, leaf[0]), (3, 1, leaf[1]), (4, 2, leaf[2])):
        while node >= 0:
            counts[node, kind] += n
            node = int(tree.parents[node])
    return {
        **tree_arrays(tree),
        "class_counts": counts,
        "top_features": np.array([[0, 1, 2], [2, 0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2]]),
        "top_feature_shares": np.array([[0.9, 0.096, 0.004], [0.7, 0.3, 0.0], *[[0.0] * 3] * 3]),
        "class_names": np.array(["ape", "bat", "cat"]),
        "feature_names": np.array(["black", "white", "blue"]),
        "trace_objective": np.array(trace),
    }


def golden_context():
    best = [cell_id("awa-attr", "HMMC", BEST, r) for r in range(3)]
    arrays = {
        best[0]: stored([5, 3, 2], [8.0, 4.0, 2.0]),
        best[1]: stored([1200, 30, 4], [6.0, 3.0]),
        best[2]: stored([3, 3, 3], [7.0]),
        **{cell_id("awa-attr", "HMMC-G", s): stored([1, 1, 1]) for s in ({"alpha": 1.0}, {"alpha": 0.01})},
    }
    names = ["nested-blobs", "awa-attr", "vehicle"]
    return context_of("hmmc", *ROWS, published=PRINTED, arrays=arrays, datasets=names, ratios=RATIOS)
