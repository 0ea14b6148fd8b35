"""What was found about a paper.

Sentences, each bound to verdicts and measured numbers that must bear it out.

``findings.yaml`` in a paper's folder has three to seven of them. A finding may rest on

- ``claims``: a pattern of claims and the verdicts that they must have: all of them, or ``at_least`` or ``at_most`` so
  many; maybe a pattern of their ``universes``, as ``0/*`` where none may support, and the choices that they must
  ``depends_on``, no others;
- ``numbers``: a query over the cells (dataset, method, metric; at, where, selection), maybe ``minus`` another that
  differs from it in the keys given, task by task, and where its mean lies with 95% confidence: a ``value`` with its
  ``tolerance``, or bounds ``at_least`` and ``at_most``. Numbers are in the units of the records; by default in the
  setting that the paper's own rule selects.

`cladebench.audit.finding_checks` says which no longer hold. ``main_result`` names the table that the paper stands on:
it is drawn, and stands in the README, with the methods that are ``blind`` to the data beside it. Where a figure of the
paper's folder shows it better, ``picture`` names this figure: it stands on the index of the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.bench.plan.plan import Plan
from cladebench.file_lines import lines_told, tells_lines
from cladebench.input_files import InputFileError, one_of, read_yaml, short_name, validate
from cladebench.notation import as_given

_QUERY = ("dataset", "method", "metric", "at", "where", "selection")


@dataclass(frozen=True)
class Finding:
    """One sentence and what it rests on.

    Attributes
    ----------
    id : str
    headline : str
        What was found, in at most 12 words.
    text : str
        The numbers and the reason, in at most 40 words.
    claims, numbers : tuple of mapping
        As in the file; see the module's text.
    """

    id: str
    headline: str
    text: str
    claims: tuple[Mapping[str, Any], ...] = ()
    numbers: tuple[Mapping[str, Any], ...] = ()

    def queries(self) -> list[dict[str, Any]]:
        """Each query over the cells that it makes."""
        queries = []
        for number in self.numbers:
            query = {key: number[key] for key in _QUERY if key in number}
            queries += [query, *([query | number["minus"]] if "minus" in number else [])]
        return queries


@dataclass(frozen=True)
class Findings:
    """The findings about a paper.

    Attributes
    ----------
    findings : tuple of Finding
    main_result : str
        Name of the artifact, as claims place it; empty where none is named.
    blind : tuple of str
        Methods blind to the data that stand beside it.
    picture : str
        Id of the figure that shows it on the index; empty where the drawn table does.
    """

    findings: tuple[Finding, ...] = ()
    main_result: str = ""
    blind: tuple[str, ...] = ()
    picture: str = ""


def checked_findings(plan: Plan) -> Findings:
    """Read the findings beside a plan, if any, and check names.

    Raises
    ------
    InputFileError
        See `read_findings`; and if the plan has no such data set, method, metric or rule.
    """
    path = plan.path.parent / "findings.yaml"
    if not path.exists():
        return Findings()
    findings = read_findings(path)
    known = {
        "dataset": {name for scope in plan.scopes for name in plan.datasets_of(scope)},
        "method": plan.methods,
        "metric": plan.measures,
        "selection": plan.selection,
    }
    with lines_told(path):
        for method in findings.blind:
            if method not in plan.methods:
                raise InputFileError(
                    f"{short_name(path)}: main_result.blind: unknown {method!r}; {one_of(method, plan.methods)}"
                )
        for finding in findings.findings:
            for query in finding.queries():
                for key, names in known.items():
                    if key in query and query[key] not in names:
                        raise InputFileError(
                            f"{short_name(path)}: finding {finding.id!r}: numbers: {key}: unknown {query[key]!r}; "
                            f"{one_of(query[key], sorted(names))}"
                        )
    return findings


@tells_lines
def read_findings(path: Path) -> Findings:
    """Read a file of findings.

    Raises
    ------
    InputFileError
        Naming the file, the finding, the key, the value and what was expected.
    """
    document = read_yaml(path, short_name(path))
    validate(document, "findings", short_name(path))
    entries = document["findings"]
    twice = [name for name, count in Counter(entry["id"] for entry in entries).items() if count > 1]
    if twice:
        raise InputFileError(f"{short_name(path)}: finding {twice[0]!r}: id: given twice")
    for entry in entries:
        for bound in (*entry.get("claims", ()), *entry.get("numbers", ())):
            low, high = bound.get("at_least"), bound.get("at_most")
            if low is not None and high is not None and low > high:
                raise InputFileError(
                    f"{short_name(path)}: finding {entry['id']!r}: at_least: {as_given(low)} is more than "
                    f"at_most, {as_given(high)}"
                )
    main = document.get("main_result", {})
    return Findings(
        tuple(
            Finding(
                entry["id"],
                " ".join(entry["headline"].split()),
                " ".join(entry["text"].split()),
                tuple(entry.get("claims", ())),
                tuple(entry.get("numbers", ())),
            )
            for entry in entries
        ),
        main.get("artifact", ""),
        tuple(main.get("blind", ())),
        main.get("picture", ""),
    )
