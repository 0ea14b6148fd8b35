"""Exact measures of hierarchies, and the similarities that one of them needs."""

from cladebench.metrics.hierarchical import dasgupta_cost, dendrogram_purity
from cladebench.metrics.similarity import LinearKernel, Similarity

__all__ = ["LinearKernel", "Similarity", "dasgupta_cost", "dendrogram_purity"]
