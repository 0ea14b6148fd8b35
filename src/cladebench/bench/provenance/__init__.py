"""Sources, core, machine and versions of a run."""
