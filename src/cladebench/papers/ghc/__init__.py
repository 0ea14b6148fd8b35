"""Gradient-based Hierarchical Clustering."""
