"""What a release says of itself agrees, and its workflows run what the README names."""

import json
import tomllib

import pytest
import yaml

import cladebench
from doc_examples import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def steps(path):
    """All commands and actions of a workflow."""
    jobs = yaml.safe_load(path.read_text())["jobs"].values()
    return [step.get("run") or step["uses"] for job in jobs for step in job["steps"]]


def test_the_version_is_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"] and "version" not in project["project"]
    assert project["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/cladebench/__init__.py"
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    meta = json.loads((ROOT / "codemeta.json").read_text())
    changes = (ROOT / "CHANGELOG.md").read_text().split("## ")[1].split()[0]
    assert {cladebench.__version__} == {cited, meta["version"], changes}


def test_codemeta_names_what_is_needed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    meta = json.loads((ROOT / "codemeta.json").read_text())
    assert meta["softwareRequirements"] == [entry.split(">")[0] for entry in project["dependencies"]]
    assert meta["keywords"] == project["keywords"]


def test_every_change_runs_the_same_checks():
    (check,) = (path for path in WORKFLOWS if path.name == "check.yml")
    assert ".ci/run" in steps(check) and "python tools/library_check.py" in steps(check)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    assert "tools/library_check.py" in settings["test-command"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read(path):
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}
    # Actions at a version, not at a branch.
    assert all("@v" in step for step in steps(path) if "/" in step.split()[0] and "@" in step)
