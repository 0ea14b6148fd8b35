"""The files of a user, and a run of a comparison without Snakemake."""

import sys
from pathlib import Path

import numpy as np
import pytest

from cladebench.bench.run.run_job import run_job
from cladebench.bench.store.store import Store
from cladebench.workflow.comparison_jobs import jobs_of, plan

METHODS = '''
"""Methods of a user, good and bad."""
import os

import numpy as np
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans


class Mine:
    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, X):
        self.labels_ = KMeans(self.n_clusters, n_init=2, random_state=self.random_state).fit_predict(X)
        return self


class Linked:
    def fit(self, X):
        self.linkage_ = linkage(X, "average")


class Loud(Mine):
    def fit(self, X):
        print("I print", flush=True)
        X[:] = 0.0 * X + X  # and write into X
        return super().fit(X)


class Writes(Mine):
    def fit(self, X):
        super().fit(X)
        X[:] = 0.0


class Short(Mine):
    def fit(self, X):
        self.labels_ = np.zeros(len(X) - 1, dtype=int)


class Floats(Mine):
    def fit(self, X):
        self.labels_ = np.full(len(X), 0.5)


class Dies(Mine):
    def fit(self, X):
        os.kill(os.getpid(), 9)


class Forks(Mine):
    def fit(self, X):
        if os.fork() == 0:
            return
        os.wait()
        super().fit(X)


class Unsteady(Mine):
    def fit(self, X):
        self.labels_ = np.random.default_rng().integers(0, 3, len(X))


class Needs(Mine):
    def __init__(self, must):
        pass
'''
BAD = ("Loud", "Writes", "Short", "Floats", "Dies", "Forks", "Unsteady")


def write_inputs(folder: Path) -> None:
    """Write two small data sets and the methods of a user."""
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [6, 0], [0, 6]])
    labels = np.repeat([0, 1, 2], 12)
    X = centres[labels] + rng.normal(size=(36, 2))
    names = np.array(["ill", "well", "unknown"])[labels]
    rows = [f"{a:.6f},{b:.6f},{name}" for (a, b), name in zip(X, names, strict=True)]
    (folder / "patients.csv").write_text("\n".join(["age,dose,diagnosis", *rows]) + "\n")
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.savetxt(folder / "travel.csv", distances, delimiter=",")
    (folder / "users_methods.py").write_text(METHODS)


def forget() -> None:
    """Forget the modules of users that a comparison has imported, and where they were."""
    sys.path[:] = [folder for folder in sys.path if not Path(folder, "users_methods.py").exists()]
    for name in ("users_methods", "beside", "other", "hangs", "linkages"):
        sys.modules.pop(name, None)


@pytest.fixture
def inputs(tmp_path):
    """A folder with the files of a user, whose modules are forgotten before and afterwards."""
    forget()
    write_inputs(tmp_path)
    yield tmp_path
    forget()


def run_all(file: Path, out: Path) -> None:
    """Run a comparison job by job in this process, without Snakemake."""
    document = plan(file, out)
    document["scope"]["jobs"] = "dataset"  # fewer processes than one a method; the runs are the same
    for job in jobs_of(document):
        run_job(job, Store(out))
