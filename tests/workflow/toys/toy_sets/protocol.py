import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score

from cladebench.bench.run.cell_io import CellOutput, Reading
from cladebench.paper.protocol import Protocol


class Weights(BaseEstimator):
    """Weigh each distance by how much smaller it is within classes than between."""

    def __init__(self, learn=True):
        self.learn = learn

    def fit(self, stacks, labels):
        same = [y[:, None] == y for y in labels]
        gains = [
            [1 - d[s].mean() / d[~s].mean() for d in stack] for stack, s in zip(stacks, same, strict=True)
        ]
        self.weights_ = np.maximum(np.mean(gains, axis=0), 0) if self.learn else np.ones(len(stacks[0]))
        return self


class SeveralSets(Protocol):
    def measure(self, cell):
        sets = {r: [p.content for p in cell.data.parts.values() if p.role == r] for r in ("train", "test")}
        stacks = {r: [[v.values for v in c.views.values()] for c in found] for r, found in sets.items()}
        model = self.build(cell).fit(stacks["train"], [c.labels for c in sets["train"]])
        readings = []
        for i, (stack, content) in enumerate(zip(stacks["test"], sets["test"], strict=True)):
            tree = linkage(squareform(np.tensordot(model.weights_, stack, 1)), "average")
            found = fcluster(tree, len(content.label_names), "maxclust")
            readings.append(Reading({"ari": adjusted_rand_score(content.labels, found)}, {"set": i}))
        return CellOutput(readings=readings)


PROTOCOL = SeveralSets()
