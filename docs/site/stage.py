"""Lay the pages out for Sphinx: those of the repository as they are, and new ones of the API and the papers.

The tree below is as in the repository, so that relative links between pages lead where they do there.
"""

from __future__ import annotations

from pathlib import Path

from api import api_pages
from papers import paper_pages

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
#: Pages beside docs/*.md that are read as they are, and the folders of pictures that they show.
PAGES = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "comparisons/hierarchical/README.md",
    "config/README.md",
    "results/full/README.md",
    "tests/README.md",
)
PICTURES = ("docs/images", "comparisons/hierarchical/figures", "results/full/figures")


def repository_pages() -> list[str]:
    """List the pages that the site shares with the repository, by path."""
    return sorted([*PAGES, *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))])


def site_files() -> dict[str, bytes]:
    """Give all files that Sphinx reads, but for the gallery's, by path."""
    files = {page.name: page.read_bytes() for page in SITE.glob("*.md")}
    files |= {path: (ROOT / path).read_bytes() for path in repository_pages()}
    files |= {f"api/{name}": text.encode() for name, text in api_pages(ROOT / "src").items()}
    files |= {f"papers/{name}": text.encode() for name, text in paper_pages(ROOT).items()}
    return files


def stage(folder: Path) -> None:
    """Write the tree that Sphinx reads; what has not changed stays, and is not read again.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    """
    files = site_files()
    for old in folder.rglob("*.[mr][ds]*"):
        if (path := old.relative_to(folder)).parts[0] != "gallery" and path.as_posix() not in files:
            old.unlink()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    for name in PICTURES:
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
