"""What `cladebench run-comparison` says when its workflow has ended."""

import json

import pytest

from cladebench.cli import main

HEAD = "data,method,setting,draw,labels,status,reason,record,ari\n"
GOOD, BAD = "d,A,{{}},{},y,ok,,cells/a{}.json,0.5\n", "d,Mine,{{}},{},y,error,it broke,cells/m{}.json,\n"


@pytest.fixture
def ended(tmp_path, monkeypatch, capsys):
    """Start the command where the workflow leaves a table of runs; its exit code, output and errors."""

    def start(*rows, mine="Mine"):
        (tmp_path / "plan.json").write_text(json.dumps({"mine": mine}))
        (tmp_path / "runs.csv").write_text(HEAD + "".join(rows))
        monkeypatch.setattr("cladebench.workflow.comparison_jobs.plan", lambda *arguments: {})
        monkeypatch.setattr("cladebench.workflow.start.snakemake", lambda *arguments: 0)
        code = main(["run-comparison", "comparison.yaml", "--out", str(tmp_path)])
        return code, *capsys.readouterr()

    return start


def test_mine_without_a_score_is_a_failure_that_is_said(ended, tmp_path):
    rows = [row.format(i, i) for i in range(2) for row in (GOOD, BAD)]
    code, out, err = ended(*rows)
    assert (code, out) == (1, f"{tmp_path / 'index.html'}\n")
    assert err == (
        "cladebench run-comparison: mine: Mine: no run gave a score: it broke; its output, with any traceback, is "
        f"under log_tail in {tmp_path / 'cells/m0.json'}\n"
    )


def test_mine_with_a_score_or_no_mine_is_none(ended):
    rows = [row.format(0, 0) for row in (GOOD, BAD)]
    assert ended(*rows, "d,Mine,{},1,y,ok,,cells/m1.json,0.5\n")[::2] == (0, "")
    assert ended(*rows, mine="")[::2] == (0, "")
