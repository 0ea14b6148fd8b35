"""Lead from numbers to the cells behind them.

The pages of cells, and where on them each cell stands.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from cladebench.bench.plan.cell_spec import point_text
from cladebench.bench.plan.setting_selection import Rule
from cladebench.report.plain_words import Names

#: How high a page of cells may get, in pixels as `_height` guesses them.
PAGE_HEIGHT = 12_000


def encoded(name: str) -> str:
    """Write a name so that neither address nor HTML mistakes it.

    Other characters become codes.
    """
    return re.sub(r"[^A-Za-z0-9./-]", lambda match: f"_{ord(match[0]):x}_", name)


def anchor(kind: str, name: str) -> str:
    """Fragment of a page for a name."""
    return f"{kind}-{encoded(name)}"


def overview_page(paper: str) -> str:
    """File of the page that leads to all cells of a paper."""
    return f"{paper}-cells.html"


def cells_page(paper: str, dataset: str, number: int = 1) -> str:
    """Name a paper's first or further page of cells on data."""
    further = f"-page-{number}" if number > 1 else ""
    return f"{paper}-cells-{encoded(dataset).replace('/', '_2f_')}{further}.html"


def sets_page(paper: str, number: int = 1) -> str:
    """Name a page of lists for numbers that rest on several settings."""
    return f"{paper}-sets-{number}.html"


def plain(value: Any) -> Any:
    """Turn a value of a frame into what JSON holds.

    Missing values become None, numbers keep 7 digits.
    """
    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, float):
        return float(f"{value:.7g}") if abs(value) != float("inf") else str(value)
    return value if isinstance(value, (str, bool, int)) else value.item()


@dataclass(frozen=True)
class LinkedCell:
    """One repetition: its id and status."""

    cell_id: str
    status: str

    @property
    def repetition(self) -> str:
        """The last part of its id."""
        return self.cell_id.rpartition("/")[2]

    @property
    def anchor(self) -> str:
        """Where it stands on the page of its data set."""
        return encoded(_without_dataset(self.cell_id))


@dataclass(frozen=True)
class Group:
    """The repetitions of one setting of a method on a data set.

    Attributes
    ----------
    group_id : str
        ``paper/dataset/method/setting_id``.
    dataset, method, setting : str
        ``setting`` is written for readers.
    rules : tuple of str
        Rules of selection that chose this setting.
    cells : tuple of LinkedCell
    scores : tuple of float or None
        Mean over the finished repetitions of each metric that a rule of selection uses.
    cpu_seconds : float
        Over all repetitions.
    page : int
        Which of the pages of its data set it is on.
    """

    group_id: str
    dataset: str
    method: str
    setting: str
    rules: tuple[str, ...]
    cells: tuple[LinkedCell, ...]
    scores: tuple[float | None, ...]
    cpu_seconds: float
    page: int = 1

    @property
    def anchor(self) -> str:
        """Where it stands on the page of its data set."""
        return encoded(_without_dataset(self.group_id))

    @property
    def address(self) -> str:
        """Page and fragment."""
        return f"{cells_page(self.group_id.partition('/')[0], self.dataset, self.page)}#{self.anchor}"


