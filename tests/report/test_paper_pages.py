"""The pages of a paper: order, limits, links; long tables and details on pages of their own."""

import dataclasses
import json
import re

import pytest

import synthetic_run
from cladebench.audit.verdict.verdict_types import ANSWERS, VERDICTS
from cladebench.paper.figures import EMPTY
from cladebench.report.claim_filters import count_values, filter_places, only, only_answer
from cladebench.report.pages import write_report
from cladebench.report.paper_pages import (
    CLAIMS_ON_PAGE,
    detail_pages,
    gone_pages,
    place,
    statement_views,
)
from cladebench.report.views import gather_run
from page_sizes import MOST_BYTES, MOST_ELEMENTS
from page_tags import read_page
from synthetic_run import edit_audit


@pytest.fixture(scope="module")
def paper(results):
    return gather_run(results, "smoke", ["page_paper"]).papers[0]


@pytest.fixture(scope="module")
def texts(report):
    return {path.name: path.read_text(encoding="utf-8") for path in report.glob("*.html")}


def ids(text):
    return set(re.findall(r'\sid="([^"]+)"', text))


def elements(text):
    """Count the elements of a page as a browser does, near enough: what stands in scripts and styles is none."""
    return len(
        re.findall(r"<[a-z]", re.sub(r"(<(script|style)\b)[^>]*>.*?</\2>", r"\1>", text, flags=re.DOTALL))
    )


def test_every_claim_has_its_place_on_the_page_of_the_paper_and_on_one_of_details(paper, texts):
    details = [text for name, text in texts.items() if name.startswith("page_paper-claims-")]
    for row in paper.audit:
        assert row.anchor in ids(texts["page_paper.html"])
        assert sum(row.anchor in ids(text) for text in details) == 1
        assert any(row.reason.replace("'", "&#39;").replace(">", "&gt;")[:60] in text for text in details)


def test_the_page_of_a_paper_goes_from_the_claim_to_the_data(texts):
    text = texts["page_paper.html"]
    marks = ("<h1>", 'class="lead"', 'id="findings"', 'id="published"', 'id="claims"', 'id="artifacts"')
    places = [text.index(mark) for mark in (*marks, 'id="choices"', 'id="data"')]
    assert places == sorted(places)
    navigation = text[text.index('<nav class="sticky"') :].partition("</nav>")[0]
    for target in re.findall('href="#([^"]+)"', navigation):
        assert f'id="{target}"' in text


def test_the_main_claim_stands_first_with_answer_why_and_what_was_seen(copied, paper):
    claim = next(row for row in paper.audit if row.claim == "everywhere")
    stances = dict.fromkeys("abcde", "supports") | {"f": "undecided"}
    edit_audit(copied, {claim.claim: {"main": True, "stances": stances}})
    write_report(copied, "smoke", ["page_paper"])
    text = (copied / "report" / "page_paper.html").read_text(encoding="utf-8")
    block = text[text.index('id="main-claim"') :].partition("</section>")[0]
    assert claim.quote in block and VERDICTS[claim.verdict].meaning in block
    assert "With other choices: 5 support, 1 open, 0 contradict." in block
    words = text.find('class="words"')
    assert text.index('id="main-claim"') < text.index('id="findings"')
    assert words == -1 or text.index('id="main-claim"') < words, "words of a whole page push the claim down"
    rows = re.findall(r'<tr id="(claim-[^"]+)"', text)
    assert rows[0] == "claim-everywhere"


def test_parts_have_the_sign_of_their_answer_and_why(texts, paper):
    """Signs of verdicts would be a second language beside the four of the answers."""
    pages = {
        name: text for name, text in texts.items() if re.fullmatch(r"page_paper(-claims-\d+)?\.html", name)
    }
    parts = [
        part
        for text in pages.values()
        for part in re.findall(r"^(?:.*>)?(\S+) ([a-z ]+) \(([^()]+)\): <a", text, re.M)
    ]
    assert parts
    known = {(ANSWERS[verdict.answer].sign, verdict.answer, verdict.why) for verdict in VERDICTS.values()}
    assert set(parts) <= known


def test_words_of_the_pages_are_plain(texts):
    for name, text in texts.items():
        if name.startswith("page_paper"):
            shown = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL)
            for word in ("data-blind", "hangs on", "universes:", "analogue holds", "within noise"):
                assert word not in shown, f"{name}: {word}"


def test_statements_are_counted_by_answer_and_by_what_was_done(paper, texts):
    heads = [statement.head for statement in statement_views(paper.audit)]
    counts = count_values(heads)
    assert len(heads) == paper.n_statements == sum(counts["answer"].values()) == sum(counts["done"].values())
    assert list(counts["answer"]) == [name for name in ANSWERS if name in counts["answer"]]
    rows = re.findall(r'<tr id="[^"]*" data-answer="([^"]*)"', texts["page_paper.html"])
    assert {name: rows.count(name) for name in counts["answer"]} == counts["answer"]
    for name, count in counts["answer"].items():
        assert f"{name} ({count})" in texts["page_paper.html"]


