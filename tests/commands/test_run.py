import pytest

from cladebench.cli import main


@pytest.fixture(autouse=True)
def toy_paper(monkeypatch, request, tmp_path):
    """The toy paper of tests/bench as a user's own package outside the tree, with no configuration around."""
    monkeypatch.syspath_prepend(str(request.config.rootpath / "tests" / "bench"))
    monkeypatch.chdir(tmp_path)


def test_list_prints_jobs_and_cells_and_runs_nothing(capsys, tmp_path):
    assert (
        main(["run", "--paper", "toy_paper", "--scope", "smoke", "--dataset", "nested-blobs", "--list"]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert "toy_paper.nested-blobs.good: 4 runs" in lines
    assert "  toy_paper/nested-blobs/hang/default/1" in lines
    assert "  toy_paper/nested-blobs/skipped/default/0  not applicable: has no meaning here" in lines
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--paper", "toy_papre"], "no paper 'toy_papre'"),
        (["--paper", "toy_paper", "--scope", "tiny"], "no scope 'tiny'; allowed: smoke, full"),
        (
            ["--paper", "toy_paper", "--method", "goood"],
            "--method: 'goood' is not planned in this scope; did you mean 'good'",
        ),
        (
            ["--paper", "hfd", "--scope", "smoke", "--method", "RFD-log2"],
            "papers/hfd/plan.yaml; expected its name there",
        ),
        (
            ["--paper", "toy_paper", "--scope", "full", "--method", "bad"],
            "--method: 'bad' is not planned in this scope; the plan has it, but not in scopes.full.methods of ",
        ),
        (["--paper", "toy_paper", "--dataset", "moon"], "--dataset: 'moon' is not planned"),
        (
            ["--scope", "quick", "--dataset", "nested-blobs", "--method", "similarity-study"],
            "'similarity-study' is not planned on 'nested-blobs' in this scope",
        ),
        (["--paper", "toy_paper", "--threads", "0"], "threads: 0 is not allowed; expected"),
        (
            ["--paper", "toy_paper", "--seed", "-1"],
            "seed: -1 is not allowed; expected a number of at least 0",
        ),
        (["--paper", "toy_paper", "--time-scale", "inf"], "time_scale: inf is not allowed; expected"),
        (["--paper", "toy_paper", "--config", "none.yaml"], "none.yaml: cannot be read"),
    ],
)
def test_wrong_usage_is_refused_in_words(capsys, options, message):
    assert main(["run", "--scope", "smoke", *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and "Traceback" not in captured.err


def test_a_stale_core_is_refused(capsys, monkeypatch):
    monkeypatch.setattr("cladebench.bench.provenance.core_build.core_build_id", lambda: "0" * 64)
    monkeypatch.setattr("cladebench.bench.provenance.core_build.core_sources_digest", lambda: "1" * 64)
    assert main(["run", "--paper", "toy_paper", "--scope", "smoke"]) == 1
    assert "older than its sources" in capsys.readouterr().err


def test_run_leaves_records_and_a_summary_and_says_so(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("cladebench.bench.provenance.core_build.check_core_is_fresh", lambda: None)
    arguments = ["run", "--paper", "toy_paper", "--scope", "smoke", "--method", "bad"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "[1/2] toy_paper nested-blobs bad #0: error" in out
    assert "toy_paper.nested-blobs.bad: 1 error, 1 ok; 0 kept;" in out
    found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json"))
    assert found == [
        "results/smoke/cells/toy_paper/nested-blobs/bad/default-0.json",
        "results/smoke/cells/toy_paper/nested-blobs/bad/default-1.json",
        "results/smoke/jobs/toy_paper.nested-blobs.bad.json",
    ]


def test_cells_are_counted_over_all_jobs_with_what_they_measured_and_the_time_left(capsys, monkeypatch):
    monkeypatch.setattr("cladebench.bench.provenance.core_build.check_core_is_fresh", lambda: None)
    arguments = ["run", "--paper", "toy_paper", "--scope", "smoke", "--method", "good", "--method", "skipped"]
    assert main(arguments) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[")]
    assert [line.partition("]")[0] for line in lines] == [f"[{number}/6" for number in range(1, 7)]
    assert lines[0].startswith("[1/6] toy_paper nested-blobs good alpha=10, beta=x #0: ok ")
    assert "s  score " in lines[0] and " objective 10  (about " in lines[0] and lines[0].endswith(" left)")
    assert lines[5] == "[6/6] toy_paper nested-blobs skipped #1: not_applicable: has no meaning here"


def test_what_the_table_has_is_not_run_again_where_it_is_kept(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("cladebench.bench.provenance.core_build.check_core_is_fresh", lambda: None)
    planned = ["--paper", "toy_paper", "--scope", "smoke"]
    run = ["run", *planned, "--method", "good", "--keep"]
    assert main(run) == 0 and "4 ok; 0 kept" in capsys.readouterr().out
    assert main(["run", *planned, "--method", "bad"]) == 0
    assert main(["collect", *planned]) == 0
    cells = tmp_path / "results" / "smoke" / "cells" / "toy_paper" / "nested-blobs"
    capsys.readouterr()
    assert main(run) == 0 and "4 ok; 4 kept" in capsys.readouterr().out  # whose records are here
    record = sorted((cells / "good").glob("*.json"))[0]
    rest = [path for path in (cells / "good").iterdir() if path.stem != record.stem]
    for path in rest:
        path.unlink()
    assert main(run) == 0
    assert "1 ok; 1 kept" in capsys.readouterr().out and [path for path in rest if path.exists()] == []
    record.unlink()
    assert main(run) == 0
    assert "it has all of these runs; nothing to do" in capsys.readouterr().out and not record.exists()
    # A cell that failed did not end well.
    for path in (cells / "bad").iterdir():
        path.unlink()
    assert main(["run", *planned, "--method", "bad", "--keep"]) == 0
    assert "bad: 1 error; 0 kept" in capsys.readouterr().out


def test_the_whole_run_is_counted_where_the_workflow_runs_the_job(capsys, monkeypatch, tmp_path):
    from cladebench.workflow.run_state import note_start

    monkeypatch.setattr("cladebench.bench.provenance.core_build.check_core_is_fresh", lambda: None)
    jobs = {"toy_paper.nested-blobs.skipped": 2, "another": 8}
    note_start(tmp_path / "results" / "smoke" / "jobs", jobs, list(jobs))
    arguments = ["run", "--paper", "toy_paper", "--scope", "smoke", "--method", "skipped"]
    assert main(arguments) == 0 and "[2 of 10" not in capsys.readouterr().out
    assert main([*arguments, "--plan-checked"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert "2 kept" in last and "  [2 of 10 runs, about " in last and last.endswith(" left]")
