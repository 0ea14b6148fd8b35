"""What the first screen is made of: the result in a sentence, names, counts of answers, what was seen."""

import dataclasses
from types import SimpleNamespace

import pytest

from cladebench.audit.verdict.verdict_types import (
    ANSWERS,
    AUDITS_LIMIT,
    DOES_NOT_HOLD,
    HOLDS,
    LIMITS,
    NOT_TESTED,
    OPEN,
    PAPERS_LIMIT,
    VERDICTS,
)
from cladebench.paper.catalogue import load_plan
from cladebench.report.claim_rows import ClaimRow, place_for_readers
from cladebench.report.finding_views import FindingView, lead_finding
from cladebench.report.main_claims import (
    faults,
    main_claim,
    parts_in_words,
    shortened,
    what_we_saw,
)
from cladebench.report.paper_facts import address_of, data_of_the_paper, short_name, whose_data, year_of
from cladebench.report.result_sentence import result_sentence
from cladebench.report.run_facts import provenance
from cladebench.report.statements import (
    by_answer,
    by_done,
    by_why,
    open_by_limit,
    stand_ins_by_done,
    together,
)
from cladebench.report.svg_size import svg_size
from cladebench.report.templating import cpu_time, percent, whys_of

NO_COUNTS = dict.fromkeys(ANSWERS, 0)


@pytest.mark.parametrize(
    ("papers", "main", "said"),
    [
        (1, [HOLDS], "We re-ran 1 paper. Its main claim holds."),
        (1, [OPEN], "We re-ran 1 paper. Its main claim stays open."),
        (1, [NOT_TESTED], "We re-ran 1 paper. Its main claim could not be tested."),
        (2, [HOLDS] * 2, "We re-ran 2 papers. All 2 main claims hold."),
        (3, [DOES_NOT_HOLD] * 3, "We re-ran 3 papers. None of the 3 main claims holds: all 3 are refuted."),
        (
            5,
            [OPEN] * 5,
            "We re-ran 5 papers. None of the 5 main claims is confirmed, and none is refuted: all 5 stay open.",
        ),
        (2, [NOT_TESTED] * 2, "We re-ran 2 papers. None of the 2 main claims could be tested in this run."),
        (
            5,
            [OPEN, OPEN, HOLDS, DOES_NOT_HOLD, NOT_TESTED],
            "We re-ran 5 papers. Of the 5 main claims,"
            " 1 holds, 1 does not hold, 2 stay open and 1 could not be tested.",
        ),
        (2, [OPEN, DOES_NOT_HOLD], "We re-ran 2 papers. Of the 2 main claims,"
            " none holds, 1 does not hold and 1 stays open."),
        (3, [HOLDS], "We re-ran 3 papers. 1 of them has a main claim. This main claim holds."),
        (0, [], "We re-ran 0 papers. No printed statement was judged."),
    ],
)  # fmt: skip
def test_the_result_is_a_sentence(papers, main, said):
    assert result_sentence(papers, main, NO_COUNTS) == said


def test_without_main_claims_the_result_is_of_statements():
    counts = NO_COUNTS | {HOLDS: 3, OPEN: 1, NOT_TESTED: 1234}
    assert result_sentence(1, [], counts) == (
        "We re-ran 1 paper. Of 1,238 printed statements, 3 hold, 1 stays open and 1,234 could not be tested."
    )
    assert result_sentence(1, [], NO_COUNTS | {HOLDS: 1}).endswith("Of 1 printed statement, 1 holds.")


def test_papers_are_called_as_their_methods_are():
    names = {name: short_name(load_plan(name)) for name in ("ghc", "hmmc", "hfd", "exemplar", "taxonomy")}
    assert list(names.values()) == ["GHC", "HMMC", "HFD", "Exemplar", "Taxonomy"]
    assert short_name(load_plan("page_paper")) == "Page paper"
    assert [year_of(load_plan(name).citation) for name in names] == ["2017", "2015", "2014", "2011", "2008"]


