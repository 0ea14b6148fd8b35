"""Integer parameters that no counter holds end in an error that names them, in every estimator."""

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


@pytest.mark.parametrize(("cls", "name"), CASES, ids=[f"{cls.__name__}-{name}" for cls, name in CASES])
def test_a_count_beyond_all_counters_is_named(cls: type, name: str) -> None:
    rows = np.arange(24.0).reshape(8, 3)
    with pytest.raises(ValueError, match=re.escape(f"{name}={10**30}: expected an integer in ")):
        cls(**{**cls.contract_params, name: 10**30}).fit(rows, np.arange(8) % 2)


def test_there_are_cases() -> None:
    assert len(CASES) > 80 and (distances.HierarchyForest, "max_rounds") in CASES
