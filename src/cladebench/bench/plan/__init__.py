"""Plans, their runs, tasks, jobs, and settings."""
