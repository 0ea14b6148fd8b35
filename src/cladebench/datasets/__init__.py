"""Data sets: registry, fetching, checks and generators."""
