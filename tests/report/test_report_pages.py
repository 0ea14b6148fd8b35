"""The pages of a synthetic run: complete, linked, self-contained, safe, small."""

import dataclasses
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
import yaml

import synthetic_run
from cladebench import datasets
from cladebench.audit.verdict.verdict_types import ANSWERS
from cladebench.datasets.registry import registry
from cladebench.input_files import InputFileError
from cladebench.report.cell_links import anchor
from cladebench.report.pages import write_report
from cladebench.report.views import gather_run
from page_tags import read_page

PAPER = Path(__file__).parents[1] / "shared" / "page_paper"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>|`*_&"


@pytest.fixture(scope="module")
def audit(results):
    return pd.read_csv(results / "audit.csv", keep_default_na=False)


def test_each_paper_has_its_pages_beside_index_and_certificates(report, pages):
    of_paper = {
        "page_paper.html",
        *(f"page_paper-{name}.html" for name in ("certificate", "claims-1", "choices", "controls", "runs")),
        *(f"page_paper-{name}.html" for name in ("cells", "sets-1")),
        *(f"page_paper-cells-{name}.html" for name in ("glass", "nested-blobs")),
    }
    assert set(pages) == {"index.html", "checks.html", "certificates.html", *of_paper}


def test_links_and_images_resolve(report, pages):
    official = {file.official_url for entry in registry().values() for file in entry.files}
    for name, page in pages.items():
        for target in [*page.links, *page.resources]:
            if target in page.links and target in official:
                continue
            file, _, fragment = target.partition("#")
            assert "://" not in file and not file.startswith("/"), f"{name}: {target}"
            path = report / (file or name)
            assert path.exists(), f"{name}: {target}"
            if fragment:
                assert fragment in pages[path.name].ids, f"{name}: {target}"
            # A picture on the index leads to itself.
            a_page = target in page.links and target not in page.resources
            inside = report if a_page else report.parent / "figures"
            assert path.resolve().is_relative_to(inside.resolve()), f"{name}: {target} leaves the folder"


def test_pages_need_nothing_from_elsewhere(report, pages):
    for name in pages:
        text = (report / name).read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(|http-equiv|fetch\(|XMLHttpRequest|import\(", text), name


def test_ids_are_unique_and_headings_do_not_skip_levels(pages):
    for name, page in pages.items():
        doubled = [i for i, count in Counter(page.ids).items() if count > 1]
        assert not doubled, f"{name}: {doubled[:3]}"
        assert page.headings[0] == 1 and page.headings.count(1) == 1
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert all(below <= above + 1 for above, below in steps), f"{name}: {page.headings}"


def test_pages_are_accessible_in_form(pages):
    for page in pages.values():
        assert ("html", {"lang": "en"}) in page.attributes
        assert all(found.get("alt") for tag, found in page.attributes if tag == "img")
        assert all(found.get("scope") for tag, found in page.attributes if tag == "th")
    published = pages["page_paper.html"]
    assert published.tags["caption"] >= 4
    assert any(found.get("name") == "viewport" for tag, found in published.attributes if tag == "meta")


def test_counts_are_of_statements_and_lead_to_the_first_of_each(results, pages):
    paper = gather_run(results, "smoke", ["page_paper"]).papers[0]
    by_id = {row.claim: row for row in paper.audit}
    assert by_id["grid-beats-plain/glass"].statement == "everywhere"
    assert {row.level for row in paper.audit if row.kind == "order"} == {"part"}
    heads = [row for row in paper.audit if row.level == "statement"]
    assert paper.n_statements == len(heads) == 8 < len(paper.audit)
    said = " · ".join(f"{ANSWERS[answer].sign} {count}" for answer, count in paper.answers.items())
    assert said in pages["index.html"].words


def test_the_index_says_whose_settings_are_chosen_with_test_labels(pages):
    assert "with test labels in Page paper. " in pages["index.html"].words


def test_findings_stand_first_and_say_where_a_run_has_something_else(pages):
    for name in ("index.html", "page_paper.html"):
        words = pages[name].words
        assert "The gridded method is ahead." in words
        assert "Not in this run: The gridded" not in words
        said = (
            "Not in this run: The tree of the labels is very pure. The tree of the labels has a purity of 1.2 on blobs."
            " Found instead: purity of Oracle on nested-blobs is 1.099"
        )
        assert said in words and "expected at least 1.18 and at most 1.22." in words


def test_findings_that_a_run_cannot_check_stand_last_under_one_line(pages):
    line, lacking = "1 finding of the full run cannot be checked in this run", "The theorem was reproduced."
    for name in ("index.html", "page_paper.html"):
        words = pages[name].words
        assert f"{line} The theorem holds. {lacking}" in words and "theorem: 1 not testable" not in words
        assert words.index("expected at least 1.18 and at most 1.22.") < words.index(line)


def test_the_main_result_is_drawn_and_shown(report, pages):
    for name in ("index.html", "page_paper.html"):
        assert "../figures/page_paper/main-result.svg" in pages[name].resources
    assert (report / "../figures/page_paper/main-result.svg").stat().st_size > 1000


def test_each_order_states_what_it_could_have_seen(pages, audit):
    for row in audit[audit.kind == "order"].itertuples():
        assert f"detectable: {float(row.detectable):#.4g}" in pages["page_paper-claims-1.html"].words


def test_what_a_claim_turns_on_is_shown(copied):
    claim = {
        "verdict": "depends",
        "blind": "uninformative",
        "depends_on": ["leaves + elsewhere"],
        "stance": "supports",
        "stances": {"two leaves": "contradicts"},
        "main": True,
        "not_run": ["three leaves"],
    }
    choices = {"page_paper": [{"factor": "leaves", "name": "two leaves"}]}
    synthetic_run.edit_audit(copied, {"grid-beats-plain/glass": claim}, universes=choices)
    write_report(copied, "smoke", ["page_paper"])
    details = read_page(copied / "report" / "page_paper-claims-1.html")
    row = details.row("claim-grid-beats-plain/glass")
    assert 'turns on <a href="page_paper-choices.html#choice-leaves">leaves</a> + elsewhere' in row
    assert "<summary>1 not run</summary>three leaves" in row
    assert details.html.count("<strong>Main claim</strong>") == 1
    assert "other choices: 0 support, 0 open, 1 contradict" in row and 'data-verdict="depends"' in row
    assert "random method: open (true of random methods too)" in row
    text = (copied / "report" / "page_paper.html").read_text(encoding="utf-8")
    assert 'src="../figures/page_paper/universes.svg"' in text


def test_published_table_shows_number_measurement_and_verdict_side_by_side(pages, audit):
    table = pages["page_paper.html"].part('<table class="published', "</table>")
    for row in audit[audit.kind == "value"].itertuples():
        assert row.published in table
        assert f'href="#{anchor("claim", row.claim)}"' in table
    plain = audit[audit.claim == "table1/blobs/plain"].iloc[0]
    assert f"{float(plain.measured):#.4g}" in table
    heads = re.findall(r'<th scope="colgroup"[^>]*>(\w+)</th>', table)
    assert heads == ["Glass", "Blobs"]


def test_the_artifact_carries_the_verdict_of_the_number_it_repeats(results):
    view = gather_run(results, "smoke", ["page_paper"]).papers[0]
    table = next(found for found in view.artifacts if found.artifact.id == "table-1")
    marked = {
        (row[0].text, column, entry.claim.claim)
        for row in table.rows
        for column, entry in zip(table.columns, row, strict=True)
        if entry.claim
    }
    assert marked == {
        ("Gridded method", "Glass identification: published", "table1/glass/grid"),
        ("Gridded method", "Nested Gaussian blobs: published", "table1/blobs/grid"),
        ("Plain method", "Glass identification: published", "table1/glass/plain"),
        ("Plain method", "Nested Gaussian blobs: published", "table1/blobs/plain"),
        ("Broken method", "Nested Gaussian blobs: published", "table1/blobs/broken"),
    }


def test_trouble_is_said_clearly(pages):
    paper, checks = pages["page_paper.html"].words, pages["checks.html"].words
    assert (
        "glass.data: no source holds the file" in paper and "glass.data: no source holds the file" in checks
    )
    assert "unavailable in 7 of 28 runs" in checks
    runs = pages["page_paper-runs.html"].words
    assert "needs more time than a smoke run has" in runs
    assert "This figure was not made in this run." in paper
    assert "was broken once ); did not happen" in runs.replace("(was broken once)", "was broken once )")
    assert "1 of 2 passed" not in checks and "0 of 1 passed" in checks


@pytest.fixture
def evil_paper(tmp_path, monkeypatch):
    """The paper of the tests with markup wherever a plan, the claims or the registry of data sets have text."""
    package = tmp_path / "evil_paper"
    shutil.copytree(PAPER, package, ignore=shutil.ignore_patterns("__pycache__"))
    plan = yaml.safe_load((package / "plan.yaml").read_text()) | {
        "paper": "evil_paper",
        "title": EVIL,
        "citation": EVIL,
    }
    for method in plan["methods"].values():
        method["label"] += EVIL
    (package / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    claims = (package / "claims.yaml").read_text().replace("paper: page_paper", "paper: evil_paper")
    claims = claims.replace("label: Glass", f"label: {json.dumps(EVIL)}")
    (package / "claims.yaml").write_text(claims.replace("why: background", f"why: {json.dumps(EVIL)}"))
    monkeypatch.syspath_prepend(tmp_path)
    entries = dict(registry())
    entries["glass"] = dataclasses.replace(entries["glass"], title=f"glass {EVIL}", licence=EVIL)
    monkeypatch.setattr("cladebench.datasets.registry.registry", lambda: entries)
    return "evil_paper"


def test_untrusted_text_stays_text(tmp_path, evil_paper, results):
    folder = tmp_path / "smoke"
    frame = pd.read_parquet(results / "cells.parquet")
    frame["paper"] = evil_paper
    frame["cell_id"] = frame.cell_id.str.replace("page_paper", evil_paper)
    frame["reason"] = EVIL
    for column in ("machine", "params"):
        frame[column] = json.dumps({"name": EVIL})
    frame.loc[frame.method == "Plain", "setting"] = json.dumps({"name": EVIL})
    synthetic_run.write_cells(frame, folder)
    audit = json.loads((results / "audit.json").read_text())
    for claim in audit["claims"]:
        claim["paper"] = evil_paper
        for key in ("reason", "quote", "reading", "published", "place"):
            claim[key] += EVIL
        claim["cells"].append(EVIL)
        claim["parts"] = [part | {"claim": part["claim"] + EVIL} for part in claim["parts"]]
    (folder / "audit.json").write_text(json.dumps(audit))
    synthetic_run.write_tables(folder, evil_paper)
    for path in (folder / "tables" / evil_paper).glob("*.json"):
        table = json.loads(path.read_text())
        path.write_text(json.dumps(table | {"notes": [*table["notes"], EVIL]}))
    certificates = pd.read_csv(results / "certificates.csv", dtype=str, keep_default_na=False)
    for column in ("id", "topic", "note", "problem"):
        certificates[column] += EVIL
    certificates.to_csv(folder / "certificates.csv", index=False)
    assert datasets.info("glass").title == f"glass {EVIL}"

    write_report(folder, "smoke", [evil_paper])
    pages = list((folder / "report").glob("*.html"))
    assert len(pages) == 13
    for path in pages:
        page = read_page(path)
        clean = read_page(results / "report" / path.name.replace("evil_paper", "page_paper"))
        assert page.tags["script"] == clean.tags["script"], path.name
        assert not any("onerror" in found or found.get("src") == "x" for _, found in page.attributes)
        assert EVIL in page.words
    text = (folder / "report" / "evil_paper-cells-glass.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="cells-data">(.*?)</script>', text, re.DOTALL)
    assert EVIL in json.loads(found[1])["texts"]


def test_a_full_run_of_5000_cells_stays_below_5_mb(tmp_path):
    def metrics(spec, rng):
        found = synthetic_run.page_paper_metrics(spec, rng)
        return found | {f"measure_{k}": rng.normal() for k in range(12)}

    folder = synthetic_run.write_run(tmp_path / "full", "page_paper", metrics, scope="full")
    assert pd.read_parquet(folder / "cells.parquet", columns=["cell_id"]).cell_id.nunique() == 5000
    written = write_report(folder, "full", ["page_paper"])
    assert sum(path.stat().st_size for path in written) < 5_000_000
    # Git keeps the main pages of a full run: they say what makes the others.
    texts = [path.read_text(encoding="utf-8") for path in written]
    assert all('href="#pages">Missing pages<' in text and 'id="pages"' in text for text in texts)
    words = "Git keeps the index, and a page and a certificate a paper. If a link leads nowhere, make report makes"
    said = {path.name: read_page(path).words.count(words) for path in written}
    # At the foot of every page; beside the navigation, too, of pages of papers that git keeps.
    twice = {"page_paper.html", "page_paper-certificate.html"}
    assert said == {name: 2 if name in twice else 1 for name in said}


def test_the_same_run_gives_the_same_bytes(results, report):
    before = {path: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    write_report(results, "smoke", ["page_paper"])
    assert {path: path.read_bytes() for path in report.rglob("*") if path.is_file()} == before


def test_a_run_without_certificates_says_so(copied):
    (copied / "certificates.csv").unlink()
    write_report(copied, "smoke", ["page_paper"])
    assert not (copied / "report" / "certificates.html").exists()
    page = read_page(copied / "report" / "page_paper.html")
    assert "no solver checks: they were not run" in page.words
    assert "certificates.html" not in {link.partition("#")[0] for link in page.links}


@pytest.mark.parametrize(
    ("missing", "command"), [("audit.json", "audit"), ("tables/page_paper/table-1.json", "artifacts")]
)
def test_what_is_missing_and_what_makes_it_are_named(copied, missing, command):
    (copied / missing).unlink()
    with pytest.raises(InputFileError) as error:
        write_report(copied, "smoke", ["page_paper"])
    said = str(error.value)
    assert f"{copied / missing}: no such file" in said and f"cladebench {command}" in said
    assert "\n" not in said and not (copied / "report").exists()


def test_the_csv_of_the_audit_is_not_read(copied, report):
    (copied / "audit.csv").write_text("no audit")
    write_report(copied, "smoke", ["page_paper"])
    for path in report.glob("*.*"):
        assert (copied / "report" / path.name).read_bytes() == path.read_bytes()


def test_effects_stand_under_the_choice_that_they_belong_to(copied):
    (view,) = gather_run(copied, "smoke", ["page_paper"]).papers[0].choices
    compared = [f"purity, Nested Gaussian blobs, n_leaves = {k}" for k in (2, 4, 8)] + ["not measured"]
    assert view.choice.id == "leaves"
    assert [words for words, _, _ in view.effects] == compared
    targets = [entry.target for _, entry, _ in view.effects]
    assert targets[3] is None and len({*targets[:3]}) == 3
    assert all(target.startswith("page_paper-cells-nested-blobs.html#Grid/") for target in targets[:3])

    path = copied / "tables/page_paper/deviations.json"
    path.write_text(path.read_text().replace('"leaves"', '"another"'))
    with pytest.raises(
        InputFileError, match=r"has 'another', which choices.yaml does not have; run cladebench artifacts"
    ):
        gather_run(copied, "smoke", ["page_paper"])
