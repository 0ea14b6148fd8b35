"""What one cell of the taxonomy paper computes.

A partition, and the tree of its clusters where there is one.

Section 5 of the paper. A repetition is a draw of people where the data are faces, and a seed or a draw of documents
where they are texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from cladebench import estimators
from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.datasets import Dataset
from cladebench.hierarchy import Hierarchy
from cladebench.methods._dependence import DependenceClusterer
from cladebench.methods._kernel import gram_matrix, kernel_matrix, start_labels
from cladebench.methods._kmeans import kmeans_labels
from cladebench.methods._spectral import unit_rows
from cladebench.methods.kernel_spectral import KernelSpectral
from cladebench.methods.numerical_taxonomy import NumericalTaxonomy
from cladebench.metrics import entropy_scores, rand_scores, v_scores
from cladebench.paper.protocol import Protocol, scored, timed_fit, tree_arrays
from cladebench.papers.taxonomy import words
from cladebench.papers.taxonomy.tree_measures import taxonomy_correlation, worth_of_trees
from cladebench.solvers.gram import center, normalized_cut, top_eigenvectors
from cladebench.validation import check_choice

IntArray = npt.NDArray[np.int64]

#: Clusters of data without labels: "we partitioned the documents into k = 8 clusters" (section 5.2).
WITHOUT_LABELS = 8
#: Starts of K-means where the effect of centring is looked at: with ten its seeds make clusters of NIPS differ too.
CENTRING_STARTS = 100
FEATURES = ("raw", "binary", "one_maximum", "classes")


class TaxonomyProtocol(Protocol):
    """Judge clusters by classes or printed words (section 5)."""

    own: ClassVar[Mapping[str, Any]] = {
        # "binary": 1 for what is not zero; "one_maximum": each row scaled to the maximum 1; "classes": the true
        # classes, for the oracle
        "features": "raw",
        "clusters": None,  # number of clusters; by default that of the classes, 8 where there are none
        "more_clusters": 0,  # so many beyond that
        "worth": False,  # whether other trees are put in the place of the fitted one
    }
    task_keys: ClassVar[tuple[str, ...]] = ("rows", "share", "shuffled")

    def measure(self, cell: Cell) -> CellOutput:
        """Fit and measure the partition, the tree and the words."""
        parameters, task, data = self.own_parameters(cell), cell.task, cell.data
        X = features_of(data, parameters["features"])
        X = task.of(X)
        k = n_clusters_of(data, parameters["clusters"]) + int(parameters["more_clusters"])
        estimator = self.build(cell, n_clusters=k)
        seconds = timed_fit(estimator, X)
        labels = np.asarray(estimators.as_labels(estimator), dtype=np.int64)
        n_clusters = int(labels.max()) + 1
        sizes = np.bincount(labels, minlength=n_clusters)
        metrics = {
            "seconds": seconds,
            "n_clusters": float(n_clusters),
            "smallest_share": float(sizes.min() / len(labels)),
        }
        arrays: dict[str, np.ndarray] = {"labels": labels.astype(np.int32)}
        classes = None if data.labels is None else np.asarray(task.of(data.labels))
        if classes is not None:
            metrics |= partition_measures(classes, labels)
            arrays["class_counts"] = counts_of(labels, classes, len(data.label_names))
            arrays["class_names"] = np.array(data.label_names)
        if isinstance(estimator, NumericalTaxonomy):
            metrics |= self.tree_measures(cell, estimator, X, labels, classes)
            arrays |= taxonomy_arrays(estimator)
        elif hasattr(estimator, "converged_"):
            metrics["converged"] = float(estimator.converged_)
            metrics["n_iterations"] = float(estimator.n_iter_)
        if isinstance(estimator, DependenceClusterer) and classes is not None:
            metrics["moved_from_start"] = moved_share(estimator, X, labels, cell.spec.seed)
        if isinstance(estimator, KernelSpectral) and estimator.matrix == "normalized_cut" and k > 1:
            metrics |= centring_agreement(estimator, X, cell.spec.seed)
        readings: list[Reading] = []
        if sparse.issparse(X) and data.feature_names is not None:
            of_words, readings, more = word_measures(data, X, counts_of_words(cell, X), labels, estimator)
            metrics |= of_words
            arrays |= more
        return CellOutput(metrics, readings, arrays)

    def tree_measures(
        self, cell: Cell, estimator: NumericalTaxonomy, X: Any, labels: IntArray, classes: IntArray | None
    ) -> dict[str, float]:
        """Measure a taxonomy's fit to distances, objective, and the classes' tree."""
        length = float(np.linalg.norm(estimator.distances_) / np.sqrt(2.0)) or 1.0
        metrics = {
            "converged": float(estimator.converged_),
            "n_iterations": float(estimator.n_iter_),
            "objective": estimator.objective_,
            "tree_residual": estimator.residual_ / length,
            "least_eigenvalue": estimator.least_eigenvalue_,
        }
        if classes is not None and cell.data.class_parents is not None:
            tree = Hierarchy(cell.data.class_parents, np.arange(len(cell.data.label_names)))
            distances = estimator.tree_distances_
            metrics["taxonomy_correlation"] = taxonomy_correlation(distances, labels, tree, classes)
        if self.own_parameters(cell)["worth"] and labels.max() > 0:
            gram = gram_of(estimator, X, cell.spec.seed)
            worth = worth_of_trees(gram, labels, cell.spec.seed)
            metrics |= {
                "share_unconstrained": worth.unconstrained,
                "share_tree": worth.tree,
                "share_star": worth.star,
                "share_random_tree": worth.random,
                "share_best_random_tree": worth.best_random,
            }
        return metrics


def features_of(data: Dataset, features: str) -> Any:
    """Give the features as methods meet them.

    They are as in the data, binarised, over each row's maximum, or the true classes.
    """
    check_choice("features", features, FEATURES)
    if features == "classes":
        return (np.asarray(data.labels)[:, None] == np.arange(len(data.label_names))).astype(np.float64)
    if features == "raw":
        return data.X
    if features == "one_maximum":
        if sparse.issparse(data.X):
            raise ValueError("features='one_maximum': expected a dense X, found a sparse one")
        most = data.X.max(axis=1, keepdims=True)
        return data.X / np.where(most > 0, most, 1.0)
    if not sparse.issparse(data.X):
        return (data.X != 0).astype(np.float64)
    binary = data.X.copy()
    binary.data = np.ones_like(binary.data)
    return binary


def n_clusters_of(data: Dataset, clusters: int | None) -> int:
    """Give the asked number of clusters, or the classes', or 8.

    8 is the paper's number, where there are no classes.
    """
    if clusters is not None:
        return int(clusters)
    return len(data.label_names) or WITHOUT_LABELS


def partition_measures(classes: IntArray, labels: IntArray) -> dict[str, float]:
    """Measure a partition: H(l|c) in nats, bits, and chance-corrected measures."""
    entropy = entropy_scores(classes, labels)
    return {
        **scored(
            conditional_entropy=entropy, ri=rand_scores(classes, labels), v_measure=v_scores(classes, labels)
        ),
        "conditional_entropy_bits": entropy.value / float(np.log(2.0)),
        "conditional_entropy_bits_permuted": entropy.permuted / float(np.log(2.0)),
    }


def counts_of(labels: IntArray, classes: IntArray, n_classes: int) -> np.ndarray:
    """Count the samples of each class in each cluster."""
    counts = np.zeros((int(labels.max()) + 1, n_classes), dtype=np.int32)
    np.add.at(counts, (labels, classes), 1)
    return counts


def gram_of(estimator: DependenceClusterer, X: Any, seed: int) -> Any:
    """Make the matrix that an estimator saw."""
    return gram_matrix(
        X,
        kernel=estimator.kernel,
        width=estimator.width,
        matrix=estimator.matrix,
        rank=estimator.rank,
        random=np.random.RandomState(seed),
    )


def moved_share(estimator: DependenceClusterer, X: Any, labels: IntArray, seed: int) -> float:
    """Say how far results moved: 1 - ARI with a spectral start.

    The start is of the same matrix.
    """
    start = start_labels(
        gram_of(estimator, X, seed), estimator.n_clusters, "spectral", np.random.RandomState(seed)
    )
    return float(1.0 - adjusted_rand_score(start, labels))


def centring_agreement(estimator: KernelSpectral, X: Any, seed: int) -> dict[str, float]:
    """Compare clusters of one normalised cut, plain and centred (section 3.1).

    "We wish to ignore the eigenvector with constant entries": of the matrix as it is the first eigenvector is left out,
    of the centred one none, so that both have ``n_clusters - 1``.

    Returns
    -------
    dict of str to float
        ``centring_agreement``, adjusted Rand index of the two partitions; ``seed_agreement``, that of two partitions
        of the matrix as it is, the second with another seed of k-means.
    """
    A = kernel_matrix(X, estimator.kernel, estimator.width)
    np.fill_diagonal(A, 0.0)
    M, k = normalized_cut(A), estimator.n_clusters
    of_cut = unit_rows(top_eigenvectors(M, k)[1][:, 1:])
    of_centred = unit_rows(top_eigenvectors(center(M).values, k - 1)[1])

    def clusters(rows: np.ndarray, start: int) -> IntArray:
        return kmeans_labels(rows, k, n_init=CENTRING_STARTS, seed=start)[0]

    one = clusters(of_cut, seed)
    return {
        "centring_agreement": float(adjusted_rand_score(one, clusters(of_centred, seed))),
        "seed_agreement": float(adjusted_rand_score(one, clusters(of_cut, (seed + 1) % 2**32))),
    }


def taxonomy_arrays(estimator: NumericalTaxonomy) -> dict[str, np.ndarray]:
    """Give what the figures show of a taxonomy."""
    arrays = {
        "structure": estimator.structure_,
        "distances": estimator.distances_,
        "tree_distances": estimator.tree_distances_,
        "objective_path": estimator.objective_path_,
    }
    return arrays | (tree_arrays(estimator.tree_) if estimator.tree_ is not None else {})


def counts_of_words(cell: Cell, X: Any) -> Any:
    """Count words in the documents of a cell, or give X.

    X is what methods meet, where the data do not count words.
    """
    views = cell.data.views
    return cell.task.of(views["counts"].values) if "counts" in views else X


def word_measures(
    data: Dataset, X: Any, counts: Any, labels: IntArray, estimator: Any
) -> tuple[dict[str, float], list[Reading], dict[str, np.ndarray]]:
    """Give the words of the clusters, and printed words back.

    NIPS has how many of the printed ones come back, and where they lie.

    Words are scored by ``counts``, how often they occur. Measures with the suffix ``_documents`` are of words that are
    scored by the shares of documents that have them, by ``X`` of 0 and 1.
    """
    names, n_clusters = np.array(data.feature_names), int(labels.max()) + 1
    top_words = words.top_words(words.word_scores(counts, labels, n_clusters), names)
    if data.name != "nips":
        return {}, [], {"top_words": top_words}
    distances = estimator.tree_distances_ if isinstance(estimator, NumericalTaxonomy) else None
    metrics, shares, matched = printed_words(top_words, distances)
    by_documents = words.top_words(words.word_scores(X, labels, n_clusters), names)
    more, more_shares, _ = printed_words(by_documents, distances)
    metrics |= {f"{name}_documents": value for name, value in more.items()}
    readings = [
        Reading({"cluster_words_back": share, "cluster_words_back_documents": other}, {"cluster": place})
        for place, (share, other) in enumerate(zip(shares, more_shares, strict=True), 1)
    ]
    return metrics, readings, {"top_words": top_words, "matched": matched.astype(np.int32)}


def printed_words(
    top_words: np.ndarray, distances: np.ndarray | None
) -> tuple[dict[str, float], list[float], IntArray]:
    """Hold the words of clusters against Table 2.

    Returns
    -------
    metrics : dict of str to float
        ``words_back``, and with distances of the clusters in a tree where the printed clusters lie.
    shares : list of float
        Share of the words of each printed cluster that come back.
    matched : ndarray of int64
        Cluster of each printed one, -1 where there is none.
    """
    matched, shared = words.matched_to_printed(top_words)
    metrics = {"words_back": float(shared.sum() / (len(words.LETTERS) * words.N_WORDS))}
    if distances is not None and (matched >= 0).all():
        metrics |= words.placement(distances, matched)
    return metrics, [count / words.N_WORDS for count in shared.tolist()], matched


PROTOCOL = TaxonomyProtocol()
