"""
A dendrogram of your own data
=============================

You learn how to make a tree of your own rows, draw it with their names, and cut it into clusters.

The rows are 18 made-up animals with three measurements. Yours may be any table of numbers with a row a sample.
"""

# %%
# Rows
# ----
# Weight in kg, height in cm, age in years. The units differ, so logarithms are brought to mean 0 and spread 1.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

from cladebench import Hierarchy, linkage

typical = {"mouse": (0.02, 8, 2), "dog": (25, 55, 12), "horse": (480, 160, 27)}
rng = np.random.default_rng(0)
kinds = np.repeat(list(typical), 6)
names = [f"{kind} {number % 6 + 1}" for number, kind in enumerate(kinds)]
animals = np.array([typical[kind] for kind in kinds]) * rng.normal(1, 0.12, size=(18, 3))
X = StandardScaler().fit_transform(np.log(animals))

# %%
# The tree
# --------
# `linkage` joins the two closest clusters, again and again. It gives SciPy's matrix. A `Hierarchy` is the tree that
# all methods of the library return, here with names.
Z = linkage(X, method="average")
tree = Hierarchy.from_linkage(Z)
tree = Hierarchy(tree.parents, tree.leaf_of, tree.heights, sample_names=names)

# %%
# The picture
# -----------
# A join stands at the mean distance of its two clusters. Branches are coloured by the classes, where you have them.
fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
tree.plot(ax, labels=kinds)
ax.set_ylabel("mean distance")

# %%
# Clusters
# --------
# The tree is cut to a number of clusters, or at a height.
labels = tree.cut(3)
for cluster in np.unique(labels):
    print(cluster, ", ".join(name for name, label in zip(names, labels, strict=True) if label == cluster))

# %%
# `tree.to_newick()` gives the tree to other programs, and `Hierarchy.from_newick` reads theirs. Every class in
# `cladebench.methods` that makes a tree has it as ``hierarchy_``.
print(tree.cut_at(2.0).max() + 1, "clusters below a mean distance of 2")
