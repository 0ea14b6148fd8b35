"""Komodakis: learning to cluster with exemplars by dual decomposition."""
