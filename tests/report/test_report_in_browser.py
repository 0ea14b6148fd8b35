"""Sorting, filtering and the cells on demand, in a headless Chromium (where there is one)."""

import json
import re
import shutil
import subprocess

import pytest

from cladebench.audit.verdict_types import VERDICTS

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
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
        const column = () => Array.from(table.tBodies[0].rows).map((row) => row.cells[4].textContent.trim());
        const head = table.querySelector("th[data-column='4']");
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


def test_filters_by_verdict_kind_and_text(act):
    outcome = act(
        "page_paper.html",
        """
        const box = document.querySelector(".filters");
        const rows = Array.from(document.getElementById("claims-table").tBodies[0].rows);
        const shown = () => rows.filter((row) => !row.hidden).map((row) => [row.dataset.verdict, row.dataset.kind]);
        const said = () => box.querySelector("output").textContent;
        const start = [shown(), said(), box.hidden];
        box.querySelector("button.clear").click();
        const all = [shown().length === rows.length, said()];
        const button = box.querySelector("button[data-value='not testable']");
        button.click();
        const one = [shown(), button.getAttribute("aria-pressed"), document.querySelectorAll("td.dim").length > 0];
        button.click();
        const search = box.querySelector("input");
        search.value = "THEOREM hard";
        search.dispatchEvent(new Event("input"));
        return { start, all, one, text: shown().length, count: rows.length, said: said() };
        """,
    )
    start, said, hidden = outcome["start"]
    assert {kind for _, kind in start} == {"sentence"} and said == f"{len(start)} of {outcome['count']}"
    assert hidden is False
    assert outcome["all"] == [True, f"{outcome['count']} of {outcome['count']}"]
    rows, pressed, dimmed = outcome["one"]
    assert {verdict for verdict, _ in rows} == {"not testable"} and pressed == "true" and dimmed
    assert outcome["text"] == 1 and outcome["said"] == f"1 of {outcome['count']}"


def test_a_link_to_a_hidden_claim_shows_it(act):
    outcome = act(
        "page_paper.html",
        'return document.getElementById("claim-table1/glass/plain").hidden;',
        fragment="#claim-table1/glass/plain",
    )
    assert outcome is False


def test_a_count_leads_to_the_statements_that_it_counts(act):
    outcome = act(
        "page_paper.html",
        """
        const rows = Array.from(document.getElementById("claims-table").tBodies[0].rows);
        const facts = (row) => ["verdict", "evidence", "counted"].map((name) => row.dataset[name]);
        const shown = () => rows.filter((row) => !row.hidden).map(facts);
        return Array.from(document.querySelectorAll("table.matrix a, .bar a, .counts a")).map((link) => {
          location.hash = link.getAttribute("href");
          window.dispatchEvent(new HashChangeEvent("hashchange"));
          const text = link.getAttribute("aria-label") || link.title || link.parentElement.textContent;
          const said = /[0-9]+/.exec(text);
          return [link.hash, said ? Number(said[0]) : null, shown()];
        });
        """,
    )
    assert len(outcome) > 8
    for link, said, shown in outcome:
        assert shown and {level for *_, level in shown} == {"statement"}, link
        assert said in (len(shown), None), link
        words = link.removeprefix("#only-").split("-")
        for verdict, evidence, _ in shown:
            assert set(words) <= {*verdict.split(), *evidence.split()}, link


def test_a_page_opened_by_a_count_is_filtered(act):
    outcome = act(
        "page_paper.html",
        """
        const rows = Array.from(document.getElementById("claims-table").tBodies[0].rows);
        const pressed = Array.from(document.querySelectorAll(".filters button[aria-pressed='true']"));
        return [rows.filter((row) => !row.hidden).length, pressed.map((button) => button.dataset.value)];
        """,
        fragment="#only-not-testable",
    )
    assert outcome == [2, ["not testable", "statement"]]


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


def test_a_sign_stands_beside_each_verdict(act):
    outcome = act(
        "page_paper.html",
        """
        const sign = (element) => getComputedStyle(element, "::before").content.split('"')[1];
        const found = {};
        document.querySelectorAll(".verdict").forEach((badge) => { found[badge.textContent.trim()] = sign(badge); });
        const buttons = Array.from(document.querySelectorAll("button[data-field='verdict']"));
        return [found, buttons.every((button) => sign(button) === found[button.dataset.value])];
        """,
    )
    found, same = outcome
    signs = {verdict.name: verdict.sign for verdict in VERDICTS.values()}
    shown = {word: sign for word, sign in found.items() if word in signs}
    assert len(shown) >= 4 and shown.items() <= signs.items() and same
    assert found["2 of 2 passed"] == "✓" and found["0 of 1 passed"] == "✗"


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


PAGES = [
    "index.html",
    "page_paper.html",
    "page_paper-cells.html",
    "page_paper-cells-nested-blobs.html",
    "certificates.html",
]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_scrolls_sideways_on_a_phone(act, page):
    # Some builds of Chromium make no window narrower than 500 px; the styles of a phone hold there too.
    outcome = act(
        page,
        """
        document.documentElement.style.width = "390px";
        document.body.style.width = "390px";
        return Array.from(document.querySelectorAll("body *")).filter((element) =>
          element.getBoundingClientRect().right > 391 && !element.closest(".scroll") && !element.closest(".skip")
        ).map((element) => element.tagName + " " + element.textContent.slice(0, 40));
        """,
        width=500,
    )
    assert outcome == []