@pytest.mark.parametrize(
    ("citation", "year", "address"),
    [
        ("A. Author. T. arXiv:2001.01234, 2020.", "2020", "https://arxiv.org/abs/2001.01234"),
        ("A. Author. T. arXiv:cs/0001234, 2000.", "2000", "https://arxiv.org/abs/cs/0001234"),
        ("A. Author. T. J 3, 1998. doi:10.1000/182.a-b.", "1998", "https://doi.org/10.1000/182.a-b"),
        ("A. Author. T. 2001. https://a.org/2001/hash-1.html.", "2001", "https://a.org/2001/hash-1.html"),
        ("A. Author. 20177 trees. http://a.org/x", "", ""),
        ('A. <a href="javascript:1">10.1000/"x', "", ""),
    ],
)
def test_year_and_address_come_from_the_citation(citation, year, address):
    assert (year_of(citation), address_of(citation)) == (year, address)


def data(name, stand_in_for="", cells=3, unavailable=0):
    return {"name": name, "stand_in_for": stand_in_for, "cells": cells, "unavailable": unavailable}


def test_data_are_said_to_be_the_papers_own_or_stand_ins():
    plan = SimpleNamespace(
        beyond=("more", "source"), data_of=lambda name: {"renamed": "source"}.get(name, name)
    )
    rows = [
        data("own"),
        data("away", "x", unavailable=3),
        data("more"),
        data("renamed"),
        data("none", cells=0),
    ]
    assert [row["name"] for row in data_of_the_paper(plan, rows)] == ["own"]
    assert whose_data([data("a")]) == "paper's own data"
    assert whose_data([data("a", "x")]) == "stand-in data"
    assert whose_data([data("a"), data("b", "x")]) == "own and stand-in data"
    assert whose_data([]) == "no data in this run"


def test_counts_by_answer_keep_stand_ins_apart():
    one = {"paper data": {"reproduced": 2, "depends": 1}, "other data": {"analogue holds": 4}}
    two = {
        "printed numbers": {"inconsistent": 3},
        "by construction": {"reproduced": 1},
        "other data": {"depends": 5},
    }
    both = together([one, two])
    assert by_answer(both) == {HOLDS: 7, DOES_NOT_HOLD: 3, OPEN: 6, NOT_TESTED: 0}
    assert by_done(both) == {
        "re-run on the paper's data": {HOLDS: 2, DOES_NOT_HOLD: 0, OPEN: 1, NOT_TESTED: 0},
        "re-run on other data": {HOLDS: 4, DOES_NOT_HOLD: 0, OPEN: 5, NOT_TESTED: 0},
        "no data needed": {HOLDS: 1, DOES_NOT_HOLD: 3, OPEN: 0, NOT_TESTED: 0},
    }
    assert list(by_why(both, HOLDS).items()) == [("on stand-in data", 4), ("shown", 3)]
    assert by_answer({}) == NO_COUNTS and by_done({}) == {}


def test_open_statements_are_counted_by_whose_limit_it_is():
    counts = {
        "paper data": {"depends": 3, "within noise": 2, "uninformative": 5, "reproduced": 9},
        "other data": {"depends": 4, "analogue undecided": 1},
    }
    assert open_by_limit(counts) == {
        PAPERS_LIMIT: {"turns on an unstated choice": 7},
        AUDITS_LIMIT: {
            "true of random methods too": 5,
            "too close to call": 2,
            "stand-in data, too close to call": 1,
        },
    }
    assert open_by_limit({"paper data": {"reproduced": 1}}) == {}
    assert sum(sum(whys.values()) for whys in open_by_limit(counts).values()) == by_answer(counts)[OPEN]


def test_every_open_verdict_and_no_other_has_a_limit():
    assert all((verdict.limit in LIMITS) == (verdict.answer == OPEN) for verdict in VERDICTS.values())
    assert list(whys_of(OPEN)) == list(LIMITS) and list(whys_of(HOLDS)) == [""]


