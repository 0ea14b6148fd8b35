"""Doubts whether a user's columns are meant as they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from cladebench.datasets.own.own_text import counted, first_of
from cladebench.input_files import shown

if TYPE_CHECKING:
    import pandas as pd

#: Numbers that files have in place of missing ones.
_CODES = (-9999.0, -999.0, -99.0, 999.0, 9999.0)
#: Fewer rows agree with a label, or rise by whole numbers, by chance.
_LEAST_ROWS = 10
#: A column of more values tells a label nearly by chance, unless the label has half as many classes.
_FEW = 10
#: Of the rows outside the largest class, the share that a column must get right to be warned of.
_NEARLY = 0.9


def doubts_about(name: str, numbers: np.ndarray) -> Iterator[str]:
    """Say whether numbers may count rows, or have codes for gaps.

    Codes must occur twice, and lie beyond all other values by more than the range of these.
    """
    steps = np.diff(numbers)
    ignore = f"put {shown(name)} under ignore if it is no measurement."
    if len(numbers) > 2 and (steps == 1.0).all():
        yield f"Column {shown(name)} counts the rows: {ignore}"
    elif len(numbers) >= _LEAST_ROWS and (steps > 0).all() and (numbers == np.round(numbers)).all():
        yield f"Column {shown(name)} rises by whole numbers from row to row, as row numbers do: {ignore}"
    others = numbers[~np.isin(numbers, _CODES)]
    if not 0 < len(others) < len(numbers):
        return
    low, high = others.min(), others.max()
    for code in _CODES:
        times = int((numbers == code).sum())
        if times > 1 and max(low - code, code - high) > high - low:
            yield (
                f"Column {shown(name)} has {code:g} in {counted(times, 'row')}, far from its other values: "
                "leave these cells empty if it means missing."
            )


def spellings(name: str, texts: Iterable[str]) -> list[str]:
    """Say which texts of a column differ by case or spaces alone."""
    by_text: dict[str, list[str]] = {}
    for text in sorted(set(texts)):
        by_text.setdefault(" ".join(text.casefold().split()), []).append(text)
    same = [" and ".join(map(shown, group)) for group in by_text.values() if len(group) > 1]
    told = f"Column {shown(name)} has {first_of(same, 3)}, which count as different: correct them if they are one."
    return [told] * bool(same)


def columns_that_tell(frame: pd.DataFrame, classes: np.ndarray) -> dict[str, float]:
    """Find columns that tell a label, or nearly do.

    A column tells it if each of its values has one class, and has two rows in the mean. Fractions of many values are
    measured, and tell nothing. A column of few values nearly tells it if it gets `_NEARLY` of the rows right that the
    largest class alone gets wrong.

    Parameters
    ----------
    frame : DataFrame
        Columns that may be features.
    classes : ndarray of int, shape (n,)
        Class of each row; negative where there is none.

    Returns
    -------
    dict of str to float
        Column -> share of the rows that it gets right. Infinite for a copy: one value for each class.
    """
    import pandas as pd

    found = {}
    for name in frame:
        values = pd.factorize(frame[name])[0]
        both = (values >= 0) & (classes >= 0)
        n, row_values = int(both.sum()), np.unique(values[both], return_inverse=True)[1]
        n_values = int(row_values.max(initial=-1)) + 1
        if n < _LEAST_ROWS or not 2 <= n_values <= n // 2:
            continue
        names, row_classes = np.unique(classes[both], return_inverse=True)
        table = np.zeros((n_values, len(names)), dtype=int)
        np.add.at(table, (row_values, row_classes), 1)
        right, largest = int(table.max(axis=1).sum()), int(table.sum(axis=0).max())
        few = n_values <= max(_FEW, 2 * len(names))
        least = (_NEARLY if few else 1) * (n - largest)
        if right - largest >= least > 0 and (few or not _has_fractions(frame[name])):
            found[str(name)] = np.inf if right == n and n_values == len(names) else right / n
    return found


def _has_fractions(values: pd.Series) -> bool:
    return values.dtype.kind == "f" and bool((values.dropna() % 1 != 0).any())


def warnings_of(frame: pd.DataFrame, label: str, classes: np.ndarray) -> list[str]:
    """Warn of each feature that tells a label."""
    said = []
    for column, share in columns_that_tell(frame, classes).items():
        name, of = shown(column), shown(label)
        if share >= 1:
            fault = f"{name} has {'one value for each class' if share > 1 else 'values of one class each'} of {of}"
        else:
            fault = f"{name} alone tells {of} in {int(100 * share)}% of rows"
        said.append(f"WARNING: column {fault}; put it under ignore if it is made from the label.")
    return said
