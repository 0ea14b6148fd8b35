"""What a run was made with: sources, core, machine and versions."""
