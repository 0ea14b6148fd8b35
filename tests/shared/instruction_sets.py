"""The core on each of its instruction sets in turn."""

from collections.abc import Iterator

from cladebench import _core


def each_instruction_set() -> Iterator[str]:
    """Use each instruction set that this machine has, then again the one that was in use."""
    in_use = _core.instruction_set()
    try:
        for name in _core.instruction_sets():
            _core.use_instruction_set(name)
            yield name
    finally:
        _core.use_instruction_set(in_use)
