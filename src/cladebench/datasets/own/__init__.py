"""Data of users: from a file to an entry of the registry."""
