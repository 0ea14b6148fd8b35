"""Trees of linkage, compared whatever the order of equal heights."""

import numpy as np


def assert_same_tree(Z: np.ndarray, expected: np.ndarray) -> None:
    assert np.array_equal(Z[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(
        Z[:, 2], expected[:, 2], rtol=1e-9, atol=1e-12 * expected[:, 2].max(initial=0.0)
    )


def by_rows(Z: np.ndarray) -> list[tuple[float, int, int, float]]:
    """Merges as height, lowest rows of both parts, and size: whatever the order of equal heights."""
    lowest = list(range(len(Z) + 1))
    merges = []
    for first, second, height, size in Z:
        lower, upper = sorted((lowest[int(first)], lowest[int(second)]))
        merges.append((height, lower, upper, size))
        lowest.append(lower)
    return sorted(merges)
