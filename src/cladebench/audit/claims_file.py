"""Read ``papers/<id>/claims.yaml``: schema, tables, lists, references."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cladebench.audit.claim_checks import check_claims, check_planned
from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet
from cladebench.audit.kinds import KINDS
from cladebench.audit.table_parts import BEST, COLUMN, ENTRY, NO_NUMBER, QUERY_KEYS, TablePart, slug
from cladebench.audit.verdict.verdict_types import Rules
from cladebench.bench.plan.plan import Plan
from cladebench.file_lines import tells_lines
from cladebench.input_files import (
    InputFileError,
    one_of,
    read_schema,
    read_yaml,
    short_name,
    validate,
    validator_of,
)
from cladebench.measures import MEASURES, Measure
from cladebench.paper.catalogue import load_plan, load_programmes, resolve_package
from cladebench.paper.feasibility import Programmes
from cladebench.paper.printed import Printed, parse_printed

#: More than any paper has; for_each can multiply a few lines to billions.
MAX_CLAIMS = 10_000

_BRACES = re.compile(r"\{([^{}]*)\}")


@functools.cache
def claims_validator() -> Any:
    """Return the validator of claims files, kind by kind."""
    schema = read_schema("claims")
    claim = schema["$defs"]["claim"]
    claim["properties"]["kind"]["enum"] = list(KINDS)
    claim["allOf"] = [
        {"if": {"required": ["kind"], "properties": {"kind": {"const": name}}}, "then": kind.form}
        for name, kind in KINDS.items()
    ]
    return validator_of(schema)


def claims_path(paper: str) -> Path | None:
    """Path of a paper's ``claims.yaml``, None when it has none."""
    package = importlib.util.find_spec(resolve_package(paper))
    folders = package.submodule_search_locations if package is not None else None
    return next((f for folder in folders or () if (f := Path(folder) / "claims.yaml").exists()), None)


def load_claims(paper: str, plan: Plan | None = None) -> ClaimSet:
    """Read a paper's claims and check their names against its plan.

    See `checked_claims`.
    """
    path = claims_path(paper)
    if path is None:
        raise ClaimsError(f"papers: {paper} has no claims.yaml")
    return checked_claims(path, plan or load_plan(paper))


@tells_lines
def checked_claims(path: Path, plan: Plan) -> ClaimSet:
    """Read a claims file and check its names against a plan.

    See `read_claims` and `check_planned`.
    """
    claims = read_claims(path, plan.measures, load_programmes(plan.package))
    check_planned(claims, plan, short_name(path))
    return claims


@tells_lines
def read_claims(
    path: Path, measures: Mapping[str, Measure] = MEASURES, programmes: Programmes | None = None
) -> ClaimSet:
    """Read, expand and check a claims file.

    Parameters
    ----------
    path : Path
    measures : mapping of str to Measure
        Give each claim the direction and the scale of its metric; by default those that need no paper.
    programmes : mapping of (str, str) to Programme, optional
        Of the paper's ``feasibility.py``.

    Returns
    -------
    ClaimSet

    Raises
    ------
    InputFileError
        Naming the file, the claim, the key, the value and what was expected.
    """
    name = short_name(path)
    document = read_yaml(path, name)
    try:
        validate(document, claims_validator(), name)
    except InputFileError as error:
        raise ClaimsError(str(error)) from None
    _check_families(document, name)
    claims: dict[str, Claim] = {}
    for claim in itertools.chain(_from_tables(document, name), _from_blocks(document, name)):
        if claim.id in claims:
            raise ClaimsError(f"{name}: claim {claim.id!r}: id: given twice")
        if len(claims) == MAX_CLAIMS:
            raise ClaimsError(f"{name}: claim {claim.id!r}: expected at most {MAX_CLAIMS:,} claims in a file")
        claims[claim.id] = _measured(claim, measures)
    claim_set = ClaimSet(
        document["paper"],
        claims,
        Rules(**document.get("rules", {})),
        frozenset(document.get("deterministic", ())),
        tuple(document.get("excluded", ())),
        programmes or {},
    )
    check_claims(claim_set, name)
    return claim_set


def _check_families(document: Mapping[str, Any], name: str) -> None:
    """Refuse a named family with one entry alone.

    A misspelt name would weaken the correction of its tests.
    """
    blocks = document["claims"]
    for block in blocks:
        others = {b.get("family", b["id"]) for b in blocks if b is not block}
        family = block.get("family", block["id"])
        if "family" in block and family not in others:
            raise ClaimsError(
                f"{name}: claim {block['id']!r}: family: no other claim is of {family!r}; {one_of(family, others)}"
            )


def _from_tables(document: Mapping[str, Any], name: str) -> Iterator[Claim]:
    """List the claims that kinds make of the parts of tables."""
    shared = {"repetitions": document.get("repetitions"), "spread": document.get("spread", "sd")}
    for table in document.get("tables", ()):
        for part in _parts({**shared, **table}, f"{name}: table {table['id']!r}"):
            for kind in KINDS.values():
                yield from kind.from_table(part)


