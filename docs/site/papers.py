"""A page for each audited paper, from its plan and from the answers of the committed full run."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from cladebench.audit.verdict.verdict_types import ANSWERS, VERDICTS
from cladebench.report.result_sentence import result_sentence
from cladebench.report.statements import by_answer, matrix, statements

FULL = "results/full"


def judged(audit: Path) -> dict[str, list[dict[str, Any]]]:
    """Read the claims of ``audit.csv``, by paper, as far as statements are counted from them."""
    papers: dict[str, list[dict[str, Any]]] = {}
    with audit.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            parts = [{"claim": part.rpartition(": ")[0]} for part in row["parts"].split("; ") if part]
            papers.setdefault(row["paper"], []).append({**row, "parts": parts})
    return papers


def counts(claims: list[dict[str, Any]]) -> list[int]:
    """Count what a paper states by answer, as the README does."""
    return list(by_answer(matrix(statements(claims))).values())


def main_claim(claims: list[dict[str, Any]]) -> dict[str, Any]:
    """Find the claim that a paper stands or falls with."""
    (main,) = [claim for claim in claims if claim["main"] == "true"]
    return main


def _row(cells: Iterable[object]) -> str:
    return f"|{'|'.join(map(str, cells))}|"


def _reason(text: str) -> str:
    """The parts of a reason, without the claims that decide: the report links to these."""
    said = text.partition("; decided by ")[0].rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


def paper_page(plan: dict[str, str], claims: list[dict[str, Any]]) -> str:
    """Write the page of a paper.

    Parameters
    ----------
    plan : dict
        Of its ``plan.yaml``: paper, title, citation.
    claims : list of dict
        See `judged`.
    """
    main = main_claim(claims)
    on_stand_ins = {claim["claim"] for claim in claims if claim["stand_in_for"]}
    stated = statements(claims)
    replaced = sum(statement.head in on_stand_ins for statement in stated)
    report = f"{FULL}/report/{plan['paper']}"
    lines = [
        f"# {plan['title']}",
        plan["citation"].strip(),
        "## Its main claim",
        f"> {main['quote'].strip()}",
        f"**Answer: {main['answer']}**, {VERDICTS[main['verdict']].why}. {_reason(main['reason'])}",
        "## All its numbers and sentences",
        "\n".join([_row(ANSWERS), _row(["--:"] * len(ANSWERS)), _row(counts(claims))]),
    ]
    if replaced:
        lines.append(
            f"Stand-in data replace data that are not public in {replaced} of {len(stated)} statements."
        )
    return "\n\n".join(
        [
            *lines,
            "## Read on",
            f"- Its report is `{report}.html` in the repository, on one page `{report}-certificate.html`.\n"
            f"- [Findings and main tables of all papers](/{FULL}/README.md)\n"
            "- [How each answer is reached](/docs/verdicts.md)\n"
            f"- `cladebench run --paper {plan['paper']}` makes its runs: [running](/docs/running.md)\n",
        ]
    )


def paper_pages(root: Path) -> dict[str, str]:
    """Write all pages, and their index.

    Parameters
    ----------
    root : Path
        The checkout.

    Returns
    -------
    dict of str to str
        Text by file name.
    """
    claims = judged(root / FULL / "audit.csv")
    files = sorted(root.glob("src/cladebench/papers/*/plan.yaml"))
    plans = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in files]
    main = {plan["paper"]: main_claim(claims[plan["paper"]])["answer"] for plan in plans}
    table = [_row(["paper", "its main claim", *ANSWERS]), _row(["---", "---", *["--:"] * len(ANSWERS)])]
    for plan in plans:
        answer = ANSWERS[main[plan["paper"]]]
        cells = [f"[{plan['title']}]({plan['paper']}.md)", f"{answer.sign} {answer.name}"]
        table.append(_row([*cells, *counts(claims[plan["paper"]])]))
    total = dict(zip(ANSWERS, map(sum, zip(*map(counts, claims.values()), strict=True)), strict=True))
    names = [plan["paper"] for plan in plans]
    pages = {f"{plan['paper']}.md": paper_page(plan, claims[plan["paper"]]) for plan in plans}
    pages["index.md"] = "\n\n".join(
        [
            "# The papers",
            f"{result_sentence(len(plans), list(main.values()), total)} The table counts"
            f" {sum(total.values())} printed numbers and sentences by answer.",
            "\n".join(table),
            f"The report with all numbers is `{FULL}/report/index.html` in the repository.",
            "\n".join(["```{toctree}\n:hidden:\n", *names, f"/{FULL}/README\n```\n"]),
        ]
    )
    return pages
