"""Answers, verdicts, their thresholds, and the outcome of judging a claim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

REPRODUCED = "reproduced"
WITHIN_NOISE = "within noise"
DIRECTION_ONLY = "direction only"
CONTRADICTED = "contradicted"
DEPENDS = "depends"
UNINFORMATIVE = "uninformative"
INCONSISTENT = "inconsistent"
ANALOGUE_HOLDS = "analogue holds"
ANALOGUE_UNDECIDED = "analogue undecided"
ANALOGUE_FAILS = "analogue fails"
NOT_TESTABLE = "not testable"

#: Answers of the first level, from best to worst; a verdict says why.
HOLDS = "holds"
DOES_NOT_HOLD = "does not hold"
OPEN = "open"
NOT_TESTED = "not tested"

#: What keeps a claim open, by whose limit it is, and what that means.
PAPERS_LIMIT = "the paper's limit"
AUDITS_LIMIT = "the audit's limit"
LIMITS: dict[str, str] = {
    PAPERS_LIMIT: "The paper leaves unsaid what decides.",
    AUDITS_LIMIT: "Our draws, our data or our test cannot decide, or what we tested proves nothing.",
}

#: What a result says of a claim.
Stance = Literal["supports", "undecided", "contradicts", "not testable"]
SUPPORTS: Stance = "supports"
UNDECIDED: Stance = "undecided"
CONTRADICTS: Stance = "contradicts"
UNTESTED: Stance = "not testable"


@dataclass(frozen=True)
class Answer:
    """An answer of the first level.

    Attributes
    ----------
    name : str
        ``holds``, ``does not hold``, ``open`` or ``not tested``.
    plural : str
        As counts have it: "95 hold".
    sign : str
        Stands beside the word, so that no answer rests on colour alone.
    colour : str
        In figures and, on a light background, on pages.
    css : str
        Name of the colour in the style sheet, which has another one for dark backgrounds.
    """

    name: str
    plural: str
    sign: str
    colour: str
    css: str


@dataclass(frozen=True)
class Verdict:
    """A verdict in all that pages, tables and figures need of it.

    Attributes
    ----------
    name : str
        The word of ``audit.csv``.
    answer : str
        Of the first level: one of `ANSWERS`.
    why : str
        In plain words, at most seven: the second level.
    meaning : str
        In a line.
    severity : int
        The highest one counts where several claims were printed as one.
    stance : Stance or None
        What one reading with this verdict says of a claim; None for verdicts that several readings make, or other data.
    limit : str
        Whose limit keeps the claim open: one of `LIMITS`; empty where the answer is not open.
    """

    name: str
    answer: str
    why: str
    meaning: str
    severity: int
    stance: Stance | None
    limit: str = ""


#: All answers, in the order of tables.
ANSWERS: dict[str, Answer] = {
    answer.name: answer
    for answer in (
        Answer(HOLDS, "hold", "✓", "#007052", "yes"),
        Answer(DOES_NOT_HOLD, "do not hold", "✗", "#b03f00", "no"),
        Answer(OPEN, "open", "?", "#755b00", "open"),
        Answer(NOT_TESTED, "not tested", "–", "#636363", "nt"),
    )
}

#: All verdicts by their names, in the order of tables: the one home of their words and signs.
VERDICTS: dict[str, Verdict] = {
    verdict.name: verdict
    for verdict in (
        Verdict(
            REPRODUCED,
            HOLDS,
            "shown",
            "Our number agrees with the printed one, or the printed order holds significantly.",
            0,
            SUPPORTS,
        ),
        Verdict(
            WITHIN_NOISE,
            OPEN,
            "too close to call",
            "The runs can show neither agreement nor difference, or the methods are level.",
            2,
            UNDECIDED,
            AUDITS_LIMIT,
        ),
        Verdict(
            DIRECTION_ONLY,
            OPEN,
            "on the claimed side, not significant",
            "The result is on the side that the paper names, but not significantly. What is behind by less than "
            'the margin is on the side of "no worse".',
            3,
            UNDECIDED,
            AUDITS_LIMIT,
        ),
        Verdict(
            CONTRADICTED,
            DOES_NOT_HOLD,
            "we measure otherwise",
            "The difference is larger than noise and rounding, or the opposite order holds significantly.",
            10,
            CONTRADICTS,
        ),
        Verdict(
            DEPENDS,
            OPEN,
            "turns on an unstated choice",
            "The paper does not state a choice, and the answer changes with it.",
            7,
            None,
            PAPERS_LIMIT,
        ),
        Verdict(
            UNINFORMATIVE,
            OPEN,
            "true of random methods too",
            "The claim holds, but so it does for a method that cannot know the data: this shows nothing.",
            6,
            UNTESTED,  # as judged at once: a printed number below a constant's
            AUDITS_LIMIT,
        ),
        Verdict(
            INCONSISTENT,
            DOES_NOT_HOLD,
            "the paper disagrees with itself or fact",
            "The paper contradicts its own numbers, or a fact.",
            9,
            CONTRADICTS,
        ),
        Verdict(
            ANALOGUE_HOLDS,
            HOLDS,
            "on stand-in data",
            "The claim holds on data used instead of the paper's, which are not public.",
            1,
            None,
        ),
        Verdict(
            ANALOGUE_UNDECIDED,
            OPEN,
            "stand-in data, too close to call",
            "The claim is undecided, on data used in part at least instead of the paper's, which are not public.",
            4,
            None,
            AUDITS_LIMIT,
        ),
        Verdict(
            ANALOGUE_FAILS,
            DOES_NOT_HOLD,
            "on stand-in data",
            "The claim does not hold on data used instead of the paper's, which are not public.",
            8,
            None,
        ),
        Verdict(
            NOT_TESTABLE,
            NOT_TESTED,
            "could not be tested",
            "The claim could not be judged; the reason says why.",
            5,
            UNTESTED,
        ),
    )
}
#: Stance of a result on stand-in data -> its verdict.
ON_STAND_INS = {SUPPORTS: ANALOGUE_HOLDS, UNDECIDED: ANALOGUE_UNDECIDED, CONTRADICTS: ANALOGUE_FAILS}


@dataclass(frozen=True)
class Rules:
    """The thresholds of the verdicts.

    Attributes
    ----------
    alpha, power : float
        Level of the tests, and the power at which the detectable difference is stated.
    """

    alpha: float = 0.05
    power: float = 0.8


@dataclass(frozen=True)
class Outcome:
    """What a reading of records says of a claim, with its numbers.

    Attributes
    ----------
    verdict, reason : str
        Of reproduced, within noise, direction only, contradicted, inconsistent, not testable, and uninformative for a
        printed number that a constant beats. The others come of several readings
        (`cladebench.audit.pipeline.all_choices`) or of stand-in data.
    measured, low, high : float or None
        What we measured and its interval: the mean for a value, left minus right for an order, the ratio for a ratio.
    n : int or None
        Repetitions (values), pairs (orders), parts (sentences), methods (rankings) or solver checks.
    difference : float or None
        Measured minus published for a value; left minus right for an order.
    detectable : float or None
        The smallest difference that would have been found with 80% power.
    p_value, p_exact, p_adjusted : float or None
        The t test (for a value: of the difference beyond its rounding), the exact sign-flip test, and the first
        corrected over its family.
    """

    verdict: str
    reason: str
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    difference: float | None = None
    detectable: float | None = None
    p_value: float | None = None
    p_exact: float | None = None
    p_adjusted: float | None = None

    @property
    def stance(self) -> Stance:
        """Whether it speaks for the claim, against it, or for neither."""
        stance = VERDICTS[self.verdict].stance
        assert stance is not None, f"{self.verdict}: of several readings"
        return stance

    def on_stand_in(self) -> Outcome:
        """The same outcome when the data are not the paper's own."""
        if self.verdict in (NOT_TESTABLE, INCONSISTENT, UNINFORMATIVE):
            return self
        return replace(
            self, verdict=ON_STAND_INS[self.stance], reason=f"{self.verdict} on stand-in data: {self.reason}"
        )


def not_testable(reason: str, **numbers: Any) -> Outcome:
    """Say why a claim could not be judged."""
    return Outcome(NOT_TESTABLE, reason, **numbers)
