"""Tasks: what varies between repetitions.

Drawn from seeds in which the method has no part.

All methods of a repetition meet the same rows, folds, constraints and noise, so that their results are pairs; the
digest of the draw is in every record and says which results may be paired.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cladebench.bench.plan.cell_spec import CellSpec, derive_seed
from cladebench.bench.plan.constraints import TaskError, draw_constraints

if TYPE_CHECKING:
    from cladebench.datasets import Dataset

IntArray = NDArray[np.intp]

#: What is drawn. Seeds are made of these words where those of methods have the method's name, so that no method may
#: have one of them as its name.
DRAWS = (
    "rows",
    "parts",
    "folds",
    "test",
    "must_link",
    "cannot_link",
    "pairs",
    "per_class",
    "label noise",
    "order",
)


@dataclass(frozen=True, eq=False)
class Task:
    """One draw.

    Attributes
    ----------
    repetition : int
    fold : int or None
    rows : ndarray of shape (n_rows,)
        Rows of the data set, in the order in which methods meet them. All indices below are places in it.
    train, test : ndarray
        Places to learn from and to be judged by; both are all places where nothing is held out.
    labels : ndarray of shape (n_rows,) or None
        Labels to learn from: those of the data, but for label noise among the training places. None where the data
        have none. What a method is judged by are the data's own.
    must_link, cannot_link : ndarray of shape (n, 2)
        Pairs of training places; empty where no constraints are drawn.
    digest : str
        SHA-256 of the data and of all of this but the blocks.
    blocks : tuple of ndarray
        Parts of the test places, of nearly equal size, in which results are read of one fit; none where the task asks
        for none.
    """

    repetition: int
    fold: int | None
    rows: IntArray
    train: IntArray
    test: IntArray
    labels: IntArray | None
    must_link: IntArray
    cannot_link: IntArray
    digest: str
    blocks: tuple[IntArray, ...] = ()

    @property
    def held_out(self) -> bool:
        """Whether the test places are kept from learning."""
        return len(self.train) < len(self.rows)

    def among_training(self, pairs: IntArray) -> IntArray:
        """Give pairs of places as pairs of rows among the training rows."""
        return np.searchsorted(self.train, pairs)

    def of(self, values: Any) -> Any:
        """Take the task's rows of an array, in their order.

        The array has one entry (or row) for each sample of the data set.
        """
        whole = len(self.rows) == values.shape[0] and bool((self.rows == np.arange(len(self.rows))).all())
        return values if whole else values[self.rows]

    def inner_folds(self, n: int) -> Iterator[Task]:
        """Split the training places into folds, for inner cross-validation.

        Parameters
        ----------
        n : int
            Number of folds, at least 2.

        Yields
        ------
        Task
            For each fold, the same rows and labels with the fold as `test` and the other training places as `train`;
            of the constraints those among the latter. Folds are stratified by the labels to learn from where there
            are any. They are drawn from the task's digest: the same for all methods and settings that meet the task.

        Raises
        ------
        TaskError
            If there are not as many training places.
        """
        if not 2 <= n <= len(self.train):
            raise TaskError(
                f"inner folds: {n} of {len(self.train)} training rows; expected from 2 to as many"
            )
        labels = None if self.labels is None else self.labels[self.train]
        for fold in range(n):
            rng = np.random.default_rng(int(self.digest, 16))
            test = self.train[_fold(rng, n, fold, len(self.train), labels)]
            train = np.setdiff1d(self.train, test)
            yield replace(
                self,
                train=train,
                test=test,
                must_link=_among(train, self.must_link),
                cannot_link=_among(train, self.cannot_link),
                digest=hashlib.sha256(f"{self.digest}/inner/{n}/{fold}".encode()).hexdigest(),
                blocks=(),
            )


def draw_task(spec: CellSpec, data: Dataset) -> Task:
    """Draw the task of a cell's repetition and fold.

    Parameters
    ----------
    spec : CellSpec
        Its `task` says what is drawn:

        - ``rows``: number of rows, drawn without replacement and kept in the data's order; all by default. With
          ``{per_class: 80}`` so many of each class;
        - ``share``: the same as a share of the data's rows, rounded to a whole number;
        - ``parts``: ``{n: 6}``: the rows are dealt out into so many disjoint parts, and repetition r meets the r-th;
          with ``of: classes`` whole classes are dealt out;
        - ``shuffled``: true where methods meet the rows in random order;
        - ``folds``: ``{n: 5, stratified: true}``: the cell's fold is held out;
        - ``test``: the share of rows held out, stratified by label where there are labels;
        - ``split``: ``official``: the test part is held out that the data came with; rows that are drawn
          come from both parts alike, and each stays in its part;
        - ``blocks``: of the test rows of an official split, so many, each class dealt out evenly among them;
        - ``label_noise``: the share of training labels that is replaced by another label, drawn uniformly;
        - ``constraints``: different pairs of training places: ``{must_link: 50, cannot_link: 50}``, ``{pairs: 100}`` or
          ``{per_class: 100}`` (`cladebench.bench.plan.constraints.draw_constraints`), told apart by the data's own
          labels, with ``labels: noisy`` by those to learn from;
        - ``draws``: the problem whose seeds the draws have, for problems of one data set that are to share rows, folds
          and noise; the cell's own by default.
    data : Dataset

    Returns
    -------
    Task

    Raises
    ------
    TaskError
        If the data set cannot give what is asked for.

    Notes
    -----
    Rows are drawn without replacement. The bootstrap would draw copies of a row, at distance 0 and of one class. They
    make purer clusters and cheaper trees than new rows would. A number or a share of rows is not stratified. So the
    sizes of classes vary as between samples of a population, as `cladebench.bench.samples.samples.overlap` assumes.

    Each draw has a generator of its own, seeded by a hash of (root seed, paper, data set, what is drawn, repetition);
    parts are dealt out once for all repetitions. Neither the method nor the setting has a part in it, and what else is
    drawn only so far as it says which rows there are to draw from. With less label noise, some of the same labels are
    replaced.
    """
    how = spec.task
    if data.parts and how:
        raise TaskError(
            f"task: {data.name} has training and test sets; expected a plan that draws nothing from them"
        )
    n_samples = 0 if data.parts else data.n_samples

    def generator(what: str, repetition: int = spec.repetition) -> np.random.Generator:
        assert what in DRAWS
        return np.random.default_rng(
            derive_seed(spec.root_seed, spec.paper, how.get("draws", spec.dataset), what, repetition)
        )

    def labels_for(key: str) -> IntArray:
        if data.labels is None:
            raise TaskError(f"task.{key}: {data.name} has no labels")
        return data.labels

    rows = np.arange(n_samples)
    asked = _rows_of(how["share"], data) if "share" in how else how.get("rows", n_samples)
    if "parts" in how:
        labels = labels_for("parts") if how["parts"].get("of") == "classes" else None
        rows = _part(generator("parts", 0), how["parts"]["n"], spec.repetition, n_samples, labels)
    elif isinstance(asked, Mapping):
        rows = _of_each_class(generator("rows"), labels_for("rows"), asked["per_class"])
    elif asked < n_samples:
        rows = np.sort(generator("rows").permutation(n_samples)[:asked])
    everything = np.arange(len(rows))
    train = test = everything
    if "folds" in how:
        stratified = how["folds"].get("stratified", True)
        test = _fold(
            generator("folds"),
            how["folds"]["n"],
            spec.fold or 0,
            len(rows),
            labels_for("folds")[rows] if stratified else None,
        )
        train = np.setdiff1d(everything, test)
    elif "test" in how:
        known = None if data.labels is None else data.labels[rows]
        test = _held_out(generator("test"), how["test"], len(rows), known)
        train = np.setdiff1d(everything, test)
    elif "split" in how:
        if data.n_training is None:
            raise TaskError(f"task.split: {data.name} has no official split")
        train, test = np.flatnonzero(rows < data.n_training), np.flatnonzero(rows >= data.n_training)
    if not data.parts and (not len(train) or not len(test)):
        raise TaskError(
            f"task: {data.name}: {len(train)} training and {len(test)} test rows; expected 1 or more of each"
        )

    blocks: tuple[IntArray, ...] = ()
    if "blocks" in how:
        known, n = None if data.labels is None else data.labels[rows[test]], how["blocks"]
        if n > len(test):
            raise TaskError(f"task.blocks: {n} blocks; expected at most one for each of {len(test)} rows")
        blocks = tuple(test[_fold(generator("folds"), n, block, len(test), known)] for block in range(n))

    labels = None if data.labels is None else data.labels[rows]
    if how.get("label_noise", 0.0) > 0:
        labels = _noisy(generator("label noise"), labels_for("label_noise")[rows], train, how["label_noise"])
    must_link = cannot_link = np.empty((0, 2), dtype=np.intp)
    if "constraints" in how:
        clean, noisy = labels_for("constraints")[rows], how["constraints"].get("labels") == "noisy"
        told_by = labels if noisy and labels is not None else clean
        must_link, cannot_link = draw_constraints(how["constraints"], generator, train, told_by)
    if how.get("shuffled", False):  # last, so that nothing else that is drawn depends on it
        order = generator("order").permutation(len(rows))
        place = np.argsort(order)
        rows, labels = rows[order], None if labels is None else labels[order]
        train, test = np.sort(place[train]), np.sort(place[test])
        blocks = tuple(np.sort(place[part]) for part in blocks)
        must_link, cannot_link = place[must_link], place[cannot_link]
    parts = (rows, train, test, labels, must_link, cannot_link)
    return Task(
        spec.repetition,
        spec.fold,
        rows,
        train,
        test,
        labels,
        must_link,
        cannot_link,
        _digest(data.content_sha256, spec.repetition, spec.fold, parts),
        blocks,
    )


def _rows_of(share: float, data: Dataset) -> int:
    """Count the rows of a share: some, but not all."""
    asked = round(share * data.n_samples)
    if not 0 < asked < data.n_samples:
        raise TaskError(
            f"task.share: {share:g} of the {data.n_samples} rows of {data.name} is {asked}; expected some, not all"
        )
    return asked


def _of_each_class(rng: np.random.Generator, labels: IntArray, asked: int) -> IntArray:
    """So many rows of each class, in the data's order."""
    classes, sizes = np.unique(labels, return_counts=True)
    if sizes.min() < asked:
        raise TaskError(
            f"task.rows.per_class: {asked} rows of each class; expected at most {sizes.min()}, as one class has"
        )
    order = rng.permutation(len(labels))
    return np.sort(np.concatenate([order[labels[order] == label][:asked] for label in classes]))


