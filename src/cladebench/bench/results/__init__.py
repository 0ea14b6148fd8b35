"""The one view of the records: which values are behind a number."""
