"""The examples of docs/adding-a-method.md: a file and a line each, met by the whole contract suite of their kind."""

import re
import subprocess
import sys

import pytest

from doc_examples import CONTRACT_RUN, ROOT, write_example_methods

EXAMPLES = [
    "methods:MedianSplit",
    "methods:PrincipalDirections",
    "clusterers:WidestGaps",
    "distances:TightCityBlock",
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What the suites said of each example, in one process: most of a start is the same for all."""
    folder = tmp_path_factory.mktemp("examples")
    write_example_methods(folder)
    done = subprocess.run(
        [sys.executable, "-c", CONTRACT_RUN, str(folder), *EXAMPLES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    parts = re.split(r"^suite (\S+)$", done.stdout, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_example_passes_the_contract(said, example):
    assert said[example].endswith("\nended 0\n"), said[example][-4000:]
    passed = re.search(r"(\d+) passed", said[example])
    assert passed and int(passed[1]) > 30, "the contract suite did not meet the new method"
