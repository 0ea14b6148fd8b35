"""The README's parts are renewed between their markers, and nothing else is."""

import hashlib
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import synthetic_run
from cladebench.audit.verdict.verdict_types import PAPERS_LIMIT, VERDICTS
from cladebench.cli import main
from cladebench.input_files import InputFileError
from cladebench.paper.catalogue import load_plan
from cladebench.paper.findings import Finding
from cladebench.report import readme as parts
from cladebench.report import run_summary
from cladebench.report.readme import renew_readme
from cladebench.report.result_picture import result_picture
from cladebench.report.run_summary import PaperSummary, RunSummary
from cladebench.report.templating import three_digits

TEXT = """# A

<!-- cladebench readme: one -->
old
<!-- end -->
kept
<!-- cladebench readme: two a/b c -->
<!-- end -->
"""
MARKERS = """<!-- cladebench readme: picture images/it.svg -->
<!-- end -->
<!-- cladebench readme: result -->
<!-- end -->
<!-- cladebench readme: findings page_paper/oracle page_paper/theorem -->
<!-- end -->
<!-- cladebench readme: cost -->
<!-- end -->
"""


@pytest.fixture
def judged(tmp_path):
    """A run of the tests' paper with its verdicts, in a folder of its own."""
    folder = tmp_path / "results" / "smoke"
    synthetic_run.write_run(
        folder, "page_paper", synthetic_run.page_paper_metrics, fate=synthetic_run.page_paper_fate
    )
    return folder


def part(text):
    return lambda given: text + "".join(f"{word}\n" for word in given)


def summary(*verdicts, quote="a < b & c", stand_ins=0, findings=()):
    """A run of one paper for each verdict: that of its main claim, and of two statements more."""
    papers = tuple(
        PaperSummary(
            load_plan("ghc"),
            quote if verdict else "",
            verdict,
            {"paper data": {verdict or "reproduced": 2}, "other data": {"analogue fails": 1}},
            stand_ins,
            tuple(findings),
            (),
            None,
            "",
            10,
            90.0,
        )
        for verdict in verdicts
    )
    return RunSummary("smoke", papers, "ab" * 32)


def test_parts_are_put_between_their_markers():
    new = renew_readme(TEXT, {"one": part("1 \\1\n"), "two": part("2\n"), "three": part("3\n")}, "README.md")
    expected = TEXT.replace("old\n", "1 \\1\n").replace("c -->\n", "c -->\n2\na/b\nc\n")
    assert new == expected
    assert renew_readme(new, {"one": part("1 \\1\n"), "two": part("2\n")}, "README.md") == new


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n", "mine.md: no part between <!-- cladebench readme: NAME --> and <!-- end -->"),
        (TEXT, "mine.md: cladebench readme: unknown part 'two'; allowed: one"),
    ],
)
def test_what_cannot_be_renewed_is_said(text, said):
    with pytest.raises(InputFileError) as caught:
        renew_readme(text, {"one": part("")}, "mine.md")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("picture", "mine.md: cladebench readme: picture: expected one file"),
        ("findings ghc/gone", "mine.md: cladebench readme: findings: unknown 'ghc/gone'; allowed: ghc/there"),
    ],
)
def test_a_wrong_marker_is_named(marker, said, tmp_path, monkeypatch):
    run = summary("reproduced", findings=[Finding("there", "Headline.", "Text.")])
    monkeypatch.setattr(parts, "summarise_run", lambda *_: run)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.md").write_text(f"<!-- cladebench readme: {marker} -->\n<!-- end -->\n")
    with pytest.raises(InputFileError) as caught:
        parts.readme_files(tmp_path / "mine.md", tmp_path, "smoke", [])
    assert said in str(caught.value)


def test_the_sentence_is_that_of_the_report():
    assert summary("depends", "within noise").sentence.endswith("none is refuted: all 2 stay open.")
    assert summary("depends", "").sentence.endswith("1 of them has a main claim. This main claim stays open.")
    assert summary().sentence == "We re-ran 0 papers. No printed statement was judged."


def test_all_statements_are_counted_by_answer_and_by_what_was_done():
    run = summary("depends", "not testable")
    assert run.total == "Of 6 printed numbers and sentences, 4 could be tested: 2 do not hold, 2 open."
    assert run.counts == {"holds": 0, "does not hold": 2, "open": 2, "not tested": 2}
    assert {done: sum(counts.values()) for done, counts in run.by_done.items()} == {
        "re-run on the paper's data": 4,
        "re-run on other data": 2,
    }
    assert run.limits == {PAPERS_LIMIT: {VERDICTS["depends"].why: 2}}
    on_paper = {"printed numbers": {"reproduced": 3}, "by construction": {"reproduced": 1, "not testable": 5}}
    some = replace(run.papers[0], matrix={"paper data": {"reproduced": 2}, **on_paper})
    assert replace(run, papers=(some,)).total == (
        "Of 11 printed numbers and sentences, 6 could be tested: 6 hold (4 without data)."
    )
    slips = replace(some, matrix=some.matrix | {"printed numbers": {"inconsistent": 2}})
    assert "3 hold (1 without data), 2 do not hold (2 without data)." in replace(run, papers=(slips,)).total
    assert summary().total == "Of 0 printed numbers and sentences, 0 could be tested."


