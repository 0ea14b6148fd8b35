"""Clustering methods, one file each, as scikit-learn estimators."""
