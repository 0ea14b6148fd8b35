import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cladebench.crosscheck import run as crosschecks
from cladebench.crosscheck.certificate import Certificate
from comparison_runs import inputs as inputs
from doc_examples import ROOT, write_example_paper


class Snakemake:
    """The real Snakemake on the project's Snakefile, working in a folder of its own."""

    def __init__(
        self, folder: Path, papers: list[str] | None = None, python_path: Path | None = None
    ) -> None:
        self.folder = folder
        self.papers = papers
        self.environment = {**os.environ, "CLADEBENCH_OFFLINE": "1"}
        self.environment.pop("CLADEBENCH_MIRROR", None)
        self.environment["CLADEBENCH_CACHE"] = str(folder / "no-cache")
        if python_path is not None:
            self.environment["PYTHONPATH"] = str(python_path)

    def command(self, *arguments: str, cores: int = 2, config: tuple[str, ...] = ()) -> list[str]:
        settings = ["scope=smoke", *config]
        if self.papers is not None:
            settings.append(f"papers={json.dumps(self.papers)}")
        return [
            *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *(
                "--directory",
                str(self.folder),
                "--cores",
                str(cores),
                "--nocolor",
                "--workflow-profile",
                "none",
            ),
            *("--rerun-incomplete", "--keep-going", *arguments, "--config", *settings),
        ]

    def remove_stale_lock(self) -> subprocess.CompletedProcess:
        """What ``make reproduce`` does before it starts Snakemake."""
        options = [
            "--snakefile",
            str(ROOT / "Snakefile"),
            "--workflow-profile",
            "none",
            "--config",
            "scope=smoke",
        ]
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "cladebench.workflow.folder_lock",
                *options,
                f"papers={json.dumps(self.papers)}",
            ],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def take_certificates(self) -> None:
        """Put down the certificates of checks that took no time, for runs in which others are of no interest.

        They are younger than their sources, so that Snakemake runs no check.
        """
        one = Certificate("toy", "toy", "one", "holds", "fast", "exact", 1.0, 1.0, 0.0, 0.5)
        folder = self.folder / "results" / "smoke"
        folder.mkdir(parents=True)
        crosschecks.write([one], folder)

    def run(
        self, *arguments: str, check: bool = True, timeout: float = 280, **options
    ) -> subprocess.CompletedProcess:
        done = subprocess.run(
            self.command(*arguments, **options),
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done


@pytest.fixture(scope="session")
def snakemake():
    return Snakemake


@pytest.fixture(scope="session")
def example_package(tmp_path_factory):
    """The example paper of the documentation: (folder for the Python path, dotted name)."""
    folder = tmp_path_factory.mktemp("example")
    return folder, write_example_paper(folder)


@pytest.fixture
def example(tmp_path, example_package):
    """Snakemake on the example paper, in an empty folder."""
    python_path, name = example_package
    return Snakemake(tmp_path, [name], python_path)


@pytest.fixture(scope="session")
def smoke(tmp_path_factory):
    """A finished smoke run of all papers, with no network, no mirror and no cache."""
    run = Snakemake(tmp_path_factory.mktemp("smoke"), ["exemplar", "ghc", "hfd", "hmmc", "taxonomy"])
    run.output = run.run(timeout=1600)  # two minutes on a quiet machine
    return run
