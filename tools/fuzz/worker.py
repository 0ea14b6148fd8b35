"""Makes the calls of a fuzz, one after another; the driver looks on, and starts another worker where one ends."""

import importlib.machinery
import importlib.util
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from calls import CALLS, Arguments, Make, perform

from mutations import spoiled

#: What says in Python that an argument is refused. Everything else is a fault.
REFUSALS = (ValueError, TypeError, KeyError, OverflowError, MemoryError)


def load(path: str) -> Any:
    """The compiled core of a file."""
    loader = importlib.machinery.ExtensionFileLoader("_core", path)
    spec = importlib.util.spec_from_file_location("_core", path, loader=loader)
    assert spec is not None
    core = importlib.util.module_from_spec(spec)
    loader.exec_module(core)
    return core


def drawn(core: Any, seed: int, number: int) -> tuple[str, Arguments]:
    """Call `number` of a seed: what is called, and the arguments."""
    rng = np.random.default_rng([seed, number])
    name = sorted(CALLS)[number % len(CALLS)]
    core.use_instruction_set(str(rng.choice(core.instruction_sets())))
    return name, spoiled(CALLS[name](rng, core), rng)


def shown(value: Any) -> str:
    """An argument in a few words."""
    if isinstance(value, np.ndarray):
        numbers = np.array2string(value, threshold=40, edgeitems=3, separator=", ") if value.size else "[]"
        return f"{value.dtype}{list(value.shape)} {' '.join(numbers.split())}"
    if isinstance(value, Make):
        return f"{value.name}({', '.join(f'{k}={shown(v)}' for k, v in value.arguments.items())})"
    return repr(value)


def main() -> None:
    """``worker.py CORE SEED FIRST COUNT PROGRESS``; with the progress ``-`` it says what it calls."""
    path, seed, first, count, progress = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
    warnings.simplefilter("ignore")
    core = load(path)
    done = None if progress == "-" else np.memmap(Path(progress), np.int64, "r+", shape=1)
    for number in range(first, first + count):
        if done is not None:
            done[0] = number
        name, arguments = drawn(core, seed, number)
        if done is None:
            print(f"{name}({', '.join(f'{k}={shown(v)}' for k, v in arguments.items())})", flush=True)
        try:
            perform(core, name, arguments)
        except REFUSALS as error:
            if done is None:
                print(f"refused, {type(error).__name__}: {error}")
    if done is not None:
        done[0] = first + count


if __name__ == "__main__":
    main()
