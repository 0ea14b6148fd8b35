"""Runs: jobs, workers, limits and what is kept."""
