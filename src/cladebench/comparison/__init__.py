"""Comparison reports: methods on someone's data, without claims."""
