"""What is done to valid arguments: other shapes, types, orders and memory, and numbers at the ends of their range."""

from collections.abc import Callable
from typing import Any

import numpy as np
from calls import Arguments, Make

FLOATS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    5e-324,
    1e-310,
    1e-170,
    1e15,
    3e38,
    1e170,
    1.7e308,
    float(2**31),
    float(2**63),
)
INTEGERS = (0, 1, 2, 3, 5, 7, 8, 17, 64, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64)
STRINGS = ("", "linear", "none", "baseline", "a\0", "x" * 1000, "\udce4")
#: Rounds that a caller may ask for: so many take as long as was asked. Never more than these.
ROUNDS = {
    *("max_iter", "max_rounds", "max_sweeps", "max_evaluations", "max_steps", "n_steps", "repeats", "most"),
    "supervised_rounds",
}
MOST_ROUNDS = 64
DTYPES = (
    np.float64,
    np.float32,
    np.int64,
    np.int32,
    np.uint32,
    np.uint8,
    np.int8,
    np.bool_,
    np.complex128,
    object,
)


def spoiled(arguments: Arguments, rng: np.random.Generator) -> Arguments:
    """Mostly some faults, in any of the arguments and of those of the objects that are made for the call."""
    arguments = copied(arguments)
    for _ in range(int(rng.choice([0, 1, 2, 3, 4], p=[0.15, 0.4, 0.25, 0.15, 0.05]))):
        places = list(leaves(arguments))
        if not places:
            break
        owner, name = places[rng.integers(len(places))]
        owner[name] = changed(name, owner[name], owner, rng)
    return arguments


def copied(arguments: Arguments) -> Arguments:
    """A copy down to the names of what is made; the same array in two places stays one."""
    found: Arguments = {}
    for name, value in arguments.items():
        if isinstance(value, Make):
            value = Make(value.name, copied(value.arguments))
        found[name] = dict(value) if isinstance(value, dict) else value
    return found


def leaves(arguments: Arguments) -> Any:
    """Every argument, as a dictionary and a name in it."""
    for name, value in arguments.items():
        if isinstance(value, Make) and value.name == "SplitStart":
            continue
        if isinstance(value, Make | dict):
            yield from leaves(value.arguments if isinstance(value, Make) else value)
        else:
            yield arguments, name


def changed(name: str, value: Any, owner: Arguments, rng: np.random.Generator) -> Any:
    """Another value in the place of one."""
    if rng.random() < 0.03:
        return [None, "text", 0, -1, 1.5, [], np.zeros(0), np.float64(2.0)][rng.integers(8)]
    if isinstance(value, np.ndarray):
        # Spoiled already: NumPy may take for ever over rows without numbers.
        if max(value.shape, default=0) > 10**6:
            return value
        if rng.random() < 0.1:
            return shared(value, owner, rng)
        change = CHANGES[rng.integers(len(CHANGES))]
        try:
            with np.errstate(all="ignore"):
                return change(value, rng)
        except (OverflowError, TypeError, ValueError):  # no such numbers in the other type
            return value
    if isinstance(value, bool):
        return [True, False, 2, None][rng.integers(4)]
    if isinstance(value, int):
        found = int(INTEGERS[rng.integers(len(INTEGERS))]) * int(rng.choice([1, 1, -1])) + int(
            rng.integers(-1, 2)
        )
        found = value + int(rng.integers(-2, 3)) if rng.random() < 0.3 else found
        return (
            min(found, MOST_ROUNDS)
            if name in ROUNDS and found < 2**31
            else found
            if name not in ROUNDS
            else -found
        )
    if isinstance(value, float):
        return any_float(rng)
    if isinstance(value, str):
        return STRINGS[rng.integers(len(STRINGS))]
    return value


def any_float(rng: np.random.Generator) -> float:
    """A number at an end of the range, or none."""
    if rng.random() < 0.3:
        return float(rng.choice([np.nan, np.inf, -np.inf]))
    return float(rng.choice(FLOATS) * rng.choice([1.0, -1.0]))


