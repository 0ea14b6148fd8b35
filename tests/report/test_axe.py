"""No page of a report breaks a rule of accessibility, by axe-core in a real browser.

``CLADEBENCH_REPORT=results/full/report`` has the pages of another report checked too.
"""

import os
import shutil
from pathlib import Path

import pytest

from cladebench.report import paper_pages
from cladebench.report.pages import write_report
from page_sizes import BROWSER
from synthetic_run import edit_audit

for package in ("playwright", "axe_playwright_python"):
    pytest.importorskip(package, reason=f"{package} is not installed; it is in the extra `browser`")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


@pytest.fixture(scope="module")
def full_of_pages(results, tmp_path_factory):
    """A report with a main claim, choices that disagree, and claims on several pages."""
    folder = tmp_path_factory.mktemp("axe") / "smoke"
    shutil.copytree(results, folder)
    claim = {"main": True, "stance": "supports", "stances": {"two leaves": "contradicts"}}
    choices = {"page_paper": [{"factor": "leaves", "name": "two leaves"}]}
    edit_audit(folder, {"everywhere": claim}, universes=choices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper_pages, "CLAIMS_ON_PAGE", 4)
        write_report(folder, "smoke", ["page_paper"])
    return folder / "report"


def test_axe_finds_nothing_on_any_page(full_of_pages):
    from axe_pages import violations

    names = {path.name for path in full_of_pages.glob("*.html")}
    assert {"page_paper-matrix.html", "page_paper-claims-2.html"} <= names
    assert violations(full_of_pages) == []


def test_axe_finds_what_is_wrong(tmp_path):
    from axe_pages import violations

    page = "<!doctype html><html lang='en'><title>x</title><main><h1>x</h1><img src='x.png'>"
    style = "<style>@media (prefers-color-scheme: dark) { body { background: #111; color: #222; } }</style>"
    (tmp_path / "page.html").write_text(f"{page}{style}<p>dark</p></main>")
    found = violations(tmp_path)
    assert any(line.startswith("page.html (light): image-alt: img: <img") for line in found)
    assert {line.partition(")")[0] for line in found if "color-contrast" in line} == {"page.html (dark"}


@pytest.mark.skipif("CLADEBENCH_REPORT" not in os.environ, reason="no other report was named")
@pytest.mark.timeout(3600)
def test_axe_finds_nothing_on_a_report_that_was_named():
    from axe_pages import violations

    assert violations(Path(os.environ["CLADEBENCH_REPORT"])) == []
