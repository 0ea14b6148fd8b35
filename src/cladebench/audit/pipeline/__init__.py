"""Make verdicts of claims: one choice, all choices, one paper, one run."""
