"""Findings say what the run says: files are read strictly, and what no longer holds is told with what was found."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml

from cladebench.audit import VERDICTS
from cladebench.audit.claims_file import load_claims
from cladebench.audit.finding_checks import check_findings
from cladebench.bench.plan.plan_file import read_plan
from cladebench.bench.samples.results import Results
from cladebench.bench.samples.samples import constant
from cladebench.input_files import InputFileError, validator
from cladebench.paper.catalogue import built_in_papers, load_plan
from cladebench.paper.findings import Finding, checked_findings, read_findings

ROOT = Path(__file__).parents[2]


def finding(name="one", **more):
    return {
        "id": name,
        "headline": "All hold.",
        "text": "It holds.",
        "claims": [{"claim": "a", "verdict": ["reproduced"]}],
    } | more


def document(**first):
    return {"findings": [finding(**first), finding("two"), finding("three")]}


NUMBER = {"dataset": "glass", "method": "Perch", "metric": "dendrogram_purity"}


def write(tmp_path, content):
    path = tmp_path / "mine" / "findings.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content))
    return path


def test_a_file_is_read(tmp_path):
    content = document(text="It\n  holds.", numbers=[NUMBER | {"at_least": 0.1}])
    content["main_result"] = {"artifact": "Table 1", "blind": ["Random"]}
    found = read_findings(write(tmp_path, content))
    assert (found.main_result, found.blind) == ("Table 1", ("Random",))
    assert [entry.id for entry in found.findings] == ["one", "two", "three"]
    assert (found.findings[0].headline, found.findings[0].text) == ("All hold.", "It holds.")
    assert found.findings[0].numbers == (NUMBER | {"at_least": 0.1},)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (
            {"claims": [{"claim": "a", "verdict": ["reprodced"]}]},
            "'reprodced' is not allowed; did you mean 'reproduced'?",
        ),
        ({"claims": [{"claim": "a", "verdict": []}]}, "a list of verdicts, as in"),
        ({"claim": "a"}, "finding 'one': claim: unknown key 'claim'; did you mean 'claims'?"),
        ({"name": "two", "id": "One"}, "small letters, digits and -"),
        ({"numbers": [NUMBER]}, "finding 'one': numbers[0]: missing key"),
        ({"numbers": [NUMBER | {"value": 1}]}, "missing key 'tolerance'"),
        (
            {"numbers": [NUMBER | {"value": 1, "tolerance": 0.1, "at_least": 2}]},
            "several of the allowed forms at once",
        ),
        ({"numbers": [NUMBER | {"at_least": 2, "at_most": 1}]}, "at_least: 2 is more than at_most, 1"),
        ({"numbers": [NUMBER | {"value": 1, "tolerance": 0}]}, "tolerance: 0 is not allowed"),
        ({"id": "two"}, "finding 'two': id: given twice"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, first, said):
    content = document()
    content["findings"][0] |= {key: value for key, value in first.items() if key != "name"}
    with pytest.raises(InputFileError) as caught:
        read_findings(write(tmp_path, content))
    assert str(caught.value).startswith("mine/findings.yaml, line ") and said in str(caught.value)


@pytest.mark.parametrize("count", [2, 8])
def test_three_to_seven(tmp_path, count):
    content = {"findings": [finding(f"f{k}") for k in range(count)]}
    with pytest.raises(InputFileError, match=f"findings: {count} entries; expected a list of three to seven"):
        read_findings(write(tmp_path, content))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"method": "Prech"}, "numbers: method: unknown 'Prech'; did you mean 'Perch'?"),
        ({"dataset": "glas"}, "numbers: dataset: unknown 'glas'"),
        ({"metric": "purity"}, "numbers: metric: unknown 'purity'"),
        ({"minus": {"selection": "best"}}, "numbers: selection: unknown 'best'"),
    ],
)
def test_names_are_held_against_the_plan(tmp_path, change, said):
    original = load_plan("ghc").path
    content = document(numbers=[NUMBER | {"at_least": 0.1} | change])
    path = write(tmp_path, content)
    (path.parent / "plan.yaml").write_text(original.read_text(encoding="utf-8"), encoding="utf-8")
    plan = read_plan(path.parent / "plan.yaml", "cladebench.papers.ghc")
    with pytest.raises(InputFileError) as caught:
        checked_findings(plan)
    assert said in str(caught.value)


def test_a_paper_needs_no_findings(tmp_path):
    plan = load_plan("ghc")
    (tmp_path / "plan.yaml").write_text(plan.path.read_text(encoding="utf-8"), encoding="utf-8")
    found = checked_findings(read_plan(tmp_path / "plan.yaml", "cladebench.papers.ghc"))
    assert found.findings == () and found.main_result == ""


def records(repetitions=3):
    rows = [
        {
            "dataset": "d",
            "method": method,
            "setting": "{}",
            "setting_id": "default",
            "repetition": k,
            "fold": None,
            "task": f"t{k}",
            "metric": "m",
            "at": "{}",
            "value": value + k,
            "status": "ok",
            "reason": None,
            "cell_id": f"p/d/{method}/default/{k}",
            "stand_in_for": None,
            "n_rows": 10,
            "n_train": 10,
            "n_test": 10,
        }
        for method, value in (("A", 1.0), ("B", 4.0))
        for k in range(repetitions)
    ]
    return Results(pd.DataFrame(rows))


SAID = "m of A on d is 2 (-0.4841 to 4.484 at 95%)"
AUDIT = [
    {"claim": "t/a", "verdict": "reproduced"},
    {"claim": "t/b", "verdict": "contradicted"},
    {"claim": "t/c", "verdict": "reproduced"},
    {"claim": "u", "verdict": "depends", "universes": "0/3/16", "depends_on": ["scale", "start"]},
    {"claim": "s/a", "verdict": "reproduced"},
    {"claim": "s/b", "verdict": "not testable"},
    {"claim": "s/c", "verdict": "not testable"},
    {"claim": "s/d", "verdict": "contradicted"},
]


def broken(**bonds):
    return check_findings([Finding("f", "head", "text", **bonds)], AUDIT, records()).get("f")


def said_of(found):
    """What one bond is told to have instead: nothing where it holds, None where the run cannot tell."""
    assert found is None or len(found) <= 1
    return "" if found is None else found[0] if found else None


@pytest.mark.parametrize(
    ("bond", "instead"),
    [
        ({"claim": "u", "verdict": ["depends", "contradicted"]}, ""),
        ({"claim": "t/*", "verdict": ["reproduced", "contradicted"]}, ""),
        (
            {"claim": "t/*", "verdict": ["reproduced"]},
            "t/*: 2 reproduced, 1 contradicted; expected at least 3 reproduced",
        ),
        ({"claim": "t/*", "verdict": ["reproduced"], "at_least": 2}, ""),
        (
            {"claim": "t/*", "verdict": ["reproduced"], "at_least": 3},
            "t/*: 2 reproduced, 1 contradicted; expected at least 3 reproduced",
        ),
        ({"claim": "t/*", "verdict": ["contradicted", "depends"], "at_most": 1}, ""),
        (
            {"claim": "t/*", "verdict": ["reproduced"], "at_most": 1},
            "t/*: 2 reproduced, 1 contradicted; expected at most 1 reproduced",
        ),
        ({"claim": "u", "verdict": ["depends"], "universes": "0/*"}, ""),
        (
            {"claim": "u", "verdict": ["depends"], "universes": "*/0/*"},
            "u: 1 depends (0/3/16 other choices); expected at least 1 depends (*/0/* other choices)",
        ),
        ({"claim": "u", "verdict": ["depends"], "depends_on": ["start", "scale"]}, ""),
        (
            {"claim": "u", "verdict": ["depends"], "depends_on": ["start"]},
            "u: 1 depends (on scale, start); expected at least 1 depends (on start)",
        ),
        ({"claim": "s/*", "verdict": ["reproduced"], "at_least": 3}, None),
        (
            {"claim": "s/*", "verdict": ["reproduced"], "at_least": 4},
            "s/*: 1 reproduced, 2 not testable, 1 contradicted; expected at least 4 reproduced",
        ),
        (
            {"claim": "s/*", "verdict": ["not testable"], "at_most": 1},
            "s/*: 1 reproduced, 2 not testable, 1 contradicted; expected at most 1 not testable",
        ),
        ({"claim": "s/*", "verdict": ["not testable"], "at_least": 2}, ""),
        (
            {"claim": "s/*", "verdict": ["not testable"], "at_least": 3},
            "s/*: 1 reproduced, 2 not testable, 1 contradicted; expected at least 3 not testable",
        ),
        ({"claim": "v*", "verdict": ["reproduced"], "at_most": 1}, "there is no claim v*"),
        ({"claim": "t", "verdict": ["reproduced"]}, "there is no claim t"),
    ],
)
def test_claims_must_have_their_verdicts(bond, instead):
    assert said_of(broken(claims=(bond,))) == instead


@pytest.mark.parametrize(
    ("bond", "instead"),
    [
        # 1, 2 and 3: 2 +- 4.303 / sqrt(3)
        ({"value": 2.0, "tolerance": 2.485}, ""),
        ({"value": 2.0, "tolerance": 2.484}, f"{SAID}; expected at least -0.4840 and at most 4.484"),
        ({"at_least": -0.485}, ""),
        ({"at_most": 4.485}, ""),
        ({"at_least": 0}, f"{SAID}; expected at least 0"),
        ({"at_most": 4.4}, f"{SAID}; expected at most 4.4"),
        ({"at_least": 0, "at_most": 9}, f"{SAID}; expected at least 0 and at most 9"),
        ({"minus": {"method": "B"}, "at_least": -3, "at_most": -3}, ""),
        ({"minus": {"method": "B"}, "value": -3, "tolerance": 0.1}, ""),
        (
            {"minus": {"method": "B"}, "at_least": 0},
            "m of A on d minus m of B on d is -3 (-3 to -3 at 95%); expected at least 0",
        ),
        ({"minus": {"method": "C"}, "at_least": 0}, None),
        ({"minus": {"method": "C"}, "at_most": 0}, None),
    ],
)
def test_numbers_must_be_measured(bond, instead):
    query = {"dataset": "d", "method": "A", "metric": "m"}
    assert said_of(broken(numbers=(query | bond,))) == instead


def test_one_result_of_a_random_method_bears_nothing_out():
    number = {"dataset": "d", "method": "A", "metric": "m", "at_least": 0}
    found = check_findings([Finding("f", "head", "text", numbers=(number,))], AUDIT, records(1))
    assert found["f"] == ("m of A on d is 1 (-inf to inf at 95%); expected at least 0",)


def test_draws_that_share_rows_vary_more():
    """The variance of the mean of three is 1/3 of that of one, and 1 more for halves of the rows of one data set."""
    number = {"dataset": "d", "method": "A", "metric": "m", "at_least": -1}
    results = records()
    sample = results.sample({"dataset": "d", "method": "A", "metric": "m"}, "")
    shared = SimpleNamespace(selection={}, sample=lambda query, rule: replace(sample, overlap=1.0))
    held, fell = (
        check_findings([Finding("f", "", "", numbers=(number,))], AUDIT, r) for r in (results, shared)
    )
    assert held == {} and fell["f"] == ("m of A on d is 2 (-2.968 to 6.968 at 95%); expected at least -1",)


def test_a_difference_from_a_number_known_exactly_still_varies():
    sample = records().sample({"dataset": "d", "method": "A", "metric": "m"}, "")
    found = {"A": sample, "B": constant(1.0)}
    results = SimpleNamespace(selection={}, sample=lambda query, rule: found[query["method"]])
    number = {"dataset": "d", "method": "A", "metric": "m", "minus": {"method": "B"}, "at_least": 0}
    fell = check_findings([Finding("f", "", "", numbers=(number,))], AUDIT, results)
    expected = "m of A on d minus m of B on d is 1 (-1.484 to 3.484 at 95%); expected at least 0"
    assert fell["f"] == (expected,)


def test_each_broken_bond_is_told_once_and_none_that_the_run_cannot_check():
    claims = [{"claim": "u", "verdict": ["reproduced"]}, {"claim": "t/a", "verdict": ["reproduced"]}]
    number = {"dataset": "d", "method": "A", "metric": "m", "at_least": 0}
    lacking = number | {"method": "C"}
    assert broken(claims=claims * 2, numbers=(lacking, number, number)) == (
        "u: 1 depends; expected at least 1 reproduced",
        f"{SAID}; expected at least 0",
    )
    # What holds beside it does not make a finding that the run can check.
    assert broken(claims=claims[1:], numbers=(lacking,)) == ()


def test_the_verdicts_are_those_of_the_audit():
    schema = validator("findings").schema
    assert tuple(schema["$defs"]["claims"]["properties"]["verdict"]["items"]["enum"]) == tuple(VERDICTS)


NAMES = re.compile(
    r"\b(?:Table|Figure|Section|Equation|Algorithm) \d+(?:\.\d+)*[a-z]?\b"  # Section 6.1
    r"|\b[A-Za-z][\w-]*\d+\b|\b\d+-[a-z]+"  # CIFAR-100, 2-means
    r"|\b20 newsgroups\b|\b(?:19|20)\d\d\b"  # a name, a year
)
CHAINS = re.compile(
    r"\b(?:of which|stands? for|hangs? on|in the place of|so too|that of)\b"
    r"|, nor\b|, for (?:it|they|that|these|this|the|a)\b"
)

#: Findings also stand in Markdown, where nothing explains a word.
UNEXPLAINED = re.compile(r"\b(?:planes?|tau|blocks?)\b")


def numbers_in(text):
    return re.findall(r"\d[\d,.]*", NAMES.sub("", text))


def sentences_of(text):
    return re.split(r"(?<=[.!?])\s+", text)


def told(finding):
    """What makes a finding hard to read."""
    wrong = []
    if len(finding.headline.split()) > 12:
        wrong.append("headline of more than 12 words")
    if (
        not finding.headline.endswith(".")
        or len(sentences_of(finding.headline)) > 1
        or ";" in finding.headline
    ):
        wrong.append("headline is not one sentence")
    if len(finding.text.split()) > 40:
        wrong.append("text of more than 40 words")
    if any(len(sentence.split()) > 25 for sentence in sentences_of(finding.text)):
        wrong.append("sentence of more than 25 words")
    if len(numbers_in(finding.text)) > 2:
        wrong.append("more than two numbers")
    if CHAINS.search(f"{finding.headline} {finding.text}"):
        wrong.append("a chain")
    if UNEXPLAINED.search(f"{finding.headline} {finding.text}"):
        wrong.append("a word that is not explained")
    if not finding.text.endswith("."):
        wrong.append("text does not end")
    return wrong


@pytest.mark.parametrize(
    ("headline", "text", "wrong"),
    [
        (
            "A tree wins.",
            "On CIFAR-10 and 20 newsgroups it leads by 0.5 and 12%, see Table 1 and Section 6.1.",
            [],
        ),
        ("A tree wins.", "It leads by 1 and 2 on 3 data sets.", ["more than two numbers"]),
        ("A tree wins.", "Digits has 1,797 rows, balanced 2-means leads by 4.", []),
        ("word " * 12 + "end.", "It leads.", ["headline of more than 12 words"]),
        ("A tree wins. It leads.", "It leads.", ["headline is not one sentence"]),
        ("A tree wins", "It leads.", ["headline is not one sentence"]),
        ("A tree wins.", "word. " * 40 + "End.", ["text of more than 40 words"]),
        ("A tree wins.", "word " * 25 + "end.", ["sentence of more than 25 words"]),
        ("A tree wins.", "Three trees, of which one wins, lead.", ["a chain"]),
        ("A tree wins.", "It leads blocks.", ["a word that is not explained"]),
    ],
)
def test_what_is_hard_to_read_is_seen(headline, text, wrong):
    assert told(Finding("f", headline, text)) == wrong


@pytest.mark.parametrize("paper", built_in_papers())
def test_findings_are_quick_to_read(paper):
    findings = checked_findings(load_plan(paper)).findings
    assert findings
    assert {finding.id: wrong for finding in findings if (wrong := told(finding))} == {}


@pytest.mark.parametrize("paper", built_in_papers())
def test_the_first_finding_answers_the_main_claim(paper):
    (main,) = (claim.id for claim in load_claims(paper).claims.values() if claim.main)
    first = checked_findings(load_plan(paper)).findings[0]
    bonds = [bond for bond in first.claims if bond["claim"] == main]
    assert len(bonds) == 1 and len(bonds[0]["verdict"]) == 1
    answer = VERDICTS[bonds[0]["verdict"][0]].answer
    assert first.headline.startswith(f"{answer.capitalize()}: ")
