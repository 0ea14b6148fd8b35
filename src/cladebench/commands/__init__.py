"""Subcommands of the command line, one file each."""
