"""A count of simulated papers or reports, as the page writes it."""

from __future__ import annotations

from scipy import stats

#: A word and a share: ``("at most", 0.05)`` or ``("at least", 0.8)``; None where a row only informs.
Limit = tuple[str, float] | None


def told(found: int, trials: int, limit: Limit) -> tuple[str, str, str]:
    """What was asked, the rate with its exact 99% interval, and whether it is met."""
    interval = stats.binomtest(found, trials).proportion_ci(0.99, method="exact")
    rate = f"{found / trials:.1%} ({interval.low:.1%} to {interval.high:.1%})"
    if limit is None:
        return "–", rate, ""
    word, share = limit
    missed = interval.low > share if word == "at most" else interval.high < share
    return f"{word} {share:.0%}", rate, "missed" if missed else "met"
