"""Data-blind rivals: results that learn nothing from the data, in the place of the method that a claim praises.

A claim that one of them earns too says nothing of the data. The rivals are the plan's `blind` methods, and the praised
result itself with its rows permuted: records have the exact expectation of each measure under permutation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cladebench.measures import Measure, permuted_name

#: What a measure needs where a result that ignores the data can still be rewarded: trees and partitions by their shape,
#: what is said of rows held out by how common their classes are, and where no rival does better either, a distance by
#: its scale and by how many parts have weight.
_OF_THE_RESULT = frozenset({"tree", "partition", "test labels", "distance"})


@dataclass(frozen=True)
class Rival:
    """What stands in the place of the method that a claim praises.

    Attributes
    ----------
    method : str
        One of the plan's blind methods; empty for the praised result with its rows permuted.
    """

    method: str = ""

    @property
    def name(self) -> str:
        """For the reader."""
        return self.method or "its own result with rows permuted"

    def instead_of(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give what is asked in the place of a query: its setting is the praised method's alone."""
        if not self.method:
            return {**query, "metric": permuted_name(str(query["metric"]))}
        kept = {key: query[key] for key in ("dataset", "metric", "at", "change_from") if key in query}
        return {**kept, "method": self.method}


def praised_side(relation: str, direction: str | None) -> int:
    """Say which operand of an order is praised: 0 for left, 1 for right.

    Parameters
    ----------
    relation : str
        ``is`` of the claim.
    direction : {"higher", "lower"} or None
        Which is better; None of what is neither, such as a shape: then it is the left side of which something is said.
    """
    if relation == "worse":
        return 1
    if direction is None or relation in ("better", "no_worse", "same"):
        return 0
    higher = relation in ("higher", "never_below")
    return 0 if higher == (direction == "higher") else 1


def judges_the_result(measure: Measure | None) -> bool:
    """Whether a measure is of the result, which chance or its shape may earn, rather than of what finding it took."""
    return measure is not None and bool(_OF_THE_RESULT & {*measure.needs})
