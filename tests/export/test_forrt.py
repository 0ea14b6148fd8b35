"""Drafts of FORRT outcomes on claims of known truth."""

import json

import pytest

from cladebench.export.forrt import CONFIDENCE, TERMS, confidence, drafts, files
from cladebench.export.run_folder import PaperRun, RunFolder
from made_up_claims import EVIL, claim, plan

#: The template's fields, in its order.
FIELDS = ["outcome", "label", "study", "repo", "date", "validationStatus", "conclusion", "evidence"]
FIELDS += ["confidenceLevel", "limitations"]


def written(*claims):
    return drafts(PaperRun(plan(), claims))["outcomes"]


def test_fields_and_words_are_the_templates():
    (found,) = written(
        claim("a", n=5, measured=0.123456789, low=0.1, high=0.2, published="0.12", metric="ari")
    )
    assert list(found["fields"]) == FIELDS
    assert {term.rpartition("/")[2] for term in TERMS.values()} == {
        *("Validated", "PartiallySupported", "Contradicted", "Inconclusive", "NotTested")
    }
    assert {term.rpartition("/")[2] for term in CONFIDENCE.values()} <= {
        *("VeryHighConfidence", "HighConfidence", "Moderate", "LowConfidence", "VeryLowConfidence")
    }
    assert found["fields"]["validationStatus"].endswith("/Validated")
    assert found["fields"]["confidenceLevel"].endswith("/HighConfidence")
    assert (found["quote"], found["place"], found["sample_size"]) == ("It says a.", "section 1", 5)
    assert found["fields"]["evidence"] == "re-run on the paper's data. because; n = 5"
    expected = {"published": "0.12", "metric": "ari", "measured": 0.123457, "low": 0.1, "high": 0.2}
    assert found["effect"] == expected


def test_nobody_has_signed_and_each_draft_says_so():
    document = drafts(PaperRun(plan(), (claim("a"), claim("b"))))
    assert len(document["outcomes"]) == 2
    for one in (document, *document["outcomes"]):
        assert one["draft"].startswith("A draft, written by a program and signed by nobody.")
    for one in document["outcomes"]:
        assert one["signed"] is False
        assert one["fields"]["study"] is None and one["fields"]["date"] is None
    assert document["paper"]["address"] == "https://doi.org/10.1234/trees.5"


@pytest.mark.parametrize(
    ("verdict", "evidence", "stand_ins", "status", "sure"),
    [
        ("reproduced", "paper data", [], "validated", "high"),
        ("reproduced", "by construction", [], "validated", "high"),
        ("reproduced", "other data", [], "validated", "moderate"),
        ("reproduced", "other data", ["VEHICLE"], "inconclusive", "very low"),
        ("within noise", "paper data", [], "validated", "low"),
        ("contradicted", "paper data", [], "contradicted", "high"),
        ("direction only", "paper data", [], "partially supported", "low"),
        ("depends", "own code", ["VEHICLE"], "inconclusive", "very low"),
        ("analogue holds", "by construction", ["VEHICLE"], "inconclusive", "very low"),
        ("uninformative", "paper data", [], "inconclusive", "very low"),
        ("not testable", "other data", ["VEHICLE"], "not tested", None),
    ],
)
def test_status_and_confidence(verdict, evidence, stand_ins, status, sure):
    made = claim("a", verdict=verdict, kind="value", evidence=evidence, stand_in_for=stand_ins)
    (found,) = written(made)
    assert (found["status"], found["confidence"]) == (status, sure)
    assert (found["fields"]["confidenceLevel"] is None) == (sure is None)
    assert ("stand-in data for VEHICLE" in found["fields"]["limitations"]) == bool(stand_ins)
    assert confidence(made) == (sure or "")


def test_one_entry_a_statement_with_an_id_of_its_own():
    parts = [{"claim": "a/one", "verdict": "reproduced"}]
    found = written(claim("a", parts=parts), claim("a/one", quote="1", published="1"), claim("a-one"))
    assert [one["claim"] for one in found] == ["a", "a-one"]
    many = written(claim("a/one"), claim("a-one"), claim("a.one"))
    assert len({one["fields"]["outcome"] for one in many}) == 3
    assert not any("/" in one["fields"]["outcome"] for one in many)


def test_odd_words_come_through_and_what_limits_an_answer_is_said(tmp_path):
    odd = claim(
        "a", quote=EVIL, reading=EVIL, depends_on=["scale", "seed"], not_run=["x"], universes="with y: 1 open"
    )
    content = files(RunFolder(tmp_path, (PaperRun(plan(), (odd,)),)), tmp_path)["made.json"]
    (found,) = json.loads(content)["outcomes"]
    assert found["quote"] == " ".join(EVIL.split())
    assert found["effect"] is None
    limits = found["fields"]["limitations"]
    assert "choices that the paper leaves unsaid: scale; seed." in limits and "not run: x." in limits
    assert "with y: 1 open" in limits and EVIL in limits


def test_limitations_say_whether_anything_was_run():
    (on_paper,) = written(claim("a", verdict="reproduced", kind="value", evidence="printed numbers"))
    (run,) = written(claim("a", verdict="reproduced", kind="value", evidence="paper data"))
    assert "Checked on paper, not re-run." in on_paper["fields"]["limitations"]
    assert "a difference may be ours" in run["fields"]["limitations"]
