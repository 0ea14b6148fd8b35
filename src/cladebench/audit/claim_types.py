"""Claims as data: what a paper says, where, and what must hold."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cladebench.audit.verdict.verdict_types import Rules
from cladebench.input_files import InputFileError
from cladebench.paper.feasibility import Programmes
from cladebench.paper.printed import Printed

#: Gives a fact (n_samples, n_features, n_classes) of a data set by name.
Facts = Callable[[str, str], int]


class ClaimsError(InputFileError):
    """A wrong claims file.

    The message names file, claim, key and value.
    """


@dataclass(frozen=True)
class Claim:
    """One claim.

    Attributes
    ----------
    id, kind : str
        ``kind`` is the name of one of `cladebench.audit.kinds.KINDS`.
    place : mapping
        Keys artifact, row, column, section, page.
    quote : str
        Verbatim, or the value as printed.
    reading : str
        How the sentence is made testable, where that takes a decision.
    published : Printed or None
        The printed number.
    measure : mapping
        The query over the records, as far as its parts share it.
    expects : mapping
        What must hold; its form depends on the kind.
    family : str
        Claims of one family are corrected together, where their kind is.
    repetitions : int or None
        Behind the printed number.
    spread : str
        Meaning of the printed spread: ``sd`` or ``se``.
    one_draw : bool
        The printed number is of one draw of data that we draw anew in each repetition.
    seeds_alone : bool
        Our repetitions differ by the method's seeds alone: no test tells what other data would give.
    tolerance : mapping
        ``{absolute: x}`` or ``{relative: x}``; empty: the printed rounding alone.
    gap : mapping
        The smallest difference that matters, in the same form; empty: one unit of the last printed place.
    evidence : str
        Kind of evidence, where the records cannot say it.
    inconsistent : str
        How the paper contradicts itself or errs here; empty where it does not.
    error : str
        Kind of error in print: ``conclusion``, ``method`` or ``slip`` (of the pen).
    not_testable : str
        Why it cannot be judged; empty when it can.
    main : bool
        Whether it is the sentence that the paper stands or falls with.
    """

    id: str
    kind: str
    place: Mapping[str, Any]
    quote: str
    reading: str = ""
    published: Printed | None = None
    measure: Mapping[str, Any] = field(default_factory=dict)
    expects: Mapping[str, Any] = field(default_factory=dict)
    family: str = ""
    repetitions: int | None = None
    spread: str = "sd"
    one_draw: bool = False
    seeds_alone: bool = False
    tolerance: Mapping[str, float] = field(default_factory=dict)
    gap: Mapping[str, float] = field(default_factory=dict)
    evidence: str = ""
    inconsistent: str = ""
    error: str = "method"
    not_testable: str = ""
    main: bool = False

    @property
    def set_aside(self) -> bool:
        """Whether it is not judged: it contradicts itself, or cannot be tested."""
        return bool(self.inconsistent or self.not_testable)

    @property
    def published_sd(self) -> float | None:
        """Standard deviation behind the printed number, None when no spread is printed."""
        if self.published is None or self.published.spread is None:
            return None
        return self.published.spread * ((self.repetitions or 1) ** 0.5 if self.spread == "se" else 1.0)

    @property
    def allowance(self) -> float:
        """Give the half-width of the claim's own tolerance; 0 without one."""
        return self._in_printed_units(self.tolerance) or 0.0

    @property
    def smallest_gap(self) -> float | None:
        """Give the smallest difference that matters, if the claim says it."""
        return self._in_printed_units(self.gap)

    def _in_printed_units(self, size: Mapping[str, float]) -> float | None:
        if self.published is None or not size:
            return None
        return size.get("absolute", size.get("relative", 0.0) * abs(self.published.value))

    def place_text(self) -> str:
        """Write the place, as ``Figure 3a, row Perch, column Glass, section 4``."""
        parts = [str(self.place["artifact"])] if "artifact" in self.place else []
        parts += [
            f"{key} {self.place[key]}" for key in ("row", "column", "section", "page") if key in self.place
        ]
        return ", ".join(parts)


@dataclass(frozen=True)
class ClaimSet:
    """All claims of a paper.

    Attributes
    ----------
    paper : str
    claims : dict of str to Claim
        In the file's order: tables first.
    rules : Rules
    deterministic : frozenset of str
        Methods for which one repetition is exact.
    excluded : tuple of mapping
        Sentences that are no claims about results: section, quote, why.
    programmes : mapping of (str, str) to Programme
        What the paper's ``feasibility.py`` bounds: (metric, instances) -> programme.
    """

    paper: str
    claims: dict[str, Claim]
    rules: Rules
    deterministic: frozenset[str]
    excluded: tuple[Mapping[str, str], ...]
    programmes: Programmes = field(default_factory=dict)
    _matching: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def matching(self, pattern: str) -> list[str]:
        """Ids that match a glob pattern, in the file's order."""
        if not set(pattern) & set("*?["):
            return [pattern] if pattern in self.claims else []
        if pattern not in self._matching:
            matches = re.compile(fnmatch.translate(pattern)).match
            self._matching[pattern] = [name for name in self.claims if matches(name)]
        return self._matching[pattern]
