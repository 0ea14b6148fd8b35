from dataclasses import replace

import numpy as np

from cladebench import estimators
from cladebench.bench.run.cell_io import CellOutput, Reading
from cladebench.paper.protocol import Protocol


class NearestNeighbours(Protocol):
    task_keys = ("rows", "shuffled", "folds", "test", "label_noise")

    def measure(self, cell):
        task = cell.task
        readings, seconds = self.read(cell, "accuracy", task.of(cell.data.labels))
        folds = [self.read(replace(cell, task=fold), "i", task.labels)[0] for fold in task.inner_folds(2)]
        means = [(np.mean([r.metrics["i"] for r in at]), at[0].at) for at in zip(*folds, strict=True)]
        inner = [Reading({"inner_accuracy": mean}, at) for mean, at in means]
        return CellOutput({"seconds": seconds}, [*readings, *inner])

    def read(self, cell, metric, labels):
        task, X = cell.task, cell.task.of(cell.data.X)
        estimator, seconds = self.fit_on_training(cell, X)
        near = estimators.as_distance(estimator, X[task.train]).kneighbors(X[task.test], 9, False)
        votes = task.labels[task.train][near]
        readings = []
        for k in (1, 5, 9):
            found = [np.bincount(row[:k]).argmax() for row in votes]
            readings.append(Reading({metric: np.mean(found == labels[task.test])}, {"k": k}))
        return readings, seconds


PROTOCOL = NearestNeighbours()
