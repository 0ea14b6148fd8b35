"""Blaschko and Gretton: learning taxonomies by dependence maximization (numerical taxonomy clustering)."""
