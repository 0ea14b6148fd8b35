"""One worker of `make mutants`: has the libraries loaded, and runs pytest in a fork of itself for each mutant.

Reads one JSON object a line (`Worker.ask` says which), answers with one. The package itself is
imported in the fork alone, so that each fork sees the sources as they are in the copy.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import hypothesis
import psutil
import pytest

# Loaded once, before the forks; what is not installed is passed over.
LIBRARIES = [
    *("scipy.stats", "scipy.sparse.csgraph", "scipy.cluster.hierarchy", "scipy.optimize", "scipy.spatial"),
    *("pandas", "pyarrow.parquet", "sklearn.cluster", "sklearn.datasets", "matplotlib.pyplot", "jax.numpy"),
    *("jinja2", "jsonschema", "yaml", "requests", "threadpoolctl", "pulp", "hypothesis.extra.numpy", "xdist"),
]
PR_SET_CHILD_SUBREAPER = 36


class Chosen:
    """Runs the chosen tests alone, file by file; where blocks report, says for which test and fixture."""

    def __init__(self, job: dict):
        self.tests = job["tests"]
        self.hits = job["hits"]
        self.results: dict[str, dict] = {}
        self.too_slow = False

    def pytest_sessionstart(self):
        """Hypothesis tries the same examples each time, and does not look for a smaller one after a failure."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutants", parent=hypothesis.settings.default, derandomize=True, database=None, phases=phases
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, config, items):
        """Keep the chosen tests, files in the order of the command line."""
        if self.tests is not None:
            wanted = set(self.tests)
            config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in wanted])
            items[:] = [item for item in items if item.nodeid in wanted]

    def _enter(self, name: str) -> str:
        before, os.environ["MUTANTS_TEST"] = os.environ.get("MUTANTS_TEST", ""), name
        sys.modules["sitecustomize"].seen.clear()
        return before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """What runs from here on, runs for this test; without caches, so that each test shows all that it uses."""
        if self.hits:
            self._enter(item.nodeid)
            for name, module in list(sys.modules.items()):
                for value in list(vars(module).values()) if name.startswith("cladebench") else ():
                    if isinstance(value, functools._lru_cache_wrapper):
                        value.cache_clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        """What runs for a fixture that several tests share, runs for all of them."""
        if not self.hits or fixturedef.scope == "function":
            return (yield)
        before = self._enter(f"fixture {fixturedef.baseid}::{fixturedef.argname}")
        try:
            return (yield)
        finally:
            self._enter(before)

    def pytest_runtest_setup(self, item):
        """Note the fixtures of a test."""
        definitions = item._fixtureinfo.name2fixturedefs.values()
        fixtures = [f"fixture {one.baseid}::{one.argname}" for several in definitions for one in several]
        self.results[item.nodeid] = {"seconds": 0.0, "passed": False, "fixtures": fixtures}

    def pytest_runtest_logreport(self, report):
        """Note how a test went, and how long it took with its set-up."""
        result = self.results.setdefault(report.nodeid, {"seconds": 0.0, "passed": False, "fixtures": []})
        result["seconds"] += report.duration
        self.too_slow |= report.failed and "from pytest-timeout" in report.longreprtext
        result["passed"] = report.passed and (report.when == "call" or result["passed"])


def child(job: dict, answer: Path, log: Path) -> int:
    """What the fork does: all output goes to a log."""
    os.setsid()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDONLY) if stream == 0 else out, stream)
    if job["hits"]:
        os.environ["MUTANTS_HITS"] = job["hits"]
    stop = [] if job["hits"] else ["-x"]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--timeout={job['each']}", *stop]
    # Tests are named from the copy, whatever settings of pytest lie in a folder above it.
    options += [f"--basetemp={log.parent / 'basetemp'}", f"--rootdir={Path.cwd()}"]
    chosen, code = Chosen(job), int(pytest.ExitCode.NO_TESTS_COLLECTED)
    for files in job["stages"]:
        now = int(pytest.main([*options, *files], plugins=[chosen]))
        code = code if now == pytest.ExitCode.NO_TESTS_COLLECTED else now
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            break
    answer.write_text(json.dumps({"results": chosen.results, "too_slow": chosen.too_slow}))
    return code


def end_children() -> None:
    """End what the fork left: on Linux orphans of the fork become children of this process."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0):
            pass


def run(job: dict, home: Path) -> dict:
    """Run one job in a fork; a job that takes longer than its seconds is ended, and one whose coordinator has gone."""
    answer, log = home / "answer.json", home / "log.txt"
    answer.unlink(missing_ok=True)
    began, coordinator = time.monotonic(), os.getppid()
    fork = os.fork()
    if fork == 0:
        code = 70
        try:
            code = child(job, answer, log)
        finally:
            os._exit(code)
    pause = 0.005
    while True:
        done, status = os.waitpid(fork, os.WNOHANG)
        late = time.monotonic() - began > job["seconds"]
        if done or late or os.getppid() != coordinator:
            break
        time.sleep(pause)
    end_children()
    code = os.waitstatus_to_exitcode(status) if done else None
    told = json.loads(answer.read_text()) if answer.exists() else {"results": {}, "too_slow": False}
    return {"code": code, "seconds": time.monotonic() - began, **told}


def main() -> None:
    """Answer jobs until the input ends."""
    home = Path(sys.argv[1])
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), home)), file=replies, flush=True)


if __name__ == "__main__":
    main()
