"""Settings of all tests; this file also puts tests/ on the import path, for `strategies`."""

from hypothesis import settings

# No deadline: how long an example takes says something about the machine, not about the code. The same examples in
# every run: a change fails by what it changed alone. `--hypothesis-profile=search` looks for new ones.
settings.register_profile("cladebench", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=500)
settings.load_profile("cladebench")
