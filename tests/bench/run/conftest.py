"""Workers that start fast and are counted, and a finished run."""

import pytest

from cladebench.bench.run import run_job
from cladebench.bench.run.watchdog import Worker
from job_runs import run


@pytest.fixture
def light_workers(monkeypatch):
    """Let workers start without scikit-learn, which takes most of a start and which the toys do not use."""
    modules = ["numpy.random", "toy_paper.protocol"]
    monkeypatch.setattr(run_job._Origins, "modules", lambda self, method: modules)


@pytest.fixture
def started(monkeypatch):
    """The workers that were started."""
    found = []
    original = Worker.__init__
    monkeypatch.setattr(
        Worker, "__init__", lambda self, *args: (found.append(self), original(self, *args))[1]
    )
    return found


@pytest.fixture(scope="module")
def good(jobs, tmp_path_factory):
    """A finished run of the good cells: its folder and records."""
    root = tmp_path_factory.mktemp("good")
    return root, run(jobs["good"], root)[1]
