"""The method of docs/adding-a-method.md that splits one leaf after another: it works, and meets the contract."""

import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
import yaml

from doc_examples import ROOT, titled_blocks

NAME = "principal_directions.py"

_RUN = """
import sys
import cladebench.methods
cladebench.methods.__path__.append(sys.argv[1])
import pytest
options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
sys.exit(pytest.main([*options, "tests/contract/test_methods.py", "-k", "PrincipalDirections"]))
"""


@pytest.fixture
def example() -> ModuleType:
    module = ModuleType("principal_directions")
    exec(compile(titled_blocks("adding-a-method.md")[NAME], NAME, "exec"), vars(module))
    return module


def test_it_cuts_across_the_longest_axis_of_the_widest_leaf(example: ModuleType) -> None:
    # Two pairs of blobs: the pairs lie far apart in x, the blobs of the right pair apart in y.
    random = np.random.default_rng(0)
    centres = np.repeat([[-9.0, 0.0], [9.0, -4.0], [9.0, 4.0]], 20, axis=0)
    X = centres + 0.3 * random.normal(size=centres.shape)
    fitted = example.PrincipalDirections(3, n_leaves=5).fit(X)
    assert [np.unique(fitted.labels_[i : i + 20]).tolist() for i in (0, 20, 40)] == [[0], [1], [2]]
    scatter = np.square(X - X.mean(axis=0)).sum()
    assert fitted.trace_["score"][0] == pytest.approx(scatter, rel=1e-12)
    assert (np.diff(fitted.trace_["score"]) < 0).all() and fitted.n_leaves_grown_ == 5


def test_it_passes_the_contract(tmp_path, example: ModuleType) -> None:
    (tmp_path / NAME).write_text(titled_blocks("adding-a-method.md")[NAME], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    words = done.stdout.split()
    assert int(words[words.index("passed,") - 1]) > 30, "the contract suite did not meet the method"


def test_the_page_says_what_the_quick_scope_has() -> None:
    page = (ROOT / "docs" / "adding-a-method.md").read_text(encoding="utf-8")
    plan = yaml.safe_load((ROOT / "src/cladebench/papers/hmmc/plan.yaml").read_text(encoding="utf-8"))
    assert plan["scopes"]["quick"]["task"] == {"rows": 1000} and "    task: {rows: 1000}\n" in page
