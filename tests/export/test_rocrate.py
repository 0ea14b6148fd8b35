"""The crate by the MUST terms of its profiles, on a run and files of the project of known truth."""

import hashlib
import json
import os
import subprocess
from urllib.parse import unquote

import pytest

from cladebench import datasets
from cladebench.bench.store.cells_table import read_cells
from cladebench.cli import main
from cladebench.export.crate_software import is_code, software_entities
from cladebench.export.crate_suite import Suite

PROFILES = [
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
]


@pytest.fixture
def crate(results, suite, tmp_path):
    folder = tmp_path / "crate"
    options = ["--results", str(results), "--paper", "page_paper", "--out", str(folder)]
    assert main(["export", "--format", "rocrate", *options]) == 0
    document = json.loads((folder / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    return folder, document, {entity["@id"]: entity for entity in document["@graph"]}


def ids(value):
    return [one["@id"] for one in (value if isinstance(value, list) else [value])]


def types(entity):
    return entity["@type"] if isinstance(entity["@type"], list) else [entity["@type"]]


def test_descriptor_and_root(crate):
    _, document, by_id = crate
    assert document["@context"] == [
        "https://w3id.org/ro/crate/1.1/context",
        "https://w3id.org/ro/terms/workflow-run/context",
    ]
    assert len(by_id) == len(document["@graph"])
    descriptor, root = by_id["ro-crate-metadata.json"], by_id["./"]
    assert types(descriptor) == ["CreativeWork"] and ids(descriptor["about"]) == ["./"]
    assert "https://w3id.org/ro/crate/1.1" in ids(descriptor["conformsTo"])
    assert types(root) == ["Dataset"] and root["datePublished"] == "2026-01-02"
    assert root["name"] and root["description"] and ids(root["license"])
    assert ids(root["conformsTo"]) == PROFILES
    assert all(types(by_id[profile]) == ["CreativeWork"] for profile in PROFILES)


def test_workflow_and_run(crate, results):
    _, _, by_id = crate
    root = by_id["./"]
    (main_id,) = ids(root["mainEntity"])
    workflow = by_id[main_id]
    assert main_id == "Snakefile"
    assert types(workflow) == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert ids(workflow["hasPart"]) == ["workflow/Snakefile", "workflow/rules/a.smk", "workflow/rules/b.smk"]
    language = by_id[ids(workflow["programmingLanguage"])[0]]
    assert types(language) == ["ComputerLanguage"] and language["name"] == "Snakemake"
    (action,) = [entity for entity in by_id.values() if "CreateAction" in types(entity)]
    assert ids(action["instrument"]) == [main_id] and action["@id"] in ids(root["mentions"])
    digest = hashlib.sha256((results / "audit.csv").read_bytes()).hexdigest()
    assert action["@id"] == f"#run-{digest[:12]}"
    assert {"startTime", "endTime"}.isdisjoint(action), "no file of a run says when it began"
    made = ids(action["result"])
    assert {"audit.csv", "cells.parquet", "certificates.csv", "report/index.html"} <= set(made)
    assert any(name.startswith("figures/page_paper/") for name in made)
    assert any(name.startswith("tables/page_paper/") for name in made)
    assert "config/config.yaml" in ids(action["object"])
    packages = {
        (by_id[one]["name"], by_id[one]["softwareVersion"])
        for one in ids(workflow["softwareRequirements"])
        if not one.startswith("#code-")
    }
    assert packages == {("python", "3.11"), ("numpy", "2.0")}


def test_the_code_is_that_of_the_runs(crate, results):
    _, _, by_id = crate
    (workflow,) = (by_id[name] for name in ids(by_id["./"]["mainEntity"]))
    states = [by_id[one] for one in ids(workflow["softwareRequirements"]) if one.startswith("#code-")]
    cells = read_cells(results / "cells.parquet").drop_duplicates("cell_id")
    cells = cells[cells["paper"] == "page_paper"]
    assert {state["softwareVersion"].split(",")[0] for state in states} == {
        commit or "not in a repository" for commit in cells["git_commit"].fillna("")
    }
    assert all(types(state) == ["SoftwareApplication"] and state["name"] == "cladebench" for state in states)
    (action,) = [entity for entity in by_id.values() if "CreateAction" in types(entity)]
    assert f"made with {len(states)} state" in action["description"]


def test_each_state_of_the_code_has_its_runs_and_its_packages():
    def row(cells, commit, state, **versions):
        return {
            "cells": cells,
            "commit": commit,
            "state": state,
            "core_build": "f" * 64,
            "versions": versions,
        }

    few, many, package, other = software_entities(
        [
            row(2, "a" * 40, "clean", numpy="1"),
            row(3, "a" * 40, "changed since that commit", cladebench="0.1.0", numpy="1"),
            row(1, "a" * 40, "clean", numpy="2", cladebench="0.2.0"),
        ]
    )
    # Of as many runs each: by the state's name.
    assert many["softwareVersion"] == "a" * 40 and few["softwareVersion"].startswith(
        "a" * 40 + ", sources: ch"
    )
    assert ids(many["softwareRequirements"]) == ["#software-numpy-1", "#software-numpy-2"]
    assert ids(few["softwareRequirements"]) == ["#software-numpy-1"] == [package["@id"]]
    assert other["softwareVersion"] == "2" and len({few["@id"], many["@id"]}) == 2
    assert many["description"] == (
        "A state of the code of version 0.2.0, which made 3 runs. Builds of the core: ffffffffffff."
    )
    assert [is_code(entity) for entity in (few, many, package, other)] == [True, True, False, False]


def test_authors_are_those_of_the_citation(crate):
    _, _, by_id = crate
    organisation, person = (by_id[name] for name in ids(by_id["./"]["author"]))
    assert (types(organisation), organisation["name"]) == (["Organization"], "The developers")
    assert (types(person), person["name"]) == (["Person"], "Ada Example")
    assert person["@id"] == "https://orcid.org/0000-0002-1825-0097"


def test_data_have_address_sha256_and_licence(crate):
    _, _, by_id = crate
    (action,) = [entity for entity in by_id.values() if "CreateAction" in types(entity)]
    used = [name for name in ids(action["object"]) if name.startswith("#data-")]
    assert "#data-glass" in used and "#data-nested-blobs" in used
    glass, info = by_id["#data-glass"], datasets.info("glass")
    assert types(glass) == ["Collection"] and types(by_id["#data-nested-blobs"]) == ["CreativeWork"]
    assert by_id[ids(glass["license"])[0]]["name"] == info.licence
    for name, file in zip(ids(glass["hasPart"]), info.files, strict=True):
        assert name == by_id[name]["url"] == file.official_url
        assert by_id[name]["sha256"] == file.sha256 and types(by_id[name]) == ["File"]
    assert ids(glass["subjectOf"]) == ["#paper-page_paper"]
    assert set(used) <= set(ids(by_id["./"]["mentions"]))


def test_every_reference_leads_somewhere_and_every_file_is_there(crate):
    folder, document, by_id = crate
    outside = {"https://w3id.org/ro/crate/1.1", "https://snakemake.github.io/"}
    referred = {
        one["@id"]
        for entity in document["@graph"]
        for value in entity.values()
        for one in (value if isinstance(value, list) else [value])
        if isinstance(one, dict)
    }
    assert referred <= by_id.keys() | outside
    parts = ids(by_id["./"]["hasPart"])
    here = [name for name in parts if not name.startswith("https://")]
    for name in here:
        content = (folder / unquote(name)).read_bytes()
        assert by_id[name]["sha256"] == hashlib.sha256(content).hexdigest()
        assert by_id[name]["contentSize"] == str(len(content))
    assert {name for name, entity in by_id.items() if "File" in types(entity)} == set(parts)
    on_disk = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {unquote(name) for name in here} | {"ro-crate-metadata.json"} == on_disk


def test_the_day_is_that_of_the_newest_known_commit(tmp_path):
    days = {"a": "2025-03-01", "b": "2026-01-31", "c": ""}

    class Known(Suite):
        def _git(self, *arguments):
            return days.get(arguments[-1], "")

    assert Known(tmp_path).last_day(["a", "b", "c", "d"]) == "2026-01-31"
    assert Known(tmp_path).last_day(["c"]) == ""
    assert Suite(tmp_path).last_day(["a"]) == ""


def test_git_is_asked_in_a_checkout_alone(tmp_path):
    """An environment may lie inside some other repository."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    day = {"GIT_COMMITTER_DATE": "2025-03-01T12:00:00Z"}
    made = [*git, "commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", "first"]
    subprocess.run(made, check=True, env={**os.environ, **day})
    (tmp_path / "suite").mkdir()
    assert Suite(tmp_path).last_day(["HEAD"]) == "2025-03-01"
    assert Suite(tmp_path / "suite").last_day(["HEAD"]) == ""


@pytest.mark.parametrize(("changed", "words"), [("false", "a1"), ("true", "a1 and changes since")])
def test_an_installed_package_knows_what_it_was_built_from(changed, words, results, suite, tmp_path):
    (suite / "CITATION.cff").write_text("authors: [{name: A}]\nlicense: X\n")
    (suite / "built-from.json").write_text(f'{{"commit": "a1", "day": "2025-03-01", "changed": {changed}}}')
    options = ["--results", str(results), "--paper", "page_paper", "--out", str(tmp_path)]
    assert main(["export", "--format", "rocrate", *options]) == 0
    graph = json.loads((tmp_path / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    by_id = {entity["@id"]: entity for entity in graph}
    assert by_id["./"]["datePublished"] == "2025-03-01"
    assert f"the installed package, built from commit {words}: " in by_id["Snakefile"]["description"]