def _part(
    rng: np.random.Generator, n_parts: int, part: int, n_rows: int, labels: IntArray | None
) -> IntArray:
    """Draw rows of a disjoint part, or of its classes, in order."""
    things = np.arange(n_rows) if labels is None else np.unique(labels)
    if part >= n_parts or n_parts > len(things):
        what = "rows" if labels is None else "classes"
        raise TaskError(f"task.parts: part {part + 1} of {n_parts}, of {len(things)} {what}")
    dealt = rng.permutation(things)[part::n_parts]
    return np.sort(dealt) if labels is None else np.flatnonzero(np.isin(labels, dealt))


def folds_of(how: Mapping[str, Any]) -> Sequence[int | None]:
    """Return the folds of a repetition.

    One that is None where a task has none.
    """
    return range(int(how["folds"]["n"])) if "folds" in how else (None,)


def _fold(
    rng: np.random.Generator, n_folds: int, fold: int, n_rows: int, labels: IntArray | None
) -> IntArray:
    """Places of one fold.

    The folds are disjoint, of nearly equal size, and each class is dealt out evenly.
    """
    if n_folds > n_rows:
        raise TaskError(f"task.folds.n: {n_folds} folds; expected at most one for each of {n_rows} rows")
    order = rng.permutation(n_rows)
    if labels is not None:
        order = order[np.argsort(labels[order], kind="stable")]
    return np.sort(order[fold::n_folds])


