"""Learning Taxonomies by Dependence Maximization (Blaschko, Gretton)."""
