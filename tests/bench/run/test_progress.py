import pytest

from cladebench.bench.run.progress import Progress, about, readable


def record(repetition="0", status="ok", reason=None, setting=None, **metrics):
    return {
        "paper": "hmmc",
        "dataset": "vehicle",
        "method": "HMMC",
        "setting": {"alpha": 1.0, "beta": 0.01} if setting is None else setting,
        "cell_id": f"hmmc/vehicle/HMMC/1234abcd/{repetition}",
        "status": status,
        "reason": reason,
        "readings": [{"at": {}, "metrics": metrics}] if metrics else [],
    }


def test_a_line_for_each_cell_with_setting_seconds_metrics_and_time_left():
    lines = []
    progress = Progress(6, lines.append, first=["sp", "absent"])
    progress.cell(record())
    progress.cell(record("1", "not_applicable", "has no meaning", setting={}))
    progress.cell(record("2", ps=0.9061, sp=0.88123, objective=123456.0), 2.0)
    progress.cell(record("3.1", "timeout", "10 s of CPU time"), 4.0)
    progress.cell(record("4", a=1.0, b=2.0, c=3.0, d=4.0, e=5.0, sp=0.5), 3.0)
    progress.cell(record("5", sp=1e-9), 1.0)
    assert lines == [
        "[1/6] hmmc vehicle HMMC alpha=1.0, beta=0.01 #0: ok (kept)",
        "[2/6] hmmc vehicle HMMC #1: not_applicable: has no meaning",
        "[3/6] hmmc vehicle HMMC alpha=1.0, beta=0.01 #2: ok 2.00 s  sp 0.881 objective 1.23e5 ps 0.906"
        "  (about 6 s left)",
        "[4/6] hmmc vehicle HMMC alpha=1.0, beta=0.01 #3.1: timeout 4.00 s: 10 s of CPU time  (about 6 s left)",
        "[5/6] hmmc vehicle HMMC alpha=1.0, beta=0.01 #4: ok 3.00 s  sp 0.500 a 1 b 2 c 3 d 4  (about 3 s left)",
        "[6/6] hmmc vehicle HMMC alpha=1.0, beta=0.01 #5: ok 1.00 s  sp 1.00e-9",
    ]


def test_of_several_evaluation_points_the_first_is_shown_and_named():
    lines = []
    found = record(seconds=1.5)
    found["readings"] += [{"at": {"k": k}, "metrics": {"accuracy": k / 10}} for k in (1, 5)]
    Progress(1, lines.append, first=["accuracy"]).cell(found, 2.0)
    assert lines[0].endswith("ok 2.00 s  accuracy 0.100 at k=1 seconds 1.5")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.1, "1 s"), (59.4, "59 s"), (60, "1 min"), (200, "3 min"), (3599, "1 h 0 min"), (7500, "2 h 5 min")],
)
def test_estimates_are_coarse(seconds, text):
    assert about(seconds) == f"about {text}"


def test_settings_are_written_for_readers():
    assert readable({"grow": "compact", "flat": True, "layers": [1, 2], "x": None}) == (
        "grow=compact, flat=true, layers=[1,2], x=null"
    )
