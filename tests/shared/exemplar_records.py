"""Records of the exemplar paper with known values, and the contexts that read them."""

from types import SimpleNamespace

import numpy as np

from cladebench.metrics.histogram_distances import KINDS
from cladebench.paper.catalogue import load_plan
from golden_records import cell_id, cells, context_of

PLAN = load_plan("exemplar")
LABELS = {name: method.label for name, method in PLAN.methods.items()}
FEATURES = ("gist", "hog", "rot-lbp")
ROUNDS = {"max_iter": 500}
PRINTED = [
    ("uiuc-clustering", "Sec. 6", "uiuc", "Exemplar", "matched_accuracy", 0.86, "86"),
    ("uiuc-neighbours", "Sec. 6", "uiuc", "Exemplar", "nn_accuracy", 0.953, "95.3"),
]


def run(dataset, method, metrics, setting=None, at=None):
    """Finished cells; every one has clusters."""
    length = len(next(iter(metrics.values())))
    beside = {} if at else {"n_clusters": [3] * length}
    return cells(dataset, method, {**metrics, **beside}, setting, at=at, n_rows=100)


def unfinished(dataset, method, status, n=1):
    rows = cells(dataset, method, {None: [None] * n}, status=status, n_rows=100)
    return [row | {"cpu_seconds": None, "peak_memory_mb": None, "n_rows": None} for row in rows]


POINTS = {"pair_f": [0.9, 0.8], "number_right": [1.0, 0.5], "noise_share": [0.125, 0.25]}
ROWS = [
    run("noisy-mixtures-50", "Exemplar", POINTS, ROUNDS),
    run("noisy-mixtures-50", "Euclidean", {"pair_f": [0.2, 0.4]}),
    run("noisy-mixtures-50", "Oracle", {"pair_f": [1.0, 1.0]}),  # which no figure shows
    run("noisy-mixtures-50-n100", "Exemplar", {"pair_f": [0.01], "rounds_to_90": [7]}, ROUNDS),
    run("noisy-mixtures-90-n100", "Exemplar", {"pair_f": [0.7]}, ROUNDS),
    run("noisy-mixtures-90-n100", "Random", {"pair_f": [0.3]}),
    run(
        "outex",
        "Exemplar",
        {
            "matched_accuracy": [1.0, 0.9],
            "nn_accuracy": [1.0, 1.0],
            "rounds_to_90": [10, 30],
            "price": [20, 20],
        },
    ),
    run("outex", "Exemplar", {"knn_accuracy": [0.5, 0.7]}, at={"neighbors": 5}),
    run("outex", "Exemplar", {"knn_accuracy": [0.1, 0.1]}, at={"neighbors": 1}),
    run("uiuc-few", "Exemplar", {"matched_accuracy": [0.8], "nn_accuracy": [0.9]}),
    run("uiuc-few", "Exemplar-several", {"matched_accuracy": [0.85], "rounds_to_90": [12]}),
    run(
        "uiuc-few",
        "Exemplar-noise",
        {"matched_accuracy": [0.75], "nn_accuracy": [0.65], "noise_share": [0.02], "noise_largest": [0.05]},
    ),
    run("uiuc-few", "Average", {"matched_accuracy": [0.6], "nn_accuracy": [0.7]}),
    run("uiuc-few", "Single", {"nn_accuracy": [0.9], "nn_accuracy_training": [0.2]}, {"weights": 0}),
    run("uiuc-few", "Single", {"nn_accuracy": [0.5], "nn_accuracy_training": [0.4]}, {"weights": 1}),
    run("scenes-few", "Exemplar-several", {"matched_accuracy": [0.4], "nn_accuracy": [0.6]}),
    unfinished("scenes-few", "MKL-several", "timeout"),
    unfinished("scenes-few", "Average-several", "missing", 2),
]
NAMES = list(dict.fromkeys(row["dataset"] for group in ROWS for row in group))
NOISY = ("clean 1", "clean 2", "noisy 3", "noisy 4")


def of_points(first: float) -> dict[str, np.ndarray]:
    """What a cell of points stores."""
    return {
        "weights": np.array([first, 1.0, 0.25, 0.0]),
        "features": np.array(NOISY),
        "kinds": np.array(["squared_l2"] * 4),
        "objective_path": np.array([10.0 * first, 5.0 * first, first]),
        "true": np.array([0, 0, 1, 1]),
        "found": np.array([0, 0, 0, 1]),
        "exemplars": np.array([1, 3]),
        "dimensions": np.array([1, 0]),
        "points": np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]) + first,
    }


def of_images(first: float, kinds: int = 1) -> dict[str, np.ndarray]:
    """What a cell of images stores: the first and last of three exemplars serve two images, and one."""
    weights = np.arange(3.0 * kinds) / (3 * kinds)
    weights[0] = first
    return {
        "weights": weights,
        "features": np.repeat(FEATURES, kinds),
        "kinds": np.array(KINDS if kinds == 4 else KINDS[:1] * kinds * 3),
        "objective_path": np.array([4.0, 2.0, first]),
        "true": np.array([0, 1, 1, 2]),
        "found": np.array([0, 0, 1, 2]),
        "exemplars": np.array([1, 2, 3]),
        "rows": np.array([8, 6, 4, 2]),
    }


ARRAYS = {
    **{cell_id("noisy-mixtures-50", "Exemplar", ROUNDS, r): of_points(0.5 + 0.25 * r) for r in (0, 1)},
    cell_id("noisy-mixtures-50-n100", "Exemplar", ROUNDS): of_points(0.125),
    **{cell_id("outex", "Exemplar", None, r): of_images(0.5 * r) for r in (0, 1)},
    cell_id("uiuc-few", "Exemplar"): of_images(0.875),
    cell_id("uiuc-few", "Exemplar-several"): of_images(0.5, 4),
    cell_id("scenes-few", "Exemplar-several"): of_images(0.25, 4),
}


def pictures(available: bool = True) -> SimpleNamespace:
    """Ten images, each of a grey that tells its row, of three classes in turn."""
    pixels = [np.full((4, 4), 10 * row, dtype=np.uint8) for row in range(10)]
    shown = SimpleNamespace(pixels=pixels) if available else None
    names = ("bark", "wood", "brick")
    return SimpleNamespace(images=shown, labels=np.arange(10) % 3, label_names=names)


def context(*rows, names=None, **more):
    """The context of these rows, in a scope of these data sets; by default those of the rows."""
    names = names or list(dict.fromkeys(row["dataset"] for group in rows for row in group))
    entries = {n: {"title": f"title of {n}", "stand_in_for": None, "n_samples": 100} for n in names}
    return context_of("exemplar", *rows, datasets=["glass"], entries=entries, **more)
