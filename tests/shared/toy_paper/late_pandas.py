"""A method that imports a library when it runs, and patches it; alone, for workers import what its module names."""

from cladebench.bench.run.cell_io import CellOutput


def patch_pandas(spec, data):
    import pandas

    changed = pandas.DataFrame.mean is len
    pandas.DataFrame.mean = len
    return CellOutput({"score": float(changed)})
