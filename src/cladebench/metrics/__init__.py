"""Exact measures of hierarchies and partitions, computed from counts."""
