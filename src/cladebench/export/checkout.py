"""What a crate takes from the checkout: workflow, configuration, authors, day."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.datasets.settings import checkout_root
from cladebench.input_files import InputFileError, read_yaml

#: The workflow's files; the first is the one that Snakemake is given.
WORKFLOW = ("Snakefile", "workflow/Snakefile", "workflow/rules/*.smk")
CONFIGURATION = "config/config.yaml"


@dataclass(frozen=True)
class Checkout:
    """The folder of the project's sources."""

    root: Path

    @property
    def workflow(self) -> list[str]:
        """Names of the files of the workflow, the main one first."""
        return [
            path.relative_to(self.root).as_posix()
            for pattern in WORKFLOW
            for path in sorted(self.root.glob(pattern))
        ]

    @property
    def citation(self) -> Mapping[str, Any]:
        """What ``CITATION.cff`` says."""
        found = read_yaml(self.root / "CITATION.cff", "CITATION.cff")
        for key, kind in (("authors", list), ("license", str)):
            if not isinstance(found, Mapping) or not isinstance(found.get(key), kind) or not found[key]:
                raise InputFileError(
                    f"CITATION.cff: {key}: missing or wrong; expected the {key} of the software"
                )
        return dict(found)

    def last_day(self, commits: Iterable[str]) -> str:
        """Give the day of the newest commit that git knows.

        Empty where it knows none.
        """
        days = (self._git("show", "-s", "--format=%cs", commit) for commit in commits)
        return max(days, default="")

    def _git(self, *arguments: str) -> str:
        try:
            done = subprocess.run(
                ["git", "--no-optional-locks", "-C", str(self.root), *arguments],
                capture_output=True,
                text=True,
                timeout=20,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        return done.stdout.strip()


def find_checkout() -> Checkout:
    """Find the checkout around the package or the current folder.

    Raises
    ------
    InputFileError
        If there is none.
    """
    root = checkout_root()
    if root is None or not (root / WORKFLOW[0]).is_file():
        raise InputFileError(
            "Snakefile: no checkout of cladebench around the current folder; expected one, for the crate describes its "
            "workflow"
        )
    return Checkout(root)
