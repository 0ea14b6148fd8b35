"""Kinds of claims: the registry, the schema and what an audit writes of them fit each other."""

import pytest

from audit_records import cells, claims_of, frame, judged
from cladebench.audit.kinds import KINDS
from cladebench.input_files import validator

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
    assert set(validator("claims").schema["$defs"]["claim"]["properties"]["kind"]["enum"]) == set(KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_corrected_has_a_family(name):
    kind = KINDS[name]
    assert kind.family or not kind.corrected
    assert not (kind.on_paper and kind.praises)


def test_the_family_of_a_ranking_is_written(tmp_path):
    rows = ", ".join(f"{m}: {{method: {m}, printed: ['0.{i}0']}}" for i, m in enumerate("ABCDEF", 1))
    records = frame(*(cells("d", m, {"m": [i / 10, i / 10 + 0.01]}) for i, m in enumerate("ABCDEF", 1)))
    audit = judged(claims_of(tmp_path, TABLE % rows), records)
    assert audit.loc["t/ranking/d", "verdict"] == "reproduced"
    assert audit.loc["t/ranking/d", "family"] == "t/ranking"
