"""The library works without its extras, and where one is needed its name is said."""

import re
import subprocess
import sys
import tomllib

import pytest

from cladebench import extras
from doc_examples import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
OURS = ("plot", "ghc", "images", "run", "check")
MODULES = {"opencv-python-headless": "cv2", "pillow": "PIL", "pyyaml": "yaml"}
PACKAGES = {re.match(r"[\w-]+", entry)[0] for extra in OURS for entry in EXTRAS[extra]} - {"cladebench"}
LIGHT = f"""
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sorted(MODULES.get(name, name) for name in PACKAGES)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def light(code, *arguments, cwd=None):
    """Run code where no package of an extra is installed."""
    command = [sys.executable, "-c", LIGHT + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)


def test_the_library_works_without_any_extra():
    (example,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    done = light(
        f"""
import importlib, pkgutil
import numpy as np
import cladebench

for name in ("methods", "distances", "metrics", "solvers"):
    package = importlib.import_module(f"cladebench.{{name}}")
    for exported in package.__all__:
        getattr(package, exported)
datasets = importlib.import_module("cladebench.datasets")
for module in pkgutil.walk_packages(datasets.__path__, "cladebench.datasets."):
    if not module.name.startswith("cladebench.datasets.own"):
        importlib.import_module(module.name)
{example}
assert cladebench.linkage(np.arange(6.0).reshape(-1, 1)).shape == (5, 4)
for name, cls in cladebench.methods.discover().items():
    if name != "GHC":
        cls(**cls.contract_params).fit(X[::5], y[::5])
for name in ("GHC", "plot", "plot_unrooted"):
    try:
        cladebench.methods.GHC().fit(X) if name == "GHC" else getattr(tree, name)()
    except ImportError as error:
        print(error)
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [
        "GHC: jax is not installed; expected pip install 'cladebench[ghc]'",
        "Hierarchy.plot: matplotlib is not installed; expected pip install 'cladebench[plot]'",
        "Hierarchy.plot_unrooted: matplotlib is not installed; expected pip install 'cladebench[plot]'",
    ]


@pytest.mark.parametrize("configured", [False, True])
def test_the_core_alone_is_verified_and_what_it_lacks_is_said(tmp_path, configured):
    if configured:
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / "config.yaml").write_text("scope: smoke\n")
    script = (
        "from cladebench.bench.provenance import core_build\n"
        "core_build.core_sources_digest = core_build.core_build_id\n"  # whether it is fresh is not the matter here
        "from cladebench.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    done = light(script, "verify", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    lines = done.stdout.splitlines()
    assert all(line.startswith("ok ") for line in lines[:-1]) and lines[-1].endswith(", 0 failed")
    said = {line.split(":")[0].split()[-1]: line for line in lines if " extra " in line}
    assert set(said) == {*OURS, "compare"} and "extra run: without jinja2, " in said["run"]
    assert (
        said["plot"]
        == "ok    extra plot: without matplotlib, pillow; pip install 'cladebench[plot]' adds them"
    )
    assert "matplotlib" in said["run"] and "snakemake" in said["compare"]
    assert ("configuration: not read" in done.stdout) == configured


def test_an_extra_that_is_there_lacks_nothing(monkeypatch):
    requirements = [
        "numpy",
        "absent-package>=2; extra == 'plot'",
        "cladebench[plot]; extra == 'run'",
        "pyyaml; extra == 'run'",
        "scipy>=1; extra == 'check'",
    ]
    monkeypatch.setattr(extras.metadata, "requires", lambda _: requirements)
    assert extras.lacking() == {"plot": ["absent-package"], "run": ["absent-package"], "check": []}
    monkeypatch.setattr(extras.metadata, "requires", _not_installed)
    assert extras.lacking() == {}


def test_what_is_installed_is_not_said_to_be_lacking():
    for name in {name for absent in extras.lacking().values() for name in absent}:
        with pytest.raises(extras.metadata.PackageNotFoundError):
            extras.metadata.version(name)


def _not_installed(name):
    raise extras.metadata.PackageNotFoundError(name)


@pytest.mark.parametrize("command", ["data list", "audit --results .", "reproduce", "run-comparison a.yaml"])
def test_a_command_names_the_extra_that_it_lacks(command):
    done = light("from cladebench.cli import main\nsys.exit(main(sys.argv[1:]))", *command.split())
    assert done.returncode == 2
    said = (
        rf"cladebench {command.split()[0]}: \w+ is not installed; expected pip install 'cladebench\[run\]'\n"
    )
    assert re.fullmatch(said, done.stderr), done.stderr


def test_other_faults_have_no_advice():
    assert extras.advice(ModuleNotFoundError("No module named 'no_such'", name="no_such")) is None
    assert extras.advice(ValueError("wrong")) is None and extras.advice(ModuleNotFoundError("odd")) is None


def test_the_cause_of_a_fault_counts():
    outer = ImportError("cannot be imported")
    outer.__cause__ = ModuleNotFoundError("No module named 'jax.numpy'", name="jax.numpy")
    assert extras.advice(outer) == "jax is not installed; expected pip install 'cladebench[ghc]'"


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_each_package_of_an_extra_is_found(package):
    brings = extras._extra(MODULES.get(package, package))
    assert brings in OURS and any(entry.startswith(package) for entry in EXTRAS[brings])


def test_what_is_needed_and_there_is_imported():
    assert extras.need("math", "anyone").pi > 3
    with pytest.raises(ImportError, match=r"^anyone: No module named 'no_such'$"):
        extras.need("no_such", "anyone")
