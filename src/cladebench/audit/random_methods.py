"""Random methods: results that learn nothing from the data.

They replace the method that a claim praises. A claim that one of them passes too says nothing of the data. They are the
plan's `blind` methods, those that a measure of the plan names as `random`, and the praised result itself with its rows
permuted. Records have the exact expectation of each measure under permutation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from cladebench.measures import Measure, permuted_name

#: What a measure needs where a result that ignores the data can still be rewarded: trees and partitions by their shape,
#: labels of held-out rows by how common their classes are, a distance by its scale and by how many parts have weight.
_OF_THE_RESULT = frozenset({"tree", "partition", "test labels", "distance"})


@dataclass(frozen=True)
class RandomMethod:
    """What replaces the method that a claim praises.

    Attributes
    ----------
    method : str
        One of the plan's blind methods, or a random one of a measure; empty for the praised result with its rows
        permuted.
    """

    method: str = ""

    @property
    def name(self) -> str:
        """For the reader."""
        return self.method or "its own result with rows permuted"

    def instead_of(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give the query with the random method instead.

        Its setting belongs to the praised method alone.
        """
        if not self.method:
            return {**query, "metric": permuted_name(str(query["metric"]))}
        kept = {key: query[key] for key in ("dataset", "metric", "at", "change_from") if key in query}
        return {**kept, "method": self.method}


def praised_side(relation: str, direction: str | None) -> int:
    """Say which operand of an order is praised: 0 left, 1 right.

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
    higher = relation in ("higher", "never_below", "once_above")
    return 0 if higher == (direction == "higher") else 1


def judges_the_result(measure: Measure | None) -> bool:
    """Say whether a measure is of the result, not its effort.

    Chance, or the shape of a result, may be enough for such a measure.
    """
    return measure is not None and bool(_OF_THE_RESULT & {*measure.needs})


def random_for(measure: Measure | None, blind: Collection[str]) -> tuple[str, ...]:
    """Name the methods that cannot know what a measure is of.

    >>> random_for(Measure("paths", "how far two topics are apart", random=("Star",)), ["Random"])
    ('Random', 'Star')
    """
    return (*blind, *(measure.random if measure else ()))
