"""Comparisons: methods on one's own data, without claims; from ``comparison.yaml`` to one page."""

#: In every comparison: what knows nothing of the data.
CONTROLS = ("RandomClusters", "RandomTree")
