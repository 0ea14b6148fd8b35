"""Solvers of the optimisation problems that the methods pose."""

from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.margin import (
    MarginFit,
    assignment_costs,
    fit_margin,
    sparse_group_prox,
    squared_hinge,
)

__all__ = [
    "MarginFit",
    "assignment_costs",
    "balanced_assignment",
    "fit_margin",
    "sparse_group_prox",
    "squared_hinge",
]
