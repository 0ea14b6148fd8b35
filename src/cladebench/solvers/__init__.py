"""Solvers of the optimisation problems that the methods pose."""
