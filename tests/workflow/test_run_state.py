"""How far the run of the workflow is, from the files that its jobs have written."""

import os
import time

import pytest

from cladebench.workflow import run_state
from cladebench.workflow.run_state import FILE, note_start, standing


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """A run that began 100 seconds ago, with one job done before it."""
    now = time.time()
    before = tmp_path / "before.json"
    for name in ("before", "stale"):
        (tmp_path / f"{name}.json").write_text("{}")
        os.utime(tmp_path / f"{name}.json", (now - 1000, now - 1000))
    assert before.exists()
    note_start(tmp_path, {"before": 7, "a": 10, "b": 20, "stale": 30}, ["a", "b", "stale"])
    monkeypatch.setattr(run_state.time, "time", lambda: now + 100)
    return tmp_path


def test_cells_of_all_jobs_are_counted_and_the_rest_is_estimated(noted):
    # 10 cells took 100 s, so that 50 take 500.
    assert standing(noted, "a") == "17 of 67 runs, about 8 min left"
    (noted / "a.json").write_text("{}")
    assert standing(noted, "b") == "37 of 67 runs, about 2 min left"
    (noted / "b.json").write_text("{}")
    assert standing(noted, "stale") == "67 of 67 runs"


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "[]", '{"started": 1}', "[" * 100_000, "\xff"),
        '{"started": 1.5, "cells": {"a": 0, "b": 0}, "to_run": ["a", "b"]}',
        '{"started": 1.5, "cells": {"a": 1}, "to_run": ["a", "b"]}',
        '{"started": 1.5, "cells": {"a": "1", "b": 2}, "to_run": ["a", "b"]}',
        '{"started": 1.5, "cells": {"a": 1, "b": true}, "to_run": ["a", "b"]}',
        '{"started": "x", "cells": {"a": 1, "b": 2}, "to_run": ["a", "b"]}',
        '{"started": NaN, "cells": {"a": 1, "b": 2}, "to_run": ["a", "b"]}',
        '{"started": 1.5, "cells": [1], "to_run": ["a", "b"]}',
        '{"started": 1.5, "cells": {"a": 1}, "to_run": ["a", ["b"]]}',
    ],
)
def test_nothing_is_said_where_no_run_was_noted(noted, text):
    if text is None:
        (noted / FILE).unlink()
    else:
        (noted / FILE).write_text(text)
    assert standing(noted, "a") is None


def test_nothing_is_said_of_a_job_that_the_run_has_not_planned(noted):
    assert standing(noted, "before") is None and standing(noted, "other") is None
