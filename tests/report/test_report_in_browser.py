"""Sorting, filtering and the cells on demand, in a headless Chromium (where there is one).

``CLADEBENCH_REPORT=results/full/report`` has the pages of another report measured too.
"""

import dataclasses
import json
import os
import re
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from cladebench.report.templating import html_page
from cladebench.report.views import gather_run
from page_sizes import BROWSER, measure_pages, too_large

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

HARNESS = """<script>
setTimeout(() => {
  let result;
  try {
    result = (() => {ACTIONS})();
  } catch (error) {
    result = String(error);
  }
  const out = document.createElement("pre");
  out.id = "outcome";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
}, 100);
</script></body>"""


@pytest.fixture(scope="module")
def act(report, tmp_path_factory):
    """Gives a function that opens a page, lets a script act on it, and gives the value of its last expression."""
    profile = tmp_path_factory.mktemp("profile")
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(report, folder, dirs_exist_ok=True)

    def run(page, script, fragment="", width=1280):
        text = (folder / page).read_text(encoding="utf-8")
        (folder / f"acted-{page}").write_text(
            text.replace("</body>", HARNESS.replace("ACTIONS", script)), encoding="utf-8"
        )
        done = subprocess.run(
            [
                *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000"),
                *(f"--user-data-dir={profile}", f"--window-size={width},1000", "--dump-dom"),
                f"file://{folder}/acted-{page}{fragment}",
            ],
            capture_output=True,
            text=True,
            timeout=120,
        )
        found = re.search(r'<pre id="outcome">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found, done.stderr[-2000:]
        return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

    return run


def test_headers_sort_by_number_and_say_so(act):
    outcome = act(
        "page_paper.html",
        """
        const table = document.querySelector("table.published");
        const column = () => Array.from(table.tBodies[0].rows).map((row) => row.cells[3].textContent.trim());
        const head = table.querySelector("th[data-column='3']");
        const before = column();
        head.querySelector("button").click();
        const up = [column(), head.getAttribute("aria-sort")];
        head.querySelector("button").click();
        return [before, up, [column(), head.getAttribute("aria-sort")]];
        """,
    )
    assert outcome == [
        ["0.70", "0.20", "0.61"],
        [["0.20", "0.61", "0.70"], "ascending"],
        [["0.70", "0.61", "0.20"], "descending"],
    ]


def test_what_is_no_number_sorts_last(act):
    outcome = act(
        "page_paper.html",
        """
        const table = document.querySelector("table.published");
        const button = table.querySelector("th[data-column='1'] button");
        const column = () => Array.from(table.tBodies[0].rows).map((row) => row.cells[1].textContent.trim());
        button.click();
        const up = column();
        button.click();
        return [up, column()];
        """,
    )
    assert outcome == [["0.47", "0.50 ± 0.02", "–"], ["0.50 ± 0.02", "0.47", "–"]]


ROWS = """
  const rows = Array.from(document.getElementById("claims-table").tBodies[0].rows);
  const shown = () => rows.filter((row) => !row.hidden);
  const box = document.querySelector(".filters");
  const said = () => box.querySelector("output").textContent;
"""


def test_statements_filter_by_answer_done_why_and_text(act):
    outcome = act(
        "page_paper.html",
        ROWS
        + """
        const start = [shown().length, said(), box.hidden];
        const answer = box.querySelector("button[data-value='not tested']");
        answer.click();
        const dimmed = document.querySelectorAll("td.dim").length > 0;
        const pressed = answer.getAttribute("aria-pressed");
        const one = [shown().map((row) => row.dataset.answer), pressed, dimmed, location.search];
        answer.click();
        const none = [shown().length, location.search];
        const done = box.querySelector("button[data-field='done']");
        done.click();
        const two = [shown().map((row) => row.dataset.done), done.dataset.value];
        box.querySelector("button.clear").click();
        const why = box.querySelector("select");
        why.value = "no run can test it";
        why.dispatchEvent(new Event("change"));
        const three = shown().map((row) => [row.dataset.verdict, row.querySelector(".why").textContent]);
        box.querySelector("button.clear").click();
        const search = box.querySelector("input");
        search.value = "HARD";
        search.dispatchEvent(new Event("input"));
        const text = [shown().length, location.search];
        return { start, one, none, two, three, text, count: rows.length, said: said() };
        """,
    )
    count = outcome["count"]
    assert outcome["start"] == [count, f"{count} of {count}", False] and outcome["none"] == [count, ""]
    answers, pressed, dimmed, search = outcome["one"]
    assert set(answers) == {"not tested"} and 0 < len(answers) < count and pressed == "true" and dimmed
    assert search == "?answer=not+tested"
    assert set(outcome["two"][0]) == {outcome["two"][1]} and outcome["three"]
    assert {tuple(row) for row in outcome["three"]} == {("not testable", "no run can test it")}
    assert outcome["text"] == [1, "?text=HARD"] and outcome["said"] == f"1 of {count}"


def test_filters_in_the_address_are_restored(act):
    outcome = act(
        "page_paper.html",
        ROWS
        + """return [shown().map((row) => row.dataset.answer), box.querySelector("input").value,
        Array.from(box.querySelectorAll("[aria-pressed='true']")).map((button) => button.dataset.value)];""",
        fragment="?answer=holds&answer=open&text=e#claims",
    )
    answers, text, pressed = outcome
    assert answers and set(answers) <= {"holds", "open"}
    assert text == "e" and pressed == ["holds", "open"]


def test_a_link_to_a_hidden_claim_shows_it(act):
    outcome = act(
        "page_paper.html",
        """
        const target = document.getElementById("claim-grid-beats-plain/glass");
        const box = target.getBoundingClientRect();
        return [target.closest("tr").hidden, target.closest("details").open, box.top >= 0 && box.bottom <= innerHeight];
        """,
        fragment="?text=nothing#claim-grid-beats-plain/glass",
    )
    assert outcome == [False, True, True]


def test_every_count_leads_to_what_it_counts_with_the_filters_in_sight(act):
    outcome = act(
        "page_paper.html",
        ROWS
        + """
        const names = ["answer-holds", "answer-not-tested", "not-testable", "paper-data", "paper-data-not-testable"];
        const facts = (row) => [row.dataset.answer, row.dataset.verdict, row.dataset.evidence];
        return names.map((name) => {
          scrollTo(0, 0);
          location.hash = "#only-" + name;
          window.dispatchEvent(new HashChangeEvent("hashchange"));
          const top = box.getBoundingClientRect().top;
          return [name, top >= 0 && top < innerHeight / 2, shown().map(facts)];
        });
        """,
    )
    for name, in_sight, rows in outcome:
        words = name.removeprefix("answer-")
        assert in_sight and rows, name
        for row in rows:
            slugs = [word.replace(" ", "-") for word in row]
            assert words in (*slugs, f"{slugs[2]}-{slugs[1]}"), name


def test_a_page_opened_by_a_count_is_filtered_with_the_filters_in_sight(act):
    outcome = act(
        "page_paper.html",
        ROWS
        + """const top = box.getBoundingClientRect().top;
        return [shown().map((row) => row.dataset.answer), top >= 0 && top < innerHeight / 2];""",
        fragment="#only-answer-not-tested",
    )
    answers, in_sight = outcome
    assert set(answers) == {"not tested"} and in_sight


def test_the_navigation_stays_in_sight_and_marks_the_section(act):
    outcome = act(
        "page_paper.html",
        """
        document.getElementById("artifacts").scrollIntoView();
        const bar = document.querySelector("nav.sticky").getBoundingClientRect();
        const head = document.getElementById("artifacts").getBoundingClientRect();
        return [Math.round(bar.top), head.top >= bar.height - 1];
        """,
    )
    assert outcome == [0, True]


def test_a_cell_opens_with_its_provenance(act):
    outcome = act(
        "page_paper-cells-nested-blobs.html",
        """
        const panels = () => Array.from(document.querySelectorAll("div.panel"));
        const first = panels().map((panel) => panel.textContent);
        const marked = Array.from(document.querySelectorAll("div.panel thead .here")).map((cell) => cell.textContent);
        location.hash = "#Broken/default";
        window.dispatchEvent(new HashChangeEvent("hashchange"));
        return { first, marked, second: panels().map((panel) => panel.textContent) };
        """,
        fragment="#Plain/default/2",
    )
    assert len(outcome["first"]) == len(outcome["second"]) == 1
    assert outcome["marked"] == ["2"]
    for word in (
        "page_paper/nested-blobs/Plain/default/*",
        "0123456789abcdef",
        "build-1",
        "a processor",
        "purity",
    ):
        assert word in outcome["first"][0]
    assert "31 CPU seconds, 30 allowed" in outcome["second"][0]


def test_claims_sort_by_their_names(act):
    outcome = act(
        "page_paper.html",
        """
        const table = document.getElementById("claims-table");
        table.querySelector("th[data-column='1'] button").click();
        return Array.from(table.tBodies[0].rows).map((row) => row.id);
        """,
    )
    assert len(outcome) > 5 and outcome == sorted(outcome)


def test_no_page_breaks_a_limit_or_scrolls_sideways(report):
    sizes = measure_pages(report)
    assert {"index.html", "page_paper.html", "certificates.html"} <= set(sizes)
    assert too_large(sizes) == []


#: As long as the longest main claim of the papers.
CLAIM = (
    "In all of our experiments on grouping " + "many different kinds of things, " * 4 + "it is more accurate."
)
SAW = "Three comparisons hold, two are too close, and one turns on choices."
OTHER = "11 support, 26 open, 10 contradict"


def test_the_table_of_five_papers_ends_on_the_first_screen(results, tmp_path):
    run = gather_run(results, "smoke", ["page_paper"])
    (paper,) = run.papers
    claim = dataclasses.replace(
        paper.audit[0], main=True, quote=CLAIM, verdict="direction only", other_choices=OTHER
    )
    lead = dataclasses.replace(paper.findings[0], headline=SAW)

    def quoting(length):
        row = dataclasses.replace(claim, quote=CLAIM[:length])
        return dataclasses.replace(paper, audit=(row, *paper.audit[1:]), lead=lead)

    papers = tuple(quoting(length) for length in (len(CLAIM), 115, 80, 75, 65))
    run = dataclasses.replace(run, papers=papers)
    text = html_page("index.html", run=run, figures={"page_paper": {}}, sizes={}, title="Five papers")
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    assert (
        f"<q>{CLAIM}</q>" in text and text.count(f'<td class="saw">{SAW}<small>Other choices: {OTHER}.') == 5
    )
    (size,) = measure_pages(tmp_path).values()
    assert 400 < size["first"] <= 900
    assert any("first 901" in line for line in too_large({"index.html": size | {"first": 901}}))


PICTURE = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='691' height='300'/>"
IN_BOX = (
    "<style>figure, .scroll {{ overflow-x: auto; }}</style>{style}"
    '<figure><img src="{picture}"><figcaption>Said.</figcaption></figure><figure><img src="{picture}"></figure>'
    '<div class="scroll"><table style="width: 900px"><tr><td>wide</td></tr></table></div>'
)


def test_small_pictures_and_hidden_parts_of_a_page_are_seen(tmp_path):
    css = (resources.files("cladebench.report") / "templates" / "style.css").read_text(encoding="utf-8")
    styles = {
        "good": f"<style>{css}</style>",
        "small": f"<style>{css} figure img {{ max-width: 100%; }}</style>",
        "unsigned": f"<style>{css} figcaption::before, figure::after {{ content: none !important; }}</style>",
        "none": "",
    }
    for name, style in styles.items():
        text = IN_BOX.format(style=style, picture=PICTURE)
        (tmp_path / f"{name}.html").write_text(f"<!doctype html><body>{text}", encoding="utf-8")
    sizes = measure_pages(tmp_path)
    found = {name.removesuffix(".html"): (len(s["small"]), len(s["hidden"])) for name, s in sizes.items()}
    assert found == {"good": (0, 0), "small": (2, 0), "unsigned": (0, 2), "none": (0, 3)}
    said = [line.partition(": [")[0] for line in too_large(sizes)]
    assert said == [
        "none.html: scrolls without a sign",
        "small.html: too small on a phone",
        "unsigned.html: scrolls without a sign",
    ]


def test_a_long_address_breaks_on_a_phone(report, tmp_path):
    css = (resources.files("cladebench.report") / "templates" / "style.css").read_text(encoding="utf-8")
    address = "https://papers.org/" + "e0ec453e" * 20
    for name, style in {"good": css, "none": ""}.items():
        text = f"<!doctype html><style>{style}</style><div class='page'><p class='soft'>A. Author, 2008. {address}</p>"
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    page = (report / "page_paper-certificate.html").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(page.replace("A. Author", address), encoding="utf-8")
    assert address in (tmp_path / "page.html").read_text(encoding="utf-8")
    wide = {name: size["wide"] for name, size in measure_pages(tmp_path).items()}
    assert wide["good.html"] == wide["page.html"] == []
    assert wide["none.html"] and all(said.startswith("page ") for said in wide["none.html"])


@pytest.mark.skipif("CLADEBENCH_REPORT" not in os.environ, reason="no other report was named")
@pytest.mark.timeout(3600)
def test_no_page_of_a_report_that_was_named_breaks_a_limit_or_scrolls_sideways():
    assert too_large(measure_pages(Path(os.environ["CLADEBENCH_REPORT"]))) == []
