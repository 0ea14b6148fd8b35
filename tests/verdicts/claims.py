"""The claims of a paper, one by one: tables and ``for_each`` written out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

QUERY = ("dataset", "method", "metric", "direction", "selection", "at", "where", "change_from")
PRINTED = re.compile(
    r"^\s*([-+]?[\d,]*\.?\d+(?:[eE][-+]?\d+)?)\s*%?\s*(?:±\s*([\d.]+(?:[eE][-+]?\d+)?))?\s*%?\s*$"
)


@dataclass(frozen=True)
class Printed:
    value: float
    unit: float
    spread: float | None


@dataclass
class Claim:
    id: str
    kind: str
    measure: dict[str, Any] = field(default_factory=dict)
    expects: dict[str, Any] = field(default_factory=dict)
    printed: Printed | None = None
    family: str = ""
    given: dict[str, Any] = field(default_factory=dict)  # what else the entry says

    def says(self, key: str, default: Any = None) -> Any:
        return self.given.get(key, default)


def parse_printed(text: str) -> Printed:
    found = PRINTED.match(text)
    assert found, f"no printed number: {text!r}"
    number = found.group(1).replace(",", "")
    exponent = Decimal(number).as_tuple().exponent
    assert isinstance(exponent, int)
    return Printed(
        float(number), float(Decimal(1).scaleb(exponent)), float(found.group(2)) if found.group(2) else None
    )


def claims_of(file: dict[str, Any]) -> list[Claim]:
    """All claims of a file, in its order."""
    common = {key: file[key] for key in ("repetitions", "spread") if key in file}
    found = [claim for table in file.get("tables", []) for claim in _table(table, common)]
    found += [claim for entry in file["claims"] for claim in _entries(entry, common)]
    for claim in found:
        if claim.kind == "ranking":
            # An entry may be claimed outside of its table, where more is said of it.
            column = claim.id.replace("/ranking/", "/")
            claim.expects = {
                "members": [c for c in found if c.kind == "value" and c.id.startswith(f"{column}/")]
            }
    return found


class Named:
    """Claims by reference."""

    def __init__(self, claims: list[Claim]):
        self.claims = claims
        self._found: dict[str, list[Claim]] = {}

    def __call__(self, pattern: str, own: str = "") -> list[Claim]:
        """Claims that a reference means, without the one that makes it."""
        if pattern not in self._found:
            self._found[pattern] = [claim for claim in self.claims if fnmatchcase(claim.id, pattern.lower())]
        return [claim for claim in self._found[pattern] if claim.id != own]


def _table(table: dict[str, Any], common: dict[str, Any]) -> list[Claim]:
    given = common | {
        key: table[key] for key in ("repetitions", "spread", "tolerance", "gap") if key in table
    }
    found = []
    name = table["id"]
    entries: dict[str, list[tuple[str, Claim]]] = {column: [] for column in table["columns"]}
    for row, header in table["rows"].items():
        for (column, above), text in zip(table["columns"].items(), header["printed"], strict=True):
            if text.strip() in {"-", "–", "—", ""}:
                continue
            measure = _query(table["measure"]) | _query(above) | _query(header)
            own = {
                key: value
                for part in (above, header)
                for key in ("one_draw", "not_testable")
                # One reason for the row, or one for each column that has any.
                if (value := part[key].get(column) if isinstance(part.get(key), dict) else part.get(key))
            }
            if column in header.get("seeds_alone", ()):
                own["seeds_alone"] = True
            claim = Claim(
                f"{name}/{column}/{row}".lower(),
                "value",
                measure,
                printed=parse_printed(text),
                family=name,
                given=given | own,
            )
            entries[column].append((row, claim))
            found.append(claim)
    for column, best in table.get("best", {}).items():
        left = next(claim for row, claim in entries[column] if row == best)
        others = [claim for row, claim in entries[column] if row != best]
        measure = {key: value for key, value in left.measure.items() if key not in {"method", "where"}}
        own = {key: left.given[key] for key in ("not_testable",) if key in left.given}
        found.append(
            Claim(
                f"{name}/bold/{column}".lower(),
                "arithmetic",
                measure,
                {"left": left.id, "is": "better", "than": [claim.id for claim in others]},
            )
        )
        beside = [claim.measure["method"] for claim in others if "method" in claim.measure]
        expects = {
            "left": {"method": left.measure.get("method")},
            "is": "better",
            "than": {"best_of": beside},
        }
        if "tie" in table:
            expects["tie"] = table["tie"]
        found.append(
            Claim(
                f"{name}/best/{column}".lower(), "order", measure, expects, family=f"{name}/best", given=own
            )
        )
    if table.get("ranking"):
        for column in table["columns"]:
            above = _query(table["measure"]) | _query(table["columns"][column])
            found.append(
                Claim(f"{name}/ranking/{column}".lower(), "ranking", above, family=f"{name}/ranking")
            )
    return found


def _entries(entry: dict[str, Any], common: dict[str, Any]) -> list[Claim]:
    each = entry.get("for_each", {})
    found = []
    for values in product(*each.values()):
        names = dict(zip(each, values, strict=True))
        body = _filled(entry, names)
        measure = {key: value for key, value in names.items() if key in QUERY} | _query(
            body.get("measure", {})
        )
        text = body.get("published")
        family = entry.get("family", entry["id"] if entry["kind"] in {"order", "trend"} else "")
        found.append(
            Claim(
                "/".join([entry["id"], *map(_in_an_id, values)]),
                entry["kind"],
                measure,
                body.get("expects", {}),
                parse_printed(text) if text is not None else None,
                family,
                common | body,
            )
        )
    return found


def _query(part: dict[str, Any]) -> dict[str, Any]:
    return {key: part[key] for key in QUERY if key in part}


def _word(value: Any) -> str:
    return str(value)


def _in_an_id(value: Any) -> str:
    """Lower case, a hyphen for whatever is neither letter, digit nor point."""
    return "".join(letter if letter.isalnum() or letter == "." else "-" for letter in _word(value).lower())


def _filled(part: Any, names: dict[str, Any]) -> Any:
    """The entry with its {placeholders} filled; one that stands alone keeps the type of its value."""
    if isinstance(part, dict):
        return {key: _filled(value, names) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, names) for value in part]
    if isinstance(part, str):
        for key, value in names.items():
            if part == f"{{{key}}}":
                return value
            part = part.replace(f"{{{key}}}", _word(value))
    return part
