"""The examples of docs/adding-a-method.md: a file and a line each, met by the whole contract suite of their kind."""

import re
import subprocess
import sys

import pytest

from doc_examples import CONTRACT_RUN, ROOT, write_example_methods


@pytest.mark.parametrize(
    ("suite", "name"),
    [
        ("methods", "MedianSplit"),
        ("methods", "PrincipalDirections"),
        ("clusterers", "WidestGaps"),
        ("distances", "TightCityBlock"),
    ],
)
def test_the_example_passes_the_contract(tmp_path, suite, name):
    write_example_methods(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", CONTRACT_RUN, str(tmp_path), suite, name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) > 30, "the contract suite did not meet the new method"
