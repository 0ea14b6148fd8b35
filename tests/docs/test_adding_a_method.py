"""The examples of docs/adding-a-method.md: found by folder, met by the whole contract suite of their kind."""

import re
import subprocess
import sys

import pytest

from doc_examples import ROOT, titled_blocks

_RUN = """
import sys
import cladebench.distances
import cladebench.methods
cladebench.methods.__path__.append(sys.argv[1])
cladebench.distances.__path__.append(sys.argv[1])
import pytest
options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
sys.exit(pytest.main([*options, f"tests/contract/test_{sys.argv[2]}.py", "-k", sys.argv[3]]))
"""


@pytest.mark.parametrize(
    ("suite", "name"),
    [("methods", "MedianSplit"), ("clusterers", "WidestGaps"), ("distances", "TightCityBlock")],
)
def test_the_example_passes_the_contract(tmp_path, suite, name):
    for file, text in titled_blocks("adding-a-method.md").items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(tmp_path), suite, name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) > 30, "the contract suite did not meet the new method"
