"""Exact measures of hierarchies and partitions.

Also what chance gives, and the similarities that one of them needs.
"""

from cladebench.metrics.chance import (
    cost_scores,
    expected_dasgupta_cost,
    expected_dendrogram_purity,
    expected_rand_index,
    f_scores,
    purity_scores,
    rand_scores,
)
from cladebench.metrics.hierarchical import dasgupta_cost, dendrogram_purity
from cladebench.metrics.information import entropy_scores, v_scores
from cladebench.metrics.matching import matched_scores
from cladebench.metrics.neighbors import average_precision, precision_at, vote
from cladebench.metrics.partitions import rand_index
from cladebench.metrics.scores import Scores
from cladebench.metrics.semantic import best_constant, semantic_scores, semantic_similarity
from cladebench.metrics.similarity import LinearKernel, Similarity

__all__ = [
    "LinearKernel",
    "Scores",
    "Similarity",
    "average_precision",
    "best_constant",
    "cost_scores",
    "dasgupta_cost",
    "dendrogram_purity",
    "entropy_scores",
    "expected_dasgupta_cost",
    "expected_dendrogram_purity",
    "expected_rand_index",
    "f_scores",
    "matched_scores",
    "precision_at",
    "purity_scores",
    "rand_index",
    "rand_scores",
    "semantic_scores",
    "semantic_similarity",
    "v_scores",
    "vote",
]
