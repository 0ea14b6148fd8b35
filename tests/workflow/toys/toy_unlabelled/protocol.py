import numpy as np

from cladebench import estimators
from cladebench.bench.run.cell_io import CellOutput
from cladebench.paper.protocol import Protocol


class Compactness(Protocol):
    task_keys = ("rows", "shuffled")

    def measure(self, cell):
        X = cell.task.of(cell.data.X)
        labels = estimators.as_labels(self.fit_on_training(cell, X)[0])
        means = np.array([X[labels == c].mean(axis=0) for c in np.unique(labels)])
        places = np.unique(labels, return_inverse=True)[1]
        return CellOutput({"inertia": np.square(X - means[places]).sum(axis=1).mean()})


PROTOCOL = Compactness()
