"""How runs are made: jobs, workers, limits and what is kept."""
