"""Intervals and tests for the number of data sets that there are."""
