"""`make calibrate`: simulates true and false claims through the audit's own code; writes docs/calibration.md.

The numbers are the same in every run: each row has a seed of its own.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from scipy import stats

from judge import RULES
from scenarios import GAP, NOISES, SEED, SPREAD, TRIALS, Scenario, scenarios

PAGE = Path(__file__).resolve().parents[2] / "docs" / "calibration.md"

_HEAD = f"""# How often verdicts are wrong

Written by `make calibrate`, which simulates papers whose truth is known and puts their claims through the code of
the audit (`tools/calibrate`): {TRIALS:,} papers a row, seed {SEED}, level {RULES.alpha:g}, power {RULES.power:g}. The
number of repetitions, n, is what `cladebench.audit.power.repetitions_needed` asks for, from the claimed gap ({GAP:g})
and the spread of paired differences: {SPREAD:g}; with little noise 0.5; where rows are held out (overlap 0.1) 0.9.
Printed values have one of 0.6. In a family, n is planned at the level over its size. What is simulated is one reading
of the records; universes and data-blind rivals can only take verdicts away (docs/verdicts.md).

- **by a hair**: exactly on the border between true and false, where a test errs most: no true claim is contradicted
  more often, no false one supported more often.
- **by the gap**: as far from the border as the paper claims.
- **rate**: of the verdict that the row counts, with its exact (Clopper-Pearson) 99% interval: of the rows below, one
  is outside by chance. A row is **missed** where that lies wholly on the wrong side of what is asked; rows without a
  limit only inform.

What is missed, or would be:

- **best of 5 or 10 equals**: all tests have to show the gap at once, so that the n of one finds it less often.
- **mean and spread of 5 runs**: the formula takes our spread for the paper's. Where the paper prints its own, of five
  runs, the test knows it from four degrees of freedom, and finds less.
- **n from a pilot**: of 5 or 20 values, n drawn anew with each, at a spread of 3 (the n shown is that of the true
  spread). A pilot's spread is too small as often as not, and what that saves in repetitions costs power: plan with a
  margin, or with a larger pilot.
- **ranking of 7**: repetitions of ours do not help against the noise of the printed column, which is of one run; seven
  methods a gap apart are then too few for Kendall's tau, and ten are enough.
- A ratio outside the claimed range, yet on its side of 1, is never contradicted, only undecided: "10 to 100" is
  contradicted where there is no gain at all.
"""

_ABOUT = {
    "normal": "## Normal noise",
    "skewed": """## Skewed noise

Here the promise does not hold: true claims on the border are contradicted up to about twice as often as asked, most
with five repetitions. Exponential (skewness 2) noise takes the place of normal, in the paired differences themselves,
so that what t tests assume does not hold. Differences of two methods that are skewed alike are symmetric, and fare
better than this.""",
}


def row(scenario: Scenario, noise: str) -> str:
    """One line of the table."""
    found = scenario.count(noise)
    interval = stats.binomtest(found, TRIALS).proportion_ci(0.99, method="exact")
    if scenario.limit is None:
        asked, verdict = "–", ""
    else:
        word, limit = scenario.limit
        missed = interval.low > limit if word == "at most" else interval.high < limit
        asked, verdict = f"{word} {limit:.0%}", "missed" if missed else "met"
    rate = f"{found / TRIALS:.1%} ({interval.low:.1%} to {interval.high:.1%})"
    return f"| {scenario.kind} | {scenario.truth} | {scenario.n} | {scenario.rate} | {asked} | {rate} | {verdict} |"


def page(rows: dict[str, list[str]]) -> str:
    """The page, from the rows of each noise."""
    columns = ("claim", "in truth", "n", "verdict", "asked", "rate", "")
    head = [f"| {' | '.join(columns)} |", "|---|---|---|---|---|---|---|"]
    tables = ["\n".join([_ABOUT[noise], "", *head, *lines]) for noise, lines in rows.items()]
    return "\n\n".join([_HEAD.rstrip(), *tables]) + "\n"


def main() -> None:
    """Write the page and say which rows miss what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=1)
    with ProcessPoolExecutor(parser.parse_args().cores) as pool:
        every = scenarios()
        rows = {noise: list(pool.map(row, every, [noise] * len(every))) for noise in NOISES}
    PAGE.write_text(page(rows), encoding="utf-8")
    for noise, lines in rows.items():
        missed = [line for line in lines if line.endswith("| missed |")]
        print("\n".join([f"{noise} noise: {len(missed)} of {len(lines)} rows missed", *missed]))


if __name__ == "__main__":
    main()
