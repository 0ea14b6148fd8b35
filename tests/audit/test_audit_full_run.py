"""The committed full run: its verdicts are what its cells give, and what is said of it follows from both."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cladebench.audit.audit_files import read_audit, write_audit
from cladebench.audit.finding_checks import check_findings
from cladebench.audit.pipeline.whole_run import audit_run
from cladebench.paper.catalogue import built_in_papers, load_plan
from cladebench.paper.findings import checked_findings
from cladebench.report.artifact_files import build_context, paper_claims
from cladebench.report.readme import readme_files
from doc_examples import ROOT

FULL = ROOT / "results" / "full"
pytestmark = pytest.mark.timeout(1200)  # the audit takes two minutes on a quiet machine


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """The committed run and its audit made anew, which git does not keep, as `results/full` in another folder."""
    folder = tmp_path_factory.mktemp("checkout") / "results" / "full"
    folder.mkdir(parents=True)
    for name in ("cells.parquet", "certificates.csv"):
        (folder / name).symlink_to(FULL / name)
    write_audit(audit_run(folder, pd.read_csv(FULL / "audit.csv").paper.unique().tolist()), folder)
    return folder


def test_the_committed_verdicts_follow_from_the_committed_cells(audited):
    committed, again = (pd.read_csv(folder / "audit.csv").set_index("claim") for folder in (FULL, audited))
    assert list(again.index) == list(committed.index)
    for column in ("verdict", "verdict_beside"):
        changed = again[column].fillna("") != committed[column].fillna("")
        assert again.index[changed].tolist() == []
    np.testing.assert_allclose(again.measured, committed.measured, rtol=1e-9)


def test_the_docs_count_the_runs_whose_code_is_not_in_the_history():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a clone")

    def asked(*words):
        return subprocess.run(
            ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.split()

    if asked("rev-parse", "--is-shallow-repository") == ["true"]:
        pytest.skip("a clone without its history")
    history = set(asked("rev-list", "HEAD"))
    commits = json.loads((FULL / "environment.json").read_text())["git_commit"]
    without = sum(commit["cells"] for commit in commits if commit["value"] not in history)
    text = (ROOT / "docs" / "cannot-be-reproduced.md").read_text()
    assert f"the code of {without:,} runs of the full scope, to the commit" in text


@pytest.mark.parametrize("paper", built_in_papers())
def test_the_committed_run_bears_out_what_is_said(audited, paper):
    findings = checked_findings(load_plan(paper))
    assert len(findings.findings) >= 3 and findings.main_result
    audit = [claim for claim in read_audit(audited / "audit.json").claims if claim["paper"] == paper]
    results = build_context(load_plan(paper), "full", audited).results
    assert check_findings(findings.findings, audit, results) == {}


def test_all_that_depends_on_the_run_is_as_the_command_writes_it(audited, monkeypatch):
    shutil.copyfile(FULL / "audit.csv", audited / "audit.csv")  # the picture has its digest
    shutil.copyfile(ROOT / "README.md", audited.parents[1] / "README.md")
    monkeypatch.chdir(audited.parents[1])
    papers = sorted(pd.read_csv(FULL / "audit.csv").paper.unique())
    files = readme_files(Path("README.md"), Path("results/full"), "full", papers)
    assert {path.as_posix() for path in files} == {
        "README.md",
        "results/full/README.md",
        "docs/images/result.svg",
    }
    old = [path.as_posix() for path, content in files.items() if (ROOT / path).read_bytes() != content]
    assert old == [], "run: cladebench readme --results results/full --scope full"


def test_slips_of_the_pen_are_errors_in_print():
    committed = pd.read_csv(FULL / "audit.csv").set_index("claim").verdict
    claims = [
        claim for paper in built_in_papers() for claim in paper_claims(load_plan(paper)).claims.values()
    ]
    classed = [claim.id for claim in claims if claim.error == "slip"]
    assert len(classed) == 4 and set(committed[classed]) == {"inconsistent"}
