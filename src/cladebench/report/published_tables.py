"""Lay out printed tables, with what we measured and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cladebench.audit import ClaimSet
from cladebench.audit.kinds import kind_of
from cladebench.report.claim_rows import ClaimRow


@dataclass(frozen=True)
class PublishedTable:
    """A table as printed, with what we measured and whether it holds.

    Attributes
    ----------
    title : str
        As the paper calls it.
    rows, columns : tuple of str
    entries : mapping of (str, str) to tuple of ClaimRow
        Row and column -> the claims there; no key where nothing is printed.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: Mapping[tuple[str, str], tuple[ClaimRow, ...]]

    @property
    def stand_ins(self) -> str:
        """Say which columns were measured on stand-in data; empty where none was."""
        notes = {
            column for (_, column), claims in self.entries.items() if any(c.stand_in_for for c in claims)
        }
        away = [column for column in self.columns if column in notes]
        if len(away) == len(self.columns):
            return "All columns are measured on stand-in data."
        return f"Measured on stand-in data: {', '.join(away)}." if away else ""


def published_tables(claims: ClaimSet, rows: Sequence[ClaimRow]) -> tuple[PublishedTable, ...]:
    """Lay out printed numbers that have a row and a column."""
    by_id = {row.claim: row for row in rows}
    by_artifact: dict[str, dict[tuple[str, str], list[ClaimRow]]] = {}
    for claim in claims.claims.values():
        place = claim.place
        if (
            kind_of(claim).printed_number
            and claim.id in by_id
            and {"artifact", "row", "column"} <= set(place)
        ):
            entries = by_artifact.setdefault(str(place["artifact"]), {})
            entries.setdefault((str(place["row"]), str(place["column"])), []).append(by_id[claim.id])
    return tuple(
        PublishedTable(
            title,
            tuple(dict.fromkeys(row for row, _ in entries)),
            columns_in_order(entries),
            {key: tuple(value) for key, value in entries.items()},
        )
        for title, entries in by_artifact.items()
    )


def columns_in_order(entries: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Give the columns in the paper's order.

    Places are (row, column). The order is that of the fullest rows, which miss none.
    """
    rows: dict[str, list[str]] = {}
    for row, column in entries:
        rows.setdefault(row, []).append(column)
    fullest = sorted(rows.values(), key=len, reverse=True)
    return tuple(dict.fromkeys(column for columns in fullest for column in columns))
