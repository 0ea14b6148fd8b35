"""Loaded by each Python that `make mutants` starts: the package is the copy's, and its blocks say that they ran."""

import builtins
import contextlib
import os
import sys

# The finder of an editable installation would answer with the sources of the working tree.
sys.meta_path[:] = [
    finder for finder in sys.meta_path if "ScikitBuildRedirectingFinder" not in type(finder).__name__
]

seen: set[int] = set()


def block_ran(number: int) -> None:
    """Note that a block ran, once for each test and process; again later where a test lets no file be written."""
    if number not in seen:
        with contextlib.suppress(OSError):
            out = os.open(os.environ["MUTANTS_HITS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            with os.fdopen(out, "wb", buffering=0) as file:
                file.write(f"{os.environ.get('MUTANTS_TEST', '')}\t{number}\n".encode())
            seen.add(number)


builtins.__dict__["_block_ran"] = block_ran
