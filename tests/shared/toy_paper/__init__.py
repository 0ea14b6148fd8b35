"""A paper whose cells do whatever a watchdog must cope with."""
