"""Values behind a number: the one view of the records."""
