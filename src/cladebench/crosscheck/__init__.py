"""Fast paths checked against exact solvers; leaves certificates."""
