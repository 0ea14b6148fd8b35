"""A line out of a worker's pipe is its answer, or is refused with the reason."""

import json

import pytest

from cladebench.bench.plan.cell_spec import CellSpec, Limits, MethodPlan
from cladebench.bench.run.run_cell import blank_record, cell_key
from cladebench.bench.run.worker_answers import FILLED, WrongAnswer, read_answer

SPEC, METHOD = CellSpec("p", "d", "m", {"alpha": 1}, 0, 7, Limits(10, 100)), MethodPlan("m", "E", {"beta": 2})
PROVENANCE = {
    **{"git_commit": "abc", "git_dirty": False, "core_build": "b", "code_digest": "c"},
    **{"versions": {"python": "3.11.4", "numpy": "1"}, "machine": {"cpu": "x"}},
}
DATA = {"kind": "real", "source": "mirror", "stand_in_for": None, "content_sha256": "5", "files": {}}


def record(**changes):
    """What a worker writes of a good cell, but for the changes."""
    return {
        **blank_record(SPEC, METHOD, PROVENANCE),
        **{"status": "ok", "key": cell_key(SPEC, METHOD, PROVENANCE, "5"), "data": DATA},
        **{"readings": [{"at": {}, "metrics": {"score": 1.0}}]},
        **{"drawn": {"digest": "d" * 64, "rows": 3, "train": 3, "test": 3}},
        **{"cpu_seconds": 0.0, "wall_seconds": 0.0, "peak_memory_mb": 0.0},
        **changes,
    }


def read(found, token="t", **message):
    line = json.dumps({"token": "t", "record": found, "changes": [], **message}).encode()
    return read_answer(line, token, SPEC, METHOD, PROVENANCE)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"cpu_seconds": 3.5, "wall_seconds": 4, "peak_memory_mb": 70.0},
        {"status": "error", "reason": "ValueError", "readings": [], "drawn": None},
        {"status": "error", "reason": "no data", "readings": [], "drawn": None, "data": None, "key": None},
        {
            **{"status": "unavailable", "reason": "gone", "readings": [], "drawn": None, "data": None},
            **{"key": cell_key(SPEC, METHOD, PROVENANCE, None)},
        },
    ],
)
def test_the_record_of_the_cell_is_taken_as_it_is(changes):
    answer = read(record(**changes), changes=["os.environ"])
    assert answer.record == record(**changes) and answer.changes == ["os.environ"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("cell_id", "p/d/m/x/1"), ("method", "n"), ("setting", {}), ("setting_id", "0" * 8), ("seed", 1)),
        *(("repetition", 1), ("root_seed", 8), ("estimator", "F"), ("params", {"beta": 3, "alpha": 1})),
        *(("threads", 2), ("limits", Limits(20, 100).as_dict()), ("fold", 0), ("task", {"rows": 3})),
        ("provenance", {**PROVENANCE, "code_digest": "d"}),
    ],
)
def test_the_record_of_another_cell_is_refused(name, value):
    assert name not in FILLED
    with pytest.raises(WrongAnswer, match=f"^{name} is not the run's$"):
        read(record(**{name: value}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"status": "timeout", "reason": "x", "readings": [], "drawn": None},
            "status 'timeout' is not for a worker to give",
        ),
        ({"key": "0" * 64}, "key is not the run's"),
        ({"data": DATA | {"content_sha256": "6"}}, "key is not the run's"),
        ({"cpu_seconds": -0.1}, "cpu_seconds: expected a number of at least 0, got -0.1"),
        ({"wall_seconds": None}, "wall_seconds: expected a number of at least 0, got None"),
        ({"peak_memory_mb": None}, "peak_memory_mb: expected a number of at least 0, got None"),
    ],
)
def test_what_a_worker_cannot_know_is_refused(changes, said):
    with pytest.raises(WrongAnswer, match=f"^{said}$"):
        read(record(**changes))


@pytest.mark.parametrize("line", [b"\xff", b"{", b"NaN", b'{"token": 1e999}', b'"\\ud800"', b"[" * 100_000])
def test_what_is_no_json_is_refused(line):
    with pytest.raises(WrongAnswer, match=r"^no JSON in UTF-8$"):
        read_answer(line, "t", SPEC, METHOD, PROVENANCE)


@pytest.mark.parametrize("line", [b"[]", b"{}", b'{"token": "s"}', b"null"])
def test_what_does_not_repeat_the_token_is_refused(line):
    with pytest.raises(WrongAnswer, match=r"^it was not written by the worker$"):
        read_answer(line, "t", SPEC, METHOD, PROVENANCE)


@pytest.mark.parametrize("changes", [None, "text", [1], ["text", None]])
def test_changes_are_a_list_of_texts(changes):
    with pytest.raises(WrongAnswer, match=r"^changes: expected a list of texts$"):
        read(record(), changes=changes)


def test_what_is_wrong_by_the_schema_is_said_in_short():
    with pytest.raises(WrongAnswer, match=r"^\$\.status: ") as caught:
        read(record(status="x" * 1000))
    assert len(str(caught.value)) == 300
    with pytest.raises(WrongAnswer, match=r"^\$: None is not of type 'object'$"):
        read(None)
