"""The example of docs/adding-a-claim-kind.md: one file, which the audit finds, checks and judges."""

import pytest

import made_up_claims
from audit_records import cells, claims_of, frame, judged
from cladebench.audit import kinds
from cladebench.audit.claim_types import ClaimsError
from cladebench.audit.claims_file import claims_validator
from cladebench.audit.verdict_statuses import INCONCLUSIVE, status_of
from cladebench.report.choice_figures import quoted
from cladebench.report.claim_rows import said_by
from cladebench.report.plain_words import Names
from doc_examples import titled_blocks

CLAIM = """
claims:
  - id: mostly
    kind: wins
    place: {section: "4"}
    quote: A beats B in most of our runs
    measure: {dataset: d, metric: m, direction: %s}
    expects: {left: {method: A}, than: {method: B}, at_least: 0.5%s}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A second folder of kinds, with the example; the audit knows what it finds there."""
    for name, text in titled_blocks("adding-a-claim-kind.md").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path)])
    known = dict(kinds.KINDS)
    kinds.KINDS.update(kinds.found_kinds())
    claims_validator.cache_clear()
    yield tmp_path
    kinds.KINDS.clear()
    kinds.KINDS.update(known)
    claims_validator.cache_clear()


@pytest.mark.parametrize(
    ("direction", "won", "verdict"),
    [
        ("higher", 20, "reproduced"),
        ("higher", 11, "within noise"),
        ("higher", 2, "contradicted"),
        ("lower", 20, "contradicted"),
        ("lower", 0, "reproduced"),
    ],
)
def test_the_example_is_found_and_judges(folder, direction, won, verdict):
    left = [2.0] * won + [0.0] * (20 - won)
    rows = frame(cells("d", "A", {"m": left}) + cells("d", "B", {"m": [1.0] * 20}))
    row = judged(claims_of(folder, CLAIM % (direction, "")), rows).loc["mostly"]
    assert (row["verdict"], row["n"], row["measured"]) == (
        verdict,
        20,
        (won if direction == "higher" else 20 - won) / 20,
    )


def test_readers_of_verdicts_take_the_example_as_it_is(folder):
    row = made_up_claims.claim("mostly", kind="wins", published="A ahead of B in 50% or more")
    assert said_by(row, Names()) == "A ahead of B in 50% or more"
    assert said_by(row | {"published": ""}, Names()) == "“It says mostly.”"
    assert status_of(row | {"verdict": "within noise"}) is INCONCLUSIVE
    assert quoted(row) == "“It says mostly.”"


def test_a_key_that_the_example_does_not_name_is_refused(folder):
    with pytest.raises(ClaimsError, match="atleast"):
        claims_of(folder, CLAIM % ("higher", ", atleast: 1"))


@pytest.mark.parametrize(
    ("lacking", "old", "new"), [("name", '    name = "wins"\n', ""), ("judge", "def judge(", "def jugde(")]
)
def test_a_kind_that_lacks_something_is_refused(folder, lacking, old, new):
    text = (folder / "wins.py").read_text(encoding="utf-8")
    (folder / "wins.py").unlink()
    (folder / f"wins_without_{lacking}.py").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=f"Wins: it has no {lacking}; expected"):
        kinds.found_kinds()


def test_a_judgement_of_another_type_is_named(folder, monkeypatch):
    monkeypatch.setattr(type(kinds.KINDS["wins"]), "judge", lambda self, claim, by: "reproduced")
    rows = frame(cells("d", "A", {"m": [2.0] * 3}) + cells("d", "B", {"m": [1.0] * 3}))
    with pytest.raises(TypeError, match="Wins: judge gave str; expected a Judgement"):
        judged(claims_of(folder, CLAIM % ("higher", "")), rows)


def test_a_second_kind_of_one_name_is_refused(folder):
    (folder / "more_wins.py").write_text((folder / "wins.py").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(ValueError, match="a second kind 'wins'"):
        kinds.found_kinds()
