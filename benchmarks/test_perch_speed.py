"""PERCH at its target size, and against its twin, in one run."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from cladebench import _core
from cladebench.reference.perch import perch as twin

FIT = """
import json, sys, time
from memory import peak_mebibytes
import numpy as np
from sklearn.datasets import make_blobs
from cladebench.methods import Perch

centers, rotations = int(sys.argv[1]), sys.argv[2]
X = make_blobs(30_000, 100, centers=centers, random_state=0)[0]
start = time.perf_counter()
Perch(rotations=rotations, random_state=0).fit(X)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "megabytes": peak_mebibytes()}))
"""


@pytest.mark.parametrize("rotations", ["masking", "masking+balance"])
def test_against_twin(rotations: str, ratios, seconds) -> None:
    X = make_blobs(2_000, 20, centers=20, random_state=0)[0]
    fast, slow = _core.perch(X, rotations), twin(X, rotations)
    assert np.array_equal(fast[0], slow[0])
    ratio = seconds(lambda: twin(X, rotations), repeats=1) / seconds(lambda: _core.perch(X, rotations))
    ratios.add(f"PERCH ({rotations}), n=2,000: twin / kernel", ratio, ">= 50")


@pytest.mark.parametrize(
    ("centers", "rotations"), [(50, "masking+balance"), (50, "masking"), (1, "masking+balance")]
)
def test_target_size(centers: int, rotations: str, ratios) -> None:
    # A process of its own, so that the peak of memory is this fit's.
    command = [sys.executable, "-c", FIT, str(centers), rotations]
    used = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent).stdout
    )
    name = f"PERCH ({rotations}), 30,000 x 100, {centers} clusters"
    ratios.add(f"{name}: time", used["seconds"], "< 60", "s")
    ratios.add(f"{name}: peak memory", used["megabytes"], "< 1024", "MB")
