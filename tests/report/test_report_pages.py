"""The pages of a synthetic run: complete, linked, self-contained, safe, small."""

import dataclasses
import json
import math
import re
import shutil
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
import yaml

import synthetic_run
from cladebench import datasets
from cladebench.audit.audit_files import read_audit
from cladebench.audit.verdict.verdict_types import ANSWERS
from cladebench.cli import main
from cladebench.datasets.registry import registry
from cladebench.html_templates import script_json
from cladebench.input_files import InputFileError
from cladebench.report.cell_links import CellLinks, Group, anchor, cells_page, readable
from cladebench.report.claim_rows import settings_behind
from cladebench.report.pages import write_report
from cladebench.report.plain_words import Names
from cladebench.report.templating import digits, duration, header_groups
from cladebench.report.views import gather_run

PAPER = Path(__file__).parents[1] / "shared" / "page_paper"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>|`*_&"


class Page(HTMLParser):
    """What a browser would see: ids, links, resources, scripts, text, tables."""

    VOID = frozenset(("meta", "img", "br", "input", "link", "hr"))

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.resources, self.tags = [], [], [], Counter()
        self.headings, self.attributes, self.scripts, self.text = [], [], [], []
        self._open = []
        self.feed(path.read_text(encoding="utf-8"))
        assert not self._open, f"{path.name}: left open: {self._open}"

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags[tag] += 1
        self.attributes.append((tag, found))
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        self.resources += [v for k, v in found.items() if k in ("src", "srcset", "data", "poster")]
        if tag == "link":
            self.resources.append(found.get("href"))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open and self._open[-1] == tag, f"</{tag}> closes {self._open[-3:]}"
        self._open.pop()

    def handle_data(self, data):
        if self._open and self._open[-1] in ("script", "style"):
            self.scripts.append(data)
        else:
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def pages(report):
    return {path.name: Page(path) for path in sorted(report.glob("*.html"))}


@pytest.fixture(scope="module")
def audit(results):
    return pd.read_csv(results / "audit.csv", keep_default_na=False)


CELLS = {name: f"page_paper-cells-{name}.html" for name in ("glass", "nested-blobs")}


def test_each_paper_has_its_pages_beside_index_and_certificates(report, pages):
    of_paper = {
        "page_paper.html",
        *(f"page_paper-{name}.html" for name in ("certificate", "claims-1", "choices", "controls", "runs")),
        *(f"page_paper-{name}.html" for name in ("cells", "sets-1")),
        *CELLS.values(),
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


def test_what_a_claim_turns_on_is_shown(tmp_path, results):
    copy_run(results, tmp_path, "cells.parquet", "audit.json", "tables", "certificates.csv", "figures")
    audit = json.loads((tmp_path / "audit.json").read_text())
    claim = next(claim for claim in audit["claims"] if claim["claim"] == "grid-beats-plain/glass")
    claim |= {
        "verdict": "depends",
        "blind": "uninformative",
        "depends_on": ["leaves + elsewhere"],
        "stance": "supports",
        "stances": {"two leaves": "contradicts"},
        "main": True,
        "not_run": ["three leaves"],
    }
    audit["universes"] = {"page_paper": [{"factor": "leaves", "name": "two leaves"}]}
    (tmp_path / "audit.json").write_text(json.dumps(audit))
    write_report(tmp_path, "smoke", ["page_paper"])
    details = (tmp_path / "report" / "page_paper-claims-1.html").read_text(encoding="utf-8")
    row = details[details.index('<tr id="claim-grid-beats-plain/glass"') :].split("</tr>")[0]
    assert 'turns on <a href="page_paper-choices.html#choice-leaves">leaves</a> + elsewhere' in row
    assert (
        "<summary>1 not run</summary>three leaves" in row
        and details.count("<strong>Main claim</strong>") == 1
    )
    assert "other choices: 0 support, 0 open, 1 contradict" in row and 'data-verdict="depends"' in row
    assert "random method: open (true of random methods too)" in row
    text = (tmp_path / "report" / "page_paper.html").read_text(encoding="utf-8")
    assert 'src="../figures/page_paper/universes.svg"' in text


def test_published_table_shows_number_measurement_and_verdict_side_by_side(report, audit):
    text = (report / "page_paper.html").read_text(encoding="utf-8")
    table = text[text.index('<table class="published') :].split("</table>")[0]
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


def test_numbers_lead_to_exactly_their_cells(results):
    view = gather_run(results, "smoke", ["page_paper"]).papers[0]
    frame = pd.read_parquet(results / "cells.parquet")
    groups = {group.address: group for group in view.links.groups}
    sets = {f"page_paper-sets-1.html#{name}": names for names, name in view.links.sets[0].items()}
    for table in view.artifacts:
        for row in table.rows:
            for column, entry in zip(table.columns, row, strict=True):
                if table.artifact.id == "table-1" and entry.target:
                    method = {"Gridded method": "Grid", "Plain method": "Plain"}.get(row[0].text, row[0].text)
                    group = groups[entry.target]
                    assert (group.method, view.links.names.data(group.dataset)) == (
                        method,
                        column.partition(":")[0],
                    )
    overall = next(found for found in view.artifacts if found.artifact.id == "overall").rows[0]
    assert overall[0].target == overall[1].target
    assert set(sets[overall[0].target]) == set(frame.cell_id.str.rpartition("/")[0])


def test_cells_carry_every_metric_and_provenance(report, results):
    frame = pd.read_parquet(results / "cells.parquet")
    seen = {}
    for dataset, name in CELLS.items():
        text = (report / name).read_text(encoding="utf-8")
        found = re.search(r'<script type="application/json" id="cells-data">(.*?)</script>', text, re.DOTALL)
        payload = json.loads(found[1])
        for group in payload["groups"]:
            assert group["id"].split("/")[1] == dataset
            names = [payload["texts"][number] for number in group["metrics"]]
            for cell in group["cells"]:
                values = dict(zip(names, cell[14], strict=True))
                values = {k: v for k, v in values.items() if v is not None}
                seen[f"{group['id']}/{cell[0]}"] = (cell, values, payload)
    assert set(seen) == set(frame.cell_id)
    for cell_id, rows in frame.groupby("cell_id"):
        cell, values, payload = seen[cell_id]
        first = rows.iloc[0]
        assert payload["texts"][cell[2]] == first.status
        assert payload["environments"][cell[5]]["git_commit"] == first.git_commit
        digest = payload["data"][cell[6]]["data_sha256"]
        assert digest == (None if first.status == "unavailable" else first.data_sha256)
        assert cell[1] == first.seed and cell[11] == pytest.approx(first.cpu_seconds, rel=1e-6)
        expected = dict(zip(rows.metric.dropna(), rows.value.dropna(), strict=True))
        assert values == pytest.approx(expected, rel=1e-6)


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


def partial_run(folder, results, recorded):
    """The same run with only those cells recorded for which `recorded(cell)` holds."""
    folder.mkdir()
    frame = pd.read_parquet(results / "cells.parquet")
    synthetic_run.write_cells(frame[[recorded(row) for row in frame.itertuples()]], folder)
    shutil.copyfile(results / "audit.json", folder / "audit.json")
    synthetic_run.write_tables(folder, "page_paper")
    return folder


def test_a_partial_run_says_what_is_missing(tmp_path, results):
    # Of Grid on glass two of three settings, of Plain one repetition of four, of Oracle and Broken nothing.
    settings = sorted(
        pd.read_parquet(results / "cells.parquet")
        .query("method == 'Grid' and dataset == 'glass'")
        .setting_id.unique()
    )
    folder = partial_run(
        tmp_path / "partial",
        results,
        lambda row: (
            row.dataset == "glass"
            and row.repetition != 3
            and (
                row.method == "Random"
                or row.setting_id in settings[:2]
                or (row.method, row.repetition) == ("Plain", 0)
            )
        ),
    )
    paper = gather_run(folder, "smoke", ["page_paper"]).papers[0]
    assert paper.statuses == {"ok": 10, "missing": 46}
    tables = {view.artifact.id: view for view in paper.artifacts}
    cells = {(row[0].text, row[1].text): [entry.text for entry in row] for row in tables["cells"].rows}
    glass, blobs = "Glass identification", "Nested Gaussian blobs"
    in_their_places = [(glass, "Broken method"), (glass, "Gridded method"), (glass, "Oracle")]
    assert list(cells)[:3] == in_their_places
    assert cells[glass, "Gridded method"][2:5] == ["12", "6", "6 missing"]
    assert cells[glass, "Plain method"][2:5] == ["4", "1", "3 missing"]
    assert cells[blobs, "Oracle"][2:] == ["4", "0", "4 missing", "–", "–", "–"]
    table = {
        row[0].text: dict(zip(tables["table-1"].columns, row, strict=True)) for row in tables["table-1"].rows
    }
    assert table["Oracle"]["Glass identification: least cost"].text == "missing"
    assert table["Plain method"]["Nested Gaussian blobs: least cost"].text == "missing"
    assert table["Gridded method"]["Glass identification: least cost"].text.endswith("(3)")
    assert "Settings to choose from: 2 finished of 3 (Gridded method)." in tables["table-1"].notes

    write_report(folder, "smoke", ["page_paper"])
    said = "This run is partial: 46 planned runs have no record (missing); verdicts and numbers rest on the 10 that"
    for page in ("index.html", "page_paper.html"):
        assert said in Page(folder / "report" / page).words
    assert "10 runs, 46 missing" in Page(folder / "report" / "index.html").words
    assert "Every run of this paper finished." not in Page(folder / "report" / "page_paper-runs.html").words
    missing = [
        found
        for name in CELLS.values()
        for tag, found in Page(folder / "report" / name).attributes
        if tag == "a" and found.get("title") == "missing"
    ]
    assert len(missing) == 46
    overview = Page(folder / "report" / "page_paper-cells.html").words
    assert "Glass identification 5 7 28 18 Nested Gaussian blobs 5 7 28 28" in overview


def test_a_whole_run_says_nothing_of_missing_cells_or_pages(pages, results):
    assert "make report" not in pages["index.html"].words and "Missing pages" not in pages["index.html"].words
    assert gather_run(results, "smoke", ["page_paper"]).papers[0].partial == ""
    assert "This run is partial" not in pages["index.html"].words + pages["page_paper.html"].words


def test_pages_say_where_a_run_used_fewer_rows_than_there_are(tmp_path, results, pages):
    whole = datasets.info("nested-blobs").n_samples
    folder = partial_run(tmp_path / "sampled", results, lambda row: True)
    frame = pd.read_parquet(folder / "cells.parquet")
    drawn = (frame.dataset == "nested-blobs") & frame.method.isin(["Plain", "Grid", "Random"])
    frame.loc[drawn, "n_rows"] = 50
    synthetic_run.write_cells(frame, folder)
    synthetic_run.write_tables(folder, "page_paper")
    write_report(folder, "smoke", ["page_paper"])
    said = f"50 of {whole:,} (all for Oracle)"
    page = Page(folder / "report" / "page_paper.html").words
    assert f"rows used {said}" in page
    title = "Nested Gaussian blobs"
    assert (
        f"Rows used: {title} {said}" in page or f"Rows used: Glass identification all; {title} {said}" in page
    )
    assert f"Not all rows of the data were used: {title} {said}." in page
    assert f"rows used: {said}" in Page(folder / "report" / "checks.html").words
    assert "rows used" not in (pages["page_paper.html"].words + pages["checks.html"].words).lower()


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
        page = Page(path)
        clean = Page(results / "report" / path.name.replace("evil_paper", "page_paper"))
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
    said = {path.name: Page(path).words.count(words) for path in written}
    # At the foot of every page; beside the navigation, too, of pages that git keeps.
    twice = {"index.html", "page_paper.html", "page_paper-certificate.html"}
    assert said == {name: 2 if name in twice else 1 for name in said}


def test_the_same_run_gives_the_same_bytes(results, report):
    before = {path: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    write_report(results, "smoke", ["page_paper"])
    assert {path: path.read_bytes() for path in report.rglob("*") if path.is_file()} == before


def copy_run(results, folder, *names):
    for name in names:
        copy = shutil.copytree if (results / name).is_dir() else shutil.copyfile
        copy(results / name, folder / name)


def test_a_run_without_certificates_says_so(tmp_path, results):
    copy_run(results, tmp_path, "cells.parquet", "audit.json", "tables")
    write_report(tmp_path, "smoke", ["page_paper"])
    assert not (tmp_path / "report" / "certificates.html").exists()
    page = Page(tmp_path / "report" / "page_paper.html")
    assert "no solver checks: they were not run" in page.words
    assert "certificates.html" not in {link.partition("#")[0] for link in page.links}


TABLE = "tables/page_paper/table-1.json"
REPORT = ["report", "--scope", "smoke", "--paper", "page_paper", "--results"]


@pytest.mark.parametrize(
    ("missing", "command"),
    [("cells.parquet", "collect"), ("audit.json", "audit"), (TABLE, "artifacts")],
)
def test_the_command_names_what_is_missing_and_what_makes_it(tmp_path, results, capsys, missing, command):
    copy_run(results, tmp_path, "cells.parquet", "audit.csv", "audit.json", "tables")
    (tmp_path / missing).unlink()
    assert main([*REPORT, str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"{tmp_path / missing}: no such file" in said
    assert f"cladebench {command}" in said
    assert not (tmp_path / "report").exists()


def test_the_command_writes_the_pages(tmp_path, results, capsys):
    copy_run(results, tmp_path, "cells.parquet", "audit.json", "tables", "certificates.csv")
    assert main([*REPORT, str(tmp_path)]) == 0
    assert "index.html" in capsys.readouterr().out
    assert (tmp_path / "report" / "index.html").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda claim: claim.pop("verdict"), "claims[1]: missing key 'verdict'"),
        (lambda claim: claim.update(verdict="splendid"), "claims[1].verdict: 'splendid' is unknown"),
        (lambda claim: claim.update(measured="0.5"), "claims[1].measured: '0.5' is not allowed"),
        (lambda claim: claim.update(n=2.5), "claims[1].n: 2.5 is not allowed; expected a whole number"),
        (lambda claim: claim.update(low=float("nan")), "nan is no finite number"),
        (lambda claim: claim.update(parts="a: reproduced; b: reproduced"), "claims[1].parts: 'a: reproduced"),
        (lambda claim: claim.update(parts=[{"claim": "a", "verdict": "b"}]), "claims[1].verdict: 'b' is unknown"),
        (lambda claim: claim.update(cells="p/d/m/s/*"), "expected a list"),
    ],
)  # fmt: skip
def test_a_damaged_audit_is_refused_in_a_line(tmp_path, results, change, message):
    copy_run(results, tmp_path, "cells.parquet", "tables")
    audit = json.loads((results / "audit.json").read_text())
    change(audit["claims"][1])
    (tmp_path / "audit.json").write_text(json.dumps(audit))
    with pytest.raises(InputFileError) as error:
        gather_run(tmp_path, "smoke", ["page_paper"])
    said = str(error.value)
    assert said.startswith(f"{tmp_path / 'audit.json'}: ") and message in said
    assert said.endswith("run cladebench audit, which makes it") and "\n" not in said


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (None, "missing key 'verdicts'"),
        ({"page_paper": {"splendid": 1}}, "verdicts: 'splendid' is unknown; expected one of reproduced, "),
        ({"page_paper": {"reproduced": 1.5}}, "1.5 is not allowed"),
    ],
)
def test_damaged_counts_of_verdicts_are_refused_in_a_line(tmp_path, results, counts, message):
    audit = json.loads((results / "audit.json").read_text()) | {"verdicts": counts}
    if counts is None:
        del audit["verdicts"]
    (tmp_path / "audit.json").write_text(json.dumps(audit))
    with pytest.raises(InputFileError) as error:
        read_audit(tmp_path / "audit.json")
    said = str(error.value)
    assert message in said and said.endswith("run cladebench audit, which makes it") and "\n" not in said


def test_the_csv_of_the_audit_is_not_read(tmp_path, results, report):
    copy_run(results, tmp_path, "cells.parquet", "audit.json", "tables", "certificates.csv", "figures")
    (tmp_path / "audit.csv").write_text("no audit")
    write_report(tmp_path, "smoke", ["page_paper"])
    for path in report.glob("*.*"):
        assert (tmp_path / "report" / path.name).read_bytes() == path.read_bytes()


def test_parts_and_cells_are_read_as_they_are(tmp_path, results):
    """Names in which the separators of the CSV stand: nothing is split."""
    copy_run(results, tmp_path, "cells.parquet", "tables")
    audit = json.loads((results / "audit.json").read_text())
    claim = next(claim for claim in audit["claims"] if claim["claim"] == "everywhere")
    claim["parts"] = [{"claim": "a: b; c", "verdict": "reproduced"}]
    claim["cells"] = ["x; y/*"]
    (tmp_path / "audit.json").write_text(json.dumps(audit))
    rows = gather_run(tmp_path, "smoke", ["page_paper"]).papers[0].audit
    row = next(row for row in rows if row.claim == "everywhere")
    assert row.parts == (("a: b; c", "reproduced"),)


def test_numbers_of_the_audit_are_written_for_readers(results):
    rows = {row.claim: row for row in gather_run(results, "smoke", ["page_paper"]).papers[0].audit}
    audit = {claim["claim"]: claim for claim in json.loads((results / "audit.json").read_text())["claims"]}
    claim, row = audit["table1/glass/plain"], rows["table1/glass/plain"]
    assert isinstance(claim["measured"], float) and isinstance(claim["n"], int)
    assert row.measured == f"{claim['measured']:#.4g}" and row.n == str(claim["n"])
    assert row.interval == f"[{claim['low']:#.4g}, {claim['high']:#.4g}]"
    assert audit["everywhere"]["measured"] is None
    assert rows["everywhere"].measured == rows["everywhere"].interval == ""


def test_effects_stand_under_the_choice_that_they_belong_to(tmp_path, results):
    (view,) = gather_run(results, "smoke", ["page_paper"]).papers[0].choices
    compared = [f"purity, Nested Gaussian blobs, n_leaves = {k}" for k in (2, 4, 8)] + ["not measured"]
    assert view.choice.id == "leaves"
    assert [words for words, _, _ in view.effects] == compared
    targets = [entry.target for _, entry, _ in view.effects]
    assert targets[3] is None and len({*targets[:3]}) == 3
    assert all(target.startswith("page_paper-cells-nested-blobs.html#Grid/") for target in targets[:3])

    copy_run(results, tmp_path, "cells.parquet", "audit.json", "tables")
    path = tmp_path / "tables/page_paper/deviations.json"
    path.write_text(path.read_text().replace('"leaves"', '"another"'))
    with pytest.raises(
        InputFileError, match=r"has 'another', which choices.yaml does not have; run cladebench artifacts"
    ):
        gather_run(tmp_path, "smoke", ["page_paper"])


def test_small_things():
    assert [duration(s) for s in (4.21, 200, 7500)] == ["4.2 s", "3 min 20 s", "2 h 5 min"]
    assert [digits(value) for value in (0.123456789, 151.0, math.nan, math.inf)] == [
        "0.1234568",
        "151",
        "",
        "inf",
    ]
    assert readable('{"a":1,"b":"x"}') == "a = 1, b = x" and readable("{}") == "default"
    assert header_groups(["m", "a: x", "a: y", "b: x"]) == [
        ("", [(0, "m")]),
        ("a", [(1, "x"), (2, "y")]),
        ("b", [(3, "x")]),
    ]
    assert json.loads(script_json("</script>&\u2028")) == "</script>&\u2028"
    assert not set("<>&\u2028") & set(script_json("</script>&\u2028"))
    assert cells_page("p", "a/../b c") == "p-cells-a_2f_.._2f_b_20_c.html"
    assert anchor("cell", "a b/c") != anchor("cell", "a_b/c") != anchor("cell", "a_20_b/c")


def test_settings_of_one_method_share_a_link():
    ids = ["paper/iris/Grid/a", "paper/iris/Grid/b", "paper/wine/Grid/a"]
    groups = tuple(Group(name, *name.split("/")[1:], (), (), (), 0.0) for name in ids)
    links = CellLinks("paper", groups, (), names=Names({"Grid": "gridded"}, {"wine": "Wine, 178 bottles"}))
    found = settings_behind([f"{name}/*" for name in [*ids, "paper/iris/Grid/absent"]], links)
    assert found == (
        ("gridded on iris (2 settings)", "paper-sets-1.html#set-1"),
        ("gridded on Wine, 178 bottles", "paper-cells-wine.html#Grid/a"),
    )
    assert links.sets == [{tuple(ids[:2]): "set-1"}]


def test_lists_of_settings_are_dealt_out_to_pages_that_keep_their_height():
    ids = [f"paper/iris/Grid/{number}" for number in range(60)]
    groups = tuple(Group(name, "iris", "Grid", "n = 3, " * 9, (), (), (), 0.0) for name in ids)
    links = CellLinks("paper", groups, ())
    found = [links.target_of_groups(ids[start:]) for start in range(58)]
    assert [links.target_of_groups(ids[start:]) for start in range(58)] == found and len(set(found)) == 58
    listed = {
        f"paper-sets-{page}.html#{fragment}": names
        for page, sets in enumerate(links.sets, 1)
        for names, fragment in sets.items()
    }
    assert listed == dict(zip(found, (tuple(ids[start:]) for start in range(58)), strict=True))
    assert len(links.sets) > 2
    for sets in links.sets:  # a name and its setting fill a line
        assert 24 * sum(map(len, sets)) < 20_000
