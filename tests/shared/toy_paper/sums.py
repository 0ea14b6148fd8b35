"""A method of its own module: what it imports brings scikit-learn, which takes each worker a second."""

import os

import numpy as np
from scipy.cluster.hierarchy import linkage

from cladebench.bench.run.cell_io import CellOutput
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import dasgupta_cost


def core_and_blas(spec, data):
    """Sums that would differ in the last digits if they were split among threads."""
    a = np.random.default_rng(spec.seed).normal(size=(300, 300))
    cost = dasgupta_cost(Hierarchy.from_linkage(linkage(a)), np.exp(-np.abs(a + a.T)))
    return CellOutput(
        {"score": float(np.dot(a.ravel(), a.ravel())), "cost": cost},
        arrays={"product": a @ a.T},
        details={"omp_threads": os.environ["OMP_NUM_THREADS"]},
    )
