"""Of the full run git keeps the data, CSV, SVG and the main pages, all of them and nothing else; no file is large."""

import re
import subprocess

import pytest

from cladebench.paper.catalogue import built_in_papers, load_artifacts, load_plan
from doc_examples import ROOT

FULL = ROOT / "results" / "full"


@pytest.fixture(scope="module")
def kept():
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    listed = subprocess.run(["git", "ls-files", "-z", FULL], cwd=ROOT, capture_output=True, check=True)
    return {(ROOT / name).relative_to(FULL).as_posix() for name in listed.stdout.decode().split("\0") if name}


def test_git_keeps_what_the_pages_show_and_nothing_that_can_be_made(kept):
    pages = {"report/index.html"}
    artifacts = set()
    for paper in built_in_papers():
        pages |= {f"report/{paper}.html", f"report/{paper}-certificate.html"}
        for artifact in load_artifacts(load_plan(paper).package):
            folder, suffix = ("tables", "csv") if artifact.kind == "table" else ("figures", "svg")
            artifacts.add(f"{folder}/{paper}/{artifact.id}.{suffix}")
    shown = {
        f"figures/{name}"
        for page in pages
        for name in re.findall(r'<img src="\.\./figures/([^"]+)"', (FULL / page).read_text(encoding="utf-8"))
    }
    data = {"README.md", "audit.csv", "cells.parquet", "certificates.csv", "environment.json"}
    assert kept == data | pages | artifacts | shown | {"tables/taxonomy/table-2.json"}
    assert all(f"figures/{paper}/main-result.svg" in shown for paper in built_in_papers())


def test_no_kept_file_is_over_2_mb_but_the_table_of_runs(kept):
    assert {name for name in kept if (FULL / name).stat().st_size > 2_000_000} <= {"cells.parquet"}


def test_pages_were_made_when_all_findings_held(kept):
    """Findings are checked against the runs in git; pages could be older than both."""
    pages = [FULL / name for name in kept if name.endswith(".html")]
    assert not [page.name for page in pages if "Not in this run: " in page.read_text(encoding="utf-8")]
