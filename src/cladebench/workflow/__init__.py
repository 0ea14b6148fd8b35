"""What Snakemake asks: jobs, files, and the reasons to run something again."""
