"""What no parameter may be ends in an error that names the parameter, in every estimator."""

import inspect
import re
from collections.abc import Callable

import numpy as np
import pytest

from cladebench import distances, methods

#: Where counts begin, of any estimator or of one alone; the others begin at 1.
LEAST = {
    **dict.fromkeys(("branching", "branching_factor", "n_splits", "GHC.n_leaves"), 2),
    **dict.fromkeys(("exact_below", "first_tree", "supervised_rounds", "max_depth", "GBLMNN.n_trees"), 0),
    "GBLMNN.max_depth": 1,
}
#: Numbers that may be 0; the others are above it.
MAY_BE_0 = {
    *("slack", "threshold", "entropy_penalty", "tol", "alpha", "beta", "tau", "trace_penalty", "shrinkage"),
    *("validation_fraction", "unconstrained", "membership", "HMMC.ridge"),
}
#: What is named where the annotation has no list.
LISTS = {
    "average_over": "clusters, pairs, samples",
    "edges": "averaged, either, mutual",
    "grow": "compact, scattered",
    "kernel": "gaussian, linear, precomputed",
    "matrix": "kernel, normalized_cut",
    "taxonomy": "all, neighbor-joining, none, random, search, star",
    "tree_distance": "distance, square",
    "truncation": "filled, pruned",
    "visit": "index, random",
}
#: Texts that are no choice from a list, and what takes other things than texts too.
NO_LIST = ("checkpoint", "max_features", "connectivity")


def of_kind(belongs: Callable[[str, str], bool]) -> pytest.MarkDecorator:
    """All pairs of an estimator and a parameter of which name and annotation belong together."""
    cases = [
        pytest.param(cls, name, id=f"{cls.__name__}-{name}")
        for module in (methods, distances)
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if hasattr(cls, "contract_params") and not inspect.isabstract(cls)
        for name, parameter in inspect.signature(cls).parameters.items()
        if belongs(name, str(parameter.annotation).removeprefix("<class '"))
    ]
    assert len(cases) > 12
    return pytest.mark.parametrize(("cls", "name"), cases)


def refuses(cls: type, name: str, wrong: object, expected: str, end: str = "$") -> None:
    rows = np.arange(24.0).reshape(8, 3)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{name}={wrong!r}: expected {expected}')}{end}"):
        cls(**{**cls.contract_params, name: wrong}).fit(rows, np.arange(8) % 2)


# More features at a node than there are is all of them; a seed, and weights, are no counts.
@of_kind(lambda name, kind: "int" in kind and name not in ("random_state", "max_features", "weights"))
def test_counts_begin_somewhere_and_are_counters(cls: type, name: str) -> None:
    least = LEAST.get(f"{cls.__name__}.{name}", LEAST.get(name, 1))
    for wrong in (least - 1, float(least)):
        refuses(cls, name, wrong, f"an integer >= {least}")
    refuses(cls, name, 10**30, f"an integer in {least}..2147483647")


@of_kind(lambda name, kind: kind.startswith("float"))
def test_numbers_are_finite_and_not_below_their_least(cls: type, name: str) -> None:
    may_be_0 = bool({name, f"{cls.__name__}.{name}"} & MAY_BE_0)
    for wrong in (-1.0 if may_be_0 else 0.0, np.nan, np.inf):
        refuses(cls, name, wrong, f"a finite number {'>=' if may_be_0 else '>'} 0.0")


@of_kind(lambda name, kind: kind.startswith("bool"))
def test_flags_are_true_or_false(cls: type, name: str) -> None:
    for wrong in ("yes", 1, None):
        refuses(cls, name, wrong, "True or False")


@of_kind(
    lambda name, kind: kind.startswith(("str", "Literal", "Kind", "typing.Literal")) and name not in NO_LIST
)
def test_choices_are_from_a_list_that_is_named(cls: type, name: str) -> None:
    annotation = str(inspect.signature(cls).parameters[name].annotation)
    options = ", ".join(sorted(re.findall("'([^']+)'", annotation))) or LISTS.get(name, "")
    refuses(cls, name, "of another kind", f"one of {options}", "$" if options else "")
