"""Records of the HFD paper with known values, and the context that reads them."""

from types import SimpleNamespace

import numpy as np

from golden_records import N_SAMPLES, cell_id, cells, context_of, failed

AT5 = {"neighbors": 5}
TREES = {"n_trees": 50}
#: Settings of ITML: the first is the better one on training rows, the second on test rows.
TRAINED, TESTED = {"gamma": 0.1}, {"gamma": 1.0}
PRINTED = [
    (
        "map-1",
        "Table 1",
        "sonar-search",
        "HFD-search",
        "mean_average_precision",
        0.8,
        "0.812",
        '{"candidates":1}',
    ),
    (
        "map-30",
        "Table 1",
        "usps-search",
        "HFD-search",
        "mean_average_precision",
        0.9,
        "0.9945",
        '{"candidates":30}',
    ),
    ("time-1", "Table 2", "sonar-search", "HFD-search", "time_share", 0.5, "0.499", '{"candidates":1}'),
    ("v-hfd", "Table 3", "sonar-60", "HFD", "v_measure", 0.1, "0.1267"),
    ("v-dca", "Table 3", "sonar-120", "DCA", "v_measure", 0.1, "0.1098"),
]


def folded(dataset, method, metrics, setting=None, at=None):
    """Cells of the folds of one repetition."""
    rows = cells(dataset, method, metrics, setting, at=at)
    n, folds = N_SAMPLES[dataset], max(1, len({row["repetition"] for row in rows}))
    parts = {"n_train": n - n / folds, "n_test": n / folds}
    of_folds = ((row, {"fold": row["repetition"], "repetition": 0}) for row in rows)
    return [
        row | fold | parts | {"cell_id": cell_id(dataset, method, setting) + f".{fold['fold']}"}
        for row, fold in of_folds
    ]


def classified(dataset, method, values, setting=None, **more):
    """Accuracy of five neighbours, beside that of one, which no figure shows."""
    other = {"accuracy": [0.01] * len(values)}
    return [
        *folded(dataset, method, {"accuracy": values}, setting, AT5),
        *folded(dataset, method, other, setting, {"neighbors": 1}),
        *folded(dataset, method, {name: [value] * len(values) for name, value in more.items()}, setting),
    ]


def searched(method, number, precision, share):
    metrics = {"mean_average_precision": precision, "time_share": share}
    return cells("sonar-search", method, metrics, TREES, at={"candidates": number})


ROWS = [
    classified("sonar", "Euclidean", [0.7, 0.8, 0.9], seconds=0.01, seconds_per_query=1e-4),
    classified("sonar", "HFD", [0.9, 0.9, 0.9], seconds=10.0, seconds_per_query=1e-3),
    classified("sonar", "ITML", [0.6, 0.61, 0.62], TRAINED, inner_accuracy=0.9),
    classified("sonar", "ITML", [0.8, 0.81, 0.82], TESTED, inner_accuracy=0.5),
    classified("sonar", "Random", [0.3, 0.3, 0.3]),
    failed("sonar", "LMNN", "timeout"),
    failed("usps", "LMNN", "timeout"),
    failed("sonar", "NCA", "missing"),
    classified("usps", "Euclidean", [0.95], n_constraints=30000),
    classified("usps", "HFD", [0.93, 0.94]),
    classified("usps", "RFD", [0.91, 0.92]),
    classified("nested-blobs", "HFD", [1.0]),
    classified("sonar-noise-10", "HFD", [0.85, 0.85, 0.85]),
    classified("sonar-noise-20", "HFD", [0.75, 0.75, 0.75]),
    classified("sonar-noise-20", "Euclidean", [0.6, 0.6, 0.6]),
    cells("cifar10", "HFD", {"precision": [0.4, 0.5]}, at=AT5),
    cells("cifar10", "HFD", {"precision": [0.2, 0.3]}, at={"neighbors": 50}),
    cells("cifar10", "HFD", {"precision": [0.3, 0.3]}, at={"neighbors": 20}),
    cells("cifar10", "HFD", {"precision": [0.9, 0.9]}, at={"neighbors": 7}),
    searched("HFD-search", 1, [0.8, 0.9], [0.5, 0.6]),
    searched("HFD-search", 10, [0.99, 0.99], [0.9, 1.0]),
    searched("HFD-search-random", 1, [0.5], [0.4]),
    cells("sonar-60", "HFD", {"v_measure": [0.1, 0.2], "ami": [0.05, 0.15], "v_measure_fixed": [0.1, 0.1]}),
    cells(
        "sonar-60",
        "Random",
        {"n_constraints": [50], "v_measure": [0.01], "ami": [0.0], "v_measure_fixed": [0.02]},
    ),
    failed("sonar-60", "DCA", "missing"),
]
QUERY = [7, 8]


def neighbors(first):
    """What a cell stores for the gallery: two test rows, six neighbours of each, of which some have their class."""
    return {
        "gallery_rows": np.array(QUERY),
        "gallery_neighbors": np.arange(first, first + 12).reshape(2, 6),
        "gallery_relevant": np.array([[1, 0, 0, 0, 1, 1], [0] * 6], dtype=bool),
    }


class Images:
    """Images that say which rows were asked for."""

    def __init__(self):
        self.rows = []

    def thumbnail(self, row, size):
        self.rows.append(row)
        return np.full((16, 16), row, dtype=np.uint8)


def golden_context():
    # RFD and HFD have met two tasks, Euclidean one of them.
    arrays = {
        f"{cell_id('usps', method)}.{fold}": neighbors(first)
        for method, first in (("Euclidean", 20), ("HFD", 40), ("RFD", 60))
        for fold in (0, 1)
    }
    data = SimpleNamespace(images=Images())
    names = list(dict.fromkeys(row["dataset"] for group in ROWS for row in group))
    # Of those beyond the paper only one is a problem of classification.
    entries = {
        n: {"title": n, "n_samples": N_SAMPLES[n], "beyond": n in ("nested-blobs", "sonar-60")} for n in names
    }
    load = {"usps": data}.__getitem__
    return context_of(
        "hfd",
        *ROWS,
        published=PRINTED,
        arrays=arrays,
        entries=entries,
        load_data=lambda name, draw: load(name),
    )
