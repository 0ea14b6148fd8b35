"""Reproducible benchmarks and audits of papers on max-margin and hierarchical clustering."""

__version__ = "0.1.0"
