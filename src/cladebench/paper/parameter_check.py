"""Check the values that a plan gives to parameters, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cladebench.bench.plan.cell_spec import canonical_json
from cladebench.users_code import users_code

if TYPE_CHECKING:
    from cladebench.bench.plan.plan import Plan


def check_values(plan: Plan, own: Collection[str]) -> None:
    """Check the values of all parameters of a plan, without data.

    Parameters
    ----------
    plan : Plan
        Its estimators and the names of its parameters are right.
    own : collection of str
        Parameters that the protocol reads itself, and checks itself.

    Raises
    ------
    PlanError
        With one line for each wrong value: file, line, key path, method, value and what was expected.
    """
    from cladebench import estimators

    faults = []
    for name, setting in _settings(plan):
        method = plan.methods[name]
        values = {key: value for key, value in method.parameters(setting).items() if key not in own}
        where = f"{plan.path}: methods.{name}: {method.estimator}"
        fault = fault_of(estimators.find(method.estimator), values, where)
        if fault is not None:
            parameter, problem = fault
            faults.append((_place(plan, name, setting, parameter), parameter, f"{name}: {problem}"))
    plan.refuse(faults)


def fault_of(cls: type[Any], values: Mapping[str, Any], where: str) -> tuple[str, str] | None:
    """Name the parameter with a wrong value, and say what is wrong.

    None means that there is none, or that an extra is not installed.

    Raises
    ------
    InputFileError
        If the code of the class fails otherwise; begins with the place in the code, then `where`.
    """
    from cladebench import estimators

    with users_code(where):
        try:
            estimators.check_values(cls, values)
        except ImportError:
            return None
        except (ValueError, TypeError) as error:
            text = " ".join(str(error).split())
        else:
            return None
    named = (key for key in values if re.search(rf"\b{re.escape(key)}\b", text))
    return next(named, ""), text


def all_values(grid: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield settings of a grid that together have all its values.

    Each value is once beside the first ones of the other parameters: n values take about n settings.
    """
    first = {parameter: values[0] for parameter, values in grid.items()}
    yield first
    for parameter, values in grid.items():
        yield from ({**first, parameter: value} for value in values[1:])


def _settings(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield settings of each method with all values of the plan."""
    seen = set()
    for scope in plan.scopes:
        for dataset, name in plan.pairs(scope):
            grid = plan.grid_of(scope, dataset, name)
            if grid is None or plan.methods[name].role == "study":
                continue
            for setting in all_values(grid):
                known = canonical_json([name, setting])
                if known not in seen:
                    seen.add(known)
                    yield name, setting


def _place(plan: Plan, method: str, setting: Mapping[str, Any], parameter: str) -> str:
    """Key path of the parameters among which a wrong value stands."""
    for where, name, grid in plan.grids():
        if name == method and parameter in setting and setting[parameter] in grid.get(parameter, ()):
            return where
    return f"methods.{method}.params"
