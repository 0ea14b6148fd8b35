"""Ctrl-C ends every long call of the core: each case would go on for half a minute and more."""

import os
import select
import signal
import time
import traceback
from collections.abc import Callable
from functools import partial

import numpy as np
import psutil
import pytest

from cladebench import _core
from cladebench.distances import HierarchyForest, RandomForestDistance

Work = Callable[[], object]
MOST = 2.0  # CPU seconds of a child after Ctrl-C: one until the call ends, and what its input takes to go


def distances(k: int) -> np.ndarray:
    D = np.random.default_rng(0).random((k, k)) + 1.0
    D += D.T.copy()
    np.fill_diagonal(D, 0.0)
    return D


def similarities(n: int) -> np.ndarray:
    s = np.random.default_rng(0).normal(size=(n, n))
    s += s.T.copy()
    return s


def labels(n: int, k: int) -> np.ndarray:
    return np.random.default_rng(0).integers(k, size=n)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


def pairs(n: int, m: int) -> np.ndarray:
    found = np.random.default_rng(1).integers(n, size=(2 * m, 2))
    return found[found[:, 0] != found[:, 1]][:m]


def linked_by_star() -> Work:
    n = 150_000  # one cluster is linked to all others, and merges with one after the other
    X = normal(n, 30)
    begin = np.concatenate([[0], np.full(n, n - 1)])
    return lambda: _core.link_by_graph(X, "average", begin, np.arange(1, n, dtype=np.int32), np.empty(0))


def linked_by_edges() -> Work:
    n, k = 600_000, 30  # edges between any rows: clusters have many links soon
    X, squares = normal(n, 4), np.zeros(n)
    ends = labels(n * k, n).astype(np.int32)
    return lambda: _core.link_by_edges(X, "average", np.arange(0, n * k + 1, k), ends, squares)


#: Calls on one array: it is made, and handed over with what follows.
ON_AN_ARRAY = {
    "perch": (_core.perch, normal, (300_000, 16), "masking", None),
    "collapsed_perch": (_core.perch, normal, (200_000, 16), "masking", 20_000),
    "all_linked": (_core.link, normal, (60_000, 200), "ward", "all"),
    "spanned": (_core.link, normal, (100_000, 300), "single", "all"),
    "linked_one_by_one": (_core.link, normal, (60_000, 100), "median", "all"),
    "linked_by_tree": (_core.link, normal, (100_000, 40), "ward", "tree"),
    "linked_by_pairs": (_core.link_by_pairs, normal, (60_000, 30), "average"),
    "linked_by_greatest_pairs": (_core.link_by_pairs, normal, (300_000, 2), "complete"),
    "neighbors": (_core.neighbor_graph, normal, (100_000, 150), 10, "all"),
    "joined_neighbors": (_core.neighbor_joining, distances, (4_000,)),
    "four_points": (_core.four_point_excess, distances, (1_500,)),
}


def on_an_array(call: Callable, make: Callable, shape: tuple[int, ...], *how: object) -> Work:
    array = make(*shape)
    return lambda: call(array, *how)


def itml() -> Work:
    X, signs = normal(500, 300), np.where(labels(20_000, 2), 1.0, -1.0)
    return lambda: _core.fit_itml(X, pairs(500, 20_000), signs, 400.0, 800.0, 1.0, 0.0, 1_000)


