"""Measure clusters' stability over bootstrap samples of documents, without labels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from cladebench.bench.run.cell_io import Cell, CellOutput
from cladebench.methods import CLUHSIC, NumericalTaxonomy
from cladebench.methods._kernel import start_labels
from cladebench.papers.taxonomy import words
from cladebench.papers.taxonomy.protocol import counts_of_words, features_of, gram_of, n_clusters_of
from cladebench.solvers.gram import CenteredGram

IntArray = npt.NDArray[np.int64]

#: Samples that are drawn; a cell's parameter ``samples`` replaces it.
N_SAMPLES = 20


def run_study(cell: Cell) -> CellOutput:
    """Cluster bootstrap samples and compare clusters of the documents they share.

    Returns
    -------
    CellOutput
        For NTC (``taxonomy``), NTC without a tree (``unconstrained``), the normalised objective with the star
        (``star``) and the start of all of them (``start``): ``ari_*``, the mean adjusted Rand index over pairs of
        samples on the documents that both have; for NIPS ``words_back_*``, the mean share of the printed words that
        come back.
    """
    data, seed = cell.data, cell.spec.seed
    X = cell.task.of(features_of(data, cell.parameters.get("features", "raw")))
    k = n_clusters_of(data, None)
    whole, counts = gram_of(NumericalTaxonomy(), X, seed), counts_of_words(cell, X)
    partitions: dict[str, list[tuple[IntArray, IntArray]]] = {name: [] for name in methods(k, seed)}
    for sample in range(int(cell.parameters.get("samples", N_SAMPLES))):
        drawn = np.sort(np.random.default_rng([seed, sample]).integers(whole.n, size=whole.n))
        # A document that was drawn twice counts twice; of its copies the first says its cluster.
        rows, first = np.unique(drawn, return_index=True)
        gram = whole.rows(drawn)
        for name, labels_of in methods(k, seed).items():
            partitions[name].append((rows, labels_of(gram)[first]))
    metrics: dict[str, float] = {}
    for name, clusterings in partitions.items():
        metrics[f"ari_{name}"] = mean_agreement(clusterings)
        if data.name == "nips":
            back = [words_back(counts[rows], labels, data.feature_names) for rows, labels in clusterings]
            metrics[f"words_back_{name}"] = float(np.mean(back))
    return CellOutput(metrics)


def methods(k: int, seed: int) -> dict[str, Callable[[CenteredGram], IntArray]]:
    """The methods that are compared.

    Each gives the clusters of the points of a matrix.
    """
    return {
        "taxonomy": lambda gram: NumericalTaxonomy(k, random_state=seed).fit_gram(gram).labels_,
        "unconstrained": lambda gram: (
            NumericalTaxonomy(k, taxonomy="none", random_state=seed).fit_gram(gram).labels_
        ),
        "star": lambda gram: CLUHSIC(k, normalized=True, random_state=seed).fit_gram(gram).labels_,
        "start": lambda gram: start_labels(gram, k, "spectral", np.random.RandomState(seed)),
    }


def mean_agreement(clusterings: list[tuple[IntArray, IntArray]]) -> float:
    """Average the adjusted Rand index over pairs of samples.

    A sample is given as rows and their clusters. A pair is compared on the rows of both.
    """
    indices = []
    for (rows, labels), (others, theirs) in combinations(clusterings, 2):
        _, one, two = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
        indices.append(adjusted_rand_score(labels[one], theirs[two]))
    return float(np.mean(indices))


def words_back(counts: Any, labels: IntArray, names: Any) -> float:
    """Share of the printed words of NIPS clusters that come back."""
    scores = words.word_scores(counts, labels, int(labels.max()) + 1)
    _, shared = words.matched_to_printed(words.top_words(scores, names))
    return float(shared.sum() / (len(words.LETTERS) * words.N_WORDS))
