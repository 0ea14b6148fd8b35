"""Name a paper and its data.

A short name, the year, the address, whose data were used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from cladebench.bench.plan.plan import Plan

OWN, STAND_IN, BOTH, NONE = (
    "paper's own data",
    "stand-in data",
    "own and stand-in data",
    "no data in this run",
)


def short_name(plan: Plan) -> str:
    """Spell a paper's id as its methods do.

    ``GHC``; else begin it with a capital.

    Examples
    --------
    ``ghc`` with a method ``GHC-L-FT`` gives ``GHC``; ``page_paper`` without one gives ``Page paper``.
    """
    for method in plan.methods:
        match = re.search(rf"(?<![A-Za-z]){re.escape(plan.paper)}(?![a-z])", method, re.IGNORECASE)
        if match:
            return match[0]
    words = plan.paper.replace("_", " ")
    return words[:1].upper() + words[1:]


def year_of(citation: str) -> str:
    """Give the last year in a citation; nothing where there is none."""
    years = re.findall(r"(?<![\d.])(?:19|20)\d\d(?!\d|\.\d)", citation)
    return years[-1] if years else ""


def address_of(citation: str) -> str:
    """Give a paper's address by arXiv number, DOI or https, if cited."""
    arxiv = re.search(r"\barXiv:\s*(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", citation, re.IGNORECASE)
    if arxiv:
        return f"https://arxiv.org/abs/{arxiv[1]}"
    doi = re.search(r"\b(10\.\d{4,9}/[A-Za-z0-9./()_-]*[A-Za-z0-9])", citation)
    if doi:
        return f"https://doi.org/{doi[1]}"
    address = re.search(r"\bhttps://[A-Za-z0-9.-]+/[A-Za-z0-9./_~-]*[A-Za-z0-9/]", citation)
    return address[0] if address else ""


def data_of_the_paper(plan: Plan, datasets: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """List the paper's data or stand-ins that this run had."""
    return tuple(
        row
        for row in datasets
        if row["name"] not in plan.beyond
        and plan.data_of(row["name"]) not in plan.beyond
        and row["cells"] > row["unavailable"]
    )


def whose_data(rows: Iterable[Mapping[str, Any]]) -> str:
    """Say whether data are the paper's own, stand-ins, or both."""
    kinds = {bool(row["stand_in_for"]) for row in rows}
    return BOTH if len(kinds) == 2 else NONE if not kinds else STAND_IN if True in kinds else OWN


def authors_of(plan: Plan) -> list[str]:
    """List the authors before the title, if the citation has it.

    Examples
    --------
    ``A. One, B. Two. The title. 2001.`` with this title gives ``["A. One", "B. Two"]``.
    """
    before, title, _ = " ".join(plan.citation.split()).partition(f". {plan.title}")
    return [name.strip() for name in before.split(",")] if title else []
