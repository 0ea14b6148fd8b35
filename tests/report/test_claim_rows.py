"""Verdicts as a reader meets them: numbers, parts, and links to the runs behind them."""

import json

import synthetic_run
from cladebench.report.cell_links import CellLinks, Group
from cladebench.report.claim_rows import settings_behind
from cladebench.report.plain_words import Names
from cladebench.report.views import gather_run


def test_parts_and_cells_are_read_as_they_are(copied):
    """Names in which the separators of the CSV stand: nothing is split."""
    parts = [{"claim": "a: b; c", "verdict": "reproduced"}]
    synthetic_run.edit_audit(copied, {"everywhere": {"parts": parts, "cells": ["x; y/*"]}})
    rows = gather_run(copied, "smoke", ["page_paper"]).papers[0].audit
    row = next(row for row in rows if row.claim == "everywhere")
    assert row.parts == (("a: b; c", "reproduced"),)


def test_numbers_of_the_audit_are_written_for_readers(results):
    rows = {row.claim: row for row in gather_run(results, "smoke", ["page_paper"]).papers[0].audit}
    audit = {claim["claim"]: claim for claim in json.loads((results / "audit.json").read_text())["claims"]}
    claim, row = audit["table1/glass/plain"], rows["table1/glass/plain"]
    assert isinstance(claim["measured"], float) and isinstance(claim["n"], int)
    assert row.measured == f"{claim['measured']:#.4g}" and row.n == str(claim["n"])
    assert row.interval == f"[{claim['low']:#.4g}, {claim['high']:#.4g}]"
    assert audit["everywhere"]["measured"] is None
    assert rows["everywhere"].measured == rows["everywhere"].interval == ""


def test_settings_of_one_method_share_a_link():
    ids = ["paper/iris/Grid/a", "paper/iris/Grid/b", "paper/wine/Grid/a"]
    groups = tuple(Group(name, *name.split("/")[1:], (), (), (), 0.0) for name in ids)
    links = CellLinks("paper", groups, (), names=Names({"Grid": "gridded"}, {"wine": "Wine, 178 bottles"}))
    found = settings_behind([f"{name}/*" for name in [*ids, "paper/iris/Grid/absent"]], links)
    assert found == (
        ("gridded on iris (2 settings)", "paper-sets-1.html#set-1"),
        ("gridded on Wine, 178 bottles", "paper-cells-wine.html#Grid/a"),
    )
    assert links.sets == [{tuple(ids[:2]): "set-1"}]


def test_what_a_test_could_have_shown_is_told_of_kinds_that_test_differences(copied):
    synthetic_run.edit_audit(
        copied, {name: {"detectable": None} for name in ("table1/glass/plain", "grid-beats-plain/glass")}
    )
    rows = {row.claim: row for row in gather_run(copied, "smoke", ["page_paper"]).papers[0].audit}
    assert (rows["table1/glass/plain"].kind, rows["table1/glass/plain"].detectable) == ("value", "")
    assert rows["grid-beats-plain/glass"].kind == "order"
    assert rows["grid-beats-plain/glass"].detectable == "unknown"
