"""The core's random numbers (random.hpp), for twins that draw the same ones."""

from __future__ import annotations

from collections.abc import Iterator

_WORD, _STEP = 2**64, 0x9E3779B97F4A7C15


def _hash(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % _WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % _WORD
    return z ^ (z >> 31)


def seed_of(seed: int, place: int) -> int:
    """Give the seed of a place, as of a tree, under another."""
    return _hash((_hash(seed) + _STEP * (place + 1)) % _WORD)


def random_numbers(seed: int) -> Iterator[int]:
    """Yield the numbers of SplitMix64 without end.

    Each is uniform in 0, ..., 2^64 - 1.
    """
    while True:
        seed = (seed + _STEP) % _WORD
        yield _hash(seed)


def below(numbers: Iterator[int], n: int) -> int:
    """Uniform in 0, ..., n - 1.

    Numbers that would make some more likely are passed over.
    """
    return next(number % n for number in numbers if number >= _WORD % n)
