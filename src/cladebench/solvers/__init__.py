"""Solvers of the optimisation problems that the methods pose."""

from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.correlation_clustering import CorrelationClustering, correlation_clustering
from cladebench.solvers.facility_location import FacilityLocation, facility_location
from cladebench.solvers.linkages import linkage
from cladebench.solvers.margin import (
    MarginFit,
    assignment_costs,
    fit_margin,
    sparse_group_prox,
    squared_hinge,
)
from cladebench.solvers.tree_metric import TreeMetric, fit_branch_lengths, fit_tree_metric, four_point_excess

__all__ = [
    "CorrelationClustering",
    "FacilityLocation",
    "MarginFit",
    "TreeMetric",
    "assignment_costs",
    "balanced_assignment",
    "correlation_clustering",
    "facility_location",
    "fit_branch_lengths",
    "fit_margin",
    "fit_tree_metric",
    "four_point_excess",
    "linkage",
    "sparse_group_prox",
    "squared_hinge",
]
