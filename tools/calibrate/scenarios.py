"""What is simulated: true and false claims of every kind, each with as many repetitions as the formula asks for."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator

from cladebench.audit.power import repetitions_needed
from judge import RULES, Draws, Paper, order, printed, ranking, ratio, sentence, stances, trend

#: The claimed gap, to which all spreads are relative.
GAP = 1.0
#: Spread of paired differences within a sample, where a row does not name another.
SPREAD = 1.5
SEED = 20150206
TRIALS = 2000

Noise = Callable[..., np.ndarray]


def normal(random: Generator, *shape: int) -> np.ndarray:
    """Standard normal."""
    return random.standard_normal(shape)


def skewed(random: Generator, *shape: int) -> np.ndarray:
    """Exponential with mean 0 and spread 1; its skewness is 2."""
    return random.standard_exponential(shape) - 1.0


NOISES: dict[str, Noise] = {"normal": normal, "skewed": skewed}


@dataclass(frozen=True)
class Scenario:
    """One row: a claim that is true or false to a known extent.

    Attributes
    ----------
    kind, truth : str
        Together the row's name.
    n : int
        Repetitions.
    paper : callable
        Draws the claims and what was measured, from a generator and a noise.
    rate : str
        The stance that is counted.
    limit : tuple of (str, float), optional
        ``("at most", 0.05)`` or ``("at least", 0.8)``; none where the row only informs.
    claim : str
        Its id; of several that match a prefix the rate is that any of them has the stance.
    """

    kind: str
    truth: str
    n: int
    paper: Callable[[Generator, Noise], Paper]
    rate: str
    limit: tuple[str, float] | None
    claim: str = "claim"

    def count(self, noise: str, trials: int = TRIALS) -> int:
        """How many of the simulated papers earn the stance; the same numbers in every run."""
        random = np.random.default_rng([SEED, zlib.crc32(f"{self.kind}, {self.truth}, {noise}".encode())])
        found = 0
        for _ in range(trials):
            judged = stances(self.paper(random, NOISES[noise]))
            found += any(said == self.rate for name, said in judged.items() if name.startswith(self.claim))
        return found


def needed(gap: float = GAP, spread: float = SPREAD, **how: float) -> int:
    """Repetitions by the formula, at the audit's level and power unless others are named."""
    how = {"alpha": RULES.alpha, "power": RULES.power, **how}
    return repetitions_needed(gap, spread, **how)  # type: ignore[arg-type]


def for_agreement(margin: float = GAP, spread: float = SPREAD, overlap: float = 0.0) -> int:
    """Repetitions with which two one-sided tests show equality within a margin."""
    return needed(margin, spread, alpha=2 * RULES.alpha, power=(1 + RULES.power) / 2, overlap=overlap)


AT_MOST, AT_LEAST = ("at most", RULES.alpha), ("at least", RULES.power)


def _pairs(
    random: Generator, noise: Noise, n: int, difference: float, spread: float = SPREAD, overlap: float = 0.0
) -> dict[str, np.ndarray]:
    """Values of two methods over tasks that both meet; `overlap` moves all repetitions of a sample together."""
    right = 10.0 + normal(random, n)
    apart = noise(random, n) + math.sqrt(overlap) * noise(random, 1)
    return {"A": right + difference + spread * apart, "B": right}


def _order(
    random: Generator, noise: Noise, n: int, difference: float, relation: str = "better", **how: float
) -> Paper:
    margin = {"margin": how.pop("margin")} if "margin" in how else {}
    draws = Draws(_pairs(random, noise, n, difference, **how), how.get("overlap", 0.0))
    return [order("claim", "A", relation, "B", **margin)], draws