def _held_out(rng: np.random.Generator, share: float, n_rows: int, labels: IntArray | None) -> IntArray:
    """Draw held-out places, alike from each class to within one."""
    order = rng.permutation(n_rows)
    if labels is not None:
        order = order[np.argsort(labels[order], kind="stable")]
    # The k-th place is held out where the running share passes the next whole number.
    marks = np.floor(share * np.arange(1, n_rows + 1) + 1e-9) > np.floor(share * np.arange(n_rows) + 1e-9)
    return np.sort(order[marks])


def _among(places: IntArray, pairs: IntArray) -> IntArray:
    """Pairs of which both are among some places."""
    return pairs[np.isin(pairs, places).all(axis=1)]


def _noisy(rng: np.random.Generator, labels: IntArray, train: IntArray, share: float) -> IntArray:
    """Give a share of training places uniformly drawn labels of other classes."""
    classes = np.unique(labels)
    if len(classes) < 2:
        raise TaskError("task.label_noise: the drawn rows have one class only")
    noisy = labels.copy()
    changed = rng.permutation(train)[: round(share * len(train))]
    shift = rng.integers(1, len(classes), len(changed))
    noisy[changed] = classes[(np.searchsorted(classes, labels[changed]) + shift) % len(classes)]
    return noisy


def _digest(data: str, repetition: int, fold: int | None, parts: tuple[NDArray[Any] | None, ...]) -> str:
    digest = hashlib.sha256(f"{data}/{repetition}/{fold}".encode())
    for part in parts:
        if part is None:
            digest.update(b"none")
            continue
        digest.update(repr(part.shape).encode())
        digest.update(np.ascontiguousarray(part, dtype="<i8").tobytes())
    return digest.hexdigest()
