"""What `make build` shows while one waits, what `make reproduce` does first, and how many threads its processes have.

Pip, Snakemake and pytest are stand-ins.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from doc_examples import ROOT

#: Stands in for Python and, under that name, for Snakemake; pip says what pip and ninja say.
FAKE = """#!/bin/bash
case "$(basename "$0") $*" in
  *"-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp "$0" "$3/bin/snakemake";;
  *"-m pip "*) echo "Collecting numpy==2.0"; echo "  Using cached numpy"; echo "  [1/2] Building CXX object tree.cpp.o"
      if [ -n "$PIP_FAILS" ]; then echo "a fault that pip explains"; exit 1; fi
      echo "Installing collected packages: numpy";;
  *folder_lock*) echo "lock"; exit "${LOCK_FAILS:-0}";;
  snakemake*) echo "snakemake runs"; printenv;;
  *"-m pytest "*) printenv;;
  *) exec REAL "$@";;
esac
"""


@pytest.fixture
def make(tmp_path):
    """Gives a function that runs make on the project's Makefile in a folder of its own."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.lock").write_text(
        "numpy==2.0 \\\n    --hash=sha256:0\nscipy==1.0 \\\n    --hash=sha256:0\n"
    )
    for name in ("CMakeLists.txt", "pyproject.toml", "src/core/CMakeLists.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    fake = tmp_path / "fake-python"
    fake.write_text(FAKE.replace("REAL", sys.executable))
    fake.chmod(0o755)

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
        variables = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith("MAKE") and not k.endswith("_THREADS")  # as `make check` sets them
        }
        return subprocess.run(
            ["make", f"PYTHON={fake}", *arguments],
            cwd=tmp_path,
            env={**variables, "CXX": "sh", **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_build_shows_its_steps_with_seconds_and_promises_no_time(make, tmp_path):
    done = make("build")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "[1/2] environment: .venv from the 2 packages of requirements.lock, hashes checked"
    steps = [line.split(maxsplit=2) for line in lines[1:4]]
    assert [step[1:] for step in steps] == [
        ["s", "Collecting numpy==2.0"],
        ["s", "[1/2] Building CXX object tree.cpp.o"],
        ["s", "Installing collected packages: numpy"],
    ]
    assert all(step[0].isdigit() for step in steps) and lines[4].strip().startswith("done in ")
    assert "minute" not in done.stdout and "cached" not in done.stdout
    assert lines[5].startswith("[2/2] package: ") and len(lines) == 10
    assert make("build").stdout == ""  # nothing is done twice


def test_a_build_that_fails_shows_what_pip_said(make, tmp_path):
    failed = make("build", PIP_FAILS="1")
    assert failed.returncode != 0 and "a fault that pip explains" in failed.stderr
    log = Path(failed.stderr.partition("all of its output is in ")[2].split()[0])
    assert "Using cached numpy" in (tmp_path / log).read_text()
    assert make("build").returncode == 0


def test_reproduce_removes_a_stale_lock_first_and_stops_where_another_run_lives(make):
    done = make("reproduce", "SCOPE=smoke")
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("lock\n") < done.stdout.index("snakemake runs\n")
    stopped = make("reproduce", LOCK_FAILS="1")
    assert stopped.returncode != 0 and "snakemake runs" not in stopped.stdout


@pytest.mark.parametrize("target", ["reproduce", "check"])
def test_processes_side_by_side_have_one_thread_each_unless_the_user_says_more(make, target):
    def met(**environment):
        done = make(target, **environment)
        assert done.returncode == 0, done.stderr
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)

    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    assert [met().get(name) for name in names] == ["1"] * 4
    assert [met(OMP_NUM_THREADS="3").get(name) for name in names] == ["3", "1", "1", "1"]
    assert "PYTHONDONTWRITEBYTECODE" not in met(PYTHONDONTWRITEBYTECODE="1")
