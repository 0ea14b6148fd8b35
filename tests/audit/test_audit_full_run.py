"""The committed full run: its verdicts are what its cells give."""

import numpy as np
import pandas as pd
import pytest

from cladebench.audit.run_audit import audit_run
from cladebench.paper.catalogue import built_in_papers, load_plan
from cladebench.report.artifact_files import paper_claims
from doc_examples import ROOT


@pytest.mark.timeout(1200)  # two minutes on a quiet machine
def test_the_committed_verdicts_follow_from_the_committed_cells():
    committed = pd.read_csv(ROOT / "results/full/audit.csv").set_index("claim")
    again = audit_run(ROOT / "results/full", committed.paper.unique().tolist()).frame.set_index("claim")
    assert list(again.index) == list(committed.index)
    for column in ("verdict", "verdict_beside"):
        changed = again[column].fillna("") != committed[column].fillna("")
        assert again.index[changed].tolist() == []
    np.testing.assert_allclose(again.measured.astype(float), committed.measured, rtol=1e-9)


def test_slips_of_the_pen_are_errors_in_print():
    committed = pd.read_csv(ROOT / "results/full/audit.csv").set_index("claim").verdict
    claims = [
        claim for paper in built_in_papers() for claim in paper_claims(load_plan(paper)).claims.values()
    ]
    classed = [claim.id for claim in claims if claim.error == "slip"]
    assert len(classed) == 4 and set(committed[classed]) == {"inconsistent"}