def assignment() -> Work:
    n, k = 30_000, 1_000  # all want the same cluster
    cost = normal(n, k)
    cost[:, 0] -= 100.0
    bounds = np.full(k, n // k)
    return lambda: _core.balanced_assignment(cost, bounds, bounds)


def semantic() -> Work:
    n_classes, depth, chains = 4_000, 20, 100  # all classes at each node of each chain
    parents = np.arange(-1, chains * depth)
    parents[1::depth] = 0
    leaf_of = np.repeat(np.arange(1, chains * depth + 1), n_classes)
    tree = _core.Tree(parents, leaf_of)
    of_samples = np.tile(np.arange(n_classes, dtype=np.int32), chains * depth)
    weights, values = np.ones((n_classes, n_classes), np.int64), np.ones(parents.size, np.int64)
    return lambda: _core.pair_sums(tree, of_samples, weights, values)


def improved_partition() -> Work:
    s = np.abs(similarities(5_000))
    return lambda: _core.improve_partition(s, np.arange(5_000))


def relaxation() -> Work:
    none = np.zeros((0, 3), np.int32), np.zeros(0)
    s = similarities(600)
    return lambda: _core.relax_clustering(s, *none, np.zeros((0, 0)), 0.0, 10**9, -1e300)


def searched_trees() -> Work:
    D = distances(1_200)
    start = _core.neighbor_joining(D)
    return lambda: _core.search_trees(D, start, 2_400)


def margin() -> Work:
    X, y, zeros = normal(60_000, 300), labels(60_000, 60), np.zeros(300)
    return lambda: _core.fit_margin(X, y, 60, zeros, zeros + 1e-6, zeros, None, 0.0, 10**6)


def split() -> Work:
    settings = _core.SplitSettings()
    settings.subgradient, settings.step_tolerance, settings.max_steps = True, 0.0, 10**9
    X = normal(20_000, 100)
    must, cannot = pairs(20_000, 1_000), pairs(20_000, 900)
    return lambda: _core.max_margin_split(X, must, cannot, settings, 0)


def fixed_split() -> Work:
    X = normal(20_000, 100)
    must, cannot = pairs(20_000, 1_000), pairs(20_000, 900)
    convex = _core.FixedSplit(X, must, cannot, _core.SplitSettings(), normal(101))
    return lambda: convex.evaluate(normal(101), 10**6)


def forest() -> Work:
    settings = {"splits": "random"}
    X = normal(100_000, 20)
    none = np.zeros((0, 2), np.int64)
    return lambda: _core.grow_forest(X, none, none, 1, 5, settings, 0, 0, 2_000)


def forest_neighbors() -> Work:
    forest = HierarchyForest(50, splits="random", random_state=0).fit(normal(4_000, 4))
    queries = normal(500_000, 4)
    return lambda: forest.kneighbors(queries)


def pair_forest() -> Work:
    X = normal(10_000, 200).astype(np.float32)
    must, cannot = pairs(10_000, 300_000), pairs(10_000, 290_000)
    return lambda: _core.grow_pair_forest(X, must, cannot, 400, 1, True, 0, 2)


def grown_pairs() -> tuple[dict[str, np.ndarray], np.ndarray]:
    X = normal(40_000, 20).astype(np.float32)
    forest = RandomForestDistance(n_estimators=1_000, random_state=0).fit(X[:200], labels(200, 2))
    return forest.trees_, X


def pair_forest_neighbors() -> Work:
    trees, X = grown_pairs()
    return lambda: _core.pair_forest_neighbors(**trees, queries=X, rows=X, k=10)


def pair_forest_means() -> Work:
    trees, X = grown_pairs()
    A, result = X[:500].copy(), np.empty((500, len(X)))
    return lambda: _core.pair_forest_means(**trees, A=A, B=X, result=result)


def router() -> Work:
    X = normal(2_000, 50)
    n_steps, batch = 3_000, 2_000
    shape = (n_steps, 1, batch)
    params = np.zeros((1, 2 * 64 - 2, 51))
    points = np.zeros(shape, np.int32)
    others = np.zeros((*shape, 8), np.int32)
    given = (points, points, np.ones(shape), others, n_steps, True, True, 0.0, 1e-3, 0)

    def run() -> None:
        _core.router_steps("linear", 0, X, *(params.copy() for _ in range(3)), *given)

    return run


def triplets() -> Work:
    n = 60_000
    loss = _core.TripletLoss(labels(n, 2), pairs(n, n)[:, :1].copy(), 0.5, 0.1)
    Z = normal(n, 100)
    return lambda: loss.evaluate(Z, Z)


def boosted_tree() -> Work:
    builder = _core.TreeBuilder(normal(50_000, 100))
    outputs = normal(50_000, 200)
    return lambda: builder.fit(outputs, 12)


def dependence() -> Work:
    n, k = 20_000, 300
    factor = normal(n, 1_000)
    of_points = labels(n, k)
    return lambda: _core.greedy_sweeps(factor, True, np.eye(k), of_points, np.arange(n), True, 10**6)


def exemplars() -> Work:
    d = distances(3_000)
    np.fill_diagonal(d, 3.0)
    return lambda: _core.facility_location(d, np.zeros(0, np.int64), 0.0, 10**9)


CASES = [
    *(pytest.param(partial(on_an_array, *given), id=name) for name, given in ON_AN_ARRAY.items()),
    *(linked_by_star, linked_by_edges, itml, assignment, semantic, improved_partition, relaxation),
    *(
        searched_trees,
        margin,
        split,
        fixed_split,
        forest,
        forest_neighbors,
        pair_forest,
        pair_forest_neighbors,
        pair_forest_means,
    ),
    *(router, triplets, boosted_tree, dependence, exemplars),
]


def child(ready: int, case: Callable[[], Work]) -> int:
    """What the forked child does; 0 if Ctrl-C ended its work."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        work = case()
        os.write(ready, b".")
        work()
    except KeyboardInterrupt:
        return 0
    except BaseException:
        traceback.print_exc()
        return 2
    return 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: getattr(case, "__name__", None))
def test_ctrl_c_ends(case: Callable[[], Work]) -> None:
    from_child, to_parent = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(child(to_parent, case))
        finally:
            os._exit(3)
    os.close(to_parent)
    process, done = psutil.Process(pid), 0

    def spent() -> float:
        times = process.cpu_times()
        return times.user + times.system

    try:
        os.read(from_child, 1)  # its input is made, or it has ended
        time.sleep(0.5)
        before = spent()
        os.kill(pid, signal.SIGINT)
        while done == 0 and spent() - before < MOST:
            select.select([], [], [], 0.01)
            done, status, usage = os.wait4(pid, os.WNOHANG)
    finally:
        os.close(from_child)
        if done == 0:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    assert done, "the call went on"
    assert os.waitstatus_to_exitcode(status) == 0
    assert usage.ru_utime + usage.ru_stime - before < MOST