def _orders() -> list[Scenario]:
    few, overlap = needed(spread=0.5), 0.1
    held = needed(spread=0.9, overlap=overlap)
    rows = []
    for kind, n, how in (
        ("order", needed(), {}),
        ("order, little noise", few, {"spread": 0.5}),
        ("order, rows held out", held, {"spread": 0.9, "overlap": overlap}),
    ):
        draw = partial(_order, n=n, **how)
        rows += [
            Scenario(kind, "true by a hair", n, partial(draw, difference=0.0), "contradicts", AT_MOST),
            Scenario(kind, "false by a hair", n, partial(draw, difference=0.0), "supports", AT_MOST),
            Scenario(kind, "true by the gap", n, partial(draw, difference=GAP), "supports", AT_LEAST),
            Scenario(kind, "false by the gap", n, partial(draw, difference=-GAP), "contradicts", AT_LEAST),
        ]
    n = needed()
    draw = partial(_order, n=n, relation="no_worse", margin=GAP)
    rows += [
        Scenario("no worse", "true by a hair", n, partial(draw, difference=-GAP), "contradicts", AT_MOST),
        Scenario("no worse", "false by a hair", n, partial(draw, difference=-GAP), "supports", AT_MOST),
        Scenario("no worse", "equal, margin = gap", n, partial(draw, difference=0.0), "supports", AT_LEAST),
        Scenario(
            "no worse", "false by the gap", n, partial(draw, difference=-2 * GAP), "contradicts", AT_LEAST
        ),
    ]
    n, m = needed(), for_agreement()
    draw = partial(_order, relation="same", margin=GAP)
    rows += [
        Scenario("same", "true by a hair", n, partial(draw, n=n, difference=GAP), "contradicts", AT_MOST),
        Scenario("same", "false by a hair", m, partial(draw, n=m, difference=GAP), "supports", AT_MOST),
        Scenario("same", "equal, margin = gap", m, partial(draw, n=m, difference=0.0), "supports", AT_LEAST),
        Scenario(
            "same", "false by the gap", n, partial(draw, n=n, difference=2 * GAP), "contradicts", AT_LEAST
        ),
    ]
    return rows


def _family(random: Generator, noise: Noise, n: int, difference: float, size: int) -> Paper:
    values, claims = {}, []
    for k in range(size):
        drawn = _pairs(random, noise, n, difference)
        values |= {f"A{k}": drawn["A"], f"B{k}": drawn["B"]}
        claims.append(order(f"claim{k}", f"A{k}", "better", f"B{k}", family="all"))
    return claims, Draws(values)


def _families() -> list[Scenario]:
    size = 5
    n = needed(tests=size)
    draw = partial(_family, n=n, size=size)
    hair, gap = partial(draw, difference=0.0), partial(draw, difference=GAP)
    kind = f"family of {size} orders"
    return [
        Scenario(kind, "all true by a hair, any contradicted", n, hair, "contradicts", AT_MOST),
        Scenario(kind, "all true by the gap, the first found", n, gap, "supports", AT_LEAST, "claim0"),
    ]


def _best_of(random: Generator, noise: Noise, n: int, difference: float, rivals: int) -> Paper:
    shared = 10.0 + normal(random, n)
    values = {f"B{k}": shared + SPREAD / math.sqrt(2) * noise(random, n) for k in range(rivals)}
    values["A"] = shared + difference + SPREAD / math.sqrt(2) * noise(random, n)
    return [order("claim", "A", "better", {"best_of": [f"B{k}" for k in range(rivals)]})], Draws(values)


def _piloted(random: Generator, noise: Noise, pilot: int) -> Paper:
    spread = float((3.0 * noise(random, pilot)).std(ddof=1))
    return _order(random, noise, needed(spread=spread), GAP, spread=3.0)


def _others() -> list[Scenario]:
    n = needed()
    rows = []
    for rivals in (5, 10):
        kind, draw = f"order, best of {rivals} equals", partial(_best_of, n=n, rivals=rivals)
        hair, gap = partial(draw, difference=0.0), partial(draw, difference=GAP)
        rows += [
            Scenario(kind, "true by a hair", n, hair, "contradicts", AT_MOST),
            Scenario(kind, "false by a hair", n, hair, "supports", AT_MOST),
            Scenario(kind, "true by the gap", n, gap, "supports", None),
        ]
    for pilot in (5, 20):
        kind, draw = f"order, n from a pilot of {pilot}", partial(_piloted, pilot=pilot)
        rows.append(Scenario(kind, "true by the gap", needed(spread=3.0), draw, "supports", None))
    return rows


