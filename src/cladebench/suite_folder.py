"""The folder of the project's own files: workflow, configuration, profiles, citation."""

from __future__ import annotations

from pathlib import Path

SNAKEFILE = "Snakefile"


def suite_folder() -> Path:
    """Find the folder of the Snakefile, its configuration and profiles.

    A checkout, or the copy that an installed package has.

    Raises
    ------
    FileNotFoundError
        If there is neither.
    """
    package = Path(__file__).resolve().parent
    for folder in (package.parents[1], package / "suite"):
        if (folder / SNAKEFILE).is_file() and (folder / "workflow" / SNAKEFILE).is_file():
            return folder
    raise FileNotFoundError(2, "no Snakefile in this installation", str(package / "suite"))
