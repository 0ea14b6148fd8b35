"""Why statements were not tested, by what is known of each."""

import pytest

from cladebench.report.untested import (
    ELSEWHERE,
    NO_RUNS,
    NO_TEST,
    NOT_ALIKE,
    UNSAID,
    UNTESTED_REASONS,
    count_untested,
    why_untested,
)
from cladebench.report.views import gather_run


def claim(name="x", evidence="paper data", measured=None, stand_in_for=(), verdict="not testable"):
    return {
        "claim": name,
        "evidence": evidence,
        "measured": measured,
        "stand_in_for": list(stand_in_for),
        "verdict": verdict,
    }


@pytest.mark.parametrize(
    ("given", "declared", "why"),
    [
        (claim(measured=0.5, stand_in_for=["faces"]), False, ELSEWHERE),
        (claim(measured=0.5, stand_in_for=["faces"], evidence="own code"), True, ELSEWHERE),
        (claim(stand_in_for=["faces"]), False, NO_RUNS),
        (claim(evidence="printed numbers"), True, UNSAID),
        (claim(evidence="by construction"), False, UNSAID),
        (claim(measured=0.5), True, NOT_ALIKE),
        (claim(measured=0.5), False, NO_RUNS),
        (claim(), True, NO_TEST),
        (claim(), False, NO_RUNS),
    ],
)
def test_the_reason_follows_from_what_is_known(given, declared, why):
    assert why_untested(given, {"x"} if declared else ()) == why
    assert why in UNTESTED_REASONS


def test_only_statements_that_were_not_tested_are_counted_the_most_frequent_first():
    claims = [
        claim("a"),
        claim("b", verdict="reproduced"),
        claim("c"),
        claim("d", evidence="printed numbers"),
    ]
    counts = count_untested(["a", "b", "c", "d"], claims, {"a", "c"})
    assert list(counts.items()) == [(NO_TEST, 2), (UNSAID, 1)]
    assert count_untested(["a"], claims, ()) == {NO_RUNS: 1}


def test_the_first_page_gives_the_reasons_with_counts(results, report):
    run = gather_run(results, "smoke", ["page_paper"])
    assert run.whys["not tested"] == run.papers[0].untested
    assert sum(run.whys["not tested"].values()) == run.answers["not tested"] > 0
    text = (report / "index.html").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith('<li class="a-not-tested">'))
    for why, count in run.whys["not tested"].items():
        assert f"{count} {why}" in line
    section = text[text.index('id="reading"') :]
    for why, meaning in UNTESTED_REASONS.items():
        assert why in section and meaning in section