def _value(
    random: Generator,
    noise: Noise,
    n: int,
    difference: float,
    runs: int,
    spread: float,
    with_spread: bool = False,
) -> Paper:
    theirs = 50.0 + spread * noise(random, runs)
    text = f"{theirs.mean():.2f}" + (f" ± {theirs.std(ddof=1):.2f}" if with_spread else "")
    ours = 50.0 + difference + spread * noise(random, n)
    return [printed("claim", "A", text, runs, GAP)], Draws({"A": ours})


def _values() -> list[Scenario]:
    spread, runs = 0.6, 5
    border = GAP + 0.005  # and half a unit of the last printed place
    n = needed(spread=spread, overlap=1 / runs)
    m = for_agreement(GAP, spread, overlap=1 / runs)
    rows = []
    for printed_spread in (False, True):
        kind = f"value, mean{' and spread' if printed_spread else ''} of {runs} runs"
        draw = partial(_value, runs=runs, spread=spread, with_spread=printed_spread)
        equal, hair = partial(draw, n=m, difference=0.0), partial(draw, n=m, difference=border)
        same, other = partial(draw, n=n, difference=0.0), partial(draw, n=n, difference=border)
        rows += [
            Scenario(kind, "true", n, same, "contradicts", AT_MOST),
            Scenario(kind, "false by a hair", m, hair, "supports", AT_MOST),
            Scenario(kind, "true, the gap matters", m, equal, "supports", AT_LEAST),
            Scenario(kind, "false by the gap", n, other, "contradicts", AT_LEAST),
        ]
    one = partial(_value, n=10, difference=0.0, runs=1, spread=spread)
    return [*rows, Scenario("value, one run", "true", 10, one, "contradicts", AT_MOST)]


def _ratio(
    random: Generator, noise: Noise, n: int, truth: float, ends: dict[str, float], spread: float = SPREAD
) -> Paper:
    drawn = _pairs(random, noise, n, math.log(truth), spread)
    values = {name: np.exp(logs - 10.0) for name, logs in drawn.items()}
    return [ratio("claim", "A", "B", **ends)], Draws(values)


def _ratios() -> list[Scenario]:
    n, middle = needed(), needed(math.log(10) / 2, power=(1 + RULES.power) / 2)
    faster = partial(_ratio, n=n, ends={"at_least": 1.0})
    inside = partial(_ratio, n=middle, ends={"at_least": 10.0, "at_most": 100.0})
    one, both, far = "ratio of at least 1", "ratio of 10 to 100", math.exp(GAP)
    return [
        Scenario(one, "true by a hair", n, partial(faster, truth=1.0), "contradicts", AT_MOST),
        Scenario(one, "false by a hair", n, partial(faster, truth=1.0), "supports", AT_MOST),
        Scenario(one, "true by the gap", n, partial(faster, truth=far), "supports", AT_LEAST),
        Scenario(one, "false by the gap", n, partial(faster, truth=1 / far), "contradicts", AT_LEAST),
        Scenario(both, "true by a hair: 10", middle, partial(inside, truth=10.0), "contradicts", AT_MOST),
        Scenario(both, "false by a hair: 100", middle, partial(inside, truth=100.0), "supports", AT_MOST),
        Scenario(both, "true: 10^1.5", middle, partial(inside, truth=10**1.5), "supports", AT_LEAST),
        Scenario(both, "false: 1", middle, partial(inside, truth=1.0), "contradicts", AT_LEAST),
    ]


def _trend(random: Generator, noise: Noise, n: int, slope: float) -> Paper:
    x = np.arange(5.0)
    # So that slopes have the spread: it is that of a point over the root of 10, the sum of squares of x.
    y = normal(random, n)[:, None] + slope * x + SPREAD * math.sqrt(10.0) * noise(random, n, 5)
    names = {float(value): f"x{k}" for k, value in enumerate(x)}
    return [trend("claim", names, 0.0)], Draws({f"x{k}": y[:, k] for k in range(5)})


def _trends() -> list[Scenario]:
    n = needed()
    draw, kind = partial(_trend, n=n), "trend, slope of at least 0"
    return [
        Scenario(kind, "true by a hair", n, partial(draw, slope=0.0), "contradicts", AT_MOST),
        Scenario(kind, "false by a hair", n, partial(draw, slope=0.0), "supports", AT_MOST),
        Scenario(kind, "true by the gap", n, partial(draw, slope=GAP), "supports", AT_LEAST),
        Scenario(kind, "false by the gap", n, partial(draw, slope=-GAP), "contradicts", AT_LEAST),
    ]


