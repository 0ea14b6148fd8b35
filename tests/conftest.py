"""Settings of all tests; this file also puts tests/ on the import path, for `strategies`."""

from hypothesis import settings

# No deadline: how long an example takes says something about the machine, not about the code.
settings.register_profile("cladebench", deadline=None)
settings.load_profile("cladebench")
