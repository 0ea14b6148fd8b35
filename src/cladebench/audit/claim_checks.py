"""Checks of a claims file that no schema can make.

Its parts must fit each other, the plan, and what a run has measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

import pandas as pd

from cladebench import datasets
from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet, queries, references
from cladebench.bench.plan import Plan
from cladebench.bench.results import not_recorded, recorded_points
from cladebench.input_files import one_of

#: How deep sentences may stand within sentences.
MAX_DEPTH = 50


def check_claims(found: ClaimSet, name: str) -> None:
    """Check that queries are complete and references lead somewhere, without circles.

    Parameters
    ----------
    found : ClaimSet
    name : str
        The file, for the message.

    Raises
    ------
    ClaimsError
    """
    main = [claim.id for claim in found.claims.values() if claim.main]
    if len(main) > 1:
        raise ClaimsError(
            f"{name}: main: {', '.join(main)}; expected one claim at most, a sentence of several"
        )
    for claim in found.claims.values():
        where = f"{name}: claim {claim.id!r}"
        set_aside = claim.not_testable or claim.inconsistent
        if claim.kind != "value" and not claim.expects and not set_aside:
            raise ClaimsError(
                f"{where}: missing key 'expects' (or 'not_testable', 'inconsistent' with the reason)"
            )
        for query in queries(claim):
            missing = [key for key in ("dataset", "method", "metric") if not query.get(key)]
            if missing and not set_aside:
                raise ClaimsError(f"{where}: measure: names no {', no '.join(missing)}")
        _check_data_sets(claim, where)
        _check_direction(claim, found, where)
        _check_allowance(claim, where)
        _check_spread(claim, where)
        _check_percent(claim, where)
        _check_references(claim, found, where)
        _check_counts(claim.expects, found, where)
    _check_sentences(found, name)


def _check_data_sets(claim: Claim, where: str) -> None:
    """Refuse comparisons across data sets.

    Results are compared task by task, and data sets share no task. A constant may stand beside any.
    """
    if claim.kind != "value" and not claim.not_testable:
        names = list(dict.fromkeys(str(query["dataset"]) for query in queries(claim)))
        if len(names) > 1:
            raise ClaimsError(
                f"{where}: dataset: {', '.join(names)} share no task; expected one of them, "
                "or a sentence of one claim for each"
            )


def _check_direction(claim: Claim, found: ClaimSet, where: str) -> None:
    expects = claim.expects
    needs = expects.get("is") in ("better", "worse", "no_worse") or any(
        key in operand
        for operand in (expects.get("left"), expects.get("than"))
        if isinstance(operand, Mapping)
        for key in ("best_of", "worst_of")
    )
    left = expects.get("left")
    measure = claim.measure
    if claim.kind == "arithmetic" and isinstance(left, str) and left in found.claims:
        measure = {**found.claims[left].measure, **measure}
    if needs and "direction" not in measure:
        raise ClaimsError(
            f"{where}: measure: missing key 'direction'; expected 'higher' or 'lower', as no measure of its name has it"
        )
    if claim.kind == "arithmetic" and "left" not in expects and expects and claim.published is None:
        raise ClaimsError(f"{where}: missing key 'published'")


def _check_allowance(claim: Claim, where: str) -> None:
    """Refuse a margin where it would turn the claim round.

    A margin helps the claim.
    """
    relation = claim.expects.get("is")
    if "margin" in claim.expects and relation not in ("no_worse", "same"):
        raise ClaimsError(
            f"{where}: expects.margin: not allowed with 'is: {relation}'; expected 'is: no_worse' or 'is: same'"
        )
    if "by" in claim.expects and relation not in ("higher", "lower", "better", "worse"):
        raise ClaimsError(
            f"{where}: expects.by: not allowed with 'is: {relation}'; expected 'higher', 'lower', 'better' or 'worse'"
        )
    if relation == "same" and "margin" not in claim.expects:
        raise ClaimsError(
            f"{where}: expects.margin: missing; expected the largest difference that 'is: same' allows"
        )
    if claim.expects.get("tie") and relation in ("no_worse", "same", "never_above", "never_below"):
        raise ClaimsError(f"{where}: expects.tie: not allowed with 'is: {relation}'")


def _check_spread(claim: Claim, where: str) -> None:
    """Refuse a printed spread without its number of repetitions.

    It says nothing of the mean's noise without it.
    """
    printed = claim.published
    if claim.kind == "value" and printed is not None and printed.spread and (claim.repetitions or 1) < 2:
        raise ClaimsError(
            f"{where}: repetitions: {claim.repetitions}, expected 2 or more behind {printed.text!r}, which has a spread"
        )


def _check_percent(claim: Claim, where: str) -> None:
    """Refuse a share beside a percentage.

    It would be off by a factor of 100.
    """
    printed = claim.published
    if claim.kind == "value" and printed and "%" in printed.text and claim.measure.get("scale") == 1.0:
        metric = claim.measure["metric"]
        raise ClaimsError(
            f"{where}: published: {printed.text!r} is a percentage; expected a number without %, "
            f"or {metric}: {{unit: '%'}} under measures in the plan"
        )


def _check_references(claim: Claim, found: ClaimSet, where: str) -> None:
    for pattern in references(claim.expects):
        matches = [m for m in found.matching(pattern) if m != claim.id]
        if not matches:
            raise ClaimsError(f"{where}: expects: no claim {pattern!r}; {one_of(pattern, found.claims)}")
        if claim.kind == "arithmetic":
            bare = [m for m in matches if found.claims[m].published is None]
            if bare:
                raise ClaimsError(f"{where}: expects: {bare[0]!r} has no published number")
    for pattern in (*claim.expects.get("difference_of", ()), *claim.expects.get("ratio_of", ())):
        if found.matching(pattern) != [pattern]:
            raise ClaimsError(f"{where}: expects: {pattern!r} is a pattern, expected one claim")
    if claim.kind == "arithmetic" and "left" in claim.expects:
        left = claim.expects["left"]
        if found.matching(left) != [left]:
            raise ClaimsError(f"{where}: expects.left: {left!r} is a pattern, expected one claim")
        than = claim.expects["than"]
        if isinstance(than, list) and {m for p in than for m in found.matching(p)} <= {left, claim.id}:
            raise ClaimsError(
                f"{where}: expects.than: {', '.join(than)} matches {left!r} alone; expected other claims"
            )


def _check_counts(expects: Any, found: ClaimSet, where: str) -> None:
    """Check the counts of a sentence.

    No part counts twice, and no more must hold than there are.
    """
    if not isinstance(expects, Mapping):
        return
    parts = expects.get("all_of") or expects.get("any_of") or expects.get("of")
    if not isinstance(parts, list):
        return
    names = [name for part in parts if isinstance(part, str) for name in found.matching(part)]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice:
        raise ClaimsError(f"{where}: expects: the part {twice!r} is named twice")
    nested = [part for part in parts if not isinstance(part, str)]
    if expects.get("at_least", 1) > len(names) + len(nested):
        raise ClaimsError(
            f"{where}: expects.at_least: {expects['at_least']} of {len(names) + len(nested)} parts"
        )
    for part in nested:
        _check_counts(part, found, where)


def _check_sentences(found: ClaimSet, file: str) -> None:
    """Refuse sentences that refer to themselves or nest too deep.

    Each is visited once.
    """
    parts = {
        claim.id: [match for pattern in references(claim.expects) for match in found.matching(pattern)]
        for claim in found.claims.values()
        if claim.kind == "sentence"
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
    found: dict[str, list[Any]] = {}
    for _, _, grid in plan.grids():
        for parameter, values in grid.items():
            known = found.setdefault(parameter, [])
            known += [value for value in values if value not in known]
    return found


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


def check_points(claims: ClaimSet, frame: pd.DataFrame, name: str) -> None:
    """Check evaluation points in the claims against those in the records.

    No plan declares them.

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
    ran = set(zip(finished["dataset"], finished["method"], strict=True))
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
