"""Parts of printed tables. Kinds of claims make claims of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cladebench.paper.printed import Printed

#: Tables print one of these where they have no number.
NO_NUMBER = ("-", "–", "—", "")
#: A part is a printed number, one that the paper marks as the best of its column, or a column.
ENTRY, BEST, COLUMN = "entry", "best", "column"
QUERY_KEYS = ("dataset", "method", "metric", "direction", "selection", "at", "where", "change_from")


def slug(text: str) -> str:
    """Lower-case form of a name for use in ids."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")


def query_of(header: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a row or a column says of what is measured."""
    return {key: header[key] for key in QUERY_KEYS if key in header}


@dataclass(frozen=True)
class TablePart:
    """A part of a printed table.

    Attributes
    ----------
    what : str
        `ENTRY`, `BEST` or `COLUMN`.
    table : mapping
        As the file has it, with the file's ``repetitions`` and ``spread`` where it has none of its own.
    column_key, row_key : str
        The row's is empty for a column.
    published : Printed or None
        The number of an entry.
    """

    what: str
    table: Mapping[str, Any]
    column_key: str
    row_key: str = ""
    published: Printed | None = None

    @property
    def column(self) -> Mapping[str, Any]:
        """What the file says of the column."""
        return dict(self.table["columns"][self.column_key])

    @property
    def row(self) -> Mapping[str, Any]:
        """What the file says of the row; nothing for a column."""
        return dict(self.table["rows"].get(self.row_key, {}))

    @property
    def text(self) -> str:
        """The entry as printed."""
        return self._printed_in(self.row)

    @property
    def place(self) -> dict[str, Any]:
        """Where it stands, by the labels of the file."""
        place = self.table["place"] | {"column": self.column.get("label", self.column_key)}
        return place | ({"row": self.row.get("label", self.row_key)} if self.row_key else {})

    @property
    def measure(self) -> dict[str, Any]:
        """The measure, by the table and the column."""
        return self.table["measure"] | query_of(self.column)

    @property
    def entry_id(self) -> str:
        """Id of the claim that the printed number is measured."""
        return f"{self.id()}/{slug(self.row_key)}"

    @property
    def untested(self) -> str:
        """Why an entry cannot be tested; empty where it can.

        The row's reason, or its reason for this column, comes before the column's own.
        """
        reason = self.row.get("not_testable", "")
        if isinstance(reason, Mapping):
            reason = reason.get(self.column_key, "")
        return str(reason or self.column.get("not_testable", ""))

    @property
    def rivals(self) -> list[str]:
        """List the methods of the other entries of the column.

        A row without a method is of one that is not measured here; the entry can be held against the rest.
        """
        return [
            row["method"]
            for key, row in self.table["rows"].items()
            if key != self.row_key and self._printed_in(row).strip() not in NO_NUMBER and "method" in row
        ]

    def id(self, *words: str) -> str:
        """Name the column in an id, after words."""
        return "/".join((self.table["id"], *words, slug(self.column_key)))

    def _printed_in(self, row: Mapping[str, Any]) -> str:
        return str(row["printed"][list(self.table["columns"]).index(self.column_key)])
