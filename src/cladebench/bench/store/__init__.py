"""Records as files and as one table, and what the gate says of them."""
