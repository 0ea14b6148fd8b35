"""The papers: one folder each, with plan, protocol, claims, choices and artifacts."""
