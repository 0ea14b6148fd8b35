"""Data sets, one file a family, found by itself."""
