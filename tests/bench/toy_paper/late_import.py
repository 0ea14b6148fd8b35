"""Methods that import a library when they run, and patch it."""

from cladebench.bench.cell_io import CellOutput


def patch_library(spec, data):
    import pulp

    changed = pulp.lpSum is len
    pulp.lpSum = len
    return CellOutput({"score": float(changed)})


def patch_pandas(spec, data):
    import pandas

    changed = pandas.DataFrame.mean is len
    pandas.DataFrame.mean = len
    return CellOutput({"score": float(changed)})


def configure_sklearn(spec, data):
    import sklearn

    changed = sklearn.get_config()["assume_finite"]
    sklearn.set_config(assume_finite=True)
    return CellOutput({"score": float(changed)})