@dataclass
class CellLinks:
    """Every cell of a paper, and where a number leads.

    Attributes
    ----------
    paper : str
        Id of the paper.
    groups : tuple of Group
        In the order of the records.
    score_names : tuple of str
        The metrics of `Group.scores`.
    sets : list of dict of tuple of str to str
        For each page of `sets_page`: group ids -> fragment, for numbers that rest on several settings; filled by
        `target`.
    names : Names
        Of methods and data sets, for readers.
    """

    paper: str
    groups: tuple[Group, ...]
    score_names: tuple[str, ...]
    sets: list[dict[tuple[str, ...], str]] = field(default_factory=list)
    names: Names = field(default_factory=Names)

    def __post_init__(self) -> None:
        self.by_id = {group.group_id: group for group in self.groups}
        self._cells = {cell.cell_id: cell for group in self.groups for cell in group.cells}
        self._of_set: dict[tuple[str, ...], str] = {}
        self._height = 0

    @property
    def by_dataset(self) -> dict[str, dict[str, list[Group]]]:
        """List settings by data set and method, in the records' order."""
        nested: dict[str, dict[str, list[Group]]] = {}
        for group in self.groups:
            nested.setdefault(group.dataset, {}).setdefault(group.method, []).append(group)
        return nested

    @property
    def by_page(self) -> dict[tuple[str, int], dict[str, list[Group]]]:
        """List settings under their page and method.

        A page has a data set and a number.
        """
        pages: dict[tuple[str, int], dict[str, list[Group]]] = {}
        for dataset, methods in self.by_dataset.items():
            for method, groups in methods.items():
                for group in groups:
                    pages.setdefault((dataset, group.page), {}).setdefault(method, []).append(group)
        return pages

    def target(self, cell_ids: Iterable[str]) -> str | None:
        """Give page and fragment of a number's cells, None without cells."""
        cells = list(dict.fromkeys(str(cell_id) for cell_id in cell_ids))
        if len(cells) == 1 and cells[0] in self._cells:
            group = self.by_id[cells[0].rpartition("/")[0]]
            return f"{cells_page(self.paper, group.dataset, group.page)}#{self._cells[cells[0]].anchor}"
        return self.target_of_groups(cell.rpartition("/")[0] for cell in cells)

    def target_of_groups(self, group_ids: Iterable[str]) -> str | None:
        """Give the address of the only setting, or of a list."""
        groups = tuple(dict.fromkeys(name for name in group_ids if name in self.by_id))
        if len(groups) < 2:
            return self.by_id[groups[0]].address if groups else None
        if groups not in self._of_set:
            self._of_set[groups] = self._listed(groups)
        return self._of_set[groups]

    def _listed(self, groups: tuple[str, ...]) -> str:
        """Put settings on the last page of lists; give their address."""
        if not self.sets or self._height > PAGE_HEIGHT:
            self.sets.append({})
            self._height = 0
        fragment = f"set-{len(self._of_set) + 1}"
        self.sets[-1][groups] = fragment
        listed = [self.by_id[name] for name in groups]
        length = sum(
            len(self.names.run(group.method, group.dataset)) + len(group.setting) + 4 for group in listed
        )
        self._height += 24 * -(-length // 80)
        return f"{sets_page(self.paper, len(self.sets))}#{fragment}"


def link_cells(
    paper: str,
    records: pd.DataFrame,
    choices: pd.DataFrame,
    selection: Mapping[str, Rule],
    names: Names | None = None,
) -> CellLinks:
    """Group the cells of one paper by setting.

    Parameters
    ----------
    paper : str
        Id of the paper.
    records : DataFrame
        Rows of ``cells.parquet`` of this paper.
    choices : DataFrame
        Which setting each rule chose: columns dataset, method, rule, setting_id.
    selection : Mapping
        The plan's rules.
    names : Names, optional
        Of methods and data sets; by default their ids.
    """
    scores = dict.fromkeys((rule.metric, point_text(rule.at)) for rule in selection.values() if rule.metric)
    rules: dict[tuple[str, str, str], list[str]] = {}
    for choice in choices.to_dict(orient="records"):
        rules.setdefault((choice["dataset"], choice["method"], choice["setting_id"]), []).append(
            str(choice["rule"])
        )
    scored = metrics_by_cell(records[records["metric"].isin([metric for metric, _ in scores])])
    by_group = cells_by_group(records)
    settings = Counter((rows[0]["dataset"], rows[0]["method"]) for rows in by_group.values())
    groups = []
    for name, rows in by_group.items():
        first = rows[0]
        dataset, method = first["dataset"], first["method"]
        values = [scored.get(row["cell_id"], {}) for row in rows]
        chosen = rules.get((dataset, method, first["setting_id"]), [])
        groups.append(
            Group(
                group_id=name,
                dataset=dataset,
                method=method,
                setting=readable(first["setting"]),
                rules=tuple(chosen) if settings[dataset, method] > 1 else (),
                cells=tuple(LinkedCell(row["cell_id"], row["status"]) for row in rows),
                scores=tuple(_mean_score(values, metric, at) for metric, at in scores),
                cpu_seconds=sum(plain(row["cpu_seconds"]) or 0.0 for row in rows),
            )
        )
    metrics = tuple(metric for metric, _ in scores)
    return CellLinks(paper, tuple(_on_pages(groups)), metrics, names=names or Names())


def _on_pages(groups: Iterable[Group]) -> list[Group]:
    """Deal settings, method by method, out to their data sets' pages."""
    listed = list(groups)
    methods = {(group.dataset, group.method): number for number, group in reversed([*enumerate(listed)])}
    page, height = dict.fromkeys((group.dataset for group in listed), 1), Counter[str]()
    dealt: dict[str, Group] = {}
    last = ("", "", 0)
    for group in sorted(listed, key=lambda group: methods[group.dataset, group.method]):
        dataset = group.dataset
        if height[dataset] > PAGE_HEIGHT:
            page[dataset], height[dataset] = page[dataset] + 1, 0
        head = (dataset, group.method, page[dataset])
        height[dataset] += _height(group) + 150 * (head != last)
        last = head
        dealt[group.group_id] = replace(group, page=page[dataset])
    return [dealt[group.group_id] for group in listed]


def _height(group: Group) -> int:
    """Guess a setting's row height: words wrap at 30, repetitions at 8."""
    return 20 + 22 * max(-(-len(group.setting) // 30), -(-len(group.cells) // 8))


def _mean_score(cells: Iterable[Mapping[str, float]], metric: str, at: str) -> float | None:
    """Average a rule's metric at its point, or as measured once."""
    names = (measured_name(metric, at), metric)
    scores = [cell[name] for cell in cells for name in dict.fromkeys(names) if name in cell]
    return sum(scores) / len(scores) if scores else None


@functools.cache
def measured_name(metric: str, at: str) -> str:
    """Name a measurement.

    The metric, and its evaluation point where it has one.
    """
    return metric if at == "{}" else f"{metric} at {readable(at)}"


def readable(setting: str) -> str:
    """Write a setting for readers: ``n_leaves = 8, n_iter = 50``."""
    try:
        parameters = json.loads(setting)
    except ValueError:
        return setting
    if not isinstance(parameters, dict):
        return setting
    return (
        ", ".join(f"{k} = {v if isinstance(v, str) else json.dumps(v)}" for k, v in parameters.items())
        or "default"
    )


def cells_by_group(records: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """List the cells under the id of their setting, as plain lists.

    The pages go through every cell.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    cells = records.drop_duplicates("cell_id").drop(columns=["metric", "value"])
    for row in cells.to_dict(orient="records"):
        groups.setdefault(str(row["cell_id"]).rpartition("/")[0], []).append(
            {str(key): value for key, value in row.items()}
        )
    return groups


def metrics_by_cell(records: pd.DataFrame) -> dict[str, dict[str, float]]:
    """What each finished cell measured, under `measured_name`."""
    by_cell: dict[str, dict[str, float]] = {}
    rows = records[records["metric"].notna()]
    columns = (rows[name].tolist() for name in ("cell_id", "metric", "at", "value"))
    for cell_id, metric, at, value in zip(*columns, strict=True):
        by_cell.setdefault(cell_id, {})[measured_name(metric, at)] = value
    return by_cell


def _without_dataset(name: str) -> str:
    """Shorten a cell's or setting's id by the page's paper and data."""
    return name.split("/", 2)[2]
