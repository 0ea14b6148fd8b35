"""The core on each of its instruction sets, and with several numbers of threads, in turn."""

from collections.abc import Iterator

from threadpoolctl import threadpool_limits

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


def each_number_of_threads(numbers: tuple[int, ...] = (1, 2, 3)) -> Iterator[int]:
    """Let the core and BLAS have so many threads."""
    for threads in numbers:
        with threadpool_limits(threads):
            assert _core.max_threads() == threads
            yield threads
