"""A method that imports a library when it runs, and patches it; alone, for workers import what its module names."""

from cladebench.bench.run.cell_io import CellOutput


def patch_library(spec, data):
    import pulp

    changed = pulp.lpSum is len
    pulp.lpSum = len
    return CellOutput({"score": float(changed)})
