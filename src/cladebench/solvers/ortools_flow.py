"""Assign in balance by OR-tools' min-cost flow in its own process.

OR-tools brings its own HiGHS, and highspy, which PuLP and cvxpy load, brings another under the same library name:
whichever is loaded second fails. Hence ``python -m`` of this module, fed and read through pipes.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cladebench import extras

IntArray = NDArray[np.int64]


class FlowResult(NamedTuple):
    """What OR-tools returned.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        Cluster of each row.
    cost : int
        Of the flow.
    status : str
        As reported by OR-tools.
    seconds_build, seconds_solve : float
        Wall time for handing over the network, from arrays, and for its solution; each the shortest.
    """

    labels: IntArray
    cost: int
    status: str
    seconds_build: float
    seconds_solve: float


def min_cost_flow(costs: IntArray, lower: IntArray, upper: IntArray, repeats: int = 1) -> FlowResult:
    """Solve in a child process.

    Parameters
    ----------
    costs : ndarray of int64, shape (n, K)
        Not negative; times n + K + 1 below 2^62.
    lower, upper : ndarray of int64, shape (K,)
        Bounds on the sizes of clusters, which some assignment meets.
    repeats : int, default=1
        Solutions in that process, each of a network built anew.

    Returns
    -------
    FlowResult

    Raises
    ------
    ImportError
        If OR-tools is not installed.
    RuntimeError
        If the child failed or found no optimum.
    """
    if importlib.util.find_spec("ortools") is None:
        raise ImportError(extras.missing("ortools"))
    sent = io.BytesIO()
    np.savez(sent, costs=costs, lower=lower, upper=upper, repeats=repeats)
    done = subprocess.run([sys.executable, "-m", __name__], input=sent.getvalue(), capture_output=True)
    if done.returncode != 0:
        last_words = done.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1]
        raise RuntimeError(f"OR-tools failed: {last_words}")
    with np.load(io.BytesIO(done.stdout)) as answer:
        return FlowResult(
            answer["labels"],
            int(answer["cost"]),
            str(answer["status"]),
            float(answer["seconds_build"]),
            float(answer["seconds_solve"]),
        )


def _solve(costs: IntArray, lower: IntArray, upper: IntArray) -> FlowResult:
    """Rows, clusters, sink.

    Clusters keep their lower bounds, the sink gets the rest.
    """
    # By name: a peer of the kernel is no dependency of the package.
    module = importlib.import_module("ortools.graph.python.min_cost_flow")
    started = time.perf_counter()
    n, n_clusters = costs.shape
    network = module.SimpleMinCostFlow()
    clusters, sink = np.arange(n, n + n_clusters), n + n_clusters
    moves = network.add_arcs_with_capacity_and_unit_cost(
        np.repeat(np.arange(n), n_clusters),
        np.tile(clusters, n),
        np.ones(costs.size, dtype=np.int64),
        costs.ravel(),
    )
    network.add_arcs_with_capacity_and_unit_cost(
        clusters,
        np.full(n_clusters, sink),
        np.minimum(upper, n) - lower,
        np.zeros(n_clusters, dtype=np.int64),
    )
    supplies = np.concatenate([np.ones(n, dtype=np.int64), -lower, [lower.sum() - n]])
    network.set_nodes_supplies(np.arange(sink + 1), supplies)
    built = time.perf_counter()
    status = network.solve()
    solved = time.perf_counter()
    if status != network.OPTIMAL:
        raise RuntimeError(f"status {status.name}")
    labels = np.asarray(network.flows(moves)).reshape(n, n_clusters).argmax(axis=1)
    return FlowResult(labels, network.optimal_cost(), status.name, built - started, solved - built)


def _main() -> None:
    with np.load(io.BytesIO(sys.stdin.buffer.read())) as sent:
        costs, lower, upper, repeats = (sent[name] for name in ("costs", "lower", "upper", "repeats"))
    several = [_solve(costs, lower, upper) for _ in range(int(repeats))]
    answer = several[0]._replace(
        seconds_build=min(one.seconds_build for one in several),
        seconds_solve=min(one.seconds_solve for one in several),
    )
    received = io.BytesIO()
    np.savez(received, **answer._asdict())
    sys.stdout.buffer.write(received.getvalue())


if __name__ == "__main__":
    _main()
