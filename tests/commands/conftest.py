"""A finished run of the documentation's example paper, made by the commands on a machine without git."""

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cladebench.bench.provenance import provenance
from cladebench.cli import main
from doc_examples import write_example_paper
from made_once import made_once


@dataclasses.dataclass(frozen=True)
class Run:
    """The folder of a run of one paper, and the arguments that name it to each command."""

    folder: Path
    paper: str

    def arguments(self, command: str) -> list[str]:
        name = {"run": "--out", "collect": "--out", "crosscheck": "--out", "gate": "--out"}
        options = [command, name.get(command, "--results"), str(self.folder)]
        options += ["--scope", "smoke"] if command != "audit" else []
        return options + (["--topic", "perch"] if command == "crosscheck" else ["--paper", self.paper])

    def main(self, command: str, *more: str) -> int:
        return main([*self.arguments(command), *more])


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The run; not to be changed."""
    folder = made_once(tmp_path_factory, "finished-run", run_the_example)
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(str(folder / "package"))
        yield Run(folder / "run", FINISHED)


#: A package of its own: other tests import theirs under the documentation's name, and edit it.
FINISHED = "finished_run.examplepaper"


def run_the_example(folder: Path) -> None:
    """Run the documentation's paper by all commands: its package and its results go into the folder."""
    package, no_programs = folder / "package", folder / "empty"
    no_programs.mkdir()
    name, _, _ = write_example_paper(package).partition(".")
    (package / name).rename(package / "finished_run")
    run = Run(folder / "run", FINISHED)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(package))
        patch.setenv("PATH", str(no_programs))
        patch.setattr("cladebench.bench.provenance.core_build.check_core_is_fresh", lambda: None)
        # Kept once a process, and earlier tests of this process had git.
        patch.setattr(provenance, "_surroundings", provenance._surroundings.__wrapped__)
        for command in ("run", "collect", "crosscheck", "audit", "artifacts", "report", "gate"):
            assert run.main(command) == 0, command


@pytest.fixture
def copied(finished: Run, tmp_path: Path) -> Run:
    """A copy of the run, to be damaged."""
    shutil.copytree(finished.folder, tmp_path / "run")
    return Run(tmp_path / "run", finished.paper)
