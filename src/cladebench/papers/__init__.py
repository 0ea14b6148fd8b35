"""The papers: one folder each, with plan, protocol, claims, deviations and artifacts."""
