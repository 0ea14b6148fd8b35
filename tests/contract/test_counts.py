"""Integers too small, or beyond all counters, end in an error that names the parameter, in every estimator."""

import inspect
import re

import numpy as np
import pytest

from cladebench import distances, methods

CASES = [
    (cls, name)
    for module in (methods, distances)
    for _, cls in inspect.getmembers(module, inspect.isclass)
    if hasattr(cls, "contract_params") and not inspect.isabstract(cls)
    for name, parameter in inspect.signature(cls).parameters.items()
    # More features at a node than there are is all of them; a seed, and weights, are no counts.
    if "int" in str(parameter.annotation) and name not in ("random_state", "max_features", "weights")
]
#: Where counts begin, of any estimator or of one alone; the others begin at 1.
LEAST = {
    **{"branching": 2, "branching_factor": 2, "n_splits": 2, "GHC.n_leaves": 2},
    **{"exact_below": 0, "first_tree": 0, "supervised_rounds": 0, "max_depth": 0},
    **{"GBLMNN.max_depth": 1, "GBLMNN.n_trees": 0},
}


@pytest.mark.parametrize(("cls", "name"), CASES, ids=[f"{cls.__name__}-{name}" for cls, name in CASES])
def test_a_count_below_the_least_or_beyond_all_counters_is_named(cls: type, name: str) -> None:
    rows, least = np.arange(24.0).reshape(8, 3), LEAST.get(f"{cls.__name__}.{name}", LEAST.get(name, 1))
    for wrong, expected in ((least - 1, f">= {least}"), (10**30, f"in {least}..2147483647")):
        said = re.escape(f"{name}={wrong}: expected an integer {expected}")
        with pytest.raises(ValueError, match=f"^{said}$"):
            cls(**{**cls.contract_params, name: wrong}).fit(rows, np.arange(8) % 2)


def test_there_are_cases() -> None:
    assert len(CASES) > 80 and (distances.HierarchyForest, "max_rounds") in CASES
