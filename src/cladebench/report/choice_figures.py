"""Draw in a few rows what the answers to claims turn on."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cladebench.audit.kinds import KINDS
from cladebench.audit.verdict.verdict_types import (
    ANSWERS,
    CONTRADICTS,
    DOES_NOT_HOLD,
    HOLDS,
    OPEN,
    SUPPORTS,
    UNDECIDED,
    UNTESTED,
    Stance,
)
from cladebench.paper.figures import empty_figure, headline
from cladebench.plotting import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What one reading says -> its words and the answer whose colour it has.
STANCES = {
    SUPPORTS: ("support", HOLDS),
    UNDECIDED: ("open", OPEN),
    CONTRADICTS: ("contradict", DOES_NOT_HOLD),
}
#: Stance -> hatch, so that no part of a bar rests on colour alone.
HATCHES = {SUPPORTS: "", UNDECIDED: "////", CONTRADICTS: "xxxx"}
#: Rows of the figure at most.
MOST_ROWS = 12
#: Choices that are named beside a row at most.
MOST_NAMED = 2
_QUOTE, _NAMES = 50, 32  # characters of a line at the left and at the right
_LENGTH, _DIGIT = 1.94, 0.07  # inches of the axis, and of a digit with the room beside it


def changing(claims: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """List the claims with more than one stance over all choices.

    What cannot be tested says nothing.
    """
    return [c for c in claims if len({c["stance"], *c["stances"].values()} - {UNTESTED}) > 1]


def claims_by_choices(
    claims: Sequence[Mapping[str, Any]],
    other_choices: Sequence[Mapping[str, str]],
) -> Figure:
    """Draw how many other choices support, leave open or contradict claims.

    Parameters
    ----------
    claims, other_choices : sequence of Mapping
        Entries of ``audit.json``: stance (as chosen), stances (other choice -> stance), kind, main, quote, place and
        published; and the other choices, each with factor (entry of the register) and name.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    split = changing(claims)
    if not split:
        return empty_figure("No claim of this run changes with another choice.")
    shown = first_rows(claims)
    height = 0.36 * len(shown)
    total = height + 1.35
    figure = Figure(figsize=(7.2, total))
    axes = figure.add_axes((0.425, 0.85 / total, 0.27, height / total))
    entry_of = {other["name"]: other["factor"] for other in other_choices}
    most = max(len(claim["stances"]) for claim in shown) or 1
    for y, claim in enumerate(shown):
        _bar(axes, y, claim, most)
        side: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": SMALL}
        weight = "bold" if claim.get("main") else "normal"
        axes.text(-1.55, y, _shortened(quoted(claim), _QUOTE), ha="left", weight=weight, **side)
        axes.text(1.05, y, _shortened(_named(deciding(claim, entry_of)), _NAMES), ha="left", **side)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlim(0, most)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("other choices that were run")
    head: dict[str, Any] = {"transform": axes.transAxes, "va": "bottom", "fontsize": SMALL, "color": "0.35"}
    axes.text(-1.55, 1.01, "what the paper says (bold: main claim)", ha="left", **head)
    axes.text(1.05, 1.01, "choices that change the answer", ha="left", **head)
    figure.legend(
        [Patch(**_look(stance)) for stance in STANCES],
        [word for word, _ in STANCES.values()],
        loc="lower left",
        bbox_to_anchor=(0.41, 0.0),
        ncols=3,
        frameon=False,
        columnspacing=1.0,
        handlelength=1.6,
    )
    headline(figure, f"Another choice changes the answer to {len(split)} of {len(claims)} claims")
    if hidden := len(split) - sum(claim in split for claim in shown):
        note = f"{hidden} more claims change: see the list of claims."
        figure.text(0.01, 0.03, note, fontsize=SMALL, color="0.35")
    return figure


