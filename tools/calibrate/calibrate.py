"""`make calibrate`: simulates claims and comparison reports of known truth; writes docs/calibration.md.

The numbers are the same in every run: each row has a seed of its own.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import reports
from judge import RULES
from rates import told
from scenarios import GAP, NOISES, SEED, SPREAD, TRIALS, Scenario, scenarios

PAGE = Path(__file__).resolve().parents[2] / "docs" / "calibration.md"

_HEAD = f"""# How often verdicts are wrong

`make calibrate` writes this page. It simulates papers whose truth is known, and puts their claims
through the code of the audit (`tools/calibrate`). Each row has {TRIALS:,} papers; the seed is {SEED},
the level {RULES.alpha:g}, the power {RULES.power:g}.

`cladebench.audit.power.repetitions_needed` gives the number of repetitions, n, from two numbers:

- the claimed gap ({GAP:g});
- the spread of paired differences: {SPREAD:g}, with little noise 0.5, with held-out rows (overlap
  0.1) 0.9.

Printed values have a spread of 0.6. In a family, n is planned at the level over its size. One
reading of the records is simulated. Other choices and random methods can only take verdicts away
(docs/verdicts.md).

- **by a hair**: exactly on the border between true and false, where a test errs most. No true claim
  is contradicted more often, and no false one is supported more often.
- **by the gap**: as far from the border as the paper claims.
- **rate**: the share of the verdict that the row counts, with its exact (Clopper-Pearson) 99%
  interval. By chance, 1 of the rows below is outside. A row is **missed** if the interval lies
  wholly on the wrong side of the limit. Rows without a limit only inform.

These rows are missed, or would be:

- **best of 5 or 10 equals**: all tests must show the gap at once, so the n of one test finds it
  less often.
- **mean and spread of 5 runs**: the formula uses our spread instead of the paper's. If the paper
  prints its own, of 5 runs, the test knows it from 4 degrees of freedom, and finds less.
- **n from a pilot**: pilots of 5 or 20 values at a spread of 3, with n drawn anew for each. The n
  shown is for the true spread. A pilot's spread is too small as often as not, which saves
  repetitions and costs power. Plan with a margin, or with a larger pilot.
- **ranking of 7**: our repetitions do not help against the noise of the printed column, which is
  from 1 run. With it, 7 methods a gap apart are too few for Kendall's tau, and 10 are enough.
- A ratio outside the claimed range, yet on its side of 1, is never contradicted, only undecided.
  "10 to 100" is contradicted if there is no gain at all.
"""

_ABOUT = {
    "normal": "## Normal noise",
    "skewed": """## Skewed noise

Here the promise does not hold: true claims on the border are contradicted up to about twice as
often as asked, most with 5 repetitions. Exponential noise (skewness 2) replaces normal noise in the
paired differences themselves. So the assumption of the t tests does not hold. Differences of two
methods that are skewed alike are symmetric, and fare better than this.""",
}


_REPORTS = f"""## Comparison reports

At most 5% of the reports on equal methods say "ahead" or "behind" of any rival. Simulated runs go
through the code of the reports (`cladebench.bench.statistics.method_differences`).
Each row has {reports.REPORTS:,} reports.

A data set has {reports.ROWS} rows in 2 classes. A method is 2-means on a feature of its own: the class
and normal noise. Methods share {reports.SHARED:.0%} of the variance of the noise.
A report has {reports.DRAWS} draws of half of the rows, scored by the adjusted Rand index. One method is
compared with all others.

- **equal**: all features have the same distribution, so no method is better.
- **equal on average**: each data set suits some methods better, at random.
- **the best is looked at**: the report has no method of its own and compares its best one.
- **plain t test**: the same reports if the overlap of the draws were ignored.
- **one better**: it scores so much higher on average. "One rival" is on 1 data set of 1 or 5, and
  on all of 20."""


def row(scenario: Scenario, noise: str) -> str:
    """One line of the table."""
    asked, rate, verdict = told(scenario.count(noise), TRIALS, scenario.limit)
    return f"| {scenario.kind} | {scenario.truth} | {scenario.n} | {scenario.rate} | {asked} | {rate} | {verdict} |"


def page(rows: dict[str, list[str]], of_reports: list[str]) -> str:
    """The page, from the rows of each noise and those of comparison reports."""
    claims = ("claim", "in truth", "n", "verdict", "asked", "rate", "")
    found = ("data sets", "methods", "in truth", "counted", "asked", "rate", "")
    tables = [_table(_ABOUT[noise], claims, lines) for noise, lines in rows.items()]
    return "\n\n".join([_HEAD.rstrip(), *tables, _table(_REPORTS, found, of_reports)]) + "\n"


def _table(about: str, columns: tuple[str, ...], lines: list[str]) -> str:
    return "\n".join([about, "", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}", *lines])


def main() -> None:
    """Write the page and say which rows miss what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=1)
    with ProcessPoolExecutor(parser.parse_args().cores) as pool:
        every = scenarios()
        rows = {noise: list(pool.map(row, every, [noise] * len(every))) for noise in NOISES}
        of_reports = list(pool.map(reports.row, reports.reports()))
    PAGE.write_text(page(rows, of_reports), encoding="utf-8")
    for name, lines in (
        {f"{noise} noise": lines for noise, lines in rows.items()} | {"reports": of_reports}
    ).items():
        missed = [line for line in lines if line.endswith("| missed |")]
        print("\n".join([f"{name}: {len(missed)} of {len(lines)} rows missed", *missed]))


if __name__ == "__main__":
    main()
