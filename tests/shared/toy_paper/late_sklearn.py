"""A method that imports a library when it runs, and patches it; alone, for workers import what its module names."""

from cladebench.bench.run.cell_io import CellOutput


def configure_sklearn(spec, data):
    import sklearn

    changed = sklearn.get_config()["assume_finite"]
    sklearn.set_config(assume_finite=True)
    return CellOutput({"score": float(changed)})
