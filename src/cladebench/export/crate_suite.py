"""What a crate takes from the suite: workflow, configuration, authors, day."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.input_files import InputFileError, read_yaml
from cladebench.suite_folder import built_from

#: The workflow's files; the first is the one that Snakemake is given.
WORKFLOW = ("Snakefile", "workflow/Snakefile", "workflow/rules/*.smk")
CONFIGURATION = "config/config.yaml"


@dataclass(frozen=True)
class Suite:
    """The project's own files, in a checkout or in the installed package."""

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
        citation = read_yaml(self.root / "CITATION.cff", "CITATION.cff")
        for key, kind in (("authors", list), ("license", str)):
            if (
                not isinstance(citation, Mapping)
                or not isinstance(citation.get(key), kind)
                or not citation[key]
            ):
                raise InputFileError(
                    f"CITATION.cff: {key}: missing or wrong; expected the {key} of the software"
                )
        return dict(citation)

    @property
    def state(self) -> str:
        """Of what commit the files are, as words behind "the workflow"."""
        built = built_from(self.root)
        if not built:
            return "at the time of the export"
        changes = " and changes since" if built["changed"] else ""
        return f"of the installed package, built from commit {built['commit']}{changes}"

    def last_day(self, commits: Iterable[str]) -> str:
        """Give the day of the newest commit that git knows.

        An installed package has no git; the day is that of the commit that it was built from. Empty where none is
        known.
        """
        days = (self._git("show", "-s", "--format=%cs", commit) for commit in commits)
        return max(days, default="") or str(built_from(self.root).get("day", ""))

    def _git(self, *arguments: str) -> str:
        # A virtual environment may lie inside some other repository.
        if not (self.root / ".git").exists():
            return ""
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
