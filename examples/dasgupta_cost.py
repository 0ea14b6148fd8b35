"""
Choosing a tree by Dasgupta's cost
==================================

You learn how to say which of several trees fits your data best when there are no labels.

Dasgupta's cost adds up, over all pairs of samples, their similarity times the number of samples below the node where
they meet. Similar samples should meet low in the tree, so less is better.
"""

# %%
# Data and similarity
# -------------------
# Four groups that touch, in two halves. The similarity is a Gaussian of the distance.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from cladebench.methods import Agglomerative, HierarchicalKMeans, RandomTree, SparsestCut
from cladebench.metrics import Similarity, dasgupta_cost, expected_dasgupta_cost

X, _ = make_blobs(240, centers=[(0, 0), (0, 4), (7, 0), (7, 4)], cluster_std=1.5, random_state=0)
similarity = Similarity("exp_sq")(X)

# %%
# Five trees
# ----------
# Each cost is divided by its mean over shuffled rows: 1 is what the tree has by chance.
methods = {
    "average linkage": Agglomerative(linkage="average"),
    "single linkage": Agglomerative(linkage="single"),
    "hierarchical K-means": HierarchicalKMeans(random_state=0),
    "sparsest cut": SparsestCut(similarity="exp_sq"),
    "random tree": RandomTree(random_state=0),
}
trees = {name: method.fit(X).hierarchy_ for name, method in methods.items()}
costs = {
    name: dasgupta_cost(tree, similarity) / expected_dasgupta_cost(tree, similarity)
    for name, tree in trees.items()
}
order = sorted(costs, key=costs.get)
for name in order:
    print(f"{costs[name]:.3f}  {name}")

# %%
# The best tree, and single linkage
# ---------------------------------
# Colours are the halves of the plane. The tree of least cost tells them apart near its root; single linkage takes off
# one sample at a time.
halves = np.where(X[:, 0] < 3.5, "left half", "right half")
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, name in zip(axes, (order[0], "single linkage"), strict=True):
    trees[name].plot(ax, labels=halves, max_leaves=16)
    ax.set_title(f"{name}: {costs[name]:.3f}")
