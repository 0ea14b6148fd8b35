"""Without git no commit is known, and everything else works."""

import json

from cladebench.bench.store.store import Store


def test_what_is_not_known_is_null_in_the_environment_and_said_in_the_report(finished):
    records = list(Store(finished.folder).iter_records())
    assert {(r["provenance"]["git_commit"], r["provenance"]["git_dirty"]) for r in records} == {(None, None)}
    environment = json.loads((finished.folder / "environment.json").read_text())
    for column in ("git_commit", "git_dirty"):
        assert environment[column] == [{"value": None, "cells": len(records)}]
    page = (finished.folder / "report" / "index.html").read_text(encoding="utf-8")
    assert "not in a repository" in page and "unknown" in page


def test_cells_with_and_without_a_known_state_are_counted_apart(copied):
    store = Store(copied.folder)
    clean, changed, *others = store.iter_records()
    for record, dirty in ((clean, False), (changed, True)):
        record["provenance"].update(git_commit="a" * 40, git_dirty=dirty)
        store.write_record(record)
    for command in ("collect", "audit", "report"):
        assert copied.main(command) == 0
    environment = json.loads((copied.folder / "environment.json").read_text())
    counted = {entry["value"]: entry["cells"] for entry in environment["git_dirty"]}
    assert counted == {False: 1, True: 1, None: len(others)}
    page = (copied.folder / "report" / "index.html").read_text(encoding="utf-8")
    assert "changed since that commit" in page and "not in a repository" in page
