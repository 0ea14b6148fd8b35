"""Learned distances, one file each, as scikit-learn estimators."""