@pytest.mark.parametrize("verdicts", [["depends", "reproduced"], [""], []])
def test_the_picture_is_svg_whatever_the_run_has(verdicts):
    run = summary(*verdicts, stand_ins=1)
    root = ET.fromstring(result_picture(run))
    name = {"svg": "http://www.w3.org/2000/svg"}
    assert root.get("width") == "1200"
    assert root.findtext("svg:metadata", "", name) == f"audit.csv sha256 {'ab' * 32}"
    shown = " ".join("".join(text.itertext()) for text in root.findall("svg:text", name))
    assert run.total in shown
    assert ("“a < b & c”" in shown) == any(verdicts)
    assert shown.count("stand-ins: 1 of 3") == len(verdicts)
    edges = [float(r.get("x")) + float(r.get("width")) for r in root.findall("svg:rect", name)[1:]]
    assert all(edge <= 1160.01 for edge in edges) and len(edges) == len(verdicts) * 2 + len(
        [n for n in run.counts.values() if n]
    )


def test_no_line_of_the_picture_is_wider_than_the_picture():
    """1,120 pixels hold 125 letters of 18 pixels, which are half as wide as high."""
    matrix = {
        "paper data": {"reproduced": 11, "contradicted": 1, "depends": 133, "not testable": 374},
        "printed numbers": {"reproduced": 66, "inconsistent": 9},
    }
    run = replace(summary("depends"), papers=(replace(summary("depends").papers[0], matrix=matrix),))
    assert len(run.total) > 120
    root = ET.fromstring(result_picture(run))
    svg = "{http://www.w3.org/2000/svg}text"
    lead = [text for text in root.iter(svg) if text.get("class") == "lead"]
    assert " ".join("".join(text.itertext()) for text in lead) == run.total
    assert all(len("".join(text.itertext())) <= 115 for text in lead)
    bar = min(float(rect.get("y")) for rect in root.findall("{http://www.w3.org/2000/svg}rect")[1:])
    assert max(float(text.get("y")) for text in lead) < bar


def test_a_finding_that_does_not_hold_is_not_written(judged, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(MARKERS)
    options = ["--results", str(judged), "--scope", "smoke", "--paper", "page_paper", "--file", str(readme)]
    assert main(["readme", *options]) == 2
    said = capsys.readouterr().err
    assert (
        "page_paper/findings.yaml: finding 'oracle': found instead: purity of Oracle on nested-blobs is 1.099"
        in said
    )
    assert readme.read_text() == MARKERS and not (judged / "README.md").exists()


def test_the_command_renews_all_files_and_then_leaves_them(judged, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run_summary, "check_findings", lambda *_: {"theorem": ()})
    path = tmp_path / "README.md"
    path.write_text(MARKERS)
    options = ["--results", str(judged), "--scope", "smoke", "--paper", "page_paper", "--file", str(path)]
    assert main(["readme", *options]) == 0
    assert capsys.readouterr().out.count("renewed") == 3
    text, page = path.read_text(), (judged / "README.md").read_text()
    assert "56 runs" in text and "](images/it.svg)\n" in text
    assert text.count("- **Page paper: ") == 1, "what the run cannot check is no result"
    assert "# Results of the smoke run\n" in page
    lacking = (
        "1 finding of the full run cannot be checked in this run:\n  - **The theorem holds.** The theorem"
    )
    assert f"The tree of the labels has a purity of 1.2 on blobs.\n- {lacking} was reproduced.\n\n![" in page
    assert "| Gridded | 0.50 ± 0.02 → " in page and "| *Random* | " in page
    digest = hashlib.sha256((judged / "audit.csv").read_bytes()).hexdigest()
    assert digest in (tmp_path / "images" / "it.svg").read_text()
    assert main(["readme", *options]) == 0
    said = capsys.readouterr().out
    assert said.count("as the run has it") == 3 and "renewed" not in said
    assert (path.read_text(), (judged / "README.md").read_text()) == (text, page)


@pytest.mark.parametrize(
    ("value", "text"),
    [(79.04, "79.0"), (0.4678, "0.468"), (5.0, "5.00"), (1.139e6, "1.14e6"), (120.4, "120")],
)
def test_three_digits(value, text):
    assert three_digits(value) == text
