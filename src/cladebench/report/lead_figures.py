"""Draw a paper's main claim: each lead that it asks for."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cladebench.audit import ClaimSet
from cladebench.audit.kinds import KINDS
from cladebench.paper.artifact_types import ArtifactContext
from cladebench.paper.figures import STAND_IN, headline
from cladebench.report.audit_figures import LOOKS, words_of
from cladebench.report.plain_words import SHORT_NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: More leads have no room in a figure.
MOST = 60


@dataclass(frozen=True)
class Lead:
    """A method minus another, as measured.

    Attributes
    ----------
    data, measure, method, rival : str
        In words.
    mean, low, high : float
        The difference and its 95% interval, in points of a hundred.
    verdict : str
        On this part of the claim.
    """

    data: str
    measure: str
    method: str
    rival: str
    mean: float
    low: float
    high: float
    verdict: str


def gather_leads(
    claims: ClaimSet, audit: Iterable[Mapping[str, Any]], context: ArtifactContext
) -> tuple[Lead, ...]:
    """List the leads that a paper's main claim asks for.

    None where a part is no plain order of two methods, has a margin, or was not measured as a share.

    Parameters
    ----------
    claims : ClaimSet
    audit : iterable of Mapping
        Entries of ``audit.json`` of this paper.
    context : ArtifactContext
        For the names of data sets, methods and measures.
    """
    by_id = {row["claim"]: row for row in audit}
    main = next((name for name, row in by_id.items() if row["main"]), "")
    parts = [*_deepest(main, by_id)] if main else []
    if not 1 < len(parts) <= MOST or not all(_is_lead(part, claims, context) for part in parts):
        return ()
    leads = [_lead(part, context) for part in parts]
    variants = [_variant(part, context) for part in parts]
    return tuple(
        replace(lead, rival=", ".join(filter(None, (lead.rival, variant))))
        if len({v for other, v in zip(leads, variants, strict=True) if other.rival == lead.rival}) > 1
        else lead
        for lead, variant in zip(leads, variants, strict=True)
    )


def _variant(row: Mapping[str, Any], context: ArtifactContext) -> str:
    """Say what a rival has that the method beside it has not.

    That is the last such part of its label, behind a comma.
    """
    method, rival = (str(context.methods[name]["label"]).split(", ")[1:] for name in row["methods"])
    return next((part for part in reversed(rival) if part not in method), "")


def _deepest(name: str, by_id: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    row = by_id[name]
    for part in row["parts"]:
        yield from _deepest(part["claim"], by_id)
    if not row["parts"]:
        yield row


def _is_lead(row: Mapping[str, Any], claims: ClaimSet, context: ArtifactContext) -> bool:
    claim, kind = claims.claims[row["claim"]], KINDS[row["kind"]]
    if row["measured"] is None or len(row["methods"]) != 2 or not kind.leads(claim):
        return False
    least, most = context.measures[row["metric"]].range
    return bool(least >= -1 and most <= 1)


def _lead(row: Mapping[str, Any], context: ArtifactContext) -> Lead:
    measure, data = context.measures[row["metric"]], context.datasets[row["dataset"]]
    # What stands behind a comma is told where it varies between the rivals of one name.
    method, rival = (str(context.methods[name]["label"]).partition(",")[0] for name in row["methods"])
    sign = -100.0 if measure.direction == "lower" else 100.0
    mean, *ends = (
        sign * (row["measured"] if row[key] is None else row[key]) for key in ("measured", "low", "high")
    )
    return Lead(
        _titled(data),
        measure.title or measure.name,
        method,
        rival,
        mean,
        min(ends),
        max(ends),
        row["verdict"],
    )


def _titled(data: Mapping[str, Any]) -> str:
    stands_for = data["stand_in_for"] or ""
    if not stands_for:
        return str(data["title"])
    return f"stand-in for {stands_for}" if len(stands_for) <= SHORT_NAME else f"{data['title']}, {STAND_IN}"


def draw_leads(leads: Sequence[Lead], title: str = "") -> Figure:
    """Draw leads with their intervals.

    A panel has a measure, a row a data set.

    Parameters
    ----------
    leads : sequence of Lead
        One at least.
    title : str, optional
        What the figure shows, in a sentence.
    """
    from matplotlib.figure import Figure

    measures = list(dict.fromkeys(lead.measure for lead in leads))
    rows = list(dict.fromkeys(lead.data for lead in leads))
    here = {(row, measure): [lead for lead in leads if (lead.data, lead.measure) == (row, measure)]
            for row in rows for measure in measures}  # fmt: skip
    most = max(map(len, here.values()))
    figure = Figure(figsize=(7.2, 1.3 + len(rows) * max(0.36, 0.2 * most)), layout="constrained")
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False).ravel().tolist()
    for panel, measure in zip(panels, measures, strict=True):
        _panel(panel, [here[row, measure] for row in rows])
        panel.set_title(textwrap.fill(measure, 24), fontsize=8.0)
        panel.set_xlabel(f"{leads[0].method} ahead \u2192\n(points)")
    names = [textwrap.fill(row, 28) for row in rows]
    panels[0].set_yticks(range(len(rows)), names)
    panels[0].set_ylim(len(rows) - 0.5, -0.5)
    handles = {
        label: mark
        for panel in panels
        for mark, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    order = [words_of(verdict) for verdict in LOOKS if words_of(verdict) in handles]
    figure.legend([handles[label] for label in order], order, loc="outside lower left", ncols=2)
    headline(figure, title)
    return figure


def _panel(axes: Axes, rows: Sequence[Sequence[Lead]]) -> None:
    axes.axvline(0.0, color="0.35", linewidth=0.9, zorder=1)
    axes.tick_params(axis="y", length=0)
    for place, leads in enumerate(rows):
        if place:
            axes.axhline(place - 0.5, color="0.93", linewidth=0.8, zorder=0)
        for k, lead in enumerate(leads):
            y = place + (k + 0.5) / len(leads) - 0.5
            look = LOOKS[lead.verdict]
            axes.plot([lead.low, lead.high], [y, y], color=look.colour, linewidth=1.6, zorder=2)
            axes.plot(
                *(lead.mean, y),
                linestyle="none",
                marker=look.marker,
                markersize=5.0,
                markerfacecolor=look.colour if look.filled else "white",
                markeredgecolor=look.colour if not look.filled else "white",
                markeredgewidth=1.0 if not look.filled else 0.4,
                label=words_of(lead.verdict),
                zorder=3,
            )
            axes.text(
                0.99,
                y,
                lead.rival.replace(", ", ",\n"),
                transform=axes.get_yaxis_transform(),
                ha="right",
                va="center",
                fontsize=6.0,
            )
    ends = [end for leads in rows for lead in leads for end in (lead.low, lead.high)]
    low, high = min(0.0, *ends), max(0.0, *ends)
    axes.set_xlim(low - 0.05 * (high - low), high + 0.75 * (high - low))  # names stand at the right end
