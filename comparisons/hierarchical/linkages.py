"""Each linkage as a method of its own, so that no rule has to choose one."""

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative
from cladebench.methods.base import HierarchicalClusterer


class Single(Agglomerative):
    """Merge the two clusters with the closest pair."""

    def __init__(self, n_clusters=2, *, linkage="single"):
        super().__init__(n_clusters, linkage=linkage)


class Complete(Agglomerative):
    """Merge the two clusters whose farthest pair is closest."""

    def __init__(self, n_clusters=2, *, linkage="complete"):
        super().__init__(n_clusters, linkage=linkage)


class Average(Agglomerative):
    """Merge the two clusters whose pairs are closest on average."""

    def __init__(self, n_clusters=2, *, linkage="average"):
        super().__init__(n_clusters, linkage=linkage)


class Weighted(Agglomerative):
    """Merge by averages in which both halves of a cluster count alike."""

    def __init__(self, n_clusters=2, *, linkage="weighted"):
        super().__init__(n_clusters, linkage=linkage)


class Ward(Agglomerative):
    """Merge the two clusters whose union has the least more squares within."""

    def __init__(self, n_clusters=2, *, linkage="ward"):
        super().__init__(n_clusters, linkage=linkage)


class Centroid(Agglomerative):
    """Merge the two clusters whose means are closest."""

    def __init__(self, n_clusters=2, *, linkage="centroid"):
        super().__init__(n_clusters, linkage=linkage)


class Median(Agglomerative):
    """Merge the two clusters whose midpoints are closest: those of the merges before, whatever their sizes."""

    def __init__(self, n_clusters=2, *, linkage="median"):
        super().__init__(n_clusters, linkage=linkage)


class FastWard(HierarchicalClusterer):
    """Ward's linkage of the library fastcluster, which keeps no distances."""

    def __init__(self, n_clusters=2, *, linkage="ward"):
        self.n_clusters = n_clusters
        self.linkage = linkage

    def _build(self, X: np.ndarray, y: None) -> Hierarchy:
        from fastcluster import linkage_vector

        return Hierarchy.from_linkage(linkage_vector(X, method=self.linkage))
