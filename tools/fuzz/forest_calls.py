"""Valid calls of what grows forests, splits nodes and learns distances."""

# ruff: noqa: D103  (generators are named after what they call)

from typing import Any

import numpy as np
from draws import Arguments, Make, call, floats, labels, pairs, size


@call
def grow_pair_forest(rng: np.random.Generator, core: Any) -> Arguments:
    n, d = size(rng), size(rng, most=4)
    return {
        "X": floats(rng, n, d).astype(np.float32),
        "must_link": pairs(rng, n, 1),
        "cannot_link": pairs(rng, n, 1),
        "max_features": int(rng.integers(1, 2 * d + 1)),
        "min_samples_leaf": 1,
        "bootstrap": bool(rng.integers(2)),
        "seed": int(rng.integers(2**63)),
        "n_trees": int(rng.integers(1, 15)),
    }


@call
def pair_forest_means(rng: np.random.Generator, core: Any) -> Arguments:
    grown = grow_pair_forest(rng, core)
    A, B = (floats(rng, size(rng), grown["X"].shape[1]).astype(np.float32) for _ in "AB")
    return {**core.grow_pair_forest(**grown), "A": A, "B": B, "result": np.empty((len(A), len(B)))}


@call
def pair_forest_neighbors(rng: np.random.Generator, core: Any) -> Arguments:
    grown = grow_pair_forest(rng, core)
    rows = grown["X"]
    queries = floats(rng, size(rng), rows.shape[1]).astype(np.float32)
    k = int(rng.integers(1, len(rows) + 1))
    return {**core.grow_pair_forest(**grown), "queries": queries, "rows": rows, "k": k}


def start(rng: np.random.Generator) -> Make:
    return Make("SplitStart", {"name": str(rng.choice(["EIGENVECTOR", "THROUGH_ZERO", "RANDOM"]))})


def split_settings(rng: np.random.Generator) -> Make:
    values = {
        "weight": 0.01,
        "unconstrained": float(rng.choice([0.0, 1.0])),
        "share": 0.5,
        "tolerance": 0.01,
        "gap": 0.01,
        "early_gap": 0.1,
        "max_rounds": 5,
        "supervised_rounds": 2,
        "membership": 0.25,
        "ridge": 0.01,
        "start": start(rng),
        "subgradient": bool(rng.integers(2)),
        "restart": bool(rng.integers(2)),
        "step_tolerance": 0.01,
        "max_steps": 20,
    }
    return Make("SplitSettings", values)


@call
def SplitSettings(rng: np.random.Generator, core: Any) -> Arguments:
    return {}


def split_case(rng: np.random.Generator) -> Arguments:
    n = size(rng)
    links = {name: pairs(rng, n) for name in ("must_link", "cannot_link")}
    return {"X": floats(rng, n, size(rng)), **links}


@call
def max_margin_split(rng: np.random.Generator, core: Any) -> Arguments:
    return {**split_case(rng), "settings": split_settings(rng), "seed": int(rng.integers(2**63))}


@call
def scatter_direction(rng: np.random.Generator, core: Any) -> Arguments:
    return {**split_case(rng), "ridge": 0.01}


@call
def FixedSplit(rng: np.random.Generator, core: Any) -> Arguments:
    case = split_case(rng)
    return {**case, "settings": split_settings(rng), "w": floats(rng, case["X"].shape[1] + 1)}


@call
def FixedSplit__evaluate(rng: np.random.Generator, core: Any) -> Arguments:
    own = FixedSplit(rng, core)
    return {"self": Make("FixedSplit", own), "w": floats(rng, len(own["w"])), "repeats": 2}


@call
def FixedSplit__multiply(rng: np.random.Generator, core: Any) -> Arguments:
    return FixedSplit__evaluate(rng, core)


@call
def FixedSplit__minimise(rng: np.random.Generator, core: Any) -> Arguments:
    own = FixedSplit(rng, core)
    return {"self": Make("FixedSplit", own), "w": floats(rng, len(own["w"])), "gap": 0.01, "most": 20}


