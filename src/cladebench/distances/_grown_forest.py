"""Distances, neighbours and the sparse matrix of a forest that is grown."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.utils.validation import check_is_fitted

from cladebench.distances import _forest_parts as parts
from cladebench.distances._least_entries import check_n_neighbors
from cladebench.distances.base import Distance, FloatArray, IntArray
from cladebench.distances.leaf_map import LeafMap
from cladebench.validation import check_choice


class GrownForest(Distance):
    """Read a forest of cluster hierarchies.

    `cladebench.distances.HierarchyForest` grows one, and describes its attributes.
    """

    candidates_per_tree: int | None
    candidate_order: str
    seed_: int

    def _place(self, X: FloatArray) -> Any:
        """Look for the training rows in all trees.

        They are kept until the next fit, not in copies.
        """
        self._placed, self._digest = parts.placed(self, X), parts.digest_of_trees(self)
        return self._placed

    def _forest(self) -> Any:
        return getattr(self, "_placed", None) or self._place(self._fit_X)

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        return self._forest().pairwise(X, Y).reshape(len(X), len(Y))

    def kneighbors(  # type: ignore[override]
        self,
        X: Any = None,
        n_neighbors: int = 5,
        return_distance: bool = True,
        *,
        candidates_per_tree: int | Literal["default"] | None = "default",
        candidate_order: str | None = None,
    ) -> tuple[FloatArray, IntArray] | IntArray:
        """Find the nearest fitted rows, exactly or approximately.

        With candidates (Sec. 4), each tree gives some: rows in the leaf of the query, then of the other child of its
        parent, and so on up until there are enough. Their distances are exact, and the nearest are returned; for a
        query for which the trees together give fewer than ``n_neighbors``, ``candidates_per_tree`` is doubled until
        they do. Of equally near rows those with the lowest indices are taken, and come first.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The rows that `fit` was given by default, each left out of its own list.
        n_neighbors : int, default=5
            At most the number of fitted rows; without X, one less.
        return_distance : bool, default=True
        candidates_per_tree : int or None, default="default"
            What the class was given by default; None: all rows are compared.
        candidate_order : {"sampled", "nearest"}, optional
            What the class was given by default. "sampled" depends on ``random_state`` and on where the query stands in
            each tree: equal queries have equal candidates.

        Returns
        -------
        distance : ndarray of float64, shape (n, n_neighbors)
            Ascending. Left out if ``return_distance`` is false.
        index : ndarray of int64, shape (n, n_neighbors)
            Fitted rows.

        Raises
        ------
        ValueError
            If there are too few fitted rows, or an argument makes no sense.
        """
        distance, index, _ = self.neighbors_of(
            X, n_neighbors, candidates_per_tree=candidates_per_tree, candidate_order=candidate_order
        )
        return (distance, index) if return_distance else index

    def neighbors_of(
        self,
        X: Any = None,
        n_neighbors: int = 5,
        *,
        candidates_per_tree: int | Literal["default"] | None = "default",
        candidate_order: str | None = None,
        refill: bool = True,
    ) -> tuple[FloatArray, IntArray, IntArray]:
        """Find neighbours as `kneighbors` does, and count the compared rows.

        The count is of the rows that each query was compared with.

        Parameters
        ----------
        X, n_neighbors, candidates_per_tree, candidate_order
            See `kneighbors`.
        refill : bool, default=True
            Whether ``candidates_per_tree`` is doubled for a query that has fewer than ``n_neighbors`` candidates. The
            paper does not (Sec. 4): without it such a list ends with rows -1 at infinite distances.

        Returns
        -------
        distance : ndarray of float64, shape (n, n_neighbors)
        index : ndarray of int64, shape (n, n_neighbors)
        n_compared : ndarray of int64, shape (n,)
            Rows that were compared with the query: all, or its candidates, even those dropped on the way as too far.
        """
        check_is_fitted(self, "n_nodes_")
        rows = None if X is None else self._rows("X", X)
        n_fitted = self._fit_X.shape[0]
        check_n_neighbors(n_neighbors, n_fitted, of_fitted=rows is None)
        wanted = self.candidates_per_tree if candidates_per_tree == "default" else candidates_per_tree
        order = self.candidate_order if candidate_order is None else candidate_order
        parts.check_candidates(wanted, order)
        distance, index, compared = self._forest().neighbors(
            rows,
            k=int(n_neighbors),
            candidates=0 if wanted is None else min(int(wanted), n_fitted),
            nearest=order == "nearest",
            seed=self.seed_,
            refill=refill,
        )
        return distance.reshape(-1, n_neighbors), index.reshape(-1, n_neighbors), compared

    def _nearest(self, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        return self.neighbors_of(X, k)[:2]

    def leaf_map(self, X: Any = None, weights: str = "distance") -> LeafMap:
        """Give the forest as a sparse matrix, a row for each sample.

        Nothing of size n^2 is made.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The fitted rows by default.
        weights : {"distance", "leaf"}, default="distance"
            "distance": Q W Q' has the distances. A split has four columns: of the rows on its left 1 and their
            certainties, of those on its right the same. As the side says which certainty is the larger, the distance
            at the split is linear in either row.

            "leaf": Q W Q' has the share of the trees in which two rows share a leaf, and a leaf has one column.

        Returns
        -------
        LeafMap of shape (n, 4 n_splits) or (n, n_leaves)
            A ``csr_array``. A row has two entries for each split on its way, in single precision, which loses nothing;
            or one for each tree.

        Raises
        ------
        ValueError
            If X or ``weights`` makes no sense.

        Notes
        -----
        `pairwise` rounds the distance in a tree to single precision, three times, and the map does not: they agree
        within 2e-7 of the distance and 1e-15. What is 0 may come out as 1e-16 or -1e-16.

        O(n n_trees depth n_split_features) time, or without X as many steps as there are entries. An entry takes 8
        bytes, one of "leaf" 12.

        Examples
        --------
        >>> import numpy as np
        >>> from cladebench.distances import HierarchyForest
        >>> X = np.random.default_rng(0).normal(size=(30, 4))
        >>> forest = HierarchyForest(5, splits="random", random_state=0).fit(X)
        >>> Q = forest.leaf_map()
        >>> bool(np.allclose((Q @ Q.W @ Q.T).toarray(), forest.pairwise(X), rtol=2e-7))
        True
        """
        check_is_fitted(self, "n_nodes_")
        check_choice("weights", weights, ("distance", "leaf"))
        rows = None if X is None else self._rows("X", X)
        return parts.leaf_map_of(self, self._forest(), rows, weights)

    def tree(self, t: int) -> parts.ForestTree:
        """Give the arrays of one tree.

        Parameters
        ----------
        t : int
            0 to ``n_trees`` - 1, the first being tree ``first_tree`` of its seed.

        Returns
        -------
        ForestTree
        """
        return parts.tree_of(self, t)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the places of rows, which a copy finds again."""
        return {name: value for name, value in super().__getstate__().items() if name != "_placed"}
