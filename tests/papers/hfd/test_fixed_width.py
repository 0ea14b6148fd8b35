"""The width that is chosen without labels: the nearest to the distances on a logarithmic scale."""

from itertools import count

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from cladebench.metrics import Scores
from cladebench.papers.hfd import graph_clustering
from cladebench.papers.hfd.graph_clustering import FIXED_NEIGHBORS, clustering_measures


class Scaled:
    """Distances of points to their nearest others, of which those of the last neighbour have a given median."""

    def __init__(self, X, middle):
        apart = cdist(X, X)
        np.fill_diagonal(apart, np.inf)
        self.near = np.argsort(apart, axis=1, kind="stable")
        self.far = np.take_along_axis(apart, self.near, axis=1)
        self.far *= middle / np.median(self.far[:, FIXED_NEIGHBORS - 1])

    def kneighbors(self, n_neighbors):
        return self.far[:, :n_neighbors], self.near[:, :n_neighbors]


@pytest.mark.parametrize(
    ("middle", "width"), [(0.3, 0.1), (0.33, 1.0), (3.0, 1.0), (4.5, 10.0), (31.0, 10.0), (32.0, 100.0)]
)
def test_the_fixed_width_is_the_nearest_on_a_logarithmic_scale(middle, width, monkeypatch):
    """0.33 and 4.5 are nearer to the smaller width by their difference: 0.33 to 0.1, and 4.5 to 1."""
    numbers = count(1)  # each graph has a score of its own
    monkeypatch.setattr(graph_clustering, "v_scores", lambda *labels: Scores(next(numbers) / 100, 0.0, 0.0))
    X, labels = np.random.default_rng(2).normal(size=(60, 2)), np.arange(60) % 3
    out = clustering_measures(
        Scaled(X, middle), labels, (FIXED_NEIGHBORS,), "gaussian", 0, other_graphs=False
    )
    grid = {reading.at["width"]: reading.metrics["v_measure_grid"] for reading in out.readings}
    assert len(set(grid.values())) == len(grid)
    assert [*grid] == [0.1, 1.0, 10.0, 100.0, 1000.0]  # Section 6.6
    assert out.metrics["v_measure_fixed"] == grid[width]


def test_the_fixed_number_of_neighbors_is_the_twenty_of_the_captions(monkeypatch):
    numbers = count(1)
    monkeypatch.setattr(graph_clustering, "v_scores", lambda *labels: Scores(*[next(numbers) / 100] * 3))
    X, labels = np.random.default_rng(2).normal(size=(60, 2)), np.arange(60) % 3
    out = clustering_measures(Scaled(X, 3.0), labels, (19, 20, 21), "gaussian", 0, other_graphs=False)
    grid = {(r.at["neighbors"], r.at["width"]): r.metrics["v_measure_grid"] for r in out.readings}
    assert len(set(grid.values())) == len(grid)
    assert out.metrics["v_measure_fixed"] == grid[20, 1.0] == out.metrics["ami_fixed"] > 0
