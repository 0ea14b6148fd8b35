"""Draw how the time of `linkage` grows with the rows: ``python benchmarks/linkage_growth.py FILE``, to FILE.svg.

CPU seconds of one call on one thread.
"""

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from cladebench import linkage
from cladebench.plotting import PALETTE, save_figure, use_style

ROWS = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
#: Lines are told apart by their dashes too.
METHODS = {"ward": "-", "single": "--", "complete": "-.", "average": ":"}


def seconds(n: int, d: int, method: str) -> float:
    """Measure a call on one Gaussian."""
    X = np.random.default_rng(0).normal(size=(n, d))
    began = time.process_time()
    linkage(X, method)
    return time.process_time() - began


def draw() -> Figure:
    """Measure all, and draw a panel for each number of features."""
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    for axes, d in zip(figure.subplots(1, 2, sharex=True, sharey=True), (2, 10), strict=True):
        for k, (method, dashes) in enumerate(METHODS.items()):
            taken = [seconds(n, d, method) for n in ROWS]
            slope = np.polyfit(np.log(ROWS[-2:]), np.log(taken[-2:]), 1)[0]
            label = f"{method}: slope {slope:.1f} at the end"
            axes.plot(ROWS, taken, dashes, marker="o", ms=3, color=PALETTE[k], label=label)
            print(d, method, *(f"{n:,}: {t:.2f} s" for n, t in zip(ROWS, taken, strict=True)), flush=True)
        axes.set(xscale="log", yscale="log", xlabel="rows", title=f"{d} features, one Gaussian")
        axes.legend()
    figure.axes[0].set_ylabel("CPU seconds, one thread")
    return figure


if __name__ == "__main__":
    with use_style(), threadpool_limits(1):
        save_figure(draw(), Path(sys.argv[1]).with_suffix(""), ["svg"])
