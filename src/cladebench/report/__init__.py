"""Static pages that show artifacts, verdicts and certificates."""
