"""The worked examples of the documentation, taken out of their pages so that the tests run what users read."""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```\w+ title=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def titled_blocks(page: str) -> dict[str, str]:
    """The code blocks of a page of docs/ that carry a file name, by that name."""
    blocks = dict(_BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8")))
    assert blocks, f"docs/{page} has no titled code block"
    return blocks


def write_example_paper(folder: Path) -> str:
    """Write the paper of docs/adding-a-paper.md below a folder; gives the dotted name of its package."""
    package = folder / "mypackage" / "examplepaper"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    for name, text in titled_blocks("adding-a-paper.md").items():
        (package / name).write_text(text, encoding="utf-8")
    return "mypackage.examplepaper"


#: For a fresh process: makes the examples that `write_example_methods` wrote part of our methods and distances, then
#: runs contract suites on their classes, each named as suite:class.
CONTRACT_RUN = """
import sys
from pathlib import Path
from types import ModuleType
import cladebench.distances
import cladebench.methods
from cladebench.discovery import exports
for package in (cladebench.methods, cladebench.distances):
    package.__path__.append(sys.argv[1])
    exports(Path(package.__file__).with_suffix(".pyi")).update(exports(Path(sys.argv[1], "__init__.pyi")))
import pytest
options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
for suite, name in (argument.split(":") for argument in sys.argv[2:]):
    print(f"suite {suite}:{name}", flush=True)
    ended = pytest.main([*options, f"tests/contract/test_{suite}.py", "-k", name])
    print()
    print(f"ended {int(ended)}", flush=True)
"""


def write_example_methods(folder: Path) -> None:
    """Write the classes of docs/adding-a-method.md, and their lines of the stub."""
    for name, text in titled_blocks("adding-a-method.md").items():
        (folder / name).write_text(text, encoding="utf-8")
    page = (ROOT / "docs" / "adding-a-method.md").read_text(encoding="utf-8")
    (folder / "__init__.pyi").write_text("\n".join(re.findall(r"^from \.\w+ import .*$", page, re.MULTILINE)))


def site(name: str) -> ModuleType:
    """A module of docs/site, which needs no Sphinx; they import each other by name."""
    folder = str(ROOT / "docs" / "site")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)
