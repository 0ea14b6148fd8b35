"""What a release says of itself agrees, and its workflows run what the README names."""

import json
import re
import tomllib

import pytest
import yaml

import cladebench
from doc_examples import ROOT

#: From these versions on, the actions run on Node.js 24.
FIRST = {
    "actions/checkout": 5,
    "actions/setup-python": 6,
    "actions/upload-artifact": 6,
    "pypa/cibuildwheel": 4,
}
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


def test_what_is_released_has_a_date():
    """A crate that is made from a release has its date."""
    unreleased = "unreleased" in (ROOT / "CHANGELOG.md").read_text().split("## ")[1].splitlines()[0]
    assert unreleased == ("date-released" not in yaml.safe_load((ROOT / "CITATION.cff").read_text()))


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


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_at_versions_that_run(path):
    used = [step.split("@v") for step in steps(path) if re.fullmatch(r"[\w-]+/[\w-]+@\S+", step)]
    assert len(used) > 3
    for action, version in used:  # at a version, not at a branch
        assert int(version.split(".")[0]) >= FIRST[action], action


def test_the_workflow_catalogue_promises_what_is_so():
    """Rules call the interpreter that started Snakemake, so an environment that it makes for them changes nothing."""
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["software-stack-deployment"] == {"conda": False} and usage["report"] is True
    assert "make build" in usage["mandatory-flags"]["desc"]
    assert (ROOT / "config/README.md").is_file() and (ROOT / "workflow/Snakefile").is_file()


def test_the_index_of_packages_is_told_for_whom_it_is():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    told = set(project["classifiers"])
    least = project["requires-python"].removeprefix(">=")
    assert {f"Programming Language :: Python :: {least}", "Programming Language :: C++"} <= told
    systems = json.loads((ROOT / "codemeta.json").read_text())["operatingSystem"]
    named = {entry.split(" :: ")[-1] for entry in told if entry.startswith("Operating System :: ")}
    assert {name.lower() for name in named} == {name.lower() for name in systems}
    assert "Typing :: Typed" in told and (ROOT / "src/cladebench/py.typed").is_file()
    assert not any(entry.startswith("License ::") for entry in told)  # the key `license` says it
