"""What one cell of the HFD paper computes.

A distance, and what its neighbours are worth.

Section 6 of the paper. The task says which experiment it is, so that one fit is read in all ways that it can be:

- rows are held out (folds; the official split of CIFAR): the class that the nearest training rows vote for (Figures 1
  and 2) and the share of them that have the test row's class (Figure 3), at each number of neighbours;
- nothing is held out: spectral clustering of the neighbour graph (Table 3);
- `candidates` are given: neighbours among candidates against all (Tables 1 and 2).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from cladebench import estimators
from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.distances import HierarchyForest
from cladebench.distances.base import Distance
from cladebench.metrics import precision_at, vote
from cladebench.metrics.neighbors import neighbor_lists
from cladebench.paper.protocol import Protocol, scaled
from cladebench.papers.hfd.graph_clustering import clustering_measures
from cladebench.papers.hfd.neighbor_search import search_measures
from cladebench.papers.hfd.supervision import links_in_trees

#: Test rows whose neighbours are kept, for the gallery, and how many neighbours of each.
GALLERY_ROWS, GALLERY_NEIGHBORS = 8, 10


class HFDProtocol(Protocol):
    """Section 6: nearest neighbours, retrieval and clustering under a learned distance."""

    own: ClassVar[Mapping[str, Any]] = {
        "features": "zscore",  # see `cladebench.paper.protocol.scaled`; "classes": the true classes, for the oracle
        "neighbors": (1, 3, 5, 7, 10, 15, 20, 30, 40, 50),  # numbers of neighbours that are read
        "similarity": "gaussian",  # of a distance d, for Table 3: by a Gaussian, or "complement": 1 - d
        "other_graphs": True,  # cluster other readings of the graphs of Table 3 too
        "kmeans_starts": "ten",  # of k-means on the eigenvectors of a graph; or "one random"
        "candidates": (),  # candidates per tree, for Tables 1 and 2; none: the other experiments
        "read_blocks": None,  # of the blocks of test rows the first so many, where all would take hours
        "inner_folds": 0,  # folds of the training rows in which a setting is tried, for a choice without test labels
    }
    task_keys: ClassVar[tuple[str, ...]] = (
        "rows",
        "share",
        "folds",
        "test",
        "split",
        "blocks",
        "constraints",
        "label_noise",
        "shuffled",
    )

    def measure(self, cell: Cell) -> CellOutput:
        """Fit the distance on the training rows and read its neighbours."""
        parameters, task = self.own_parameters(cell), cell.task
        labels = task.of(cell.data.labels)
        X = features_of(task.of(cell.data.X), labels, parameters["features"])
        estimator, seconds = self.fit_on_training(cell, X)
        distance = estimators.as_distance(estimator, X[task.train])
        if parameters["candidates"]:
            output = search_measures(distance, len(task.train), parameters["candidates"])
        elif task.held_out:
            output = held_out_measures(
                cell, distance, X, labels, parameters["neighbors"], parameters["read_blocks"]
            )
        else:
            output = clustering_measures(
                distance,
                labels,
                [k for k in parameters["neighbors"] if k >= 5],
                parameters["similarity"],
                cell.spec.seed,
                parameters["other_graphs"],
                parameters["kmeans_starts"],
            )
        metrics = {"seconds": seconds, "n_constraints": float(len(task.must_link) + len(task.cannot_link))}
        if isinstance(estimator, HierarchyForest):
            links = (task.among_training(pairs) for pairs in (task.must_link, task.cannot_link))
            metrics |= links_in_trees(estimator, X[task.train], *links)
        if hasattr(estimator, "converged_"):
            metrics["converged"] = float(estimator.converged_)
        if parameters["inner_folds"] and task.held_out:
            metrics["inner_accuracy"] = self.inner_accuracy(cell, X, parameters["inner_folds"])
        return CellOutput({**metrics, **output.metrics}, output.readings, output.arrays, output.details)

    def inner_accuracy(self, cell: Cell, X: np.ndarray, n_folds: int) -> float:
        """Cross-validate the accuracy of five neighbours' vote among training rows."""
        scores = []
        for inner in cell.task.inner_folds(n_folds):
            estimator, _ = self.fit_on_training(replace(cell, task=inner, kept=None), X)
            distance = estimators.as_distance(estimator, X[inner.train])
            near = distance.kneighbors(X[inner.test], min(5, len(inner.train)), return_distance=False)
            labels = np.asarray(inner.labels)
            scores.append((vote(near, labels[inner.train]) == labels[inner.test]).mean())
        return float(np.mean(scores))


def features_of(X: Any, labels: np.ndarray, features: str) -> np.ndarray:
    """Scale the features; with ``features="classes"`` give the true classes as features instead."""
    if features == "classes":
        return (labels[:, None] == np.unique(labels)).astype(np.float64)
    return np.asarray(scaled(X, features))


def held_out_measures(
    cell: Cell,
    distance: Distance,
    X: np.ndarray,
    labels: np.ndarray,
    neighbors: tuple[int, ...],
    read_blocks: int | None = None,
) -> CellOutput:
    """Classify test rows by training neighbours, and count those of their class.

    Votes are of the labels to learn from, noise included, and beside it of the true ones; what is right is said by the
    data's own.
    """
    task = cell.task
    blocks = task.blocks[:read_blocks] or (task.test,)
    test = np.sort(np.concatenate(blocks))
    parts = [np.searchsorted(test, block) for block in blocks]
    points = [k for k in sorted(neighbors) if k <= len(task.train)] or [len(task.train)]
    started = time.perf_counter()
    near = distance.kneighbors(X[test], points[-1], return_distance=False)
    seconds = time.perf_counter() - started
    near = neighbor_lists("kneighbors", near, len(task.train), may_lack=False)
    noisy, truth = np.asarray(task.labels)[task.train], labels[test]
    relevant = labels[task.train][near] == truth[:, None]
    precision = [precision_at(relevant[part]) for part in parts]
    readings = []
    for k in points:
        right, right_by_truth = (vote(near[:, :k], by) == truth for by in (noisy, labels[task.train]))
        for block, part in enumerate(parts):
            metrics = {
                "accuracy": float(right[part].mean()),
                "accuracy_true_votes": float(right_by_truth[part].mean()),
                "precision": float(precision[block][k - 1]),
            }
            readings.append(Reading(metrics, {"neighbors": k}, block if task.blocks else None))
    # Of the first block, which is the same for those that read only some.
    shown = parts[0][np.linspace(0, len(parts[0]) - 1, min(GALLERY_ROWS, len(parts[0]))).astype(np.intp)]
    arrays = {
        "gallery_rows": task.rows[test[shown]].astype(np.int32),
        "gallery_neighbors": task.rows[task.train[near[shown, :GALLERY_NEIGHBORS]]].astype(np.int32),
        "gallery_relevant": relevant[shown, :GALLERY_NEIGHBORS],
    }
    per_query = seconds / len(truth)
    return CellOutput({"query_seconds": seconds, "seconds_per_query": per_query}, readings, arrays)


PROTOCOL = HFDProtocol()