def _sentence(random: Generator, noise: Noise, n: int, differences: tuple[float, ...], how: str) -> Paper:
    values, parts = {}, []
    for k, difference in enumerate(differences):
        drawn = _pairs(random, noise, n, difference)
        values |= {f"A{k}": drawn["A"], f"B{k}": drawn["B"]}
        parts.append(order(f"part{k}", f"A{k}", "better", f"B{k}", family="parts"))
    return [*parts, sentence("claim", **{how: ["part*"]})], Draws(values)


def _sentences() -> list[Scenario]:
    size = 3
    # All parts have to be found, or all to be contradicted: each is planned for the root of the power.
    n = needed(tests=size, power=RULES.power ** (1 / size))
    every, some = f"sentence, all of {size}", f"sentence, any of {size}"
    all_of = partial(_sentence, n=n, how="all_of")
    any_of = partial(_sentence, n=n, how="any_of")
    hair, true, false, one = (0.0,) * size, (GAP,) * size, (-GAP,) * size, (-GAP, *(GAP,) * (size - 1))
    return [
        Scenario(every, "true by a hair", n, partial(all_of, differences=hair), "contradicts", AT_MOST),
        Scenario(every, "true by the gap", n, partial(all_of, differences=true), "supports", AT_LEAST),
        Scenario(every, "one false by the gap", n, partial(all_of, differences=one), "contradicts", AT_LEAST),
        Scenario(some, "false by a hair", n, partial(any_of, differences=hair), "supports", AT_MOST),
        Scenario(
            some, "all false by the gap", n, partial(any_of, differences=false), "contradicts", AT_LEAST
        ),
    ]


def _ranking(random: Generator, noise: Noise, n: int, law: str, methods: int) -> Paper:
    """Methods whose neighbours are a gap apart; the printed column is of one run of other data."""
    places = GAP * np.arange(methods)
    theirs = {"alike": places, "reversed": places[::-1], "unrelated": random.permutation(places)}[law]
    column = 50.0 + theirs + SPREAD * noise(random, methods)
    values = {f"M{k}": place + SPREAD * noise(random, n) for k, place in enumerate(places)}
    claims = [printed(f"entry{k}", f"M{k}", f"{number:.2f}", 1) for k, number in enumerate(column)]
    return [*claims, ranking("claim", "entry*")], Draws(values)


def _rankings() -> list[Scenario]:
    n, rows = needed(), []
    for methods in (7, 10):
        kind, draw = f"ranking of {methods}", partial(_ranking, n=n, methods=methods)
        unrelated = partial(draw, law="unrelated")
        rows += [
            Scenario(kind, "unrelated, contradicted", n, unrelated, "contradicts", AT_MOST),
            Scenario(kind, "unrelated, supported", n, unrelated, "supports", AT_MOST),
            Scenario(kind, "alike", n, partial(draw, law="alike"), "supports", AT_LEAST),
            Scenario(kind, "reversed", n, partial(draw, law="reversed"), "contradicts", AT_LEAST),
        ]
    return rows


def _bound(random: Generator, noise: Noise, n: int, violated: float) -> Paper:
    values = np.where(random.random(n) < violated, 1.0, -1.0) * (0.1 + np.abs(noise(random, n)))
    return [order("claim", "A", "never_above", {"value": 0.0})], Draws({"A": values})


def _bounds() -> list[Scenario]:
    share, kind = 0.1, "bound, never above"
    # One violation is enough: so many repetitions that one is met.
    n = math.ceil(math.log(1 - RULES.power) / math.log(1 - share))
    draw = partial(_bound, n=n)
    broken = partial(draw, violated=share)
    return [
        Scenario(kind, "true", n, partial(draw, violated=0.0), "contradicts", AT_MOST),
        Scenario(kind, "violated in a tenth", n, broken, "contradicts", AT_LEAST),
    ]


def scenarios() -> list[Scenario]:
    """All rows, in the order of the table."""
    parts = (_orders, _families, _others, _values, _ratios, _trends, _sentences, _rankings, _bounds)
    return [scenario for part in parts for scenario in part()]
