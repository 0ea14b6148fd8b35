"""Abbreviations are explained where a page uses them first, in a title and in a line."""

import re

import pytest

from cladebench.paper.catalogue import load_plan
from cladebench.report.abbreviations import MARK, abbreviations, explained

SP = {"SP": "shortest path similarity: one minus the mean", "nats": "units <of> information"}


def test_the_first_use_has_a_title_and_the_line_says_it_in_words():
    text = str(explained(f"<h1>x</h1>{MARK}<p>SP here, SP there</p>", SP))
    assert '<p class="words"><small>SP: shortest path similarity.</small></p>' in text
    assert text.count("<abbr") == 1
    assert (
        '<p><abbr title="shortest path similarity: one minus the mean">SP</abbr> here, SP there</p>' in text
    )


def test_each_mark_explains_what_follows_it_and_the_first_what_comes_before():
    text = str(explained(f"nats {MARK}one{MARK}<b>SP</b>, nats", SP))
    first, second = re.findall("<small>(.*?)</small>", text)
    assert (first, second) == ("nats: units &lt;of&gt; information.", "SP: shortest path similarity.")


def test_many_names_of_methods_are_folded():
    meanings = {word: f"about {word}" for word in ("SP", "KM", "SC", "SL", "AL", "CL", "HKM")}
    text = str(explained(f"{MARK}{' '.join(meanings)}", meanings))
    assert '<p class="words"><small>SP: about SP.</small></p><details class="words">' in text
    assert "<summary><small>Names of methods: KM, SC, SL, AL, CL, HKM</small></summary>" in text
    assert "<small>KM: about KM; SC: about SC; " in text
    del meanings["HKM"]
    assert "<details" not in explained(f"{MARK}{' '.join(meanings)}", meanings)


def test_a_word_that_begins_a_sentence_is_the_same_word():
    text = str(explained(f"{MARK}Learned weights lead. The learned weights", {"learned weights": "of a sum"}))
    assert text.endswith('<abbr title="of a sum">Learned weights</abbr> lead. The learned weights')
    assert "<small>learned weights: of a sum.</small>" in text


@pytest.mark.parametrize(
    "text",
    [
        '<img alt="SP">',
        "<code>SP</code>",
        "<script>let SP = '<p>SP</p>';</script>",
        "<option>SP</option>",
        "<!-- SP -->",
        "SP-1, XSP, SPs",
        '<abbr title="y">SP</abbr>',
        "",
    ],
)
def test_what_is_no_prose_is_left_alone(text):
    assert explained(text, SP) == text


def test_the_longest_name_counts_and_a_page_without_any_stays():
    meanings = {"HKM": "one", "HKM-D": "two"}
    assert explained("HKM-D HKM", meanings) == '<abbr title="two">HKM-D</abbr> <abbr title="one">HKM</abbr>'
    assert explained(f"x{MARK}y", meanings) == "xy" and explained("SP", {}) == "SP"


def test_meanings_come_from_the_measures_of_the_plan():
    hmmc, ghc = abbreviations(load_plan("hmmc")), abbreviations(load_plan("ghc"))
    for word in ("SP", "PS", "RI", "ARI", "AMI", "mAP"):
        assert hmmc[word] == next(
            measure.meaning
            for name, measure in load_plan("hmmc").measures.items()
            if name.upper() == word or measure.title == word
        )
    assert {"nats", "HKM", "HKM-D"} <= set(hmmc) and "GHC" not in hmmc
    assert "GHC-L-FT" in ghc and "HKM" not in ghc
    assert {"SP", "nats"} <= set(abbreviations(load_plan("page_paper")))
    exemplar = abbreviations(load_plan("exemplar"))
    assert {"learned weights", "planes", "regulariser", "tau"} <= set(exemplar) and "tau" not in ghc
    assert "blocks" in ghc and "blocks" not in exemplar


def test_pages_of_a_report_explain_what_they_use(report):
    text = (report / "page_paper.html").read_text(encoding="utf-8")
    assert MARK not in text and "abbr" in text
