"""The wheel has what comparisons and audits need: they run outside of any checkout, by what a user types."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import cladebench._core
import pytest
from comparison_runs import write_inputs

from doc_examples import ROOT
from package_build import package_build

#: The wheel by its own rules, but nothing is compiled: the core is the one in use.
BUILD = """
import sys
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[1], {"wheel.cmake": "false", "wheel.py-api": ""})
"""
#: An editable installation would answer first.
NOT_EDITABLE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if not type(finder).__name__.startswith("ScikitBuild")]
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that has the package as pip would install it."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, check=True, capture_output=True, timeout=120
    )
    (wheel,) = folder.glob("cladebench-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    if (build := package_build()) is not None:
        subprocess.run(
            ["cmake", "--install", str(build), "--prefix", str(folder / "site"), "--component", "suite"],
            env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
            check=True,
            capture_output=True,
        )
    shutil.copy(cladebench._core.__file__, folder / "site/cladebench")
    (folder / "site/sitecustomize.py").write_text(NOT_EDITABLE)
    return folder / "site"


def files_of(folder):
    """Names of what is written by hand below a folder."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name for name in names if "__pycache__" not in name and not name.endswith(".so")}


def run(installed, folder, *command):
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_has_all_files_of_the_package(installed):
    ours, there = (files_of(folder) for folder in (ROOT / "src/cladebench", installed / "cladebench"))
    assert {"comparison/templates/page.html", "workflow/comparison.smk", "report/templates/style.css"} < ours
    assert ours <= there


def test_a_comparison_runs_from_what_is_installed(installed, tmp_path):
    write_inputs(tmp_path)
    where = run(installed, tmp_path, "-c", "import cladebench; print(cladebench.__file__)")
    assert Path(where.strip()).parent == installed / "cladebench"
    cli = ("-m", "cladebench.cli")
    mine = ("--label", "diagnosis", "--mine", "users_methods.py:Mine")
    run(installed, tmp_path, *cli, "new-comparison", "patients.csv", *mine)
    file = tmp_path / "comparison.yaml"
    few = file.read_text().replace("[fitting, ", "[").replace("repetitions: 10", "repetitions: 2")
    assert few != file.read_text()
    file.write_text(few)
    said = run(installed, tmp_path, *cli, "run-comparison", "comparison.yaml", "--out", "report")
    assert said.splitlines()[-1] == str(tmp_path / "report/index.html")
    assert said.count("report/index.html") == 1
    page = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    assert "Mine has the best score" in page and "color-scheme" in page
    assert str(ROOT) not in page


def test_the_audits_workflow_plans_from_what_is_installed(installed, tmp_path):
    if not (installed / "cladebench/suite").exists():
        pytest.skip("the core was not built from this checkout")
    cli = ("-m", "cladebench.cli", "reproduce", "--scope", "smoke", "--cores", "1")
    said = run(installed, tmp_path, *cli, "--paper", "taxonomy", "--dry-run")
    assert "artifacts_taxonomy" in said and "gate" in said and str(ROOT / "Snakefile") not in said
    assert not (tmp_path / "results").exists()