@call
def grow_forest(rng: np.random.Generator, core: Any) -> Arguments:
    n, d = size(rng), size(rng, most=6)
    settings = dict(split_settings(rng).arguments)
    settings["start"] = settings["start"](core)
    return {
        "X": rng.normal(size=(n, d)),
        "must_link": pairs(rng, n),
        "cannot_link": pairs(rng, n),
        "min_node_size": int(rng.integers(1, 4)),
        "n_split_features": int(rng.integers(1, d + 1)),
        "settings": {**settings, "splits": str(rng.choice(["random", "max-margin"]))},
        "seed": int(rng.integers(2**63)),
        "first": 0,
        "count": int(rng.integers(1, 5)),
    }


@call
def PlacedForest(rng: np.random.Generator, core: Any) -> Arguments:
    grown = grow_forest(rng, core)
    grown["settings"]["splits"] = "random"
    names = ("n_nodes", "right", "size", "features", "weights")
    arrays = dict(zip(names, core.grow_forest(**grown), strict=True))
    return {"X": grown["X"], **arrays, "n_split_features": grown["n_split_features"], "alpha": 1.0}


@call
def PlacedForest__pairwise(rng: np.random.Generator, core: Any) -> Arguments:
    own = PlacedForest(rng, core)
    A, B = (floats(rng, size(rng), own["X"].shape[1]) for _ in "AB")
    return {"self": Make("PlacedForest", own), "A": A, "B": A if rng.random() < 0.3 else B}


@call
def PlacedForest__neighbors(rng: np.random.Generator, core: Any) -> Arguments:
    own = PlacedForest(rng, core)
    n, d = own["X"].shape
    queries = None if n > 1 and rng.random() < 0.5 else floats(rng, size(rng), d)
    return {
        "self": Make("PlacedForest", own),
        "queries": queries,
        "k": int(rng.integers(1, n + (queries is not None))),
        "candidates": int(rng.integers(0, n + 1)),
        "nearest": bool(rng.integers(2)),
        "seed": int(rng.integers(2**63)),
        "refill": bool(rng.integers(2)),
    }


def some_queries(rng: np.random.Generator, core: Any) -> Arguments:
    own = PlacedForest(rng, core)
    queries = None if rng.random() < 0.5 else floats(rng, size(rng), own["X"].shape[1])
    return {"self": Make("PlacedForest", own), "queries": queries}


@call
def PlacedForest__leaves(rng: np.random.Generator, core: Any) -> Arguments:
    return some_queries(rng, core)


@call
def PlacedForest__ways(rng: np.random.Generator, core: Any) -> Arguments:
    return some_queries(rng, core)


@call
def TripletLoss(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    targets = rng.integers(-1, n, (n, int(rng.integers(1, 4))))
    return {"labels": labels(rng, n, 3), "targets": targets, "mu": 0.5, "smoothing": 0.1}


@call
def TripletLoss__evaluate(rng: np.random.Generator, core: Any) -> Arguments:
    own = TripletLoss(rng, core)
    Z, V = (floats(rng, len(own["labels"]), size(rng)) for _ in "ZV")
    return {"self": Make("TripletLoss", own), "Z": Z, "V": Z if rng.random() < 0.3 else V}


@call
def TripletLoss__set_smoothing(rng: np.random.Generator, core: Any) -> Arguments:
    return {"self": Make("TripletLoss", TripletLoss(rng, core)), "smoothing": 0.2}


@call
def TreeBuilder(rng: np.random.Generator, core: Any) -> Arguments:
    return {"X": floats(rng, size(rng), size(rng))}


@call
def TreeBuilder__fit(rng: np.random.Generator, core: Any) -> Arguments:
    own = TreeBuilder(rng, core)
    outputs = floats(rng, len(own["X"]), size(rng, most=20))
    return {"self": Make("TreeBuilder", own), "outputs": outputs, "depth": int(rng.integers(0, 5))}


@call
def add_trees(rng: np.random.Generator, core: Any) -> Arguments:
    n, d, m, t, depth = size(rng), size(rng), size(rng, most=5), size(rng, most=4), int(rng.integers(0, 4))
    inner = 2**depth - 1
    return {
        "X": floats(rng, n, d),
        "feature": labels(rng, t * inner, d).reshape(t, inner).astype(np.int32),
        "threshold": floats(rng, t, inner),
        "values": floats(rng, t, inner + 1, m),
        "depth": depth,
        "Z": floats(rng, n, m),
    }
