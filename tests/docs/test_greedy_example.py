"""The method of docs/adding-a-method.md that splits one leaf after another: it works."""

from types import ModuleType

import numpy as np
import pytest
import yaml

from doc_examples import ROOT, titled_blocks

NAME = "principal_directions.py"


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


def test_the_page_says_what_the_quick_scope_has() -> None:
    page = (ROOT / "docs" / "adding-a-method.md").read_text(encoding="utf-8")
    plan = yaml.safe_load((ROOT / "src/cladebench/papers/hmmc/plan.yaml").read_text(encoding="utf-8"))
    assert plan["scopes"]["quick"]["task"] == {"rows": 1000} and "    task: {rows: 1000}\n" in page
