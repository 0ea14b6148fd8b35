"""Slow exact twins of kernels and solvers, for tests and crosscheck alone."""
