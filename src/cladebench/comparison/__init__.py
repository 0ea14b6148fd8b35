"""Comparisons: methods on one's own data, without claims; from ``comparison.yaml`` to one page."""