def _parts(table: Mapping[str, Any], where: str) -> Iterator[TablePart]:
    columns, rows = table["columns"], table["rows"]
    for row_key, row in rows.items():
        if len(row["printed"]) != len(columns):
            raise ClaimsError(
                f"{where}: rows.{row_key}.printed: {len(row['printed'])} entries, expected {len(columns)}: "
                f"one for each column ({', '.join(columns)}), '-' where nothing is printed"
            )
        _check_columns(row, columns, f"{where}: rows.{row_key}")
        for column_key, text in zip(columns, row["printed"], strict=True):
            if text.strip() not in NO_NUMBER:
                printed = _printed(text, f"{where}: rows.{row_key}.printed")
                yield TablePart(ENTRY, table, column_key, row_key, printed)
    for column_key, row_key in table.get("best", {}).items():
        for key, known in ((column_key, columns), (row_key, rows)):
            if key not in known:
                raise ClaimsError(f"{where}: best: unknown {key!r}; {one_of(key, known)}")
        yield TablePart(BEST, table, column_key, row_key)
    for column_key in columns:
        yield TablePart(COLUMN, table, column_key)


def _check_columns(row: Mapping[str, Any], columns: Mapping[str, Any], where: str) -> None:
    """What a row says of single columns must name them."""
    reasons = row.get("not_testable")
    for key in reasons if isinstance(reasons, Mapping) else ():
        if key not in columns:
            raise ClaimsError(f"{where}.not_testable: unknown column {key!r}; {one_of(key, columns)}")
    for key in row.get("seeds_alone", ()):
        if key not in columns:
            raise ClaimsError(f"{where}.seeds_alone: unknown column {key!r}; {one_of(key, columns)}")


def _from_blocks(document: Mapping[str, Any], name: str) -> Iterator[Claim]:
    for block in document["claims"]:
        where = f"{name}: claim {block['id']!r}"
        for_each = block.get("for_each", {})
        _check_for_each(block, where)
        for values in itertools.product(*for_each.values()):
            combination = dict(zip(for_each, values, strict=True))
            # References are made of ids, and ids of slugs; queries name data sets and methods as they are.
            words = {k: slug(str(v)) if KINDS[block["kind"]].of_ids else v for k, v in combination.items()}
            filled = _fill({k: v for k, v in block.items() if k != "for_each"}, words)
            measure = filled.get("measure", {}) | {k: v for k, v in combination.items() if k in QUERY_KEYS}
            text = filled.get("published")
            yield Claim(
                id="/".join((block["id"], *(slug(str(value)) for value in values))),
                kind=block["kind"],
                place=filled["place"],
                quote=" ".join(filled["quote"].split()),
                reading=" ".join(filled.get("reading", "").split()),
                published=None if text is None else _printed(text, f"{where}: published"),
                measure=measure,
                expects=filled.get("expects", {}),
                family=filled.get("family", block["id"]),
                repetitions=filled.get("repetitions", document.get("repetitions")),
                spread=filled.get("spread", document.get("spread", "sd")),
                one_draw=filled.get("one_draw", False),
                tolerance=filled.get("tolerance", {}),
                gap=filled.get("gap", {}),
                evidence=filled.get("evidence", ""),
                inconsistent=" ".join(filled.get("inconsistent", "").split()),
                error=filled.get("error", "method"),
                not_testable=" ".join(filled.get("not_testable", "").split()),
                main=filled.get("main", False),
            )


def _measured(claim: Claim, measures: Mapping[str, Measure]) -> Claim:
    """Give a claim the direction and scale of its measure.

    They are in the registry.
    """
    left = claim.expects.get("left")
    named = claim.measure.get("metric") or (left.get("metric") if isinstance(left, Mapping) else None)
    known = measures.get(str(named))
    if known is None:
        return claim
    facts: dict[str, Any] = {"scale": known.scale}
    if known.direction is not None:
        facts["direction"] = known.direction
    return replace(claim, measure=facts | dict(claim.measure))


def _check_for_each(block: Mapping[str, Any], where: str) -> None:
    """Check the keys of ``for_each``.

    Each must make the claims differ, and there must not be too many claims.
    """
    for_each = block.get("for_each", {})
    count = math.prod(len(values) for values in for_each.values())
    if count > MAX_CLAIMS:
        raise ClaimsError(f"{where}: for_each: {count:,} claims, expected at most {MAX_CLAIMS:,}")
    texts = set(_texts({key: value for key, value in block.items() if key != "for_each"}))
    for key in for_each:
        if key not in QUERY_KEYS and not any("{" + key + "}" in text for text in texts):
            raise ClaimsError(
                f"{where}: for_each.{key}: the claim has no {{{key}}}; {one_of(key, [*QUERY_KEYS, *_words(texts)])}"
            )


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _words(texts: Iterable[str]) -> list[str]:
    """Names that stand in braces."""
    return sorted({name for text in texts for name in _BRACES.findall(text)})


def _fill(value: Any, words: Mapping[str, Any]) -> Any:
    """Replace ``{key}`` in every text by the word of that key.

    A text that is nothing else becomes the word itself.

    What stands in a word stays as it is.
    """
    if isinstance(value, str):
        whole = _BRACES.fullmatch(value)
        if whole and whole[1] in words:
            return words[whole[1]]
        return _BRACES.sub(lambda match: str(words.get(match[1], match[0])), value)
    if isinstance(value, Mapping):
        return {key: _fill(item, words) for key, item in value.items()}
    return [_fill(item, words) for item in value] if isinstance(value, list) else value


def _printed(text: str, where: str) -> Printed:
    try:
        return parse_printed(text)
    except ValueError as error:
        raise ClaimsError(f"{where}: {error}") from None
