"""Draw a tree of a million leaves: ``python benchmarks/million_leaves.py FILE``, to FILE.svg.

It prints the seconds of each step, as this process's CPU time on one thread.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from cladebench import Hierarchy, linkage
from cladebench.plotting import save_figure, use_style

N_ROWS = 1_000_000


def timed(what: str, step: Callable[[], Any]) -> Any:
    """Say how long a step takes, and give its result."""
    began = time.process_time()
    result = step()
    print(f"{what}: {time.process_time() - began:.2f} s", flush=True)
    return result


def draw() -> Figure:
    """Cluster rows of 5 groups, and draw the top of their tree."""
    X, y = make_blobs(N_ROWS, 2, centers=5, random_state=3)
    Z = timed("linkage", lambda: linkage(X, "ward"))
    tree = timed("from_linkage", lambda: Hierarchy.from_linkage(Z))
    timed("to_linkage", tree.to_linkage)
    timed("cut into 1,000", lambda: tree.cut(1_000))
    timed("cut_at the median height", lambda: tree.cut_at(float(Z[N_ROWS // 2, 2])))
    timed("stable_clusters(2)", lambda: tree.stable_clusters(2))
    timed("dynamic_clusters(20)", lambda: tree.dynamic_clusters(20))
    timed("dynamic_clusters(2)", lambda: tree.dynamic_clusters(2))
    timed("to_newick", tree.to_newick)
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    timed("plot", lambda: tree.plot(figure.add_subplot(), labels=y))
    return figure


if __name__ == "__main__":
    with use_style(), threadpool_limits(1):
        save_figure(draw(), Path(sys.argv[1]).with_suffix(""), ["svg"])
