"""Small cases that the tests of GHC share."""

import jax
import numpy as np

from cladebench.methods import GHC

TRAININGS = ("full_tree", "blockwise", "exact")
CENTRES = np.array([[0.0, 0.0], [0.0, 3.0], [20.0, 0.0], [20.0, 3.0]])


def nested() -> tuple[np.ndarray, np.ndarray]:
    """Four blobs of ten points in two far pairs, shuffled; one shape for all tests spares compilations."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(4), 10))
    return CENTRES[labels] + 0.3 * rng.standard_normal((40, 2)), labels


def small(**params: object) -> GHC:
    return GHC(
        **{
            "n_clusters": 4,
            "n_leaves": 8,
            "hidden_size": 4,
            "n_iter": 600,
            "similarity": "exp",
            "random_state": 0,
            **params,
        }  # type: ignore[arg-type]
    )


def as_bytes(params: object) -> bytes:
    return b"".join(np.ascontiguousarray(leaf).tobytes() for leaf in jax.tree.leaves(params))
