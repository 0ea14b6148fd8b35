"""Records as files and as one table; the gate."""
