"""Recursive sparsest cut: Dasgupta's top-down algorithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast, get_args

import numpy as np
from scipy import sparse

from cladebench.hierarchy import Hierarchy
from cladebench.methods._top_down import divide
from cladebench.methods.base import HierarchicalClusterer
from cladebench.metrics.similarity import Kind, LinearKernel, Similarity
from cladebench.solvers.sparsest_cut import EXACT_BELOW, checked_weights, find_cut
from cladebench.validation import check_choice, check_int, check_scale

# Eigenvectors carried along: the second is the likely cut of what the first one leaves.
N_VECTORS = 4


class SparsestCut(HierarchicalClusterer):
    """Partition top-down by sparsest cuts of the similarity graph [1]_.

    At each node the samples are cut into A and B such that the similarity across, `w(A, B) / (|A| |B|)`, is
    small: by enumeration at small nodes, by a sweep along the Fiedler vector at large ones (see
    `cladebench.solvers.sparsest_cut`). A tree of cuts that are each within a factor c of the sparsest has
    at most O(c) (for exact cuts, a constant) times the least Dasgupta cost [2]_.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    similarity : str, callable or "precomputed", default="exp_sq"
        A kind of `cladebench.metrics.similarity.Similarity`, or any callable (such as a Similarity) that
        takes X and gives an (n_samples, n_samples) array or sparse matrix of weights >= 0 (a LinearKernel is
        neither), or "precomputed" where X is that array. The ghc paper is silent.
    exact_below : int, default=12
        Nodes of fewer samples are cut optimally.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A binary tree with one leaf a sample, without heights.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree: the largest part is split next.

    Notes
    -----
    Deterministic, and a permutation of the rows changes nothing but which of equally sparse cuts is taken;
    the deviations of 0.01 over shufflings that the ghc paper prints are thus not this implementation's.

    Memory: one (n_samples, n_samples) array of float64, which is permuted in place so that the two sides of
    a cut become its diagonal blocks; swapping is `O(n min(|A|, |B|))`. Each node takes a few passes over its
    block, so the time is O(n^2) for balanced trees and O(n^3) at worst, where single samples are peeled off.

    References
    ----------
    .. [1] S. Dasgupta, A cost function for similarity-based hierarchical clustering, STOC 2016.
    .. [2] M. Charikar, V. Chatziafratis, Approximate hierarchical clustering via sparsest cut and spreading
       metrics, SODA 2017.

    Examples
    --------
    >>> from cladebench.methods import SparsestCut
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> SparsestCut(n_clusters=3).fit(X).labels_.tolist()
    [0, 0, 1, 1, 2]
    """

    order_invariant = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        similarity: str | Callable[[np.ndarray], Any] = "exp_sq",
        exact_below: int = EXACT_BELOW,
    ) -> None:
        self.n_clusters = n_clusters
        self.similarity = similarity
        self.exact_below = exact_below

    def _check_parameters(self) -> None:
        check_int("exact_below", self.exact_below, 0)
        if self.exact_below > 21:
            raise ValueError(f"exact_below={self.exact_below!r}: expected at most 21 (2^19 cuts a node)")
        if not callable(self.similarity):
            check_choice("similarity", self.similarity, ("precomputed", *get_args(Kind)))

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        if len(X) == 1:
            return Hierarchy([-1], [0])
        weights = self._weights(X)

        def split(part: _Part) -> list[_Part]:
            if len(part.samples) == 1:
                return []
            mask, vectors = find_cut(
                part.weights,
                exact_below=self.exact_below,
                n_vectors=N_VECTORS,
                start=part.guess,
                index=part.samples,
            )
            sides = part.sides(mask, vectors)
            return sorted(sides, key=lambda side: int(side.samples.min()))

        whole = _Part(np.arange(len(X)), weights, None)
        return Hierarchy(*divide(len(X), whole, split, lambda part: part.samples))

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn whether X has similarities."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.similarity, str) and self.similarity == "precomputed"
        return tags

    def _weights(self, X: np.ndarray) -> Any:
        """Weights that may be permuted.

        Never an array that belongs to the caller.
        """
        weights: Any
        if callable(self.similarity):
            weights = self.similarity(X)
            if isinstance(weights, LinearKernel):
                raise ValueError("similarity gives a LinearKernel; expected an array of weights >= 0")
        elif self.similarity == "precomputed":
            weights = X
        else:
            check_scale(X)
            weights = Similarity(cast(Kind, self.similarity))(X)
        if np.shape(weights) != (len(X), len(X)):
            raise ValueError(f"similarity has shape {np.shape(weights)}; expected ({len(X)}, {len(X)})")
        fresh = isinstance(self.similarity, str | Similarity) and weights is not X
        return checked_weights(weights, copy=not fresh)


class _Part:
    """Hold a node's samples, weights and guesses of Laplacian eigenvectors."""

    def __init__(self, samples: np.ndarray, weights: Any, guess: np.ndarray | None) -> None:
        self.samples = samples
        self.weights = weights
        self.guess = guess

    def sides(self, mask: np.ndarray, vectors: np.ndarray | None) -> list[_Part]:
        """Split in two.

        Dense weights are permuted in place and shared by the sides.
        """
        sides = []
        if sparse.issparse(self.weights):
            for side in (np.flatnonzero(mask), np.flatnonzero(~mask)):
                guess = None if vectors is None else vectors[side]
                sides.append(_Part(self.samples[side], self.weights[side][:, side], guess))
            return sides
        order = gather(self.weights, mask)
        size = int(mask.sum())
        for block in (slice(0, size), slice(size, len(mask))):
            guess = None if vectors is None else vectors[order[block]]
            sides.append(_Part(self.samples[order[block]], self.weights[block, block], guess))
        return sides


def gather(weights: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Permute rows and columns in place so that the mask's come first.

    Parameters
    ----------
    weights : ndarray of shape (n, n)
        Changed.
    mask : ndarray of bool, shape (n,)

    Returns
    -------
    ndarray of int, shape (n,)
        Row (and column) i is the former ``order[i]``. At most ``min(mask.sum(), (~mask).sum())`` pairs
        change places.
    """
    size = int(mask.sum())
    out = np.flatnonzero(~mask[:size])
    into = size + np.flatnonzero(mask[size:])
    order = np.arange(len(mask))
    order[out], order[into] = into, out
    for view in (weights, weights.T):
        rows = view[out]
        view[out] = view[into]
        view[into] = rows
    return order
