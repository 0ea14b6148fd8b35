"""What the plan says of GHC's settings: alternatives differ from what was chosen in one choice alone."""

import functools

import pytest

from cladebench.bench.plan.jobs import expand
from cladebench.paper.catalogue import load_plan

GHC = ("GHC-N-FT", "GHC-L-FT", "GHC-N-BW-2", "GHC-L-BW-2")


@functools.cache
def planned():
    return [cell.spec for job in expand(load_plan("ghc"), "full") for cell in job.cells]


def values(dataset, method, parameter):
    cells = [cell for cell in planned() if (cell.dataset, cell.method) == (dataset, method)]
    assert cells, (dataset, method)
    params = dict(load_plan("ghc").methods[method].params)
    return {(params | dict(cell.setting)).get(parameter) for cell in cells}


@pytest.mark.parametrize("dataset", ["glass", "digits"])
@pytest.mark.parametrize("name", ["adam", "relu", "small-weights", "start-data", "exp", "zscore", "constant"])
def test_what_stands_beside_ghc_has_the_chosen_start(dataset, name):
    for method in load_plan("ghc").alternatives[name]:
        if method.startswith("GHC-"):
            variant = f"{method}-{name}"
            assert values(dataset, variant, "start_steps") == values(dataset, method, "start_steps") == {2}
            assert values(dataset, variant, "entropy_penalty") == {0.001}


def test_penalties_and_numbers_of_pairs_are_one_grid_each():
    for dataset in ("glass", "digits"):
        names = ("GHC-N-FT", "GHC-N-FT-unpenalised", "GHC-N-FT-penalty-01")
        assert [values(dataset, name, "entropy_penalty") for name in names] == [{0.001}, {0.0}, {0.0001}]
        assert {values(dataset, name, "start_steps").pop() for name in names} == {2}
        assert all(values(dataset, method, "batch_size") == {32, 128} for method in GHC)
        assert all(values(dataset, method, "hidden_size") == {8, 16} for method in GHC if "-N-" in method)


def test_on_digits_all_four_search_the_same_learning_rates():
    assert {frozenset(values("digits", method, "learning_rate")) for method in GHC} == {
        frozenset({0.3, 1.0, 3.0, 10.0})
    }
