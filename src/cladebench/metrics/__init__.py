"""Exact measures of hierarchies and partitions, and the similarities that one of them needs."""

from cladebench.metrics.hierarchical import dasgupta_cost, dendrogram_purity
from cladebench.metrics.partitions import rand_index
from cladebench.metrics.semantic import semantic_similarity
from cladebench.metrics.similarity import LinearKernel, Similarity

__all__ = [
    "LinearKernel",
    "Similarity",
    "dasgupta_cost",
    "dendrogram_purity",
    "rand_index",
    "semantic_similarity",
]
