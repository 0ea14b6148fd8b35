"""The page with each statement under each other choice."""

import re
import shutil

import pytest

from cladebench.report.pages import write_report
from synthetic_run import edit_audit


@pytest.fixture(scope="module")
def folder(results, tmp_path_factory):
    """The report of a run in which choices disagree on two statements and agree on a third."""
    folder = tmp_path_factory.mktemp("choices") / "smoke"
    shutil.copytree(results, folder)
    changes = {
        "everywhere": {
            "stance": "supports",
            "stances": {
                **{"two leaves": "contradicts", "b": "supports", "c": "supports"},
                **{"two leaves + b": "undecided", "two leaves + c": "not testable"},
            },
        },
        "exact": {"stance": "undecided", "stances": {"b": "supports"}},
        "theorem": {"stance": "not testable", "stances": {"b": "supports", "unused": "supports"}},
    }
    factors = {"two leaves": "leaves", "unused": "elsewhere", "b": "elsewhere"}
    choices = [{"factor": factor, "name": name} for name, factor in factors.items()]
    edit_audit(folder, changes, universes={"page_paper": choices})
    write_report(folder, "smoke", ["page_paper"])
    return folder / "report"


def cells(row):
    return [
        re.sub("<[^>]*>", "", found).strip()
        for found in re.findall("<t[dh][ >].*?</t[dh]>", row, flags=re.DOTALL)
    ]


def test_rows_are_statements_that_change_and_columns_the_choices_that_change_them(folder):
    text = (folder / "page_paper-matrix.html").read_text(encoding="utf-8")
    rows = [cells(row) for row in re.findall("<tr>.*?</tr>", text, flags=re.DOTALL)]
    assert rows == [
        ["statement", "as chosen", "two leaves", "b", "two leaves + b"],
        ["“on all data sets”", "✓", "✗", "✓", "?"],
        ["“the fast path is exact”", "?", "", "✓", ""],
    ]
    assert 'href="page_paper-choices.html#choice-leaves">two leaves</a>' in text
    assert 'href="page_paper.html#claim-everywhere"' in text
    assert "2 statements come out differently" in text and "changes an answer. 1 more change none." in text


def test_it_is_linked_where_the_figure_stands(folder):
    text = (folder / "page_paper.html").read_text(encoding="utf-8")
    section = text[text.index('id="other-choices"') : text.index('id="artifacts"')]
    assert 'src="../figures/page_paper/universes.svg"' in section
    # Of the second, other choices agree with each other and not with ours.
    assert re.search(r" 2 of \d+ statements come out differently under some of them\.", section)
    assert (
        '<a href="page_paper-matrix.html">Each statement under each choice</a>: 2 statements by 3' in section
    )
    assert 'href="page_paper-matrix.html"' in (folder / "page_paper-choices.html").read_text(encoding="utf-8")


def test_a_run_without_other_choices_has_no_such_page(report, folder, results):
    assert not (report / "page_paper-matrix.html").exists()
    assert "matrix" not in (report / "page_paper.html").read_text(encoding="utf-8").replace(
        "table.matrix", ""
    )
    # A page of an earlier report does not stay.
    shutil.copyfile(results / "audit.json", folder.parent / "audit.json")
    write_report(folder.parent, "smoke", ["page_paper"])
    assert not (folder / "page_paper-matrix.html").exists()


def test_one_statement_by_one_choice_is_no_plural(results, tmp_path):
    shutil.copytree(results, tmp_path / "smoke")
    change = {"exact": {"stance": "undecided", "stances": {"b": "supports"}}}
    edit_audit(tmp_path / "smoke", change, universes={"page_paper": [{"factor": "leaves", "name": "b"}]})
    write_report(tmp_path / "smoke", "smoke", ["page_paper"])
    text = (tmp_path / "smoke" / "report" / "page_paper.html").read_text(encoding="utf-8")
    assert "Each statement under each choice</a>: 1 statement by 1 other choice." in text
