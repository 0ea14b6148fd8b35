"""Points, structures and starts for the objective of clustering by dependence."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from cladebench.reference import dependence as twin
from cladebench.solvers.dependence import GreedyPartition, distances_structure, greedy_partition
from cladebench.solvers.gram import CenteredGram, center, center_factor

POINTS = ("normal", "whole", "repeated", "equal")
STRUCTURES = ("identity", "tree", "normal", "indefinite", "whole", "twins", "zeros")
STARTS = ("random", "few", "one", "unbalanced", "each")


def points(n: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Rows of features; all kinds but the first make ties."""
    if kind == "whole":
        return rng.integers(0, 3, (n, 2)).astype(float)
    X = rng.normal(size=(n, int(rng.integers(1, 7))))
    if kind == "repeated":
        return X[rng.integers(0, max(1, n // 3), n)]
    return np.zeros_like(X) if kind == "equal" else X


def symmetric(k: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    """A structure; "twins": two clusters are in one place."""
    if kind == "zeros":
        return np.zeros((k, k))
    if kind == "whole":
        Y = rng.integers(-2, 3, (k, k)).astype(float)
        return Y + Y.T
    if kind == "indefinite":
        Y = rng.normal(size=(k, k))
        return Y + Y.T
    if kind == "tree":  # a caterpillar
        steps = np.arange(k, dtype=float)
        return distances_structure(np.abs(steps[:, None] - steps) + 2.0 - 2.0 * np.eye(k))
    B = rng.normal(size=(k, 3))
    if kind == "twins":
        B[-1] = B[0]
    return np.eye(k) if kind == "identity" else B @ B.T


def starting_labels(n: int, k: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "each":
        return rng.permutation(np.arange(n) % k)
    if kind == "one":
        return np.full(n, rng.integers(k))
    if kind == "few":  # other clusters are empty
        return rng.choice(rng.integers(0, k, 2), n)
    labels = rng.integers(0, k, n)
    return np.where(rng.uniform(size=n) < 0.1, labels, labels[0]) if kind == "unbalanced" else labels


@dataclass(frozen=True)
class Case:
    X: np.ndarray
    Y: np.ndarray
    labels: np.ndarray
    order: np.ndarray
    normalized: bool

    @property
    def n(self) -> int:
        return len(self.X)

    @property
    def M(self) -> np.ndarray:
        """The centred Gram matrix by its definition; 0 of equal points, where the definition leaves rounding."""
        H, X = twin.centring(self.n), self.X - self.X[0]
        return H @ X @ X.T @ H

    def gram(self, form: str = "dense") -> CenteredGram:
        return center(self.X @ self.X.T) if form == "dense" else center_factor(self.X)

    def fast(self, form: str = "dense", **settings: object) -> GreedyPartition:
        given = {"normalized": self.normalized, "order": self.order, **settings}
        return greedy_partition(self.gram(form), self.Y, self.labels, **given)  # type: ignore[arg-type]

    def plain(self, max_sweeps: int = 100) -> tuple[np.ndarray, list[float], list[int]]:
        return twin.greedy_partition(
            self.M, self.Y, self.labels, normalized=self.normalized, order=self.order, max_sweeps=max_sweeps
        )

    def value(self, labels: np.ndarray) -> float:
        return twin.dependence(self.M, labels, self.Y, self.normalized)

    @property
    def scale(self) -> float:
        """More than any value of the objective."""
        largest = abs(np.trace(self.M))
        return largest if self.normalized else largest * self.n * np.abs(self.Y).max(initial=1.0)


def case(n: int, k: int, seed: int, kinds: tuple[str, str, str], normalized: bool, shuffled: bool) -> Case:
    rng = np.random.default_rng(seed)
    X, Y = points(n, kinds[0], rng), symmetric(k, kinds[1], rng)
    labels = starting_labels(n, k, kinds[2], rng)
    order = rng.permutation(n) if shuffled else np.arange(n)
    return Case(X, Y, labels, order, normalized)


def cases(points: tuple[str, ...] = POINTS, starts: tuple[str, ...] = STARTS) -> st.SearchStrategy[Case]:
    kinds = st.tuples(st.sampled_from(points), st.sampled_from(STRUCTURES), st.sampled_from(starts))
    return st.builds(
        case,
        st.integers(1, 16),
        st.integers(1, 6),
        st.integers(0, 10**6),
        kinds,
        st.booleans(),
        st.booleans(),
    )


forms = st.sampled_from(["dense", "factor"])
