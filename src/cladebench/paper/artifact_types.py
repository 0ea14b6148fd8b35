"""What a paper's folder offers: the types of its tables and figures.

A paper is a folder ``papers/<id>`` with

- ``plan.yaml``: methods, data sets, settings, repetitions, scopes;
- ``protocol.py``: ``PROTOCOL``, a :class:`cladebench.paper.protocol.Protocol`: what one cell computes;
- ``claims.yaml``: the published numbers and sentences, as data;
- ``choices.yaml``: every guess, with its alternatives and how its effect is measured;
- ``artifacts.py``: ``ARTIFACTS``, a tuple of :class:`Artifact`;
- ``captions.yaml``: what each table and figure shows.

Artifacts are functions of records: they read an :class:`ArtifactContext` and nothing else. A figure may also show
images of the data, through `ArtifactContext.data_with_images`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from cladebench.bench.plan.setting_selection import Rule
from cladebench.bench.samples.results import Results
from cladebench.datasets import Dataset, DataUnavailable, load
from cladebench.file_lines import lines_told
from cladebench.input_files import InputFileError, one_of, read_validated
from cladebench.measures import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ArtifactContext:
    """All that a table or figure may read.

    Attributes
    ----------
    paper, package, scope : str
        Identifier of the paper, dotted name of its package, and the scope that was run.
    results : Results
        The records of this paper, with the choice of settings: all that audit, tables and figures read.
    published : pandas.DataFrame
        The printed numbers: columns claim, artifact, dataset, method, metric, at, value, spread, printed; no rows for a
        paper without claims.
    measures : mapping of str to Measure
        What each metric is.
    methods : mapping of str to mapping
        The plan's methods: label, role, estimator, params.
    datasets : mapping of str to mapping
        For each data set of the scope: title, kind, stand_in_for, n_samples, n_features, n_classes
        (None where there are no features or labels), and beyond: whether the paper does not use it.
    load_arrays : callable
        ``load_arrays(cell_id) -> dict of str to ndarray``: what a cell stored.
    load_data : callable
        ``load_data(name, draw=0) -> Dataset``: the data themselves, by their name in the plan, read when asked for. For
        figures, and only for what no cell stores, such as the images of the rows that a tree holds; where the data are
        drawn, the draw is the repetition of the cell that is shown. Numbers are of records, never computed here. By
        default `cladebench.datasets.load`, with its errors.
    ratios : pandas.DataFrame
        The claimed ratios of one method to another: columns claim, of, to (queries of `Results.sample`), claimed (the
        range, as text). By default none.
    """

    paper: str
    package: str
    scope: str
    results: Results
    published: pd.DataFrame
    measures: Mapping[str, Measure]
    methods: Mapping[str, Mapping[str, Any]]
    datasets: Mapping[str, Mapping[str, Any]]
    load_arrays: Callable[[str], Mapping[str, np.ndarray]]
    load_data: Callable[..., Dataset] = load
    ratios: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=["claim", "of", "to", "claimed"])
    )

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The plan's rules of selection; the first is the paper's own."""
        return self.results.selection

    @property
    def own_rule(self) -> str:
        """Name of the paper's own rule; empty where the plan has none."""
        return next(iter(self.rules), "")

    @property
    def beside(self) -> str:
        """Name the rule shown beside the paper's own, or that."""
        return list(self.rules)[1] if len(self.rules) > 1 else self.own_rule

    def datasets_after(self, first: Sequence[str]) -> list[str]:
        """List the paper's data sets first, then all others.

        Names in the paper's order, whether or not they are in the scope.
        """
        return [*first, *(name for name in self.datasets if name not in first)]

    def data_with_images(self, dataset: str, draw: int = 0) -> Dataset | None:
        """Load data whose images a figure shows, if they are here.

        None means that they cannot be had here, or have no images.
        """
        try:
            data = self.load_data(dataset, draw)
        except DataUnavailable:
            return None
        return data if data.images is not None else None

    def best_arrays(
        self, dataset: str, method: str, metric: str, rule: str, *, at: Mapping[str, Any] | None = None
    ) -> Mapping[str, np.ndarray] | None:
        """Load arrays of the best repetition in the rule's setting.

        Parameters
        ----------
        dataset, method, rule : str
        metric : str
            Its measure says which value is the best; of equal ones the first repetition's.
        at : mapping, optional
            The evaluation point; by default the rule's own where it chooses by this metric, else the plan's.

        Returns
        -------
        mapping of str to ndarray, or None
            None where no cell has finished, or fewer than half.
        """
        at = self.results.point_of_choice(dataset, method, metric, rule) if at is None else at
        cells = self.results.chosen(dataset, method, metric, rule, at=at)
        if cells.empty:
            return None
        worst_last = self.measures[metric].direction != "higher"
        return self.load_arrays(
            cells.sort_values("value", ascending=worst_last, kind="stable").cell_id.iloc[0]
        )


@dataclass(frozen=True)
class Table:
    """Hold a table as data, with what its cells rest on.

    Attributes
    ----------
    frame : pandas.DataFrame
        What is shown; text or numbers, one header row.
    sources : mapping of (int, str) to sequence of str
        For a row number and a column name, the identifiers of the cells behind that entry.
    claims : mapping of (int, str) to str
        For an entry that repeats a printed number, the id of its claim.
    notes : tuple of str
        Footnotes, in reading order.
    """

    frame: pd.DataFrame
    sources: Mapping[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    claims: Mapping[tuple[int, str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


#: ``build(context)`` gives a table or a matplotlib figure.
Builder: TypeAlias = "Callable[[ArtifactContext], Table | Figure]"


@dataclass(frozen=True)
class Artifact:
    """A table or figure, of the paper or about it.

    Attributes
    ----------
    id : str
        Name of its files: ``tables/<paper>/<id>.csv`` or ``figures/<paper>/<id>.svg``.
    kind : {'table', 'figure'}
        What ``build`` returns.
    title : str
        Heading in the report.
    caption : str
        What is shown, how it was measured, how to read it.
    place : str
        Where the paper prints it; empty for an artifact of our own.
    build : callable
        ``build(context)`` gives a :class:`Table` or a matplotlib figure.
    """

    id: str
    kind: str
    title: str
    caption: str
    place: str
    build: Builder

    def __post_init__(self) -> None:
        if self.kind not in ("table", "figure"):
            raise ValueError(f"artifact {self.id!r}: kind is {self.kind!r}, expected 'table' or 'figure'")


def declare(package: str | None, *artifacts: tuple[str, str, str, str, Builder]) -> tuple[Artifact, ...]:
    """Declare a paper's artifacts, each with its caption from the paper's folder.

    Parameters
    ----------
    package : str
        Dotted name of the paper's package (``__package__``), with the file ``captions.yaml``.
    *artifacts : tuple
        Id, kind, title, place and build; see :class:`Artifact`.

    Raises
    ------
    InputFileError
        If an artifact has no caption, or a caption no artifact.
    """
    path = Path(str(resources.files(package or "").joinpath("captions.yaml")))
    names = [name for name, *_ in artifacts]
    with lines_told(path):
        captions = read_validated(path, "captions")["captions"]
        for name in names:
            if name not in captions:
                raise InputFileError(
                    f"{path}: captions: missing key {name!r}; expected a caption for each of ARTIFACTS"
                )
        for name in captions:
            if name not in names:
                raise InputFileError(f"{path}: captions.{name}: not in ARTIFACTS; {one_of(name, names)}")
    return tuple(
        Artifact(name, kind, title, captions[name], place, build)
        for name, kind, title, place, build in artifacts
    )
