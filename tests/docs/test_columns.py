"""The column dictionary names the columns that the tables have, in their order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cladebench.audit.audit_files import COLUMNS as AUDIT
from cladebench.bench.plan.cell_spec import STATUSES
from cladebench.bench.store.cells_table import COLUMNS as CELLS
from cladebench.crosscheck.certificate import COLUMNS as CERTIFICATES

TEXT = (Path(__file__).parents[2] / "docs" / "columns.md").read_text(encoding="utf-8")


def documented(section: str) -> list[str]:
    part = TEXT.split(f"\n## {section}\n")[1].split("\n## ")[0].split("\n### ")[0]
    return re.findall(r"^\| `(\w+)` \|", part, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("section", "columns"),
    [("cells.parquet", CELLS), ("certificates.csv", CERTIFICATES)],
    ids=["cells", "certificates"],
)
def test_columns_are_documented_in_order(section, columns):
    assert documented(section) == list(columns)


def test_statuses_are_documented():
    row = next(line for line in TEXT.splitlines() if line.startswith("| `status` |"))
    assert set(re.findall(r"`(\w+)`", row)) - {"status"} == set(STATUSES)


def test_the_columns_of_the_audit_are_documented_in_order():
    part = TEXT.split("\n## audit.csv\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", part, flags=re.MULTILINE) == list(AUDIT)
