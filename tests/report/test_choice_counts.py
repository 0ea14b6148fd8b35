"""How many other choices support a claim: the pages say what ``audit.csv`` says, for every claim."""

import dataclasses
import json
import re
import shutil
from collections import Counter
from html import unescape
from pathlib import Path

import pandas as pd
import pytest

from cladebench.audit.audit_files import read_audit
from cladebench.audit.audit_table import read_audit_table
from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.other_choices import count_stances
from cladebench.report import run_summary
from cladebench.report.pages import write_report
from cladebench.report.templating import markdown_page

FULL = Path(__file__).parents[2] / "results" / "full"
PREFIX = "with other choices: "
#: What one choice says, as pages have it.
OURS = {"supports": "support", "undecided": "open", "contradicts": "contradict"}


@pytest.fixture(scope="module")
def divided(results, tmp_path_factory):
    """A run in which each claim has another mixture of other choices; every seventh has none, one is the main one."""
    folder = tmp_path_factory.mktemp("divided") / "smoke"
    shutil.copytree(results, folder)
    audit = json.loads((folder / "audit.json").read_text())
    kinds = ("supports", "undecided", "contradicts", "not testable")
    for number, claim in enumerate(audit["claims"]):
        claim["stances"] = {f"choice {k}": kinds[(number + k * k) % 4] for k in range(number % 7)}
    audit["claims"][5]["main"] = True
    (folder / "audit.json").write_text(json.dumps(audit))
    write_report(folder, "smoke", ["page_paper"])
    return folder


def said_on(pages):
    """What pages of details say of other choices, by the anchor of the claim."""
    found = {}
    for page in pages:
        for anchor, row in re.findall(r'<tr id="(claim-[^"]+)"(.*?)</tr>', page.read_text(), re.DOTALL):
            said = re.search(r"other choices: (\d+ support, \d+ open, \d+ contradict)", row)
            found[unescape(anchor)] = said[1] if said else ""
    return found


def in_table(csv):
    """The same by ``audit.csv``."""
    table = pd.read_csv(csv, keep_default_na=False)
    return {f"claim-{row.claim}": row.universes.removeprefix(PREFIX) for row in table.itertuples()}


def test_pages_count_other_choices_as_the_claims_have_them(divided):
    claims = json.loads((divided / "audit.json").read_text())["claims"]
    shown = said_on((divided / "report").glob("page_paper-claims-*.html"))
    assert len(claims) == len(shown) >= 10
    for claim in claims:
        counts = Counter(claim["stances"].values())
        said = ", ".join(f"{counts[stance]} {word}" for stance, word in OURS.items())
        assert shown[f"claim-{claim['claim']}"] == (said if any(counts[s] for s in OURS) else "")


def test_the_index_counts_other_choices_of_the_main_claim(divided):
    claims = json.loads((divided / "audit.json").read_text())["claims"]
    main = next(claim for claim in claims if claim["main"])
    shown = said_on((divided / "report").glob("page_paper-claims-*.html"))[f"claim-{main['claim']}"]
    index = (divided / "report" / "index.html").read_text()
    assert shown and f"The main claim with other choices: {shown}." in index
    table = index.partition('id="papers"')[2].partition("</table>")[0]
    assert f"<small>Other choices: {shown}.</small></td>" in table


def test_the_readme_counts_other_choices_of_the_main_claim(divided, monkeypatch):
    monkeypatch.setattr(run_summary, "check_findings", lambda *_: {})
    main = next(claim for claim in read_audit(divided / "audit.json").claims if claim["main"])
    run = run_summary.summarise_run(divided, "smoke", ["page_paper"])
    text, page = (
        markdown_page(name, run=run, folder="", kinds=EVIDENCE)
        for name in ("readme-result.md", "results-page.md")
    )
    ours, others = OURS[main["stance"]], count_stances(main["stances"])
    assert f"|{ours}|{others}|" in text and "\n\nThe claim was judged with our choices" in text
    assert (
        f". With our choices: {ours}. Other choices that support it, leave it open or contradict it: {others}.\n"
        in page
    )
    none = dataclasses.replace(run, papers=(dataclasses.replace(run.papers[0], other_choices=""),))
    text = markdown_page("readme-result.md", run=none, folder="")
    assert f"|{ours}|–|" in text and "was judged" not in text


def test_pages_count_other_choices_as_the_table_does(results):
    shown = said_on((results / "report").glob("page_paper-claims-*.html"))
    assert shown == in_table(results / "audit.csv")


@pytest.mark.skipif(not list((FULL / "report").glob("*-claims-*.html")), reason="`make report` was not run")
def test_pages_of_the_full_run_count_as_its_table_does():
    claims = read_audit_table(FULL / "audit.csv")
    for paper in {claim["paper"] for claim in claims}:
        shown = said_on((FULL / "report").glob(f"{paper}-claims-*.html"))
        counted = {
            f"claim-{claim['claim']}": claim["universes"].removeprefix(PREFIX)
            for claim in claims
            if claim["paper"] == paper
        }
        assert shown == counted, paper
