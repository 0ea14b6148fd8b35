"""The base of all kinds of claims.

Each kind has queries, references, checks and a judgement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet, Facts
from cladebench.audit.judgement import Judgement, Waiting
from cladebench.audit.reading import Reader
from cladebench.audit.table_parts import TablePart
from cladebench.input_files import one_of, shown
from cladebench.measures import MEASURES
from cladebench.nearest_name import did_you_mean

#: Relations that read a direction.
RELATIVE = ("better", "worse", "no_worse")


@dataclass(frozen=True)
class Grounds:
    """Grounds on which a claim is judged.

    Attributes
    ----------
    claims : ClaimSet
    reader : Reader
    certificates : DataFrame or None
        As `cladebench.crosscheck.certificate.read_certificates` gives it.
    facts : callable
        ``facts(dataset, "n_samples")``; raises ValueError for a data set that is not registered.
    part : callable
        ``part(id)``: the judgement of another claim.
    runs_for_none : callable
        ``runs_for_none(ids)``: whether a choice changes some of these claims and was run for none of them.
    """

    claims: ClaimSet
    reader: Reader
    certificates: pd.DataFrame | None
    facts: Facts
    part: Callable[[str], Judgement]
    runs_for_none: Callable[[Collection[str]], bool]


class Kind(ABC):
    """One kind of claim.

    Attributes
    ----------
    name : str
        As ``kind`` has it in a claims file.
    family : bool
        Claims of a family are corrected together; the family stands in ``audit.csv``.
    corrected : bool
        The verdict waits for the corrected p-value.
    praises : bool
        A random method can take the praised place.
    on_paper : bool
        It needs no run: printed numbers against each other and facts.
    of_ids : bool
        It names other claims, so that words of ``for_each`` are parts of ids.
    of_parts : bool
        It is made of other claims, and judged when all of these are.
    expects : bool
        It needs the key ``expects``.
    detects : bool
        The least difference that its runs could have shown is known, or worth a word where it is not.
    printed_number : bool
        It says that a number is measured as it is printed: pages show it in its table, and within noise it agrees.
    heads_column : bool
        Its verdict is on a column of a printed table, and stands at its head.
    form : mapping
        JSON schema of what its claims have and others do not; ``$defs`` are those of ``claims.schema.json``.
    """

    name: ClassVar[str]
    family: ClassVar[bool] = False
    corrected: ClassVar[bool] = False
    praises: ClassVar[bool] = False
    on_paper: ClassVar[bool] = False
    of_ids: ClassVar[bool] = False
    of_parts: ClassVar[bool] = False
    expects: ClassVar[bool] = True
    detects: ClassVar[bool] = False
    printed_number: ClassVar[bool] = False
    heads_column: ClassVar[bool] = False
    form: ClassVar[Mapping[str, Any]] = {}

    @abstractmethod
    def judge(self, claim: Claim, by: Grounds) -> Judgement | Waiting:
        """Judge a claim that can be tested."""

    def queries(self, claim: Claim) -> Iterator[Mapping[str, Any]]:
        """List the queries of a claim.

        Each is merged with what its parts share.
        """
        return iter(())

    def references(self, claim: Claim) -> Iterator[str]:
        """List the patterns of claim ids that a claim names."""
        return iter(())

    def check(self, claim: Claim, claims: ClaimSet, where: str) -> None:  # noqa: B027 - most have nothing to check
        """Check what no schema can.

        Raises
        ------
        ClaimsError
            Beginning with `where`.
        """

    def shown(self, claim: Claim, by: Grounds) -> Judgement | None:
        """Give what is measured for a claim that nothing judges, if anything."""
        return None

    def with_others(self, claim: Claim, judgement: Judgement, by: Grounds) -> Judgement:
        """Add what other claims say to the judgement with our choices."""
        return judgement

    def from_table(self, part: TablePart) -> Iterator[Claim]:
        """Make claims of a part of a printed table."""
        return iter(())

    def leads(self, claim: Claim) -> bool:
        """Say whether one side is to be better, by however little."""
        return False

    def quotient(self, claim: Claim) -> tuple[Mapping[str, Any], Mapping[str, Any], str] | None:
        """Give the queries of two methods, and their claimed ratio.

        None where no such ratio is claimed.
        """
        return None


def check_direction(measure: Mapping[str, Any], where: str) -> None:
    """Refuse what is better or worse in a measure without a direction.

    Raises
    ------
    ClaimsError
    """
    if "direction" not in measure:
        named = measure.get("metric")
        meant = did_you_mean(str(named), [name for name in MEASURES if name != named])
        raise ClaimsError(
            f"{where}: measure: missing key 'direction'; expected 'higher' or 'lower', as no measure is called "
            f"{shown(named)} and has it{meant if named not in MEASURES else ''}"
        )


def check_matches(claim: Claim, claims: ClaimSet, patterns: Iterable[str], where: str) -> None:
    """Refuse a pattern that names no other claim.

    Raises
    ------
    ClaimsError
    """
    for pattern in patterns:
        named = set(claims.matching(pattern))
        if named <= {claim.id}:
            others = one_of(pattern, [name for name in claims.claims if name != claim.id])
            raise ClaimsError(
                f"{where}: expects: no claim {pattern!r}{' but itself' if named else ''}; {others}"
            )
