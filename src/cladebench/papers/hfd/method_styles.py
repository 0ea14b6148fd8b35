"""Give each method of the HFD paper one look in all figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cladebench.paper.figures import RANDOM
from cladebench.plotting import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: One look for a method in every figure: colour, dashes, marker, hatch. Forests are vermilion, linear
#: metrics orange, blue and green, with their nonlinear or boosted forms in a lighter shade, other trees purple; what is
#: not in the paper has a hatch, or a hollow marker.
STYLES: Mapping[str, tuple[str, str, str, str]] = {
    "Euclidean": ("0.55", "-", "o", ""),
    "DCA": (PALETTE[3], "-", "s", ""),
    "LMNN": (PALETTE[0], "-", "^", ""),
    "GB-LMNN": (PALETTE[5], "-", "v", ""),
    "ITML": (PALETTE[2], "-", "D", ""),
    "BoostMetric": ("#7fd0b4", "-", "P", ""),
    "RFD": (PALETTE[4], "-", "X", ""),
    "HFD": (PALETTE[1], "-", "*", ""),
    "HFD-unconstrained": (PALETTE[1], "--", "p", "////"),
    "HFD-random": (PALETTE[1], ":", "d", "...."),
    "Proximity": (PALETTE[4], "--", "<", "////"),
    "NCA": (PALETTE[3], "--", ">", "////"),
    "Random": ("0.8", ":", "o", "...."),
}

#: Methods that know nothing of the data, and the dashes of their lines.
BLIND: Mapping[str, str] = {"HFD-random": ":", "Random": "--"}


def filling(method: str) -> str:
    """Give the colour inside a method's markers.

    Methods that are not in the paper have hollow ones.
    """
    colour, _, _, hatch = STYLES[method]
    return "white" if hatch else colour


def legend(figure: Figure, panels: Iterable[Axes], labels: Mapping[str, str]) -> None:
    """Draw one legend above all panels; it tells random methods."""
    handles = {
        label: handle
        for axes in panels
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    names = {labels.get(method, method): (RANDOM if method in BLIND else "") for method in STYLES}
    shown = [label for label in names if label in handles]
    said = [f"{names[label]}{label}" for label in shown]
    handles_shown = [handles[label] for label in shown]
    figure.legend(handles_shown, said, loc="outside upper center", ncols=3, frameon=False)
