"""A control: a distance that is blind to the data."""

from __future__ import annotations

import hashlib

import numpy as np
from sklearn.utils import check_random_state

from cladebench.distances.base import Distance, FloatArray, IntArray


class RandomDistance(Distance):
    """Place each sample at random in [0, 1], whatever its features.

    It shows what a measure gives for no skill.

    The distance of two samples is that of their places. Equal samples have one place, the one that a digest of the
    features and of the seed gives, so that the distance holds for samples that `fit` has not seen.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Source of the seed.

    Attributes
    ----------
    seed_ : int
        Seed of the places.

    Examples
    --------
    >>> from cladebench.distances import RandomDistance
    >>> RandomDistance(random_state=0).fit([[0], [1], [2]]).pairwise([[0], [1]]).shape
    (2, 2)
    """

    order_invariant = True

    def __init__(self, *, random_state: int | np.random.RandomState | None = None) -> None:
        self.random_state = random_state

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        return np.abs(self._places(X)[:, None] - self._places(Y))

    def _places(self, X: FloatArray) -> FloatArray:
        key = self.seed_.to_bytes(8, "little")
        rows = (X + 0.0).astype("<f8")  # no negative zeros: rows are read as bytes
        digests = b"".join(hashlib.blake2b(row.tobytes(), digest_size=8, key=key).digest() for row in rows)
        return np.frombuffer(digests, dtype="<u8") / 2.0**64