def test_counts_lead_without_a_script_to_the_first_row_that_they_count(paper, texts):
    text = texts["page_paper.html"]
    heads = [statement.head for statement in statement_views(paper.audit)]
    places = filter_places(heads)
    marks = {fragment: query for found in places.values() for fragment, query in found.items()}
    for row in heads:
        assert {only_answer(row.answer), only(row.verdict, row.evidence), only(row.verdict)} <= set(marks)
    for fragment, query in marks.items():
        before = text[: text.index(f'<span id="{fragment}"')].rpartition("<tr ")[2]
        for part in query.split("&"):
            field, _, value = part.partition("=")
            assert f'data-{field}="{value}"' in before
            first = next(row for row in heads if getattr(row, field) == value)
            assert "&" in query or first.anchor in before


def test_a_long_table_is_cut_into_pages(paper):
    view = next(view for view in paper.artifacts if view.artifact.id == "table-1")
    assert not place("p", view).pages
    long = dataclasses.replace(view, rows=view.rows * 400)
    placed = place("p", long)
    assert [name for name, _ in placed.pages][:2] == ["p-table-table-1-1.html", "p-table-table-1-2.html"]
    assert sum((part.rows for _, part in placed.pages), ()) == long.rows
    assert all(len(part.rows) <= 300 for _, part in placed.pages)


def test_details_are_dealt_out_with_each_statement_before_its_parts(paper):
    stated = statement_views(paper.audit)
    many = stated * (CLAIMS_ON_PAGE // len(stated) + 1)
    pages = detail_pages("p", many)
    assert list(pages)[:2] == ["p-claims-1.html", "p-claims-2.html"]
    assert max(map(len, pages.values())) == CLAIMS_ON_PAGE
    rows = [row.claim for rows in detail_pages("p", stated).values() for row in rows]
    assert sorted(rows) == sorted(row.claim for row in paper.audit)
    for statement in stated:
        assert all(rows.index(row.claim) > rows.index(statement.head.claim) for row in statement.inside)


def test_no_page_of_a_large_run_breaks_a_limit(tmp_path):
    folder = synthetic_run.write_run(
        tmp_path / "full", "page_paper", synthetic_run.page_paper_metrics, scope="full"
    )
    written = write_report(folder, "full", ["page_paper"])
    pages = [path for path in written if path.suffix == ".html"]
    assert any("-cells-nested-blobs-page-2" in path.name for path in pages)
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert len(text.encode()) <= MOST_BYTES, path.name
        assert elements(text) <= MOST_ELEMENTS, path.name


def test_pages_that_are_not_written_any_more_are_removed(tmp_path):
    for name in (
        "p.html",
        "p-claims-1.html",
        "p-claims-9.html",
        "p-notes.html",
        "p-runs.html",
        "q-runs.html",
    ):
        (tmp_path / name).touch()
    gone = gone_pages(tmp_path, "p", ["p.html", "p-claims-1.html", "p-runs.html"])
    assert [path.name for path in gone] == ["p-claims-9.html"]


def test_images_have_a_size_and_say_what_is_seen(texts):
    images = re.findall(r"<img [^>]*>", texts["page_paper.html"])
    assert images
    for image in images:
        assert re.search(r'width="\d+" height="\d+" alt="[^"]{20,}"', image), image


def test_the_rule_beside_leads_to_its_own_runs(copied, paper):
    audit = json.loads((copied / "audit.json").read_text())
    (pattern,) = next(claim["cells"] for claim in audit["claims"] if claim["claim"] == "table1/glass/grid")
    chosen = pattern.removesuffix("/*")
    other = min(
        g.group_id for g in paper.links.groups if "/glass/Grid/" in g.group_id and g.group_id != chosen
    )
    for cells, number in ((other, 2), (chosen, 1)):
        edit_audit(copied, {"table1/glass/grid": {"cells_beside": [f"{cells}/*"]}})
        write_report(copied, "smoke", ["page_paper"])
        row = read_page(copied / "report" / "page_paper-claims-1.html").row("claim-table1/glass/grid")
        measured = row[row.index('<td class="number">') : row.index('<td class="hangs')]
        assert measured.count("<a ") == number
        assert f'page_paper-cells-glass.html#Grid/{cells.rpartition("/")[2]}"' in measured


NOTED = """<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><metadata>
<dc:description>SAID &lt;b&gt;
Two.</dc:description></metadata><g/></svg>
"""


def test_what_a_figure_rests_on_stands_in_its_caption(copied):
    figure = copied / "figures" / "page_paper" / "made.svg"
    page = copied / "report" / "page_paper.html"
    figure.write_text(NOTED.replace("SAID", "Ten rows"))
    write_report(copied, "smoke", ["page_paper"])
    (caption,) = re.findall(r"made\.svg.*?<figcaption>(.*?)</figcaption>", page.read_text(), re.DOTALL)
    assert caption.endswith("Ten rows &lt;b&gt; Two.") and len(caption) > 40
    figure.write_text(NOTED.replace("SAID", f"{EMPTY}no images"))
    write_report(copied, "smoke", ["page_paper"])
    text = page.read_text()
    assert "made.svg" not in text
    assert f'<p class="flag">{EMPTY}no images &lt;b&gt; Two. ' in text
