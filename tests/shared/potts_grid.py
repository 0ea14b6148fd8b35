r"""Labels on a grid of pixels, some of them unknown in training.

A second model for `dual_decomposition`.

Section 5 of the paper says that its scheme learns any model with latent variables whose parts can be minimised. Here
the parts are the rows and the columns of a grid, as chains, and nothing is clustered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cladebench.solvers.dual_decomposition import Energy, SlaveProblem

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GridCosts:
    r"""Energy of labels y on a grid.

    .. math:: E(y; w) = \sum_i w_i \sum_p c_{i, p, y_p} + w_h |\{\text{differing pairs side by side}\}|
              + w_v |\{\text{differing pairs one above the other}\}|

    Parameters
    ----------
    costs : ndarray of shape (n_costs, height, width, n_labels)
        The weights are those of these costs, then w_h and w_v.
    """

    costs: FloatArray

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return len(self.costs) + 2

    def of_pixels(self, w: FloatArray) -> FloatArray:
        """Weighed costs of each label of each pixel."""
        return np.asarray(np.tensordot(w[:-2], self.costs, axes=1))

    def features(self, y: IntArray) -> FloatArray:
        """Give what the weights are multiplied by in an energy.

        The energy of labels y, of shape (height, width).
        """
        rows, columns = np.indices(y.shape)
        own = self.costs[:, rows, columns, y].sum(axis=(1, 2))
        return np.concatenate([own, [(y[:, 1:] != y[:, :-1]).sum(), (y[1:] != y[:-1]).sum()]])

    def minimize(self, w: FloatArray, extra: FloatArray, y: IntArray, sweeps: int = 5) -> IntArray:
        """Lower the energy plus `extra` costs of pixels from labels y.

        Rows, then columns, each by the best chain.

        Parameters
        ----------
        w : ndarray of shape (n_weights,)
        extra : ndarray of shape (height, width, n_labels)
            Infinite where a label is not allowed.
        y : ndarray of shape (height, width)
        sweeps : int, default=5
            At most; ends when nothing changes.

        Returns
        -------
        ndarray of shape (height, width)
            Its energy is not above that of y.
        """
        unary, y, labels = self.of_pixels(w) + extra, y.copy(), np.arange(self.costs.shape[3])
        for _ in range(sweeps):
            before = y.copy()
            for axis, (along, across) in enumerate(((w[-2], w[-1]), (w[-1], w[-2]))):
                view, costs = (y, unary) if axis == 0 else (y.T, unary.transpose(1, 0, 2))
                for i in range(len(view)):
                    beside = [view[j] for j in (i - 1, i + 1) if 0 <= j < len(view)]
                    links = sum(
                        (across * (other[:, None] != labels) for other in beside), np.zeros(costs[i].shape)
                    )
                    view[i] = best_chain(costs[i] + links, along)
            if np.array_equal(before, y):
                break
        return y


def best_chain(costs: FloatArray, differing: float) -> IntArray:
    """Find the labels of least cost on a chain.

    Of equals the lowest label, from the end.

    Parameters
    ----------
    costs : ndarray of shape (n, n_labels)
    differing : float
        Cost of neighbours with different labels.

    Returns
    -------
    ndarray of shape (n,)

    Notes
    -----
    O(n n_labels^2).
    """
    n, n_labels = costs.shape
    change = differing * (1.0 - np.eye(n_labels))
    least, came_from = costs[0], np.zeros((n, n_labels), dtype=np.int64)
    for i in range(1, n):
        through = least[:, None] + change
        came_from[i] = through.argmin(axis=0)
        least = through.min(axis=0) + costs[i]
    labels = np.empty(n, dtype=np.int64)
    labels[-1] = least.argmin()
    for i in range(n - 1, 0, -1):
        labels[i - 1] = came_from[i, labels[i]]
    return labels


class ChainSlave:
    """A row or a column of a grid.

    With half of its pixels' costs.

    Parameters
    ----------
    costs : ndarray of shape (n_costs, n, n_labels)
        Of its pixels.
    missed : ndarray of shape (n, n_labels)
        What each label adds to the margin.
    pixels : ndarray of shape (n,)
        Numbers of its pixels.
    link : int
        Number of the weight of differing neighbours.
    """

    def __init__(self, costs: FloatArray, missed: FloatArray, pixels: IntArray, link: int) -> None:
        self.costs, self.missed, self.link = costs, missed, link
        n_labels = missed.shape[1]
        self.variables = (pixels[:, None] * n_labels + np.arange(n_labels)).ravel()

    def minimize(self, w: FloatArray, multipliers: FloatArray) -> tuple[FloatArray, Energy]:
        """Minimise the chain's energy less margin, plus multipliers."""
        own = (np.tensordot(w[:-2], self.costs, axes=1) - self.missed) / 2.0
        y = best_chain(own + multipliers.reshape(own.shape), w[self.link])
        at = np.arange(len(y)), y
        copies = np.zeros(own.shape)
        copies[at] = 1.0
        features = np.zeros(len(w))
        features[:-2] = self.costs[:, at[0], at[1]].sum(axis=1) / 2.0
        features[self.link] = np.count_nonzero(y[1:] != y[:-1])
        return copies.ravel(), Energy(features, -float(self.missed[at].sum()) / 2.0)


class PottsGrid(SlaveProblem):
    """A grid with some known labels, as a training sample.

    The margin counts wrong labels at these pixels.

    Parameters
    ----------
    grid : GridCosts
    labels : ndarray of int64, shape (height, width)
        -1 where the label is latent.
    """

    def __init__(self, grid: GridCosts, labels: IntArray) -> None:
        height, width = labels.shape
        n_labels = grid.costs.shape[3]
        self.grid, self.known = grid, labels >= 0
        wrong = self.known[:, :, None] & (labels[:, :, None] != np.arange(n_labels))
        self._forbidden = np.where(wrong, np.inf, 0.0)
        missed, pixels = wrong.astype(np.float64), np.arange(height * width).reshape(height, width)
        rows = [ChainSlave(grid.costs[:, i], missed[i], pixels[i], -2) for i in range(height)]
        columns = [ChainSlave(grid.costs[:, :, j], missed[:, j], pixels[:, j], -1) for j in range(width)]
        super().__init__([*rows, *columns], height * width * n_labels, self._complete)
        self.completed = np.where(self.known, labels, 0)

    def _complete(self, w: FloatArray) -> Energy:
        """Lower the energy over latent pixels.

        It is enough that it decreases (Section 5).
        """
        self.completed = self.grid.minimize(w, self._forbidden, self.completed)
        return Energy(self.grid.features(self.completed), 0.0)
