"""Must-links and cannot-links, drawn for a task.

Pairs of rows that belong together, or do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.intp]
Links = tuple[IntArray, IntArray]


class TaskError(ValueError):
    """A task cannot be drawn from a data set.

    The message names the key and what the data have.
    """


def draw_constraints(
    how: Mapping[str, Any],
    generator: Callable[[str], np.random.Generator],
    places: IntArray,
    labels: IntArray,
) -> Links:
    """Draw what a plan says under ``constraints``.

    Parameters
    ----------
    how : Mapping
        One of these, of which all pairs are different and unordered:

        - ``must_link: n, cannot_link: m`` (or one of them): so many of each kind;
        - ``pairs: n``: drawn from all pairs alike, of each kind as many as come;
        - ``per_class: {must_link: n, cannot_link: m}``: for each class n must-links within it, and m cannot-links
          between one of its rows and any row of other classes. Where there are fewer, all that there are. A cannot-link
          counts for the class it was drawn for, and is drawn for no later one;
        - ``per_class: n``: the same, n // 2 must-links and n - n // 2 cannot-links.
    generator : callable
        Gives the generator of a draw by its name.
    places : ndarray of shape (n_places,)
        Places to draw from, ascending.
    labels : ndarray
        Labels of all places, by which the kinds are told apart.

    Returns
    -------
    must_link, cannot_link : ndarray of shape (n, 2)

    Raises
    ------
    TaskError
        If there are fewer pairs than `how` asks for by number.
    """
    if "pairs" in how:
        return _of_any_kind(generator("pairs"), places, labels, how["pairs"])
    if "per_class" in how:
        of_a_class = how["per_class"]
        if not isinstance(of_a_class, Mapping):
            of_a_class = {"must_link": of_a_class // 2, "cannot_link": of_a_class - of_a_class // 2}
        return _per_class(generator("per_class"), places, labels, **of_a_class)
    must, cannot = (
        _of_one_kind(generator(kind), places, labels, how.get(kind, 0), same=kind == "must_link")
        for kind in ("must_link", "cannot_link")
    )
    return must, cannot


def _of_any_kind(rng: np.random.Generator, places: IntArray, labels: IntArray, count: int) -> Links:
    possible = len(places) * (len(places) - 1) // 2
    if count > possible:
        raise TaskError(
            f"task.constraints.pairs: {count} pairs; expected at most {possible}, as in the training rows"
        )
    pairs = places[_pair_number(rng.choice(possible, count, replace=False))]
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    return pairs[same], pairs[~same]


def _per_class(
    rng: np.random.Generator, places: IntArray, labels: IntArray, must_link: int, cannot_link: int
) -> Links:
    labels_there = labels[places]
    must, cannot = [np.empty((0, 2), dtype=np.intp)], np.empty((0, 2), dtype=np.intp)
    for label in np.unique(labels_there):
        inside, outside = places[labels_there == label], places[labels_there != label]
        possible = len(inside) * (len(inside) - 1) // 2
        chosen = rng.choice(possible, min(must_link, possible), replace=False)
        must.append(inside[_pair_number(chosen)])
        # Of different pairs in random order, those that are new are in random order too.
        drawn = cannot[(labels[cannot] == label).any(axis=1)]
        possible = len(inside) * len(outside)
        chosen = rng.choice(possible, min(cannot_link + len(drawn), possible), replace=False)
        pairs = np.column_stack([inside[chosen // len(outside)], outside[chosen % len(outside)]])
        pairs = np.sort(pairs, axis=1)
        cannot = np.concatenate([cannot, pairs[~np.isin(_key(pairs), _key(drawn))][:cannot_link]])
    return np.concatenate(must), cannot


def _of_one_kind(
    rng: np.random.Generator, places: IntArray, labels: IntArray, count: int, *, same: bool
) -> IntArray:
    """Draw different pairs of places with equal, or different, labels.

    Pairs are drawn uniformly and kept where they fit and are new; where few fit, all that fit are listed instead.
    """
    kind = "must_link" if same else "cannot_link"
    sizes = np.bincount(labels[places])
    of_a_class = int((sizes * (sizes - 1) // 2).sum())
    possible = of_a_class if same else len(places) * (len(places) - 1) // 2 - of_a_class
    if count > possible:
        raise TaskError(
            f"task.constraints.{kind}: {count} pairs; expected at most {possible}, as in the training rows"
        )
    if 2 * count > possible:
        first, second = np.triu_indices(len(places), 1)
        fits = np.flatnonzero((labels[places[first]] == labels[places[second]]) == same)
        chosen = np.sort(rng.choice(fits, count, replace=False))
        return np.column_stack([places[first[chosen]], places[second[chosen]]]).astype(np.intp)
    drawn, known = [np.empty((0, 2), dtype=np.intp)], np.empty(0, dtype=np.intp)
    while len(known) < count:
        pairs = rng.choice(places, (2 * (count - len(known)) + 8, 2))
        a, b = pairs.T
        pairs = np.sort(pairs[(a != b) & ((labels[a] == labels[b]) == same)], axis=1)
        keys, first = np.unique(_key(pairs), return_index=True)
        new = np.searchsorted(known, keys, side="right") == np.searchsorted(known, keys)
        drawn.append(pairs[np.sort(first[new])[: count - len(known)]])
        keys = np.sort(_key(drawn[-1]))
        known = np.insert(known, np.searchsorted(known, keys), keys)
    return np.concatenate(drawn)


def _key(pairs: IntArray) -> IntArray:
    """A number for each pair."""
    return pairs[:, 0] << 32 | pairs[:, 1]


def _pair_number(numbers: IntArray) -> IntArray:
    """Pairs (i, j), i < j, by their number.

    (0, 1) is 0, (0, 2), (1, 2), (0, 3) follow.
    """
    second = ((1 + np.sqrt(8.0 * numbers + 1)) // 2).astype(np.intp)
    # The root is rounded, by less than one.
    second -= second * (second - 1) // 2 > numbers
    second += second * (second + 1) // 2 <= numbers
    return np.column_stack([numbers - second * (second - 1) // 2, second])
