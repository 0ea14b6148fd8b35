"""Kinds of claims: the registry, the schema and what an audit writes of them fit each other."""

import re

import pytest

from audit_records import cells, claims_of, frame, judged
from cladebench.audit.claims_file import claims_validator
from cladebench.audit.kinds import KINDS
from claim_texts import objects

TABLE = """
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {metric: m, direction: higher}
    ranking: true
    columns: {d: {dataset: d}}
    rows: {%s}
claims: []
"""


def test_a_claims_file_may_have_each_kind_and_no_other():
    whole = claims_validator()
    whole.check_schema(whole.schema)
    claim = whole.schema["$defs"]["claim"]
    assert claim["properties"]["kind"]["enum"] == list(KINDS)
    assert [rule["then"] for rule in claim["allOf"]] == [kind.form for kind in KINDS.values()]


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_names_only_what_claims_have(name):
    shared = claims_validator().schema["$defs"]
    refs = re.findall(r"'\$ref': '#/\$defs/([a-z_/]+)'", repr(KINDS[name].form))
    assert all(ref.split("/")[0] in shared for ref in refs)
    assert set(KINDS[name].form.get("properties", {})) <= set(shared["claim"]["properties"])
    assert ("expects" in KINDS[name].form.get("properties", {})) == (name not in ("value", "ranking"))


@pytest.mark.parametrize("name", KINDS)
def test_a_form_takes_no_key_that_it_does_not_name(name):
    for part in objects(KINDS[name].form):
        assert part.get("additionalProperties", True) is not True, part


@pytest.mark.parametrize("name", KINDS)
def test_what_is_corrected_has_a_family(name):
    kind = KINDS[name]
    assert kind.family or not kind.corrected
    assert not (kind.on_paper and kind.praises)


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("on_paper", {"arithmetic", "possible"}),  # printed numbers alone: no run
        ("corrected", {"order", "trend", "ranking"}),  # tested together, p adjusted together
        ("family", {"order", "trend", "ranking", "value"}),
        ("praises", {"order", "ranking", "value"}),  # a random method may earn the same
        ("of_parts", {"sentence"}),
        ("detects", {"order", "trend", "ranking", "ratio"}),  # the report says what would have been detected
        ("printed_number", {"value"}),  # shown in the tables of pages, agrees within noise
        ("heads_column", {"ranking"}),  # in the figure of the main result
    ],
)
def test_what_is_special_about_a_kind(what, names):
    assert {name for name, kind in KINDS.items() if getattr(kind, what)} == names


def test_the_family_of_a_ranking_is_written(tmp_path):
    rows = ", ".join(f"{m}: {{method: {m}, printed: ['0.{i}0']}}" for i, m in enumerate("ABCDEF", 1))
    records = frame(*(cells("d", m, {"m": [i / 10, i / 10 + 0.01]}) for i, m in enumerate("ABCDEF", 1)))
    audit = judged(claims_of(tmp_path, TABLE % rows), records)
    assert audit.loc["t/ranking/d", "verdict"] == "reproduced"
    assert audit.loc["t/ranking/d", "family"] == "t/ranking"
    assert audit.loc["t/ranking/d", "methods"] == "A; B; C; D; E; F"


@pytest.mark.parametrize("second", ["method: B, printed: ['-']", "printed: ['0.20'], not_testable: not here"])
def test_what_has_no_number_or_no_method_is_left_out_of_a_ranking_and_nothing_else(tmp_path, second):
    rows = {m: f"method: {m}, printed: ['0.{i}0']" for i, m in enumerate("ABCDEFG", 1)} | {"B": second}
    table = TABLE % ", ".join(f"{m}: {{{row}}}" for m, row in rows.items())
    records = frame(*(cells("d", m, {"m": [i / 10, i / 10 + 0.01]}) for i, m in enumerate("ABCDEFG", 1)))
    ranking = judged(claims_of(tmp_path, table), records).loc["t/ranking/d"]
    assert (ranking["methods"], ranking["n"]) == ("A; C; D; E; F; G", 6)
