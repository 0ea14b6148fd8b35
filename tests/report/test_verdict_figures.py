"""What the figure of a paper's main result is drawn from."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cladebench.audit.claim_types import Claim, ClaimSet
from cladebench.audit.rules.measured_values import judge_value
from cladebench.audit.verdict.verdict_types import CONTRADICTED, Rules
from cladebench.paper.findings import Finding, Findings
from cladebench.paper.printed import parse_printed
from cladebench.report.verdict_figures import band_of, gather_main_result


def claim(name, kind, column, published=None, artifact="Table 1", **measure):
    place = {"artifact": artifact, "row": "Own", "column": column}
    printed = None if published is None else parse_printed(published)
    return Claim(name, kind, place, "", published=printed, measure={"method": "A", **measure})


CLAIMS = [
    claim("one", "value", "x", "50.0", dataset="glass", metric="purity", scale=100, setting={"k": 2}),
    claim("two", "value", "y", "0.25 ± 0.01", dataset="digits", metric="purity"),
    claim("elsewhere", "value", "z", "0.9", artifact="Table 2", dataset="digits", metric="purity"),
    claim("not judged", "value", "w", "0.9", dataset="digits", metric="purity"),
    claim("order", "ranking", "y"),
]
AUDIT = [
    {"claim": "one", "verdict": "reproduced", "measured": 49.0, "low": 48.0, "high": 50.5},
    {"claim": "two", "verdict": "contradicted", "measured": 0.5, "low": None, "high": None},
    {"claim": "elsewhere", "verdict": "reproduced", "measured": 0.9, "low": None, "high": None},
    {"claim": "order", "verdict": "direction_only"},
]


def sample_of(values, point=False, overlap=0.0):
    return SimpleNamespace(problem="", values=pd.Series(values), point=point, overlap=overlap)


def gathered(findings, claims=CLAIMS, **measures):
    asked = []

    def sample(query, rule):
        asked.append((query, rule))
        if query["method"] == "Away":
            return SimpleNamespace(problem="no finished cell", values=pd.Series(dtype=float))
        return sample_of(np.array([0.25, 0.5]) + (query["dataset"] == "digits"))

    context = SimpleNamespace(
        results=SimpleNamespace(sample=sample),
        own_rule="own",
        methods={name: {"label": f"{name} of all"} for name in ("Random", "Away")},
        measures={
            "purity": SimpleNamespace(name="purity", heading="purity of leaves", unit="", direction="higher"),
            **measures,
        },
    )
    of_paper = ClaimSet("p", {one.id: one for one in claims}, Rules(), frozenset(), ())
    return gather_main_result(findings, of_paper, AUDIT, context), asked


FINDINGS = Findings(main_result="Table 1", blind=("Random", "Away"))


def test_blind_methods_stand_there_by_their_mean_in_printed_units():
    main, asked = gathered(FINDINGS)
    assert main.blind == {"Random of all": {"x": 37.5, "y": 1.375}}
    random = [query for query, _ in asked if query["method"] == "Random"]
    # The setting is the praised method's alone.
    assert random == [
        {"dataset": dataset, "metric": "purity", "method": "Random"} for dataset in ("glass", "digits")
    ]
    assert {rule for _, rule in asked} == {"own"}


def test_entries_are_what_is_printed_there_and_judged():
    main, _ = gathered(FINDINGS)
    assert main.artifact == "Table 1" and main.heading == "purity of leaves"
    assert set(main.columns) == {"x", "y"} and main.headings == {"y": "direction_only"}
    one, two = main.by_row["Own"]["x"], main.by_row["Own"]["y"]
    assert (one.published, one.measured, one.low, one.high, one.verdict) == (
        50.0,
        49.0,
        48.0,
        50.5,
        "reproduced",
    )
    assert (two.published, two.spread, two.measured, two.verdict) == (0.25, 0.01, 0.5, "contradicted")


def test_columns_of_several_measures_share_their_unit_or_nothing():
    for unit, heading in (("%", "value (%)"), ("", "value")):
        other = claim("two", "value", "y", "0.25", dataset="digits", metric="cost")
        measures = {
            name: SimpleNamespace(name=name, heading=name, unit=unit, direction=name)
            for name in ("purity", "cost")
        }
        assert gathered(FINDINGS, [CLAIMS[0], other], **measures)[0].heading == heading


def test_where_nothing_is_named_or_printed_there_is_no_main_result():
    assert gathered(Findings())[0] is None
    assert gathered(Findings(main_result="Table 9"))[0] is None
    assert gathered(FINDINGS, [CLAIMS[4]])[0] is None


def test_the_direction_is_said_where_all_columns_have_it():
    assert gathered(FINDINGS)[0].direction == "higher"
    other = claim("two", "value", "y", "0.25", dataset="digits", metric="cost")
    cost = SimpleNamespace(name="cost", heading="cost", unit="", direction="lower")
    assert gathered(FINDINGS, [CLAIMS[0], other], cost=cost)[0].direction is None


def test_without_findings_there_is_no_title():
    assert gathered(FINDINGS)[0].title == ""


def test_the_title_is_the_headline_of_the_first_finding():
    both = tuple(Finding(name, f"Headline {name}", "") for name in ("one", "two"))
    assert gathered(replace(FINDINGS, findings=both))[0].title == "Headline one"


@pytest.mark.parametrize("text", ["0.50", "0.5 ± 0.02", "0.50 ± 0.10"])
@pytest.mark.parametrize(
    "more", [{}, {"repetitions": 5}, {"one_draw": True}, {"tolerance": 0.03}, {"overlap": 0.25}]
)
def test_a_printed_number_lies_outside_the_band_where_it_is_contradicted(text, more):
    """The drawing and the verdict agree, whatever the spread and the number of runs."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(40):
        values = (
            0.5 + 0.1 * rng.normal() + rng.choice([0.0, 0.02, 0.2]) * rng.normal(size=rng.integers(2, 12))
        )
        options = {key: value for key, value in more.items() if key != "overlap"}
        printed = claim("one", "value", "x", text, dataset="glass", metric="purity")
        printed = replace(
            printed,
            repetitions=options.get("repetitions"),
            one_draw=options.get("one_draw", False),
            tolerance={"absolute": options["tolerance"]} if "tolerance" in options else {},
        )
        overlap = more.get("overlap", 0.0)
        outcome = judge_value(
            values,
            printed.published,
            Rules(),
            n_published=printed.repetitions,
            published_sd=printed.published_sd,
            one_draw=printed.one_draw,
            tolerance=printed.allowance,
            overlap=overlap,
        )
        low, high = band_of(printed, sample_of(values, overlap=overlap), Rules())
        contradicted = outcome.verdict == CONTRADICTED
        assert (low <= printed.published.value <= high) is not contradicted
        seen.add(contradicted)
    assert seen == {True, False}


def test_the_band_of_seeds_is_what_they_span_with_what_matters():
    seeds = replace(CLAIMS[1], seeds_alone=True)
    assert band_of(seeds, sample_of([0.3, 0.5]), Rules()) == pytest.approx((0.3 - 0.015, 0.5 + 0.015))


def test_one_value_has_no_band():
    assert band_of(CLAIMS[1], sample_of([0.3]), Rules()) is None
    exact = band_of(CLAIMS[1], sample_of([0.3], point=True), Rules())
    assert exact == pytest.approx((0.3 - 0.005, 0.3 + 0.005), abs=1e-6)
    in_percent = band_of(CLAIMS[0], sample_of([0.3], point=True), Rules())
    assert in_percent == pytest.approx((30.0 - 0.05, 30.0 + 0.05), abs=1e-6)
