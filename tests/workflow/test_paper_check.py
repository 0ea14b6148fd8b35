"""All files of a paper are checked before anything runs."""

import re

import pytest
import yaml

from cladebench.bench.plan.plan_file import read_plan
from cladebench.input_files import InputFileError
from cladebench.paper.catalogue import load_plan
from cladebench.workflow.paper_check import check_texts


def bond(claim):
    return {"claims": [{"claim": claim, "verdict": ["reproduced"]}]}


@pytest.fixture
def checked(tmp_path):
    """Check the plan and the claims of a paper with findings of one's own."""
    folder = load_plan("ghc").path.parent
    for name in ("plan.yaml", "claims.yaml"):
        (tmp_path / name).write_text((folder / name).read_text(encoding="utf-8"), encoding="utf-8")

    def check(**first):
        texts = {"headline": "All hold.", "text": "It holds."}
        findings = [{"id": name} | texts | bond("fig3a/*") for name in ("one", "two", "three")]
        findings[0] |= first
        (tmp_path / "findings.yaml").write_text(yaml.safe_dump({"findings": findings}), encoding="utf-8")
        check_texts(read_plan(tmp_path / "plan.yaml", "cladebench.papers.ghc"))

    return check


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ({"headlin": "x"}, "finding 'one': headlin: unknown key 'headlin'; did you mean 'headline'?"),
        (bond("fig3x/*"), "finding 'one': claims[0].claim: no claim 'fig3x/*'; allowed: "),
    ],
)
def test_findings_are_checked_before_anything_runs(checked, first, said):
    checked()
    with pytest.raises(InputFileError) as caught:
        checked(**first)
    assert re.search(rf"/findings\.yaml, line \d+: {re.escape(said)}", str(caught.value))
