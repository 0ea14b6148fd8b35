"""The folder of the project's own files: workflow, configuration, profiles, citation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def built_from(suite: Path) -> Mapping[str, Any]:
    """Read the commit that an installed package was built from.

    ``src/core/built_from.cmake`` writes the file.

    Parameters
    ----------
    suite : Path
        The folder of the package's own files.

    Returns
    -------
    mapping
        commit; day; changed, whether what was built differed from it. Empty in a checkout, and where no repository was
        there to ask.
    """
    path = suite / "built-from.json"
    return json.loads(path.read_bytes()) if path.is_file() else {}
