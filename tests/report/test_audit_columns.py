"""What docs/columns.md says of the columns of audit.csv for each kind of claim is what the audit writes."""

import re
from pathlib import Path

import pandas as pd
import pytest

from cladebench.report.cell_links import anchor
from cladebench.report.pages import write_report
from page_tags import read_page
from synthetic_run import edit_audit

ROOT = Path(__file__).parents[2]
KINDS = ("value", "order", "ratio", "trend", "ranking", "possible", "sentence", "arithmetic")


def documented():
    part = (ROOT / "docs" / "columns.md").read_text(encoding="utf-8").split("\n### By kind of claim\n")[1]
    rows = re.findall(
        r"^\| (\w+) \| (.+?) \| (.+?) \| (.+?) \|$", part.split("| --- |\n")[1], flags=re.MULTILINE
    )
    return {kind: dict(zip(("published", "measured", "n"), said, strict=True)) for kind, *said in rows}


@pytest.fixture(scope="module", params=["a run of the tests", "the full run of GHC"])
def audit(request, results):
    path = results / "audit.csv" if "tests" in request.param else ROOT / "results" / "full" / "audit.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_every_kind_is_documented():
    assert tuple(documented()) == KINDS


@pytest.mark.parametrize("column", ["published", "measured"])
def test_a_column_is_empty_where_the_page_says_so(audit, column):
    for kind, rows in audit[audit.n != ""].groupby("kind"):
        said = documented()[kind][column]
        if said.startswith("empty"):
            assert (rows[column] == "").all(), kind
        elif "empty" not in said:
            assert (rows[column] != "").all(), kind


def test_n_of_a_sentence_counts_its_parts_or_solver_checks(audit):
    sentences = audit[(audit.kind == "sentence") & (audit.n != "")]
    assert len(sentences) >= 2
    for row in sentences.itertuples():
        parts = [part for part in row.parts.split("; ") if part]
        found = re.search(r"(\d+) solver checks", row.reason)
        if found:
            assert not parts and int(row.n) == int(found[1]), row.claim
        else:
            assert 1 <= int(row.n) <= len(parts), row.claim  # a group of parts counts as one


def test_n_of_arithmetic_is_no_number_of_repetitions(audit):
    rows = audit[(audit.kind == "arithmetic") & (audit.n != "")]
    facts = rows[rows.reason.str.contains(r" has \d+ (?:samples|features|classes)")]
    assert (facts.n == "1").all()
    comparisons = rows[rows.published == ""]
    assert (comparisons.measured != "").all() and (comparisons.published_value == "").all()


def test_numbers_of_an_arithmetic_are_not_shown_as_repetitions(copied, pages):
    name, claim = "page_paper-claims-1.html", "grid-beats-plain/glass"
    assert "n = 3" in pages[name].row(anchor("claim", claim))
    edit_audit(copied, {claim: {"kind": "arithmetic"}})
    write_report(copied, "smoke", ["page_paper"])
    assert "n = 3" not in read_page(copied / "report" / name).row(anchor("claim", claim))
