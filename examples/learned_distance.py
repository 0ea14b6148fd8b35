"""
Learning a distance from pairs
==============================

You learn how to turn a few hints ("these two belong together, those two do not") into a distance, and how to cluster
with it.

K-means takes all features for equally important. Here two features tell three groups apart, and four more are noise
of three times the spread. Hints on pairs are enough to find that out.
"""

# %%
# Data and hints
# --------------
# Half of the rows are held out. Pairs are two arrays of row numbers. 100 pairs of the other half are drawn here; a
# person would give them.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from cladebench.distances import ITML

rng = np.random.default_rng(0)
groups = np.tile([0, 1, 2], 100)
centers = np.array([[0, 0], [4, 0], [2, 4]])
X = np.hstack([centers[groups] + rng.normal(size=(300, 2)), 3 * rng.normal(size=(300, 4))])
X, held_out, groups, held_out_groups = X[:150], X[150:], groups[:150], groups[150:]

pairs = rng.integers(150, size=(100, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]]
together = groups[pairs[:, 0]] == groups[pairs[:, 1]]
print(together.sum(), "pairs belong together,", (~together).sum(), "do not")

# %%
# The distance
# ------------
# `ITML` looks for the distance nearest to the Euclidean one that meets the hints. It is the Euclidean distance of
# transformed rows, so `transform` feeds any other method.
distance = ITML(max_iter=1000).fit(X, must_link=pairs[together], cannot_link=pairs[~together])
print("steps:", distance.n_iter_, " converged:", distance.converged_)

# %%
# Before and after
# ----------------
# The rows that were held out are clustered, so that no hint was on them. Agreement with the groups is the adjusted Rand
# index: 1 is perfect, 0 is chance.
mapped = distance.transform(held_out)
found = {
    "given features": KMeans(3, n_init=10, random_state=0).fit_predict(held_out),
    "learned distance": KMeans(3, n_init=10, random_state=0).fit_predict(mapped),
}
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, (name, labels) in zip(axes, found.items(), strict=True):
    score = adjusted_rand_score(held_out_groups, labels)
    print(f"{name}: {score:.2f}")
    ax.scatter(held_out[:, 0], held_out[:, 1], c=labels, cmap="viridis", s=18)
    ax.set(title=f"clusters by {name}, index {score:.2f}", xlabel="feature 1")
axes[0].set_ylabel("feature 2")

# %%
# What it learned
# ---------------
# The diagonal of the learned matrix has a weight for each feature. Those of the noise are small.
weights = np.diag(distance.components_.T @ distance.components_)
print(np.round(weights / weights.max(), 2))
