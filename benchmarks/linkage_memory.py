"""Draw how the memory of `linkage` grows with the rows: ``python benchmarks/linkage_memory.py FILE``, to FILE.svg.

Peak resident memory above X, each call in a process of its own, on one thread. X has 2 features.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from cladebench.plotting import PALETTE, save_figure, use_style

ROWS = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
#: The most rows of each method.
MOST = {"ward": 200_000, "single": 200_000, "complete": 50_000, "average": 50_000}
#: In turn, so that curves on each other are both seen.
LINES = ("o-", "s:")
FIT = """
import json, sys
from memory import peak_mebibytes
import numpy as np
from threadpoolctl import threadpool_limits
from cladebench import linkage

X = np.random.default_rng(0).normal(size=(int(sys.argv[1]), 2))
with threadpool_limits(1):
    linkage(X[:100], sys.argv[2])
    before = peak_mebibytes()
    linkage(X, sys.argv[2])
print(json.dumps(peak_mebibytes() - before))
"""


def mebibytes(n: int, method: str) -> float:
    """Measure a call on one Gaussian."""
    command = [sys.executable, "-c", FIT, str(n), method]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent)
    return float(json.loads(done.stdout))


def draw() -> Figure:
    """Measure all, and draw them beside the matrix of all distances."""
    figure = Figure(figsize=(4.2, 3.2), layout="constrained")
    axes = figure.add_subplot()
    for k, (method, most) in enumerate(MOST.items()):
        rows = [n for n in ROWS if n <= most]
        taken = [mebibytes(n, method) for n in rows]
        axes.plot(rows, taken, LINES[k % 2], ms=3, color=PALETTE[k], label=method)
        print(method, *(f"{n:,}: {m:.1f} MiB" for n, m in zip(rows, taken, strict=True)), flush=True)
    matrix = 4.0 * np.square(np.array(ROWS, dtype=float)) / 2**20
    axes.plot(ROWS, matrix, "--", color="0.4", label="the distances of all pairs")
    axes.set(
        xscale="log", yscale="log", xlabel="rows", ylabel="MiB above X", title="2 features, one Gaussian"
    )
    axes.legend()
    return figure


if __name__ == "__main__":
    with use_style():
        save_figure(draw(), Path(sys.argv[1]).with_suffix(""), ["svg"])