def test_stand_ins_are_explained_where_their_count_is_not_that_of_other_data():
    holds = {"other data": {"analogue holds": 12, "reproduced": 1}, "by construction": {"analogue holds": 2}}
    assert stand_ins_by_done(holds) == {HOLDS: {"re-run on other data": 12, "no data needed": 2}}
    same = {"other data": {"analogue fails": 3, "analogue undecided": 1, "depends": 2}}
    assert stand_ins_by_done(same) == {} == stand_ins_by_done({})


def row(claim, verdict="reproduced", **values):
    """A claim without numbers."""
    empty = {f.name: "" if f.type == "str" else () for f in dataclasses.fields(ClaimRow)}
    known = {"claim": claim, "verdict": verdict, "evidence": "paper data", "main": False, "statement": claim}
    return ClaimRow(**(empty | known | values))


def finding(name, checked=True, instead=()):
    return FindingView(name, f"Headline {name}.", f"Headline {name}. And more.", instead, checked, (), ())


def test_what_we_saw_is_the_first_finding_where_it_holds_else_the_claim():
    parts = (("a", "reproduced"), ("b", "analogue holds"), ("c", "depends"))
    claim = row("x", reason="3 of 3 parts must hold", parts=parts)
    views = [finding("two"), finding("one")]
    assert lead_finding([SimpleNamespace(id="one")], views).rest == "And more."
    assert what_we_saw(claim, lead_finding([SimpleNamespace(id="one")], views)) == "Headline one."
    for broken in (finding("one", instead=("0.3",)), finding("one", checked=False)):
        assert lead_finding([SimpleNamespace(id="one")], [broken, finding("two")]) is None
    assert lead_finding([], []) is None
    assert what_we_saw(claim, None) == parts_in_words(claim) == "3 parts: 2 hold, 1 open."
    assert what_we_saw(row("x", reason="too few runs"), None) == "too few runs"
    assert what_we_saw(None, None) == ""
    assert main_claim([row("a"), row("b", main=True)]).claim == "b" and main_claim([row("a")]) is None


def test_long_texts_are_cut_where_it_can_be_seen():
    assert shortened("a  b\nc") == "a b c"
    assert shortened("one two three", 9) == "one two …"
    assert shortened("the first clause; the second one", 22) == "the first clause …"
    assert shortened("x" * 30, 10) == "x" * 11 + " …"


def test_errors_in_print_say_what_is_wrong():
    rows = [
        row(
            "all",
            "inconsistent",
            reason="1 of 2 parts",
            parts=(("fine", "reproduced"), ("low", "inconsistent")),
        ),
        row(
            "low",
            "inconsistent",
            statement="all",
            said="A > B",
            reason="printed 3 against 2 (fine) (by us), not (cell)",
        ),
        row("fine", statement="all", place="section 2"),
        row("cell", statement="all", place="Table 1, PS, row KM, column AWA, section 5.1"),
        row("fact", "inconsistent", evidence="printed numbers", reason="it has 4 points"),
        row("ours", "inconsistent", evidence="printed numbers", reason="it is lower"),
        row("elsewhere", "analogue fails", evidence="other data", reason="it is behind"),
        row("solver", "contradicted", evidence="by construction", reason="1 of 9 solver checks fails"),
    ]
    about = {"fact": "slip", "all": "method", "ours": "conclusion"}
    assert [(fault.row.claim, fault.wrong, fault.heading) for fault in faults(rows, about)] == [
        ("ours", "it is lower", "Wrong in print: conclusions about results"),  # the heaviest comes first
        (
            "all",
            "A > B: printed 3 against 2 (by us), not (Table 1, PS, KM, AWA)",
            "Wrong in print: method, data or text",
        ),
        ("fact", "it has 4 points", "Wrong in print: slips of the pen"),
        ("solver", "1 of 9 solver checks fails", "We measure otherwise"),
        ("elsewhere", "it is behind", "We measure otherwise on stand-in data"),
    ]
    assert [fault.in_print for fault in faults(rows, about)] == [True] * 3 + [False] * 2


