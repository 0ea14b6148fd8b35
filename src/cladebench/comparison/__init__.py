"""Compare methods on one's own data, without claims: file to page."""

#: In every comparison: what knows nothing of the data.
CONTROLS = ("RandomClusters", "RandomTree")
