"""A page for each audited paper, from its plan and from the answers of the committed full run."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import yaml

from cladebench.audit.verdict_types import ANSWERS, VERDICTS

FULL = "results/full"


def answers_of(audit: Path) -> dict[str, list[dict[str, str]]]:
    """Read the rows of ``audit.csv``, by paper."""
    papers: dict[str, list[dict[str, str]]] = {}
    with audit.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            papers.setdefault(row["paper"], []).append(row)
    return papers


def counts(rows: list[dict[str, str]]) -> list[int]:
    """Count statements by answer, in the order of `ANSWERS`."""
    found = Counter(row["answer"] for row in rows)
    if unknown := set(found) - set(ANSWERS):
        raise ValueError(f"audit.csv: answers {sorted(unknown)}; expected {', '.join(ANSWERS)}")
    return [found[answer] for answer in ANSWERS]


def _reason(text: str) -> str:
    """The parts of a reason, without the claims that decide: the report links to these."""
    said = text.partition("; decided by ")[0].rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


def paper_page(plan: dict[str, str], rows: list[dict[str, str]]) -> str:
    """Write the page of a paper.

    Parameters
    ----------
    plan : dict
        Of its ``plan.yaml``: paper, title, citation.
    rows : list of dict
        Its rows of ``audit.csv``.
    """
    (main,) = [row for row in rows if row["main"] == "true"]
    numbers = "|".join(map(str, counts(rows)))
    stand_in = sum(bool(row["stand_in_for"]) for row in rows)
    return "\n".join(
        [
            f"# {plan['title']}\n",
            f"{plan['citation'].strip()}\n",
            "## Its main claim\n",
            f"> {main['quote'].strip()}\n",
            f"**Answer: {main['answer']}**, {VERDICTS[main['verdict']].why}. {_reason(main['reason'])}\n",
            "## All its numbers and sentences\n",
            "|" + "|".join(ANSWERS) + "|\n|" + "--:|" * len(ANSWERS) + f"\n|{numbers}|\n",
            f"Stand-in data replace data that are not public in {stand_in} of {len(rows)} statements.\n"
            if stand_in
            else "",
            "## Read on\n",
            f"- The report: `{FULL}/report/{plan['paper']}.html` in the repository, and as one page"
            f" `{FULL}/report/{plan['paper']}-certificate.html`",
            f"- [Findings and main tables of all papers](/{FULL}/README.md)",
            "- [How each answer is reached](/docs/verdicts.md)",
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
    answers = answers_of(root / FULL / "audit.csv")
    plans = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(root.glob("src/cladebench/papers/*/plan.yaml"))]
    pages = {f"{plan['paper']}.md": paper_page(plan, answers[plan["paper"]]) for plan in plans}
    lines = [
        f"|[{plan['title']}]({plan['paper']}.md)|{'|'.join(map(str, counts(answers[plan['paper']])))}|" for plan in plans
    ]
    total = sum(map(len, answers.values()))
    pages["index.md"] = "\n".join(
        [
            "# The five papers\n" if len(plans) == 5 else "# The papers\n",
            f"What the committed full run says of {total} printed numbers and sentences.\n",
            "|paper|" + "|".join(ANSWERS) + "|\n|---|" + "--:|" * len(ANSWERS),
            *lines,
            f"\nThe report with all numbers is `{FULL}/report/index.html` in the repository.\n",
            "```{toctree}\n:hidden:\n",
            *(plan["paper"] for plan in plans),
            f"/{FULL}/README\n```\n",
        ]
    )
    return pages