def first_rows(claims: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Choose the claims of the figure.

    The main claim comes first, then sentences, then those most divided.

    Of several claims with one quote the first stands there.
    """
    tested = [claim for claim in claims if claim.get("main") and claim["stances"]]
    split = sorted(changing(claims), key=lambda c: (not KINDS[c["kind"]].of_parts, -_divided(c)))
    by_quote: dict[str, Mapping[str, Any]] = {}
    for claim in (*tested, *split):
        by_quote.setdefault(quoted(claim), claim)
    return list(by_quote.values())[:MOST_ROWS]


def _divided(claim: Mapping[str, Any]) -> int:
    """Count the other choices whose answer differs from ours."""
    return sum(stance not in (claim["stance"], UNTESTED) for stance in claim["stances"].values())


def quoted(claim: Mapping[str, Any]) -> str:
    """Quote the sentence, or give the printed number and its place."""
    published = str(claim.get("published") or "")
    if KINDS[claim["kind"]].printed_number or not claim.get("quote"):
        return f"{claim.get('place') or claim['claim']}: {published}" if published else str(claim["claim"])
    return f"\u201c{claim['quote']}\u201d"


def deciding(claim: Mapping[str, Any], entry_of: Mapping[str, str]) -> list[str]:
    """List the other choices that change the stance of a claim.

    Those that turn it round come first; then one for each entry of the register before a second one for any.
    Choices made otherwise together are not listed.
    """
    opposite = {SUPPORTS: CONTRADICTS, CONTRADICTS: SUPPORTS}.get(claim["stance"])
    strong: list[tuple[bool, int, str]] = []
    met: Counter[tuple[bool, str]] = Counter()
    for name, entry in entry_of.items():
        stance = claim["stances"].get(name, UNTESTED)
        if stance not in (claim["stance"], UNTESTED):
            kind = stance != opposite, entry
            strong.append((stance != opposite, met[kind], name))
            met[kind] += 1
    return [name for _, _, name in sorted(strong, key=lambda ranked: ranked[:2])]


def _named(names: Sequence[str]) -> str:
    """Name as many as two lines hold, and count the others."""
    if not names:
        return "\u2013"
    for shown in range(min(MOST_NAMED, len(names)), 0, -1):
        text = "; ".join(names[:shown]) + _rest(len(names) - shown)
        if len(textwrap.wrap(text, _NAMES)) <= 2:
            return text
    rest = _rest(len(names) - 1)
    return textwrap.shorten(names[0], 2 * _NAMES - len(rest) - 8, placeholder="\u2026") + rest


def _rest(number: int) -> str:
    return f" and {number} more" if number else ""


def _bar(axes: Axes, y: int, claim: Mapping[str, Any], most: int) -> None:
    """Draw the counts of a claim side by side.

    Each has its number where there is room; the axis ends at `most`.
    """
    left = 0
    for stance in STANCES:
        n = sum(other == stance for other in claim["stances"].values())
        look = _look(stance)
        if n:
            axes.barh(y, n, 0.6, left, **look)
        if n * _LENGTH > _DIGIT * most * len(str(n)):  # in a narrower part a number would lie over its edges
            plain = {"facecolor": look["facecolor"], "linewidth": 0, "boxstyle": "square,pad=0.25"}
            axes.text(
                left + n / 2, y, str(n), ha="center", va="center", fontsize=SMALL, color="white", bbox=plain
            )
        left += n


def _look(stance: Stance) -> dict[str, Any]:
    """Give the colour and hatch of a stance.

    Lines of a hatch are pale, so that they cannot be taken for edges.
    """
    colour = ANSWERS[STANCES[stance][1]].colour
    return {"facecolor": colour, "edgecolor": (1.0, 1.0, 1.0, 0.6), "hatch": HATCHES[stance], "linewidth": 0}


def _shortened(text: str, width: int) -> str:
    """Break a text into two lines at most."""
    lines = textwrap.wrap(text, width)
    if len(lines) <= 2:
        return "\n".join(lines)
    end = "\u2026\u201d" if text.endswith("\u201d") else "\u2026"
    second = textwrap.shorten(" ".join(lines[1:]), width, placeholder=end)
    return f"{lines[0]}\n{second}"
