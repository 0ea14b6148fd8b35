"""Claims judged against records."""
