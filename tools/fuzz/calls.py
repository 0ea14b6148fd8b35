"""A valid call of each thing that the compiled core exports, drawn at random, to be spoiled by `mutations`."""

# ruff: noqa: D103  (generators are named after what they call, others after what they draw)

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = dict[str, Any]
Draw = Callable[[np.random.Generator, Any], Arguments]

#: The generator of each exported name; a method is written ``Class.method``, with its object under ``self``.
CALLS: dict[str, Draw] = {}
#: What a fuzz has nothing to vary of.
WITHOUT_ARGUMENTS = {"instruction_set", "instruction_sets", "max_threads", "SplitStart"}


@dataclass
class Make:
    """An object of the core that is made when the call is: of a class and its arguments, or of its attributes."""

    name: str
    arguments: Arguments

    def __call__(self, core: Any) -> Any:  # noqa: D102
        kind = getattr(core, self.name)
        if self.name == "SplitStart":
            return getattr(kind, self.arguments["name"])
        if self.name != "SplitSettings":
            return kind(**made(self.arguments, core))
        settings = kind()
        for name, value in made(self.arguments, core).items():
            setattr(settings, name, value)
        return settings


def made(arguments: Arguments, core: Any) -> Arguments:
    """Arguments with objects in place of what is to be made."""
    return {name: value(core) if isinstance(value, Make) else value for name, value in arguments.items()}


def perform(core: Any, name: str, arguments: Arguments) -> None:
    """Call the core, and read what it gives to the last number."""
    given = made(arguments, core)
    owner = given.pop("self", None)
    read(getattr(core if owner is None else owner, name.rpartition(".")[2])(**given))
    read(owner)


def read(found: Any) -> None:
    """Look at all numbers, and at all attributes of an object of the core."""
    if isinstance(found, np.ndarray):
        found.tobytes()
    elif isinstance(found, dict | tuple | list):
        for part in found.values() if isinstance(found, dict) else found:
            read(part)
    elif type(found).__module__.endswith("_core"):
        for attribute in dir(type(found)):
            if not attribute.startswith("_"):
                value = getattr(found, attribute)
                if isinstance(value, np.ndarray):
                    read(value)


def exported(core: Any) -> set[str]:
    """Every function, class and method of the core, as `CALLS` names them."""
    names = set()
    for name, value in vars(core).items():
        if name.startswith("_") or not callable(value):
            continue
        names.add(name)
        if isinstance(value, type) and name != "SplitStart":
            names |= {
                f"{name}.{method}"
                for method, part in vars(value).items()
                if callable(part) and not method.startswith("_")
            }
    return names


def call(draw: Draw) -> Draw:
    """Enter a generator; its name is the exported one, with two underscores for the dot of a method."""
    CALLS[draw.__name__.replace("__", ".")] = draw
    return draw


