"""What is run: plans, their runs, tasks, jobs, settings and the choice of the one that counts."""
