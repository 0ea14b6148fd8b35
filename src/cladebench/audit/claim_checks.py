"""Check that a claims file fits itself, its plan and its run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any

import pandas as pd

from cladebench import datasets
from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet
from cladebench.audit.kinds import KINDS, kind_of, queries
from cladebench.audit.kinds.base import check_matches
from cladebench.bench.plan.plan import Plan
from cladebench.bench.samples.results import not_recorded, recorded_points
from cladebench.input_files import one_of
from cladebench.paper.choices import UnstatedChoice

#: How deep sentences may stand within sentences.
MAX_DEPTH = 50


def check_claims(claims: ClaimSet, name: str) -> None:
    """Check that queries are complete and references lead somewhere, without circles.

    Parameters
    ----------
    claims : ClaimSet
    name : str
        The file, for the message.

    Raises
    ------
    ClaimsError
    """
    main = [claim.id for claim in claims.claims.values() if claim.main]
    if len(main) > 1:
        raise ClaimsError(
            f"{name}: claim {main[1]!r}: main: {', '.join(main)}; expected one claim at most, a sentence of several"
        )
    for claim in claims.claims.values():
        where = f"{name}: claim {claim.id!r}"
        kind = kind_of(claim)
        if kind.expects and not claim.expects and not claim.set_aside:
            raise ClaimsError(
                f"{where}: missing key 'expects' (or 'not_testable', 'inconsistent' with the reason)"
            )
        for query in queries(claim):
            missing = [key for key in ("dataset", "method", "metric") if not query.get(key)]
            if missing and not claim.set_aside:
                raise ClaimsError(f"{where}: measure: names no {', no '.join(missing)}")
        _check_data_sets(claim, where)
        check_matches(claim, claims, kind.references(claim), where)
        kind.check(claim, claims, where)
    _check_sentences(claims, name)


def _check_data_sets(claim: Claim, where: str) -> None:
    """Refuse comparisons across data sets.

    Results are compared task by task, and data sets share no task. A constant may stand beside any.
    """
    if not claim.not_testable:
        names = list(dict.fromkeys(str(query["dataset"]) for query in queries(claim)))
        if len(names) > 1:
            raise ClaimsError(
                f"{where}: dataset: {', '.join(names)} share no task; expected one of them, "
                "or a sentence of one claim for each"
            )


def _check_sentences(claims: ClaimSet, file: str) -> None:
    """Refuse sentences that refer to themselves or nest too deep."""
    parts = {
        claim.id: [
            match for pattern in kind_of(claim).references(claim) for match in claims.matching(pattern)
        ]
        for claim in claims.claims.values()
        if kind_of(claim).of_parts
    }
    try:
        order = list(TopologicalSorter(parts).static_order())
    except CycleError as error:
        circle = error.args[1][::-1]
        raise ClaimsError(
            f"{file}: claim {circle[0]!r}: expects: refers to itself through {' -> '.join(circle)}"
        ) from None
    depth: dict[str, int] = {}
    for name in order:
        depth[name] = 1 + max((depth[part] for part in parts.get(name, ())), default=0)
        if depth[name] > MAX_DEPTH:
            raise ClaimsError(
                f"{file}: claim {name!r}: expects: sentences of sentences, {MAX_DEPTH} deep at most"
            )


def check_planned(claims: ClaimSet, plan: Plan, name: str) -> None:
    """Check every name in the claims against the plan.

    A misspelt one must not end as a claim that cannot be tested.

    Parameters
    ----------
    claims : ClaimSet
    plan : Plan
    name : str
        The claims file, for the message.

    Raises
    ------
    ClaimsError
        With one line for each unknown name: the claims that have it, its key, and what is allowed.
    """
    grid = _grid(plan)
    allowed: dict[str, Collection[Any]] = {
        "method": list(plan.methods),
        "dataset": plan.datasets,
        "metric": list(plan.measures),
        "selection": list(plan.selection),
        "setting": list(grid),
        "fact": list(datasets.names()),
        **{f"where.{parameter}": values for parameter, values in grid.items()},
    }
    lines = []
    if claims.paper != plan.paper:
        lines.append(f"{name}: paper: {claims.paper!r}, expected {plan.paper!r} as in the plan beside it")
    lines += [
        f"{name}: deterministic: unknown method {method!r}; {one_of(method, plan.methods)}"
        for method in sorted(claims.deterministic - set(plan.methods))
    ]
    wrong: dict[tuple[str, str], tuple[Any, list[str]]] = {}
    for claim in claims.claims.values():
        for key, value in _names(claim):
            if key in allowed and value not in allowed[key]:
                ids = wrong.setdefault((key, repr(value)), (value, []))[1]
                ids += [claim.id] if claim.id not in ids else []
    for (key, shown), (value, ids) in wrong.items():
        told = {"setting": "where or same_setting", "fact": "dataset"}.get(key, key)
        lines.append(f"{name}: {_claims(ids)}: {told}: unknown {shown}; {one_of(value, allowed[key])}")
    lines += _changes(claims, plan, name)
    if lines:
        raise ClaimsError("\n".join(lines))


def _changes(claims: ClaimSet, plan: Plan, name: str) -> Iterator[str]:
    """Check that both ends of a change can be paired.

    Both problems must meet the same rows and folds.
    """
    wrong: dict[tuple[str, str], list[str]] = {}
    for claim in claims.claims.values():
        one, other = (claim.measure.get(key) for key in ("dataset", "change_from"))
        known = {one, other} <= {*plan.datasets}
        if one and other and known and (one == other or not plan.shares_draws(one, other)):
            wrong.setdefault((one, other), []).append(claim.id)
    for (one, other), ids in wrong.items():
        yield (
            f"{name}: {_claims(ids)}: change_from: {other!r} and {one!r} do not meet the same rows and folds; expected "
            f"another problem of the same data with the same folds, and draws: {other} in the task of one of them"
        )


def _grid(plan: Plan) -> dict[str, list[Any]]:
    """The values of each parameter that some scope of a plan varies."""
    values_of: dict[str, list[Any]] = {}
    for _, _, grid in plan.grids():
        for parameter, values in grid.items():
            known = values_of.setdefault(parameter, [])
            known += [value for value in values if value not in known]
    return values_of


def _names(claim: Claim) -> Iterator[tuple[str, Any]]:
    """List the names in a claim that a plan has.

    Each comes with its key; values of parameters have ``where.<parameter>``.
    """
    for query in (claim.measure, *queries(claim)):
        yield from (
            (key, query[key]) for key in ("method", "dataset", "metric", "selection") if query.get(key)
        )
        if "change_from" in query:
            yield "dataset", query["change_from"]
        for parameter, value in query.get("where", {}).items():
            yield "setting", parameter
            yield f"where.{parameter}", value
    yield from (("setting", parameter) for parameter in claim.expects.get("same_setting", ()))
    if "fact" in claim.expects:
        yield "fact", claim.expects["dataset"]


def check_register(claims: ClaimSet, register: Iterable[UnstatedChoice], name: str) -> None:
    """Check what other choices are kept to: claims, and kinds of claims.

    Parameters
    ----------
    claims : ClaimSet
    register : iterable of UnstatedChoice
    name : str
        Name of the register's file.

    Raises
    ------
    ClaimsError
        Naming the entry, and the pattern that no claim matches or the kind that there is not.
    """
    for entry in register:
        for other in entry.other_choices:
            for key, words, allowed in (
                ("claims", other.claims, claims.claims),
                ("kinds", other.kinds, KINDS),
            ):
                for word in words:
                    if not (claims.matching(word) if key == "claims" else word in KINDS):
                        unknown = f"{key}: unknown {word!r}; {one_of(word, allowed)}"
                        raise ClaimsError(f"{name}: entry {entry.id!r}: {unknown}")


def check_points(claims: ClaimSet, frame: pd.DataFrame, name: str) -> None:
    """Check evaluation points in the claims against those in the records.

    A metric that nothing has recorded leaves its claims not testable: the run may be older than they are.

    Parameters
    ----------
    claims : ClaimSet
    frame : DataFrame
        Records of this paper.
    name : str
        The claims file, for the message.

    Raises
    ------
    ClaimsError
        With one line for each point that is wrong: the claims that have it, and what is recorded.
    """
    finished = frame[(frame["status"] == "ok") & frame["metric"].notna()]
    recorded = recorded_points(finished)
    ran = set(finished[["dataset", "method"]].drop_duplicates().itertuples(index=False, name=None))
    wrong: dict[str, list[str]] = {}
    for claim in claims.claims.values():
        for query in queries(claim):
            if query.get("metric") in recorded and (query.get("dataset"), query.get("method")) in ran:
                fault = not_recorded(query["metric"], query.get("at"), recorded)
                ids = wrong.setdefault(fault, []) if fault else []
                ids += [claim.id] if claim.id not in ids else []
    if wrong:
        raise ClaimsError("\n".join(f"{name}: {_claims(ids)}: {fault}" for fault, ids in wrong.items()))


def check_selection(plan: Plan, frame: pd.DataFrame) -> None:
    """Check evaluation points of the plan's rules of selection.

    They are checked where a method with a choice has finished.

    Raises
    ------
    ClaimsError
        Naming the file, the rule, the metric or its evaluation point, and what is recorded.
    """
    finished = frame[(frame["status"] == "ok") & frame["metric"].notna()]
    recorded = recorded_points(finished)
    if not (finished.groupby(["dataset", "method"])["setting_id"].nunique() > 1).any():
        return
    for name, rule in plan.selection.items():
        if rule.metric is not None:
            # The plan's own point is meant where a metric is read at several: one that is read once has none.
            at = None if recorded.get(rule.metric) == ["{}"] else rule.at
            fault = not_recorded(rule.metric, at, recorded)
            if fault:
                raise ClaimsError(f"{plan.path}: selection.{name}.{fault}")


def _claims(ids: list[str]) -> str:
    return f"claim {ids[0]!r}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
