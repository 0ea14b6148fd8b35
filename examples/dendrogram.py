"""
A dendrogram of your own data
=============================

You learn how to make a tree of your own rows, draw it with names at its leaves, and cut it into clusters.

The rows here are 18 made-up animals with three measurements. Yours may come from anywhere: a method takes any array
with a row a sample.
"""

# %%
# The rows, and a tree
# --------------------
# Features have units of their own, so each is brought to mean 0 and spread 1 first. `Agglomerative` then joins the two
# closest clusters, again and again.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

from cladebench.methods import Agglomerative

kinds = {"mouse": (0.02, 8, 2), "dog": (25, 55, 12), "horse": (480, 160, 27)}  # kg, cm, years
rng = np.random.default_rng(0)
names = [f"{kind} {number}" for kind in kinds for number in range(1, 7)]
X = np.vstack([rng.normal(1, 0.12, size=(6, 3)) * typical for typical in kinds.values()])
rows = StandardScaler().fit_transform(np.log(X))

method = Agglomerative(n_clusters=3, linkage="average").fit(rows)
tree = method.hierarchy_
print(tree.n_nodes, "nodes over", tree.n_samples, "rows")

# %%
# The picture
# -----------
# The height of a join is the distance of the two clusters.
fig, ax = plt.subplots(figsize=(7, 4.5))
tree.plot(ax, labels=names)
ax.set_ylabel("mean distance")

# %%
# Clusters
# --------
# A tree is cut to a number of clusters. `labels_` has the cut into the `n_clusters` that the method was made with.
for cluster in range(3):
    print(cluster, [names[row] for row in np.flatnonzero(method.labels_ == cluster)])
