"""The audit of a run: from records to verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench import datasets
from cladebench.audit.audit_files import Audit, summary
from cladebench.audit.claim_checks import check_points, check_register, check_selection
from cladebench.audit.claim_types import ClaimSet, Facts
from cladebench.audit.claims_file import load_claims
from cladebench.audit.evidence import evidence_of
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds import kind_of
from cladebench.audit.other_choices import single_choices
from cladebench.audit.pipeline.all_choices import Settled
from cladebench.audit.pipeline.one_paper import PaperAudit
from cladebench.audit.verdict.verdict_types import DEPENDS, HOLDS, UNINFORMATIVE, VERDICTS
from cladebench.audit.verdict.verdict_wording import PARTS, in_sentences
from cladebench.bench.plan.jobs import with_missing
from cladebench.bench.plan.setting_selection import Rule
from cladebench.bench.samples.results import Results
from cladebench.bench.store.causes import some_of
from cladebench.bench.store.cells_table import COLUMNS, PROVENANCE, read_cells
from cladebench.crosscheck.certificate import read_certificates
from cladebench.file_lines import lines_told
from cladebench.measures import MEASURES, Measure
from cladebench.paper.catalogue import load_plan
from cladebench.paper.choices import UnstatedChoice, checked_choices

#: What is read of the records. Without the texts of provenance they take half of the memory.
_READ = [name for name in COLUMNS if name not in PROVENANCE]
#: A part's verdict -> how it counted in its sentence, before it had this verdict.
_BEFORE = {DEPENDS: "with our choices", UNINFORMATIVE: "without random methods"}
_NUMBERS = ("measured", "low", "high", "n", "difference", "detectable", "p_value", "p_exact", "p_adjusted")


def registry_fact(dataset: str, fact: str) -> int:
    """Look up a fact of a registered data set.

    ``n_samples``, ``n_features`` or ``n_classes``; ValueError where it has none.
    """
    value = getattr(datasets.info(dataset), fact)
    if value is None:
        raise ValueError(f"{dataset} has no {fact.removeprefix('n_')}")
    return int(value)


def audit_paper(
    claims: ClaimSet,
    frame: pd.DataFrame,
    *,
    selection: Mapping[str, Rule] | None = None,
    at: Mapping[str, Any] | None = None,
    certificates: pd.DataFrame | None = None,
    facts: Facts = registry_fact,
    sizes: Mapping[str, int] | None = None,
    official: Collection[tuple[str, str]] = (),
    measures: Mapping[str, Measure] = MEASURES,
    blind: Sequence[str] = (),
    beyond: Sequence[str] = (),
    register: Iterable[UnstatedChoice] = (),
) -> list[dict[str, Any]]:
    """Judge every claim of a paper.

    Parameters
    ----------
    claims : ClaimSet
    frame : DataFrame
        ``cells.parquet``; rows of other papers are left out.
    selection : mapping of str to Rule, optional
        The plan's rules of selection: the first is the paper's own, the second is shown beside it.
    at : Mapping, optional
        The plan's default evaluation point.
    certificates : DataFrame, optional
        As `read_certificates` gives it.
    facts : callable
        Facts of data sets.
    sizes : mapping of str to int, optional
    official : collection of (data set, method)
        See `cladebench.bench.samples.results.Results`.
    measures : mapping of str to Measure
        The plan's.
    blind, beyond : sequence of str
        See `cladebench.bench.plan.plan.Plan`.
    register : iterable of UnstatedChoice
        Under whose alternatives claims are judged too.

    Returns
    -------
    list of dict
        One entry for each claim with the keys `COLUMNS`, in the file's order: numbers, None where there is none, texts,
        lists of texts, and for ``parts`` a list of ``{"claim": id, "verdict": verdict}``; beside them ``stance`` and
        ``stances``, see `cladebench.audit.pipeline.all_choices.Settled`. The keys ``*_beside`` say what comes out
        under the second rule of selection.
    """
    rules = selection or {}
    records = frame[frame["paper"] == claims.paper]
    results = Results(records, rules, at or {}, claims.deterministic, sizes, official)
    names = list(rules) or [""]
    audit = PaperAudit(
        claims,
        results,
        certificates,
        facts,
        measures,
        blind,
        single_choices(register),
        (names[0], names[min(1, len(names) - 1)]),
    )
    stand_ins = {*beyond, *records.loc[records["stand_in_for"].fillna("") != "", "dataset"].unique()}
    generated = {*records.loc[records["data_kind"] == "synthetic", "dataset"].unique()}
    settled = audit.settled()
    evidence: dict[str, str] = {}

    def evidence_for(name: str) -> str:
        if name not in evidence:
            judgement = audit.chosen[name]
            parts = {evidence_for(part) for part in judgement.parts}
            claim = claims.claims[name]
            evidence[name] = evidence_of(claim, judgement.samples, parts, measures, stand_ins, generated)
        return evidence[name]

    return [
        _row(claims, name, audit.chosen[name], audit.beside[name])
        | {
            "verdict": settled[name].verdict,
            "answer": VERDICTS[settled[name].verdict].answer,
            "reason": in_sentences(
                _with_what_counts(name, audit, settled)
                + (_decisive(name, audit, settled) if claims.claims[name].main else "")
            ),
            "parts": [{"claim": part, "verdict": settled[part].verdict} for part in audit.chosen[name].parts],
            "evidence": evidence_for(name),
            "blind": settled[name].blind,
            "universes": settled[name].counts,
            "depends_on": list(settled[name].depends_on),
            "not_run": list(settled[name].not_run),
            "stance": settled[name].stances[""],
            "stances": {key: stance for key, stance in settled[name].stances.items() if key},
        }
        for name in claims.claims
    ]


def _with_what_counts(name: str, audit: PaperAudit, settled: Mapping[str, Settled]) -> str:
    """Say in a sentence's reason how its parts are counted.

    They count with our choices, before random methods. Where that gave another verdict than a part has, it is said.
    """
    reason = settled[name].reason
    met = {settled[part].verdict for part in audit.chosen[name].parts}
    said = [words for verdict, words in _BEFORE.items() if verdict in met and words not in reason]
    return reason.replace(PARTS, f"{PARTS}{' and '.join(said)} ", 1) if said else reason


def _decisive(name: str, audit: PaperAudit, settled: Mapping[str, Settled]) -> str:
    """Name the parts that decide a main claim.

    They do not hold; each has its reason.
    """
    verdicts = {part: VERDICTS[settled[part].verdict] for part in audit.chosen[name].parts}
    deciding = [f"{part} ({known.why})" for part, known in verdicts.items() if known.answer != HOLDS]
    return f"; decided by {some_of(deciding, 3)}" if deciding else ""


def audit_run(results: Path, papers: Sequence[str], scope: str | None = None) -> Audit:
    """Audit a results folder.

    Parameters
    ----------
    results : Path
        Holds ``cells.parquet`` and, when the cross-checks ran, ``certificates.csv``.
    papers : sequence of str
        Ids or dotted packages.
    scope : str, optional
        The scope that was run: planned cells without a record count as missing, as in the tables. By default the
        records alone count.

    Returns
    -------
    Audit

    Raises
    ------
    InputFileError
        If there are no records, or a paper has no claims or wrong ones.
    """
    certificates = read_certificates(results / "certificates.csv")
    rows: list[dict[str, Any]] = []
    excluded: dict[str, list[Mapping[str, str]]] = {}
    other_choices: dict[str, list[Mapping[str, str]]] = {}
    # All files first: a wrong one is told before the first paper is judged.
    plans = [load_plan(paper) for paper in papers]
    read = [(plan, load_claims(plan.package, plan), checked_choices(plan)) for plan in plans]
    for plan, claims, register in read:
        records = read_cells(results / "cells.parquet", paper=claims.paper, columns=_READ)
        with lines_told(plan.path.with_name("choices.yaml")):
            check_register(claims, register, f"{claims.paper}/choices.yaml")
        with lines_told(plan.path.with_name("claims.yaml")):
            check_points(claims, records, f"{claims.paper}/claims.yaml")
        with lines_told(plan.path):
            check_selection(plan, records)
        if scope is not None:
            records = with_missing(records, plan, scope)
        excluded[claims.paper] = list(claims.excluded)
        rows += audit_paper(
            claims,
            records,
            selection=plan.selection,
            at=plan.at,
            certificates=certificates,
            sizes=plan.pools(),
            official=plan.official_splits(scope),
            measures=plan.measures,
            blind=plan.blind,
            beyond=plan.beyond,
            register=register,
        )
        other_choices[claims.paper] = [
            {"factor": choice.entries[0], "name": choice.name} for choice in single_choices(register)
        ]
    return Audit(rows, excluded, summary(rows), other_choices)


def _row(claims: ClaimSet, name: str, main: Judgement, shown: Judgement) -> dict[str, Any]:
    claim = claims.claims[name]
    outcome, other = main.final, shown.final
    printed, kind = claim.published, kind_of(claim)
    query = claim.measure
    return {
        "claim": claim.id,
        "paper": claims.paper,
        "place": claim.place_text(),
        "published": printed.text if printed else main.published,
        **{key: getattr(outcome, key) for key in _NUMBERS},
        "kind": claim.kind,
        "quote": claim.quote,
        "reading": claim.reading,
        "published_value": printed.value if printed else None,
        "published_spread": printed.spread if printed else None,
        "n_published": claim.repetitions if printed and kind.printed_number else None,
        "precision": printed.unit if printed else None,
        "family": claim.family if kind.family else "",
        "selection": _joined(s.rule for s in main.samples) or ("one setting" if main.samples else ""),
        "selection_beside": _joined(s.rule for s in shown.samples),
        "measured_beside": other.measured,
        "verdict_beside": other.verdict,
        "dataset": _joined(_part(main, 1)) or query.get("dataset", claim.expects.get("dataset", "")),
        "methods": _part(main, 2),
        "metric": _joined(s.metric for s in main.samples) or query.get("metric", ""),
        "cells": _cells(main),
        "cells_beside": _cells(shown),
        "stand_in_for": list(main.stand_in_for),
        "main": claim.main,
    }


def _joined(names: Iterable[str]) -> str:
    """Different names, in the order in which they come."""
    return "; ".join(dict.fromkeys(filter(None, names)))


def _part(judgement: Judgement, place: int) -> list[str]:
    """Data sets (1) or methods (2) of the cells behind a judgement."""
    return list(dict.fromkeys(s.cells.split("/")[place] for s in judgement.samples if s.cells))


def _cells(judgement: Judgement) -> list[str]:
    patterns = (pattern for s in judgement.samples for pattern in (s.cells, s.changed_from))
    return list(dict.fromkeys(filter(None, patterns)))
