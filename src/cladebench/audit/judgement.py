"""Hold a claim's samples and its outcome before and after the correction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cladebench.audit.verdict.verdict_types import Outcome
from cladebench.bench.samples.samples import Sample


@dataclass(frozen=True)
class Judgement:
    """A claim's outcome, with what it was read from.

    Attributes
    ----------
    outcome : Outcome
    samples : tuple of Sample
    published : str
        The printed number, or what an order says.
    parts : tuple of str
        Ids of the parts of a sentence.
    same_on_own_data : bool
        A sentence has this answer by its parts on the paper's own data, whatever the others say.
    """

    outcome: Outcome
    samples: tuple[Sample, ...] = ()
    published: str = ""
    parts: tuple[str, ...] = ()
    same_on_own_data: bool = False

    @property
    def final(self) -> Outcome:
        """Give the outcome as it is reported.

        Where data that are not the paper's own decide it, it is an analogue.
        """
        analogue = self.stand_in_for and not self.same_on_own_data
        return self.outcome.on_stand_in() if analogue else self.outcome

    @property
    def stand_in_for(self) -> tuple[str, ...]:
        """Name what the data behind it stand in for.

        Empty when all are the paper's own.
        """
        return tuple(sorted({s.stand_in_for for s in self.samples if s.stand_in_for}))


#: Claims of a family wait for each other: an outcome once its corrected p-value is known.
Waiting = tuple[float, Callable[[float, int], Outcome], Judgement]
