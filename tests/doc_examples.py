"""The worked examples of the documentation, taken out of their pages so that the tests run what users read."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```\w+ title=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def titled_blocks(page: str) -> dict[str, str]:
    """The code blocks of a page of docs/ that carry a file name, by that name."""
    blocks = dict(_BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8")))
    assert blocks, f"docs/{page} has no titled code block"
    return blocks


def write_example_paper(folder: Path) -> str:
    """Write the paper of docs/adding-a-paper.md below a folder; gives the dotted name of its package."""
    package = folder / "mypackage" / "examplepaper"
    (package / "captions").mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    for name, text in titled_blocks("adding-a-paper.md").items():
        (package / name).write_text(text, encoding="utf-8")
    return "mypackage.examplepaper"