def size(rng: np.random.Generator, least: int = 1, most: int = 12) -> int:
    """Mostly small; now and then so large that blocks, lanes and threads come into play."""
    if rng.random() < 0.1:
        most *= 20
    return int(rng.integers(least, most + 1))


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Normal numbers; or few different ones, so that many tie."""
    if rng.random() < 0.3:
        return rng.integers(-1, 2, shape).astype(float)
    return rng.normal(size=shape)


def labels(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    return rng.integers(0, k, n)


def pairs(rng: np.random.Generator, n: int, least: int = 0) -> np.ndarray:
    return rng.integers(0, n, (int(rng.integers(least, 9)), 2))


def parents(rng: np.random.Generator, n_nodes: int) -> np.ndarray:
    """A tree of any arity, its nodes in any order."""
    reach = int(rng.choice([1, 2, n_nodes]))
    up = np.array([-1] + [k - int(rng.integers(1, min(k, reach) + 1)) for k in range(1, n_nodes)])
    name = rng.permutation(n_nodes)
    found = np.full(n_nodes, -1)
    found[name[1:]] = name[up[1:]]
    return found


def tree(rng: np.random.Generator, n_samples: int) -> Make:
    n_nodes = size(rng)
    leaf_of = rng.integers(0, n_nodes, n_samples)
    return Make("Tree", {"parents": parents(rng, n_nodes), "leaf_of": leaf_of})


def unrooted(rng: np.random.Generator, k: int) -> np.ndarray:
    """A binary tree of k points, rooted at point 0; its inner nodes come behind the points."""
    if k <= 2:
        return np.array([-1, 0][:k])
    up = np.full(2 * k - 2, -1)
    up[1] = 0
    for point in range(2, k):
        inner = k + point - 2
        child = int(rng.choice(np.flatnonzero(up >= 0)))
        up[inner], up[child], up[point] = up[child], inner, inner
    return up


def symmetric(rng: np.random.Generator, n: int) -> np.ndarray:
    S = floats(rng, n, n)
    return np.ascontiguousarray(S + S.T)


@call
def Tree(rng: np.random.Generator, core: Any) -> Arguments:
    return tree(rng, size(rng)).arguments


@call
def Tree__lca(rng: np.random.Generator, core: Any) -> Arguments:
    own = tree(rng, size(rng))
    n = len(own.arguments["parents"])
    return {"self": own, "u": labels(rng, 5, n), "v": labels(rng, 5, n)}


@call
def dendrogram_purity(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng, 3)  # of two classes: two samples share one
    return {"tree": tree(rng, n), "labels": labels(rng, n, 2).astype(np.int32), "n_classes": 2}


@call
def class_counts(rng: np.random.Generator, core: Any) -> Arguments:
    n, k = size(rng), int(rng.integers(1, 5))
    made_of = tree(rng, n)
    counts = np.zeros((len(made_of.arguments["parents"]), k), rng.choice([np.int32, np.int64]))
    return {"tree": made_of, "labels": labels(rng, n, k).astype(np.int32), "counts": counts}


@call
def dasgupta_cost_dense(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    return {"tree": tree(rng, n), "similarity": floats(rng, n, n)}


@call
def dasgupta_cost_sparse(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    row_ptr = np.concatenate([[0], np.cumsum(rng.integers(0, 3, n))])
    stored = int(row_ptr[-1])
    column = labels(rng, stored, n).astype(np.int32)
    return {"tree": tree(rng, n), "row_ptr": row_ptr, "column": column, "value": floats(rng, stored)}


@call
def dasgupta_cost_linear(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    return {"tree": tree(rng, n), "X": floats(rng, n, size(rng, most=5))}


@call
def pair_sums(rng: np.random.Generator, core: Any) -> Arguments:
    n, k = size(rng), int(rng.integers(1, 4))
    own = tree(rng, n)
    weights = rng.integers(0, 5, (k, k))
    values = rng.integers(0, 2 ** int(rng.choice([3, 61])), len(own.arguments["parents"]))
    return {"tree": own, "labels": labels(rng, n, k).astype(np.int32), "weights": weights, "values": values}


@call
def link(rng: np.random.Generator, core: Any) -> Arguments:
    return {
        "X": floats(rng, size(rng), size(rng, most=5)),
        "linkage": str(rng.choice(["single", "average", "weighted", "ward", "centroid", "median"])),
        "search": str(rng.choice(["chosen", "tree", "all"])),
    }


@call
def link_by_pairs(rng: np.random.Generator, core: Any) -> Arguments:
    return {
        "X": floats(rng, size(rng), size(rng, most=5)),
        "linkage": str(rng.choice(["complete", "average"])),
        "room": int(rng.choice([0, 1, 2, 5, 20])),
    }


@call
def neighbor_graph(rng: np.random.Generator, core: Any) -> Arguments:
    return {
        "X": floats(rng, size(rng), size(rng, most=5)),
        "k": size(rng),
        "search": str(rng.choice(["chosen", "tree", "all"])),
    }


@call
def link_by_graph(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    begin = np.concatenate([[0], np.cumsum(rng.integers(0, 4, n))])
    return {
        "X": floats(rng, n, size(rng, most=5)),
        "linkage": str(rng.choice(["single", "average", "weighted", "ward"])),
        "begin": begin,
        "ends": rng.integers(0, n, begin[-1]).astype(np.int32),
        "squares": rng.random(n if rng.random() < 0.5 else 0),
    }


@call
def perch(rng: np.random.Generator, core: Any) -> Arguments:
    return {
        "X": floats(rng, size(rng), size(rng, most=5)),
        "rotations": str(rng.choice(["none", "masking", "masking+balance"])),
        "max_leaves": [None, 1, 3][rng.integers(3)],
    }


@call
def balanced_assignment(rng: np.random.Generator, core: Any) -> Arguments:
    n, k = size(rng), int(rng.integers(1, 5))
    lower = np.full(k, n // (k + 1))
    return {"cost": floats(rng, n, k), "lower": lower, "upper": lower + n - k * lower[0]}


@call
def most_matched(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    return {name: rng.integers(0, rng.integers(1, n + 1), n) for name in ("one", "other")}


@call
def first_nonfinite(rng: np.random.Generator, core: Any) -> Arguments:
    return {"X": floats(rng, size(rng), size(rng))}


@call
def squared_hinge(rng: np.random.Generator, core: Any) -> Arguments:
    n, p, k = size(rng), size(rng), int(rng.integers(2, 7))
    return {"X": floats(rng, n, p), "labels": labels(rng, n, k), "W": floats(rng, k, p)}


@call
def assignment_costs(rng: np.random.Generator, core: Any) -> Arguments:
    p = size(rng)
    return {"X": floats(rng, size(rng), p), "W": floats(rng, int(rng.integers(1, 7)), p)}


@call
def sparse_group_prox(rng: np.random.Generator, core: Any) -> Arguments:
    p = size(rng)
    weights = {name: np.abs(floats(rng, p)) for name in ("group", "l1")}
    return {"W": floats(rng, size(rng, most=5), p), "step": 0.3, **weights}


@call
def fit_margin(rng: np.random.Generator, core: Any) -> Arguments:
    n, p, k = size(rng), size(rng, most=9), int(rng.integers(2, 5))
    return {
        "X": floats(rng, n, p),
        "labels": labels(rng, n, k),
        "n_clusters": k,
        **{name: np.abs(floats(rng, p)) for name in ("group", "l1", "ridge")},
        "W": floats(rng, k, p) if rng.random() < 0.5 else None,
        "tol": 1e-3,
        "max_iter": 20,
    }


@call
def router_steps(rng: np.random.Generator, core: Any) -> Arguments:
    n, d, h, b, m, steps = size(rng, 2), size(rng, most=5), int(rng.integers(1, 4)), 2, size(rng, most=4), 2
    kind, leaves = str(rng.choice(["linear", "tanh", "relu"])), int(rng.choice([2, 4, 8]))
    width = d + 1 if kind == "linear" else (d + 2) * h + 1
    drawn = {
        name: rng.integers(0, n, (steps, b, m, *rest)).astype(np.int32)
        for name, rest in (("first", ()), ("second", ()), ("others", (2,)))
    }
    moments = {name: np.zeros((b, 2 * leaves - 2, width)) for name in ("first_moment", "second_moment")}
    return {
        "router": kind,
        "hidden_size": h,
        "X": floats(rng, n, d),
        "params": floats(rng, b, 2 * leaves - 2, width),
        **moments,
        **drawn,
        "similarity": np.abs(floats(rng, steps, b, m)),
        "n_steps": steps,
        "adam": bool(rng.integers(2)),
        "leaf_term": bool(rng.integers(2)),
        "entropy_penalty": 0.1,
        "learning_rate": 0.1,
        "steps_before": 0,
    }


@call
def fit_itml(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    links = pairs(rng, n)
    return {
        "X": floats(rng, n, size(rng)),
        "pairs": links,
        "signs": rng.choice([-1.0, 1.0], len(links)),
        "upper": 1.0,
        "lower": 2.0,
        "gamma": 1.0,
        "tol": 1e-3,
        "max_iter": 10,
    }


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


@call
def greedy_sweeps(rng: np.random.Generator, core: Any) -> Arguments:
    n, k, is_factor = size(rng), int(rng.integers(1, 5)), bool(rng.integers(2))
    return {
        "gram": floats(rng, n, size(rng)) if is_factor else symmetric(rng, n),
        "is_factor": is_factor,
        "structure": symmetric(rng, k),
        "labels": labels(rng, n, k),
        "order": rng.permutation(n),
        "normalized": bool(rng.integers(2)),
        "max_sweeps": 5,
    }


@call
def neighbor_joining(rng: np.random.Generator, core: Any) -> Arguments:
    return {"D": np.abs(symmetric(rng, int(rng.integers(1, 10))))}


@call
def best_of_all_trees(rng: np.random.Generator, core: Any) -> Arguments:
    return {"D": np.abs(symmetric(rng, int(rng.integers(1, 7))))}


@call
def four_point_excess(rng: np.random.Generator, core: Any) -> Arguments:
    return neighbor_joining(rng, core)


@call
def nonnegative_lengths(rng: np.random.Generator, core: Any) -> Arguments:
    D = neighbor_joining(rng, core)["D"]
    return {"D": D, "parents": unrooted(rng, len(D))}


@call
def path_distances(rng: np.random.Generator, core: Any) -> Arguments:
    k = int(rng.integers(1, 10))
    up = unrooted(rng, k)
    return {"k": k, "parents": up, "lengths": np.abs(floats(rng, len(up)))}


@call
def search_trees(rng: np.random.Generator, core: Any) -> Arguments:
    D = neighbor_joining(rng, core)["D"]
    return {"D": D, "start": unrooted(rng, len(D)), "radius": int(rng.integers(1, 6))}


@call
def weighted_sum(rng: np.random.Generator, core: Any) -> Arguments:
    k = size(rng, most=4)
    kind = np.float32 if rng.random() < 0.5 else np.float64
    return {"weights": floats(rng, k), "stack": floats(rng, k, size(rng)).astype(kind)}


@call
def point_slaves(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    return {
        "distances": floats(rng, n, n),
        "own": floats(rng, n),
        "raw": floats(rng, n, n),
        "offset": floats(rng, n),
        "labels": labels(rng, n, 3),
        "beta": 0.5,
        "copies": np.zeros((n, n), np.uint8),
    }


@call
def move_multipliers(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    return {"copies": rng.integers(0, 2, (n, n)).astype(np.uint8), "step": 0.5, "raw": floats(rng, n, n)}


@call
def facility_location(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    initial = labels(rng, int(rng.integers(0, 3)), n)
    return {"d": np.abs(floats(rng, n, n)), "initial": initial, "tolerance": 1e-4, "max_evaluations": 100}


@call
def exchanged_exemplars(rng: np.random.Generator, core: Any) -> Arguments:
    given = facility_location(rng, core)
    return {name: given[name] for name in ("d", "initial")}


def triangles(rng: np.random.Generator, n: int) -> Arguments:
    count = int(rng.integers(0, 5)) if n >= 3 else 0
    drawn = [rng.permutation(n)[:3] for _ in range(count)]
    found = np.array([(min(a, c), b, max(a, c)) for a, b, c in drawn], dtype=np.int32).reshape(-1, 3)
    return {"triangles": found, "multipliers": np.abs(floats(rng, count))}


@call
def violated_triangles(rng: np.random.Generator, core: Any) -> Arguments:
    return {"x": rng.random((n := size(rng), n)), "least": 1e-6}


@call
def close_triangles(rng: np.random.Generator, core: Any) -> Arguments:
    return {"x": rng.random((n := size(rng), n))}


@call
def bound_of_multipliers(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    return {"s": symmetric(rng, n), **triangles(rng, n)}


@call
def relax_clustering(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    x = np.empty((0, 0)) if rng.random() < 0.5 else rng.random((n, n))
    rest = {"x": x, "tolerance": 1e-3, "max_iter": 50, "known_value": 0.0}
    return {"s": symmetric(rng, n), **triangles(rng, n), **rest}


@call
def improve_partition(rng: np.random.Generator, core: Any) -> Arguments:
    n = size(rng)
    return {"s": symmetric(rng, n), "labels": labels(rng, n, n)}


@call
def use_instruction_set(rng: np.random.Generator, core: Any) -> Arguments:
    return {"name": str(rng.choice(core.instruction_sets()))}
