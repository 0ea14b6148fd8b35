"""Valid calls of trees, linkage, margins, dependence and exemplars."""

# ruff: noqa: D103  (generators are named after what they call)

from typing import Any

import numpy as np
from draws import Arguments, call, floats, labels, pairs, size, symmetric, tree, unrooted


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
    linkages = ["single", "average", "weighted", "ward", "centroid", "median"]
    return {"linkage": str(rng.choice(linkages)), **_along_graph(rng)}


@call
def link_by_edges(rng: np.random.Generator, core: Any) -> Arguments:
    return {"linkage": str(rng.choice(["complete", "average", "weighted"])), **_along_graph(rng)}


def _along_graph(rng: np.random.Generator) -> Arguments:
    n = size(rng)
    begin = np.concatenate([[0], np.cumsum(rng.integers(0, 4, n))])
    return {
        "X": floats(rng, n, size(rng, most=5)),
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
