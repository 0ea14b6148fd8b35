"""Intervals and tests, by the number of data sets."""
