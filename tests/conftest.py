"""Settings of all tests."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Modules and tests are hundreds of thousands of objects that live to the end. Python's default looks at all of them
# whenever a few ten thousand others are new, which took a twelfth of the time of the tests.
gc.set_threshold(10_000, 10, 10)

# No deadline: how long an example takes says something about the machine, not about the code. The same examples in
# every run: a change fails by what it changed alone. `--hypothesis-profile=search` looks for new ones.
settings.register_profile("cladebench", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=500)
settings.load_profile("cladebench")


#: Files that take long, the longest first: no worker of pytest-xdist is left alone with one at the end.
LONGEST = [
    Path(__file__).parent / name
    for name in [
        "workflow/test_workflow.py",
        "core/test_cpp.py",
        "comparison/test_comparison.py",
        "comparison/test_docs.py",
        "audit/test_audit_full_run.py",
        "verdicts/test_recomputed.py",
        "commands/test_full_disk.py",
        "commands/test_run.py",
        "workflow/test_workplan.py",
        "bench/run/test_interruption.py",
        "docs/test_examples.py",
        "contract/test_datasets.py",
        "workflow/test_toy_papers.py",
        "test_mutants.py",
        "bench/run/test_run_job_faults.py",
        "bench/run/test_run_job.py",
        "test_input_mutants.py",
        "commands/test_options.py",
        "workflow/test_make.py",
        "crosscheck/test_topics.py",
        "methods/ghc/test_objective.py",
        "commands/test_damaged_files.py",
        "methods/ghc/test_steps.py",
        "workflow/test_slurm_profile.py",
        "test_unrooted_drawing.py",
        "test_plotting.py",
    ]
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path) if item.path in LONGEST else len(LONGEST))


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """Take back what commands and plans set for their jobs: a cache of one test is no place for the files of others.

    The package of the documentation's example goes too: each test writes its own, under the same name.
    """
    before = dict(os.environ)
    yield
    for name in [name for name in sys.modules if name.startswith("mypackage")]:
        del sys.modules[name]
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


def pytest_unconfigure() -> None:
    """Take back hypothesis' look at the garbage collector, after which trees in modules would outlive Python."""
    gc.callbacks.clear()
