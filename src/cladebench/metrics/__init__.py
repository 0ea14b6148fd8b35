"""Exact measures of hierarchies and partitions, computed from counts."""

from cladebench.metrics.hierarchical import dasgupta_cost, dendrogram_purity
from cladebench.metrics.similarity import LinearKernel, Similarity

__all__ = ["LinearKernel", "Similarity", "dasgupta_cost", "dendrogram_purity"]
