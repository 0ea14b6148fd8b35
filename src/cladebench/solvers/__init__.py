"""Solvers of the optimisation problems that the methods pose."""

from cladebench.solvers.assignment import balanced_assignment

__all__ = ["balanced_assignment"]
