"""The checks of best structures and of their bound pass as things are, and fail when what they check is broken."""

import numpy as np
import pytest

from cladebench.crosscheck import dependence as module
from cladebench.crosscheck.run import as_frame
from solver_checks import failing

pytestmark = pytest.mark.usefixtures("iris_alone")


def test_the_larger_scopes_pass(monkeypatch):
    for scope in ("quick", "full"):
        monkeypatch.setitem(module.SIZES, scope, (12, (3,), 2))
        found = list(module.certificates(scope, 0))
        assert [c.id for c in found if not c.passed] == []
        as_frame(found)


def test_another_structure_fails(monkeypatch):
    best = module.optimal_structure

    def turned(gram, labels, k):
        Y = best(gram, labels, k)
        return Y[::-1, ::-1] if k > 2 else Y

    monkeypatch.setattr(module, "optimal_structure", turned)
    assert failing(module, "dependence-structure") == {
        "programme",
        "programme-matrix",
        "pseudo-inverse",
        "set-kernel",
        "no-better",
    }


@pytest.mark.parametrize("factor", [1.001, -1.0])
def test_a_structure_of_another_scale_or_sign_fails(monkeypatch, factor):
    best = module.optimal_structure
    monkeypatch.setattr(module, "optimal_structure", lambda *a: factor * best(*a))
    assert failing(module, "dependence-structure") >= {
        "programme",
        "programme-matrix",
        "pseudo-inverse",
        "set-kernel",
    }


def test_a_structure_that_is_not_centred_fails(monkeypatch):
    """The objective does not see it."""
    best = module.optimal_structure
    monkeypatch.setattr(module, "optimal_structure", lambda *a: best(*a) + 1.0)
    assert failing(module, "dependence-structure") == {"pseudo-inverse", "set-kernel"}


@pytest.mark.parametrize(("more", "expected"), [(1, {"attained"}), (-1, {"attained", "no-better-subspace"})])
def test_a_bound_of_another_number_of_eigenvalues_fails(monkeypatch, more, expected):
    bound = module.objective_bound
    monkeypatch.setattr(module, "objective_bound", lambda gram, k: bound(gram, max(1, k + more)))
    assert failing(module, "dependence-relaxation") >= expected


def test_a_bound_below_what_partitions_reach_fails(monkeypatch):
    monkeypatch.setattr(module, "objective_bound", lambda gram, k: 0.01)
    assert failing(module, "dependence-relaxation") >= {"attained", "no-better-subspace", "sweeps-below"}


def test_structures_of_given_shape():
    found = module.structures(3)
    np.testing.assert_array_equal(found["star"], np.eye(3))
    # Paths of the caterpillar: to the spine and along it.
    Y = found["caterpillar"]
    squares = np.diag(Y)[:, None] + np.diag(Y) - 2 * Y
    np.testing.assert_array_equal(squares, [[0, 3, 4], [3, 0, 3], [4, 3, 0]])
    assert np.linalg.eigvalsh(Y)[0] > 0