def test_what_we_measure_otherwise_is_said_by_the_finding_that_rests_on_it():
    rows = [
        row("all", "contradicted", parts=(("low", "contradicted"),)),
        row(
            "low",
            "contradicted",
            statement="all",
            said="A >= 1 in agree",
            reason="A 0.57: violated in 5 of 5",
        ),
        row("print", "inconsistent", evidence="printed numbers", reason="it has 4 points"),
    ]
    bound = (("low", "contradicted", "A"), ("print", "inconsistent", "B"))
    said = dataclasses.replace(finding("a"), claims=bound)
    unsure = [dataclasses.replace(finding("b", instead=("x",)), claims=bound),
              dataclasses.replace(finding("c", checked=False), claims=bound)]  # fmt: skip
    shown = [fault.wrong for fault in faults(rows, {}, [*unsure, said])]
    assert shown == ["it has 4 points", "Headline a. And more."]
    assert faults(rows, {}, unsure)[1].wrong == "A >= 1 in agree: A 0.57: violated in 5 of 5"


def test_what_a_reason_says_already_is_not_said_twice():
    said = "printed 3 against 2"
    rows = [
        row("all", "inconsistent", parts=(("low", "inconsistent"),)),
        row("low", "inconsistent", statement="all", said=said, reason=said),
    ]
    assert [fault.wrong for fault in faults(rows, {})] == [said]


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("section abstract", "abstract"),
        ("Figure 3a, section abstract, 1, 4", "Figure 3a, abstract, section 1, 4"),
        ("Table 1, PS, row KM, section 5.1", "Table 1, PS, row KM, section 5.1"),
    ],
)
def test_the_abstract_is_no_section(place, shown):
    assert place_for_readers(place) == shown


def test_provenance_is_summed_up():
    def state(commit, cells, cpu="a", **versions):
        machine = {"cpu": cpu, "cores": "2"}
        known = {"commit": commit, "state": "clean", "core_build": "b", "cells": cells}
        return known | {"machine": machine, "versions": versions}

    found = provenance([state("x", 2, numpy="1"), state("y", 3, numpy="2"), state("x", 2, "c", numpy="1")])
    assert (found["states"], found["commit"], found["machines"]) == (2, "x", 2)
    assert found["versions"] == {"numpy": "1, 2"} and found["processors"] == ["a", "c"]
    assert provenance([])["states"] == 0


def test_the_size_of_a_drawing_is_read_in_pixels(tmp_path):
    path = tmp_path / "a.svg"
    for tag, size in (
        ('<svg width="72pt" height="36pt" viewBox="0 0 72 36">', (96, 48)),
        ("<svg\n height='10' width='20.4px'>", (20, 10)),
        ('<svg viewBox="0 0 72 36">', None),
        ('<svg width="100%" height="3em">', None),
        ("nothing", None),
    ):
        path.write_text(f'<?xml version="1.0"?>{tag}</svg>')
        assert svg_size(path) == size


def test_times_and_shares_are_written_shortly():
    assert [cpu_time(s) for s in (0, 12.3, 90, 3600, 158_400, 10**7)] == [
        "0 CPU seconds",
        "12 CPU seconds",
        "1.5 CPU minutes",
        "1 CPU hour",
        "44 CPU hours",
        "2,778 CPU hours",
    ]
    assert [percent(1, 3), percent(0, 0)] == ["33%", "–"]


@pytest.mark.parametrize(
    ("headline", "seen"),
    [
        ("Open: five of eight are too close.", "Five of eight are too close."),
        ("Does not hold: it is slower.", "It is slower."),
        ("Clusters are not found: 39% are right.", "Clusters are not found: 39% are right."),
        ("Open", "Open"),
    ],
)
def test_the_answer_is_not_said_twice(headline, seen):
    assert what_we_saw(None, SimpleNamespace(headline=headline)) == seen
