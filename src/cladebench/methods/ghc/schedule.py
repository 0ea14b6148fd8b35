"""Choose steps' lengths and training's end by the exact cost.

It also says which moments of training are kept.
"""

from __future__ import annotations

import math
from typing import Any

#: Costs asked in a row without a fall, after which steps become shorter.
PATIENCE = 4
#: By what steps become shorter, and how often.
FACTOR = 3.0
N_FALLS = 2


class StepSize:
    """A step size that falls when the exact cost stalls.

    It stays while the cost falls; in the end training has settled.

    The cost has fallen when it lies by the fraction ``tol`` below the one at its last fall, so that slow progress adds
    up. `PATIENCE` costs in a row that have not fallen shorten
    the steps by `FACTOR`. After `N_FALLS` such falls of the step size, the next one that is due ends the training:
    neither these steps nor shorter ones lower the cost.

    Parameters
    ----------
    rate : float
        First step size.
    tol : float
        Between 0 and 1.

    Attributes
    ----------
    rate : float
        Step size now.
    settled : bool
        Whether training is at its end.
    fell : bool
        Whether the last cost shortened the steps, or ended the training.

    Notes
    -----
    The paper names no schedule and no end. The sampled cost is too noisy to tell when to stop; the exact one is a
    matrix product.
    """

    def __init__(self, rate: float, tol: float) -> None:
        self.rate, self.tol = rate, tol
        self.settled = self.fell = False
        self._least = self._last_fall = math.inf
        self._waited = self._falls = 0

    def ask(self, cost: float) -> bool:
        """Take note of the exact cost.

        Return whether it is the least so far.
        """
        self.fell = False
        if math.isinf(self._last_fall) or cost < self._last_fall - self.tol * abs(self._last_fall):
            self._last_fall, self._waited = cost, 0
        else:
            self._waited += 1
        if self._waited == PATIENCE:
            self._waited, self.fell = 0, True
            if self._falls == N_FALLS:
                self.settled = True
            else:
                self._falls += 1
                self.rate /= FACTOR
        least = cost < self._least
        self._least = min(cost, self._least)
        return least


class Checkpoints:
    """Keeps every k-th of what is added.

    k doubles when twice as many as wanted have been kept.
    """

    def __init__(self, wanted: int) -> None:
        self.wanted, self.every, self.added = wanted, 1, 0
        self.kept: list[tuple[float, int, Any]] = []

    def add(self, checkpoint: tuple[float, int, Any]) -> None:
        """Keep a checkpoint if its turn has come."""
        self.added += 1
        if self.added % self.every == 0:
            self.kept.append(checkpoint)
        if len(self.kept) == 2 * self.wanted:
            self.kept = self.kept[1::2]
            self.every *= 2

    def ending_with(self, last: tuple[float, int, Any]) -> list[tuple[float, int, Any]]:
        """Give what was kept, ending with the last of all.

        It replaces another of the same iteration.
        """
        return [c for c in self.kept if c[1] < last[1]] + [last]
