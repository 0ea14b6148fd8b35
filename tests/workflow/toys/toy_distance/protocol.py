import numpy as np

from cladebench import estimators
from cladebench.bench.cell_io import CellOutput, Reading
from cladebench.papers.protocol import Protocol


class NearestNeighbours(Protocol):
    def measure(self, cell):
        task, labels, X = cell.task, cell.task.of(cell.data.labels), cell.task.of(cell.data.X)
        estimator, seconds = self.fit_on_training(cell, X)
        near = estimators.as_distance(estimator, X[task.train]).kneighbors(
            X[task.test], 9, return_distance=False
        )
        votes = task.labels[task.train][near]
        readings = []
        for k in (1, 5, 9):
            found = [np.bincount(row[:k]).argmax() for row in votes]
            readings.append(Reading({"accuracy": np.mean(found == labels[task.test])}, {"k": k}))
        return CellOutput({"seconds": seconds}, readings)


PROTOCOL = NearestNeighbours()
