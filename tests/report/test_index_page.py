"""The index page and the certificates: what a reader meets first, in light, in dark and on paper."""

import dataclasses
import html
import json
import re
import shutil
import subprocess
from importlib import resources

import pandas as pd
import pytest

from cladebench.audit.verdict.verdict_types import ANSWERS, LIMITS, NOT_TESTED, OPEN, VERDICTS
from cladebench.input_files import InputFileError
from cladebench.paper.findings import checked_findings
from cladebench.report import views
from cladebench.report.pages import write_report
from cladebench.report.views import gather_run
from drawing_checks import contrast
from page_sizes import BROWSER
from synthetic_run import edit_audit


def words(text):
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


@pytest.fixture(scope="module")
def index(report):
    return (report / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def with_main_claim(results, tmp_path_factory):
    """The report of the same run, whose paper has a main claim, and the first finding is about it."""
    folder = tmp_path_factory.mktemp("main") / "smoke"
    shutil.copytree(results, folder)
    claim = {
        "main": True,
        "quote": "our method is best <b>",
        "reading": "everywhere. It takes all parts.",
        "verdict": "analogue holds",
        "stand_in_for": ["x"],
    }
    edit_audit(folder, {"everywhere": claim})
    write_report(folder, "smoke", ["page_paper"])
    return folder / "report"


def test_the_result_comes_first(with_main_claim, index):
    text = (with_main_claim / "index.html").read_text(encoding="utf-8")
    assert "<h1>We re-ran 1 paper. Its main claim holds.</h1>" in text
    head = words(text[text.index("<h1>") : text.index("</table>\n</section>")])
    assert "1 of 1 main claims rests on stand-in data" in head
    assert "Page paper 2001" in head
    assert "our method is best <b>" in head
    assert "✓ holds on stand-in data" in head and 'href="page_paper.html#claim-everywhere"' in text
    assert "<h1>We re-ran 1 paper. Of 8 printed statements, " in index and "none named" in index


def test_the_page_of_a_paper_ends_the_reading_of_its_main_claim_once(with_main_claim):
    page = (with_main_claim / "page_paper.html").read_text(encoding="utf-8")
    assert "Read as: everywhere. It takes all parts.</p>" in page


def test_each_statement_is_counted_once_by_answer_and_by_what_was_done(results, index):
    run = gather_run(results, "smoke", ["page_paper"])
    assert sum(run.answers.values()) == run.n_statements == 8
    head = words(index[index.index("<h1>") : index.index("</table>\n</section>")])
    for answer, count in run.answers.items():
        word = answer if count == 1 else ANSWERS[answer].plural
        assert f"{count} {ANSWERS[answer].sign} {word}" in head
    for done, counts in run.done.items():
        assert f"{done} {' '.join(str(count or '·') for count in counts.values())}" in head
    assert sum(sum(counts.values()) for counts in run.done.values()) == 8
    assert f"{run.n_tested} ({100 * run.n_tested / 8:.0f}%) could be tested" in head


def test_counts_lead_to_the_statements_with_that_answer(results, index):
    run = gather_run(results, "smoke", ["page_paper"])
    linked = set(re.findall(r'href="page_paper\.html#(only-answer-[a-z-]+)"', index))
    assert linked == {f"only-answer-{a.replace(' ', '-')}" for a, count in run.answers.items() if count}


def test_a_card_leads_to_the_paper_its_data_and_its_certificate(index):
    card = index[index.index('<section class="card"') :].split("</section>")[0]
    for target in ("page_paper.html", "page_paper.html#data", "page_paper-certificate.html"):
        assert f'href="{target}"' in card
    image = re.search(r"<img [^>]*>", card)[0]
    assert re.search(r'width="\d+" height="\d+"', image) and "The figure shows" in image
    assert "The gridded method is ahead." in card


def test_a_card_shows_the_figure_that_the_findings_name(copied, monkeypatch):
    named = {}
    monkeypatch.setattr(
        views, "checked_findings", lambda plan: dataclasses.replace(checked_findings(plan), **named)
    )
    shown = {}
    for picture in ("", "made", "not-made"):
        named["picture"] = picture
        write_report(copied, "smoke", ["page_paper"])
        text = (copied / "report" / "index.html").read_text(encoding="utf-8")
        (shown[picture],) = re.findall(r'<img src="../figures/page_paper/([^"]+)\.svg"', text)
    # One that was not made in this run leaves the drawn table.
    assert shown == {"": "main-result", "made": "made", "not-made": "main-result"}
    named["picture"] = "mad"
    with pytest.raises(
        InputFileError, match=r"page_paper/findings.yaml: main_result.picture: unknown figure 'mad'"
    ):
        gather_run(copied, "smoke", ["page_paper"])


def test_a_paper_without_an_address_says_so(index):
    card = index[index.index('<section class="card"') :].split("</section>")[0]
    assert "The paper has no DOI" in card


def test_all_four_answers_and_all_reasons_are_explained(index):
    section = words(index[index.index('id="reading"') : index.index('id="rerun"')])
    for answer in ANSWERS.values():
        assert f"{answer.sign} {answer.name}" in section
    for verdict in VERDICTS.values():
        assert verdict.why in section
        assert verdict.meaning in section


def test_errors_in_print_are_listed_with_their_place(copied):
    claim = {"verdict": "inconsistent", "reason": "4 is not 5", "place": "section 9", "quote": "four is five"}
    edit_audit(copied, {"theorem": claim})
    write_report(copied, "smoke", ["page_paper"])
    text = (copied / "report" / "index.html").read_text(encoding="utf-8")
    section = text[text.index('id="faults"') : text.index('id="reading"')]
    assert (
        "Wrong in print: slips of the pen (1) Page paper section 9 four is five 4 is not 5 details"
        in words(section)
    )
    assert "conclusions about results" not in section
    assert 'href="page_paper.html#claim-theorem"' in section and "1 of them contradicts" in section


def test_the_heaviest_errors_in_print_come_first(copied):
    audit = json.loads((copied / "audit.json").read_text())
    slip = next(claim for claim in audit["claims"] if claim["claim"] == "theorem")
    slip |= {"verdict": "inconsistent", "reason": "4 is not 5"}
    audit["claims"].append(slip | {"claim": "again", "reason": "it is lower", "quote": "it is best"})
    (copied / "audit.json").write_text(json.dumps(audit))
    write_report(copied, "smoke", ["page_paper"])
    text = (copied / "report" / "index.html").read_text(encoding="utf-8")
    section = words(text[text.index('id="faults"') : text.index('id="reading"')])
    said = ["method, data or text (1)", "it is lower", "slips of the pen (1)", "4 is not 5"]
    assert re.findall("|".join(map(re.escape, said)), section) == said


def test_versions_of_the_code_are_counted_where_runs_are(index):
    head = words(index[index.index("<h1>") : index.index("</table>\n</section>")])
    assert re.search(r"runs by 1 version of the code\b", head) and "state of this code" not in words(index)


def test_statements_are_told_from_claims(index):
    section = words(index[index.index('id="reading"') : index.index('id="rerun"')])
    assert "Each printed number or sentence is a statement." in section
    assert re.search(r"\bclaim a statement or a part of one,", section)


def test_on_paper_a_paper_goes_on_over_the_page(index):
    """Kept on one page, a paper that is a line too long leaves most of the page before it empty."""
    kept = re.findall(r"([^{}]+)\{ break-inside: avoid; \}", index)
    assert kept and not any(re.search(r"\.card\b", rule) for rule in kept)
    assert '<li class="data">' in index and "li:not(.data) > a[href^=" in index


def test_open_statements_are_split_by_whose_limit_it_is(results, index):
    run = gather_run(results, "smoke", ["page_paper"])
    head = words(index[index.index("<h1>") : index.index("</table>\n</section>")])
    assert run.limits
    for limit, whys in run.limits.items():
        assert f"{sum(whys.values())} {limit} :" in head
    explained = words(index[index.index('id="reading"') : index.index('id="rerun"')])
    for limit, meaning in LIMITS.items():
        assert f"{limit.capitalize()}. {meaning}" in explained


def test_the_certificate_says_what_was_run_and_by_whom(results, report):
    run = gather_run(results, "smoke", ["page_paper"])
    text = words((report / "page_paper-certificate.html").read_text(encoding="utf-8"))
    assert f"{run.n_runs} in the scope smoke" in text
    assert "commit 0123456789abcdef0123456789abcdef01234567 (clean)" in text
    assert "numpy 2.0, python 3.11" in text
    assert f"All {run.n_statements} printed statements" in text
    assert "2 of 2 passed on the 1 topic that claims of this paper rest on; 2 of 3 in the whole run" in text
    assert "Glass identification ; Nested Gaussian blobs" in text
    assert f"{run.answers[OPEN]} open, {run.answers[NOT_TESTED]} not tested." in text
    assert "The gridded method is ahead." in text and "The tree of the labels is very pure." not in text


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_the_certificate_prints_to_one_page(report, tmp_path):
    printed = tmp_path / "certificate.pdf"
    subprocess.run(
        [
            *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"),
            *(f"--user-data-dir={tmp_path}/profile", f"--print-to-pdf={printed}"),
            f"file://{report}/page_paper-certificate.html",
        ],
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert re.search(rb"/Count (\d+)", printed.read_bytes())[1] == b"1"


def themes():
    """Colours of light and dark mode, by name."""
    css = (resources.files("cladebench.report") / "templates" / "style.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    found = [dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", block)) for block in (light, dark)]
    return {"light": found[0], "dark": found[0] | found[1]}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read_in_both_modes(mode):
    colours = themes()[mode]
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert {"ink", "soft", "link", "grey", *(answer.css for answer in ANSWERS.values())} <= set(colours)
    for text in ("ink", "soft", "link", "grey", *(answer.css for answer in ANSWERS.values())):
        for ground in ("bg", "card", "faint"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["ink"], colours["mark"]) >= 4.5
    assert contrast(colours["edge"], colours["bg"]) >= 3  # borders of what can be pressed


def test_a_certificate_has_seconds_where_minutes_would_be_none(results, report, tmp_path):
    assert "<dt>computing</dt><dd>4.4 CPU minutes on " in (report / "page_paper-certificate.html").read_text(
        "utf-8"
    )
    shutil.copytree(results, tmp_path / "smoke")
    cells = pd.read_parquet(tmp_path / "smoke" / "cells.parquet")
    cells["cpu_seconds"] /= 100
    cells.to_parquet(tmp_path / "smoke" / "cells.parquet")
    write_report(tmp_path / "smoke", "smoke", ["page_paper"])
    text = (tmp_path / "smoke" / "report" / "page_paper-certificate.html").read_text(encoding="utf-8")
    assert re.search(r"<dt>computing</dt><dd>[1-9][0-9.]* CPU seconds on ", text), text[
        text.index("computing") :
    ][:60]
