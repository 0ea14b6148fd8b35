"""Draw how methods compare, and data by class and by cluster.

Each function gives a figure of matplotlib, as wide as a page and in the look of all figures. `cladebench.plotting` has
`save_figure`, which writes it in several formats.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.metrics import Similarity
from cladebench.metrics.similarity import in_own_unit
from cladebench.plotting import PALETTE, SMALL, use_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: Points that a picture shows at most.
POINTS = 1000
#: Inches.
WIDTH = 6.8
_GREY = "#9a9a9a"
_COLOURS = {"ahead": PALETTE[2], "behind": PALETTE[1], "level": PALETTE[0], "undecided": _GREY}


def _figure(
    height: float, columns: int = 1, lines: int = 1, sharex: bool = True
) -> tuple[Figure, Sequence[Any]]:
    """Make a page-wide figure with axes on one scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, [*figure.subplots(lines, columns, squeeze=False, sharex=sharex, sharey=True).flat]


def few_colours(picture: bytes) -> bytes:
    """Write a PNG with 64 colours, in a third of the space.

    Parameters
    ----------
    picture : bytes
        A PNG.

    Returns
    -------
    bytes
        A PNG of the same size in pixels.

    Examples
    --------
    >>> from io import BytesIO
    >>> import numpy as np
    >>> from cladebench.pictures import few_colours, groups
    >>> file = BytesIO()
    >>> groups(np.eye(2), {"classes": np.array([0, 1])}).savefig(file, format="png")
    >>> len(few_colours(file.getvalue())) < len(file.getvalue())
    True
    """
    from PIL import Image

    file = io.BytesIO()
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(64, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def differences(rows: pd.DataFrame, mine: str, rope: float, heading: str) -> Figure:
    """Draw a method's differences to its rivals, a panel a data set.

    Parameters
    ----------
    rows : DataFrame
        A row a rival and data set: data, rival, difference, low, high, and the verdict, one of ahead, behind, level and
        undecided. ``differences.csv`` of a comparison has these columns.
    mine : str
        The method.
    rope : float
        Smaller differences do not matter: they are in the band.
    heading : str
        Of the score.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from cladebench.pictures import differences
    >>> row = {"data": "iris", "rival": "a", "difference": 0.1, "low": 0.05, "high": 0.15, "verdict": "ahead"}
    >>> figure = differences(pd.DataFrame([row]), "mine", 0.02, "score")
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['a']
    """
    rivals, data = [*dict.fromkeys(rows["rival"])], [*dict.fromkeys(rows["data"])]
    columns = min(len(data), 4)
    lines = -(-len(data) // columns)
    with use_style():
        figure, axes = _figure(0.6 + lines * (0.3 + 0.17 * max(3, len(rivals))), columns, lines)
        for ax, name in zip(axes, data, strict=False):
            ax.axvspan(-rope, rope, color="#dcdcdc", lw=0)
            ax.axvline(0, color="black", lw=0.6)
            for row in rows[rows["data"] == name].itertuples():
                place, colour = rivals.index(row.rival), _COLOURS[str(row.verdict)]
                ax.plot([row.low, row.high], [place, place], color=colour)
                hollow = {"mfc": "white"} if row.verdict == "undecided" else {}
                ax.plot(row.difference, place, "o", color=colour, ms=4, **hollow)
            ax.set_title(name if len(data) > 1 else "", size=SMALL + 1)
        axes[0].set_yticks(range(len(rivals)), rivals)
        axes[0].set_ylim(len(rivals) - 0.3, -0.7)
        for ax in axes[len(data) :]:
            ax.set_visible(False)
        figure.supxlabel(
            f"{heading}: {mine} less rival (band: within {rope:g}; hollow: undecided)", size=SMALL + 1
        )
        return figure


def critical_difference(ranks: pd.Series, width: float) -> Figure:
    """Draw mean ranks; bars join methods that are not told apart.

    Parameters
    ----------
    ranks : Series
        Mean rank of each method; 1 is best.
    width : float
        The critical difference: smaller differences of mean ranks are not significant. That of the Nemenyi test for k
        methods on n data sets is a quantile of the studentized range, times the root of k (k + 1) / (12 n).

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning
    Research 7.

    Examples
    --------
    >>> import pandas as pd
    >>> from cladebench.pictures import critical_difference
    >>> figure = critical_difference(pd.Series({"a": 1.2, "b": 1.8, "c": 3.0}), 1.0)
    >>> [text.get_text().strip() for text in figure.axes[0].texts]
    ['critical difference 1.00', 'a  1.20', 'b  1.80', '3.00  c']
    """
    means = ranks.sort_values(kind="stable")
    alike = _alike(means, width)
    k, half = len(means), (len(means) + 1) // 2
    names = 1.2 + 0.45 * len(alike)  # where the names begin, below the bars
    with use_style():
        figure, (ax,) = _figure(0.6 + 0.17 * (names + half))
        ax.plot([1, 1 + width], [-2.2, -2.2], "|-", color="black")
        ax.text(1, -2.5, f"critical difference {width:.2f}", size=SMALL)
        for i, group in enumerate(alike):
            ends = means[group[0]] - 0.01 * k, means[group[-1]] + 0.01 * k
            ax.plot(ends, [0.6 + 0.45 * i] * 2, color=PALETTE[0], lw=2.5)
        for i, (name, rank) in enumerate(means.items()):
            left = i < half
            line, end = names + min(i, k - 1 - i), 1 if left else k
            ax.plot([rank, rank, end], [0, line, line], color=_GREY, lw=0.8)
            text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
            ax.text(end, line, f" {text} ", ha="right" if left else "left", va="center", size=SMALL)
        ax.set_xlim(1, k)
        ax.set_ylim(names + half - 0.4, -3.4)
        ax.xaxis.set_ticks_position("top")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.spines["top"].set(visible=True, position=("data", 0))
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.set_yticks([])
        return figure


def _alike(means: pd.Series, width: float) -> list[list[str]]:
    """List the largest groups of methods whose ordered means differ below `width`."""
    groups, end = [], 0
    for first, reached in enumerate(np.searchsorted(means, means + width)):
        if reached > max(end, first + 1):
            groups.append([*means.index[first:reached]])
        end = reached
    return groups


def costs(table: pd.DataFrame, heading: str, mine: str, random: Collection[str] = ()) -> Figure:
    """Draw mean scores beside seconds and memory, a line a method.

    A filled mark in the panel of a cost says that no cheaper method has such a score.

    Parameters
    ----------
    table : DataFrame
        By method: score, seconds, memory.
    heading : str
        Of the score.
    mine : str
        The method that is marked.
    random : collection of str
        Methods that know nothing of the data. They are cheap, and grey.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from cladebench.pictures import costs
    >>> row = {"score": 0.8, "seconds": 0.2, "memory": 90.0}
    >>> figure = costs(pd.DataFrame([row], index=["mine"]), "mean score", "mine")
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['mean score', 'seconds a fit', 'memory (MB)']
    """
    ordered = table.sort_values("score", ascending=False, kind="stable")
    with use_style():
        figure, axes = _figure(0.7 + 0.17 * max(3, len(table)), 3, sharex=False)
        panels = {"score": heading, "seconds": "seconds a fit", "memory": "memory (MB)"}
        for ax, (column, label) in zip(axes, panels.items(), strict=True):
            filled = (
                table.index
                if column == "score"
                else _unbeaten(table.drop([*random], errors="ignore"), column)
            )
            for place, (name, row) in enumerate(ordered.iterrows()):
                colour = _GREY if name in random else PALETTE[1] if name == mine else PALETTE[0]
                ax.plot(
                    row[column], place, "o", color=colour, mfc=colour if name in filled else "white", ms=4
                )
            ax.set(xlabel=label, xscale="log" if column == "seconds" else "linear")
            ax.margins(x=0.08)
            ax.grid(axis="y", color="#eeeeee", lw=0.6)
            ax.set_axisbelow(True)
        axes[0].set_yticks(range(len(ordered)), [str(name) for name in ordered.index])
        axes[0].set_ylim(len(ordered) - 0.3, -0.7)
        return figure


def _unbeaten(table: pd.DataFrame, cost: str) -> pd.Index:
    """Find the methods that score more than all cheaper ones.

    It keeps only the best of equally cheap ones.
    """
    ordered = table.sort_values([cost, "score"], ascending=[True, False])
    return ordered.index[ordered["score"] > ordered["score"].cummax().shift(fill_value=-np.inf)]


def projection(values: Any, distances: bool) -> tuple[np.ndarray, np.ndarray]:
    """Project rows to two dimensions: principal components, or classical scaling.

    Parameters
    ----------
    values : ndarray or sparse array of shape (n_samples, n_features)
        Features, which are scaled to unit variance; or distances, of shape (n_samples, n_samples).
    distances : bool
        Whether they are distances.

    Returns
    -------
    points : ndarray of shape (n_shown, 2)
    rows : ndarray of shape (n_shown,)
        Those that are shown, in order: all, or of many `POINTS` drawn at random.

    Notes
    -----
    O(n_shown^3) time for distances, else O(n_shown n_features min(n_shown, n_features)).

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.pictures import projection
    >>> points, rows = projection(np.arange(12.0).reshape(4, 3), distances=False)
    >>> points.shape, rows.tolist()
    ((4, 2), [0, 1, 2, 3])
    """
    n = values.shape[0]
    rows = np.sort(np.random.default_rng(0).permutation(n)[:POINTS])
    if distances:
        squares = in_own_unit(np.asarray(values)[np.ix_(rows, rows)]) ** 2
        centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
        levels, vectors = np.linalg.eigh(-centred / 2)
        points = vectors[:, -2:] * np.sqrt(np.maximum(levels[-2:], 0))
        return points[:, ::-1], rows
    some = values[rows]
    some = np.asarray(some.todense() if hasattr(some, "todense") else some, dtype=float)
    u, s, _ = np.linalg.svd(Similarity(features="zscore").transform(some), full_matrices=False)
    points = np.zeros((len(rows), 2))
    points[:, : min(2, len(s))] = u[:, :2] * s[:2]
    return points, rows


def groups(points: np.ndarray, panels: Mapping[str, np.ndarray]) -> Figure:
    """Draw the points once for each labelling, in its colours; -1 grey.

    Groups are paired one to one with those of the first panel, so that most points keep their colour. Others get
    colours of their own.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Such as `projection` gives.
    panels : mapping of str to ndarray of shape (n,)
        Title of each panel and its labels, whole numbers.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.pictures import groups
    >>> figure = groups(np.eye(2), {"classes": np.array([0, 1]), "clusters": np.array([7, -1])})
    >>> [ax.get_title() for ax in figure.axes]
    ['classes', 'clusters']
    """
    first = next(iter(panels.values()))
    numbers, sizes = np.unique(first[first >= 0], return_counts=True)
    place = {group: i for i, group in enumerate(numbers[np.argsort(-sizes, kind="stable")])}
    by_size = np.array([place.get(label, -1) for label in first])
    with use_style():
        figure, axes = _figure(2.3, len(panels))
        for ax, (title, labels) in zip(axes, panels.items(), strict=True):
            places = _places(labels, by_size)
            colours = [_GREY if one < 0 else PALETTE[one % len(PALETTE)] for one in places]
            ax.scatter(points[:, 0], points[:, 1], s=5, c=colours, lw=0, rasterized=True)
            ax.set_title(title, size=SMALL + 1)
            ax.set_xticks([])
            ax.set_yticks([])
            for side in ax.spines.values():
                side.set_visible(False)
        return figure


def _places(labels: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Number groups like the groups of `first` that they match best.

    -1 stays.
    """
    from scipy.optimize import linear_sum_assignment

    names, groups = np.unique(labels, return_inverse=True)
    shared = np.zeros((len(names), len(names) + first.max(initial=-1) + 1), dtype=int)
    both = (labels >= 0) & (first >= 0)
    np.add.at(shared, (groups[both], first[both]), 1)
    rows, places = linear_sum_assignment(shared, maximize=True)
    alone = shared[rows, places] == 0
    places[alone] = first.max(initial=-1) + 1 + np.arange(alone.sum())
    return np.where(labels < 0, -1, places[groups])


def dendrogram(tree: Hierarchy, labels: npt.ArrayLike | None, title: str) -> Figure:
    """Draw the upper part of a tree, with classes below its branches.

    Parameters
    ----------
    tree : Hierarchy
    labels : array-like of shape (n_samples,), optional
        The classes, as `Hierarchy.plot` takes them.
    title : str

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.pictures import dendrogram
    >>> dendrogram(Hierarchy.from_nested([[0, 1], 2]), [0, 0, 1], "A tree").axes[0].get_title()
    'A tree'
    """
    with use_style():
        figure, (ax,) = _figure(3.6)
        tree.plot(ax, labels=labels)
        ax.set_title(title, size=SMALL + 1)
        return figure
