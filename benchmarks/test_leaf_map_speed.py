"""Forests as sparse maps: growth with the rows, and proximities and neighbours against the dense way, in one run."""

import json
import subprocess
import sys
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cladebench.distances import RandomForestProximity
from cladebench.distances.base import Distance

FIT = """
import json, sys, time
import numpy as np
from cladebench.distances import HierarchyForest, RandomForestProximity
from memory import peak_mebibytes

kind, n, weights, new = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] == "new"
rng = np.random.default_rng(0)
y = rng.integers(5, size=n)
X = rng.normal(size=(5, 10))[y] + rng.normal(size=(n, 10))
if kind == "hierarchy":
    forest = HierarchyForest(20, splits="random", random_state=0).fit(X)
else:
    forest = RandomForestProximity(n_estimators=20, random_state=0).fit(X, y)
forest.leaf_map(X[:9], weights)
before, seconds = peak_mebibytes(), []
for _ in range(3):
    start = time.process_time()
    Q = forest.leaf_map(X if new else None, weights)
    seconds.append(time.process_time() - start)
    entries = Q.nnz
    del Q
print(json.dumps({"seconds": min(seconds), "mebibytes": peak_mebibytes() - before, "entries": entries}))
"""


def alone(kind: str, n: int, weights: str, rows: str) -> dict[str, Any]:
    """CPU seconds, and memory beyond the forest, in a process of its own."""
    command = [sys.executable, "-c", FIT, kind, str(n), weights, rows]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("rows", ["fitted", "new"])
@pytest.mark.parametrize(
    ("kind", "weights"),
    [
        ("random", "leaf"),
        ("random", "oob"),
        ("random", "gap"),
        ("hierarchy", "leaf"),
        ("hierarchy", "distance"),
    ],
)
def test_growth(kind: str, weights: str, rows: str, ratios) -> None:
    few, many = 12_500, 200_000
    one, other = alone(kind, few, weights, rows), alone(kind, many, weights, rows)
    name = f"{kind} {weights}, {rows} rows"
    slope = {key: log(other[key] / one[key]) / log(many / few) for key in ("seconds", "entries")}
    ratios.add(f"{name}: CPU time of {many:,}", other["seconds"], unit="s")
    ratios.add("  slope of time", slope["seconds"], "<= 1.2", "")
    ratios.add("  slope of entries", slope["entries"], unit="")
    ratios.add(
        f"  memory of {many:,} for each entry", other["mebibytes"] * 2**20 / other["entries"], unit="bytes"
    )


def test_neighbors_against_dense_blocks(ratios, seconds: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=20_000)
    X = rng.normal(size=(5, 10))[y] + rng.normal(size=(len(y), 10))
    forest = RandomForestProximity(n_estimators=100, random_state=0).fit(X, y)
    sparse = seconds(lambda: forest.kneighbors(X[:1000], 50), repeats=2)
    dense = seconds(lambda: Distance._nearest(forest, X[:1000], 50), repeats=2)
    ratios.add("50 neighbours of 1,000 among 20,000, 100 trees: dense blocks over sparse", dense / sparse)
    V, Q = rng.normal(size=(len(y), 1)), forest.leaf_map()
    few = Q[:1000]
    operator, product = few.operator(Q), few.proximity(Q, dense=True)
    ratios.add(
        "  P v: making 1,000 rows of P over the operator",
        seconds(lambda: few.proximity(Q, dense=True) @ V) / seconds(lambda: operator @ V),
    )
    assert np.allclose(operator @ V, product @ V)
