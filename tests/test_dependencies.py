"""What is imported is declared, and the conda environment has what pyproject.toml declares."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import yaml

from doc_examples import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
#: Where conda's name is another.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal"}
#: Extras that users may want, in place of the ones for developers.
EXTRAS = ("plot", "ghc", "images", "run", "check")
#: Declared for what is run, not for an import: the workflow, and its own report.
NOT_IMPORTED = {"snakemake", "pygments"}
#: Imported by name, where they are there; conda goes without.
BY_NAME = {"opencv-python-headless", "ortools"}


def split(requirement):
    """Name and version of a requirement, as pip or conda writes it."""
    name, version = re.fullmatch(r"([A-Za-z0-9_.-]+?) *([<>=!~].*)?", requirement).groups()
    return name.lower(), version


def declared(*extras):
    """Requirements of the package and some of its extras; those by which an extra has another are left out."""
    project = PROJECT["project"]
    entries = [*project["dependencies"], *(e for x in extras for e in project["optional-dependencies"][x])]
    return [entry for entry in entries if not entry.startswith("cladebench[")]


def imported_packages():
    """Top-level names of all imports of the package, wherever the statement stands, but for the standard library."""
    names = set()
    for path in (ROOT / "src" / "cladebench").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names.add(node.module)
    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"cladebench"}


def test_each_import_is_declared_and_each_declared_package_is_used():
    distributions = packages_distributions()
    imported = {distributions[name][0].lower() for name in imported_packages()}
    assert imported | NOT_IMPORTED | BY_NAME == {split(requirement)[0] for requirement in declared(*EXTRAS)}


def test_the_conda_environment_has_the_same_packages_with_the_same_bounds():
    project = PROJECT["project"]
    packages = dict(map(split, declared(*EXTRAS, "build")))
    wanted = {CONDA_NAMES.get(name, name): packages[name] for name in packages if name not in BY_NAME}
    wanted |= {"python": project["requires-python"], "pip": None, "cxx-compiler": None, "make": None}
    assert dict(split(entry) for entry in CONDA if isinstance(entry, str)) == wanted
    assert set(PROJECT["build-system"]["requires"]) <= set(project["optional-dependencies"]["build"])


def test_each_dependency_has_a_reason():
    reasons = (ROOT / "docs" / "dependencies.md").read_text()
    names = {split(requirement)[0] for requirement in declared(*EXTRAS, "compare")}
    assert {name for name in names if not re.search(rf"\b{name}\b", reasons)} == set()


def test_pip_takes_the_pip_section_as_conda_hands_it_over(tmp_path):
    # conda writes the section to a file and runs `pip install -U -r` on it beside environment.yml.
    lines = next(entry["pip"] for entry in CONDA if isinstance(entry, dict))
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("\n".join(lines))
    options = ["--dry-run", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            *options,
            "-U",
            "-r",
            str(requirements),
            "--exists-action=b",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_papers_that_are_audited_are_cited():
    cited = {e["title"]: e for e in yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]}
    plans = (ROOT / "src" / "cladebench" / "papers").glob("*/plan.yaml")
    audited = {plan["title"]: plan["citation"] for plan in (yaml.safe_load(p.read_text()) for p in plans)}
    assert set(cited) == set(audited)
    for title, citation in audited.items():
        authors = [name.rpartition(". ")[2] for name in citation.partition(f". {title}")[0].split(", ")]
        assert [author["family-names"] for author in cited[title]["authors"]] == authors
        assert f"{cited[title]['year']}." in citation  # an address may follow
