"""The look of all figures, and their files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench.files import write_together

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec
    from matplotlib.transforms import Bbox

#: Colours told apart by colour-blind readers too (Okabe and Ito 2008), the strong ones first.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")

#: Size of the smallest text, in points: what is below it cannot be read in print.
SMALL = 7.0


def use_style() -> AbstractContextManager[None]:
    """Give the context of figures' common look.

    It has sizes for print at 100 %, the palette, and reproducible SVG.
    """
    import matplotlib as mpl
    from matplotlib.rcsetup import cycler

    return mpl.rc_context(
        {
            "font.family": "sans-serif",
            # The first comes with matplotlib. The second is as wide, for readers of SVG without the first.
            "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
            "font.size": 8.0,
            "axes.titlesize": 9.0,
            "axes.labelsize": 8.0,
            "xtick.labelsize": SMALL,
            "ytick.labelsize": SMALL,
            "legend.fontsize": SMALL,
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.linewidth": 0.6,
            "xtick.major.width": 0.6,
            "ytick.major.width": 0.6,
            "lines.linewidth": 1.2,
            "hatch.linewidth": 0.7,
            "axes.prop_cycle": cycler(color=PALETTE),
            "image.cmap": "viridis",
            "figure.dpi": 100.0,
            "savefig.dpi": 200.0,
            "svg.fonttype": "none",  # text can be found, copied and read aloud
            "svg.hashsalt": "cladebench",  # element ids depend on the figure alone
            "pdf.fonttype": 42,
        }
    )


def check_axes(ax: Any) -> None:
    """Raise a TypeError unless ``ax`` is Axes or None."""
    if ax is not None and not (hasattr(ax, "add_collection") and hasattr(ax, "inset_axes")):
        raise TypeError(
            f"ax is of type {type(ax).__name__}; expected matplotlib Axes or None: classes go to labels="
        )


@dataclass(frozen=True)
class InnerPlace:
    """Locate axes inside of the place that they had.

    The legend on their right and what hangs below are inside too. Matplotlib asks at each drawing, so that the place
    itself may move, as by ``tight_layout``.

    Parameters
    ----------
    own : matplotlib.axes.Axes
    below : float
        Height of what hangs below, relative to the axes.
    """

    own: Axes
    below: float

    def get_subplotspec(self) -> SubplotSpec | None:
        """Give the axes' place in a grid; ``tight_layout`` asks."""
        return self.own.get_subplotspec()

    def __call__(self, ax: Any, renderer: Any) -> Bbox:
        """Give the place in shares of the figure.

        Two fifths of the width stay in any case.
        """
        from matplotlib.transforms import Bbox

        place, legend = ax.get_position(original=True), ax.get_legend()
        taken = 0.0 if legend is None else legend.get_window_extent(renderer).width / ax.figure.bbox.width
        width, height = max(0.4 * place.width, place.width - taken), place.height / (1.0 + self.below)
        return Bbox.from_bounds(place.x0, place.y1 - height, width, height)


def stay_inside(ax: Axes, below: float = 0.0) -> bool:
    """Shrink axes by their legend and by what hangs below.

    `InnerPlace` says how. False where it is not needed: a layout engine of the figure makes room, or the axes have a
    locator.
    """
    if ax.figure.get_layout_engine() is not None or ax.get_axes_locator() is not None:
        return False
    inner = InnerPlace(ax, below)
    ax.set_axes_locator(inner)
    ax.apply_aspect(inner(ax, None))  # for what goes by the width before the figure is drawn
    return True


#: What a figure is written as.
FORMATS = ("svg", "pdf", "png")


def save_figure(figure: Figure, path: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure in some formats, with its notes.

    The same figure gives the same bytes. Its label (`cladebench.paper.figures.with_notes`) becomes the description
    that the file has of itself.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : str or Path
        File name without suffix; its folder is created.
    formats : sequence of str, default=FORMATS
        Those to write; an older file of another format is removed, for it shows another figure.

    Returns
    -------
    list of Path
        The files written.
    """
    base = Path(path)
    metadata: dict[str, dict[str, Any]] = {
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
        "png": {"Software": None},
    }
    if notes := str(figure.get_label()):
        for suffix, key in (("svg", "Description"), ("pdf", "Subject"), ("png", "Description")):
            metadata[suffix][key] = notes

    def file(suffix: str) -> Path:
        return base.with_name(f"{base.name}.{suffix}")  # with_suffix would cut a name with a dot in it

    contents = {}
    with use_style():
        # Laid out once: with an engine, each format would be laid out twice and drawn twice.
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
            figure.set_layout_engine(None)
        for suffix in formats:
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, metadata=metadata[suffix])
            contents[file(suffix)] = buffer.getvalue()
    write_together(contents)
    for suffix in set(FORMATS) - set(formats):
        file(suffix).unlink(missing_ok=True)
    return list(contents)