def shared(value: np.ndarray, owner: Arguments, rng: np.random.Generator) -> np.ndarray:
    """Another argument's memory, as it is or as numbers of this one's type and dimensions."""
    others = [other for other in owner.values() if isinstance(other, np.ndarray) and other.flags.c_contiguous]
    other = others[rng.integers(len(others))] if others else value
    flat = other.reshape(-1)
    flat = flat[: flat.nbytes // 8 * 8 // max(flat.itemsize, 1)]
    if rng.random() < 0.5 or value.dtype == object or flat.dtype == object or flat.nbytes % value.itemsize:
        return other
    numbers = flat.view(value.dtype)
    return numbers[: value.size].reshape(value.shape) if numbers.size >= value.size else numbers


def with_values(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Some entries, or all, at the ends of the range."""
    found = array.copy()
    if not found.size or found.dtype.kind not in "fiu":
        return found
    count = found.size if rng.random() < 0.15 else min(found.size, int(rng.integers(1, 4)))
    at = rng.choice(found.size, count, replace=False)
    values = [entry(found, rng)] * count if rng.random() < 0.5 else [entry(found, rng) for _ in range(count)]
    found.reshape(-1)[at] = np.array(values).astype(found.dtype)
    return found


def entry(array: np.ndarray, rng: np.random.Generator) -> Any:
    """A number of the array's type."""
    if array.dtype.kind == "f":
        return any_float(rng)
    limits = np.iinfo(array.dtype)
    value = int(
        rng.choice([-2, -1, 0, 1, *array.shape, array.size, int(array.max()) + 1 if array.max() < 99 else 0])
    )
    if rng.random() < 0.4:
        value = [limits.min, limits.max, limits.min + 1, limits.max - 1, 2**31, 2**32, -(2**31)][
            rng.integers(7)
        ]
    return min(max(value, limits.min), limits.max)


def scaled(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All numbers far larger or smaller."""
    if array.dtype.kind != "f":
        return array
    return (array * 2.0 ** int(rng.choice([-1000, -500, -60, 60, 120, 500, 1000]))).astype(array.dtype)


def with_another_shape(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows or columns more, fewer, or none; other dimensions."""
    axis = int(rng.integers(array.ndim))
    kind = int(rng.integers(9))
    if kind == 0:
        return np.ascontiguousarray(np.delete(array, -1, axis)) if array.shape[axis] else array
    if kind == 1:
        return np.concatenate([array, np.take(array, [0], axis)], axis) if array.shape[axis] else array
    if kind == 2:
        return np.ascontiguousarray(array.T)
    if kind == 3:
        return array.reshape(-1)
    if kind == 4:
        return array[None]
    if kind == 5:
        return np.empty([0 if a == axis else n for a, n in enumerate(array.shape)], array.dtype)
    if kind == 6:  # no memory, and as many rows as there are numbers for
        huge = int(rng.choice([2**31, 2**40, 2**59]))
        shape = [huge if a == axis else 0 for a in range(array.ndim)]
        return np.empty(shape if array.ndim > 1 else [0], array.dtype)
    if kind == 7:
        return array.reshape(array.shape[::-1])
    return np.ascontiguousarray(np.take(array, [0], axis)) if array.shape[axis] else array


def in_another_order(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows permuted, reversed, or all the same."""
    if not len(array):
        return array
    kind = int(rng.integers(3))
    return np.ascontiguousarray(
        rng.permutation(array)
        if kind == 0
        else array[::-1]
        if kind == 1
        else np.repeat(array[:1], len(array), 0)
    )


def in_other_memory(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same numbers with gaps, in Fortran's order, read-only, or at an address that is no multiple of their size."""
    kind = int(rng.integers(4))
    if kind == 0:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if kind == 1:
        return np.asfortranarray(array)
    if kind == 2:
        found = array.copy()
        found.flags.writeable = False
        return found
    if array.dtype == object:
        return array
    memory = np.zeros(array.nbytes + 1, np.uint8)
    found = memory[1:].view(array.dtype).reshape(array.shape) if array.nbytes else array
    if array.nbytes:
        found[...] = array
    return found


def of_another_type(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same numbers in another type."""
    return array.astype(DTYPES[rng.integers(len(DTYPES))])


Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]
CHANGES: tuple[Change, ...] = (
    *(with_values,) * 5,
    *(with_another_shape,) * 4,
    *(in_another_order, scaled, in_other_memory, of_another_type),
)
