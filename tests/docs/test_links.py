"""Links between the pages of the documentation lead to files, and to headings that are there."""

import re
from pathlib import Path

import pytest

from doc_examples import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "config/README.md", "tests/README.md")),
    ROOT / "results" / "full" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(path: Path) -> str:
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """What can stand after the # of a link to a page: of Markdown as GitHub makes it of headings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return set(re.findall(r'\bid="([^"]+)"', text))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", h)).lower() for h in headings]
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    wrong = []
    for link in _LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


def test_the_readme_leads_to_every_page_of_the_documentation():
    listed = {(ROOT / link.partition("#")[0]).resolve() for link in _LINK.findall(prose(ROOT / "README.md"))}
    assert {path for path in PAGES if path.parent == ROOT / "docs"} <= listed
