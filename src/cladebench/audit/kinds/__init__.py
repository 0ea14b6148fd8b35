"""Kinds of claims.

Each says what it reads, how it is checked and how it is judged.

A new kind is a file here and a line below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cladebench.audit.claim_types import Claim
from cladebench.audit.kinds.arithmetic import Arithmetic
from cladebench.audit.kinds.base import Kind
from cladebench.audit.kinds.order import Order
from cladebench.audit.kinds.possible import Possible
from cladebench.audit.kinds.ranking import Ranking
from cladebench.audit.kinds.ratio import Ratio
from cladebench.audit.kinds.sentence import Sentence
from cladebench.audit.kinds.trend import Trend
from cladebench.audit.kinds.value import Value

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (Value(), Order(), Ranking(), Ratio(), Trend(), Sentence(), Arithmetic(), Possible())
}


def kind_of(claim: Claim) -> Kind:
    """Give the kind of a claim."""
    return KINDS[claim.kind]


def queries(claim: Claim) -> Iterator[Mapping[str, Any]]:
    """List the queries of a claim.

    Each is merged with what its parts share.
    """
    return kind_of(claim).queries(claim)
