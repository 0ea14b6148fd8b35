"""The claims of the ghc paper: its printed numbers, what they say among themselves, and made-up runs."""

import dataclasses
import functools

import numpy as np
import pandas as pd
import pytest

from audit_records import SELECTION, cells
from cladebench import datasets
from cladebench.audit import audit_paper, load_claims
from cladebench.audit.audit_files import as_frame
from cladebench.audit.claim_tables import published_table
from cladebench.audit.verdict import verdict_types as o
from cladebench.bench.plan.jobs import expand
from cladebench.paper.catalogue import load_plan

#: Copied by hand from the paper: (artifact, data set, method) -> value, spread, unit of the last printed place.
PUBLISHED = {
    ("Figure 3a", "glass", "Sparsest-Cut"): (0.46, 0.01, 0.01),
    ("Figure 3a", "digits", "Sparsest-Cut"): (0.49, 0.01, 0.01),
    ("Figure 3a", "glass", "GHC-N-FT"): (0.47, 0.02, 0.01),
    ("Figure 3a", "spambase", "GHC-N-FT"): (0.62, 0.02, 0.01),
    ("Figure 3a", "digits", "GHC-N-FT"): (0.51, 0.03, 0.01),
    ("Figure 3a", "glass", "Perch"): (0.47, 0.02, 0.01),
    ("Figure 3a", "spambase", "Perch"): (0.61, 0.01, 0.01),
    ("Figure 3a", "digits", "Perch"): (0.61, 0.03, 0.01),
    ("Figure 3a", "glass", "BIRCH"): (0.43, 0.01, 0.01),
    ("Figure 3a", "spambase", "BIRCH"): (0.60, 0.01, 0.01),
    ("Figure 3a", "digits", "BIRCH"): (0.54, 0.05, 0.01),
    ("Figure 3a", "glass", "HKMeans"): (0.51, 0.01, 0.01),
    ("Figure 3a", "spambase", "HKMeans"): (0.63, 0.00, 0.01),
    ("Figure 3a", "digits", "HKMeans"): (0.59, 0.03, 0.01),
    ("Figure 3a", "glass", "HAC-C"): (0.47, None, 0.01),
    ("Figure 3a", "spambase", "HAC-C"): (0.63, None, 0.01),
    ("Figure 3a", "digits", "HAC-C"): (0.59, None, 0.01),
    ("Figure 3b", "glass", "Sparsest-Cut"): (697_000, None, 1e3),
    ("Figure 3b", "digits", "Sparsest-Cut"): (2_660, None, 10),
    ("Figure 3b", "glass", "GHC-L-BW-2"): (754_000, None, 1e3),
    ("Figure 3b", "spambase", "GHC-L-BW-2"): (142_000_000, None, 1e6),
    ("Figure 3b", "digits", "GHC-L-BW-2"): (2_720, None, 10),
    ("Figure 3b", "glass", "GHC-N-BW-2"): (753_000, None, 1e3),
    ("Figure 3b", "spambase", "GHC-N-BW-2"): (86_600_000, None, 1e5),
    ("Figure 3b", "digits", "GHC-N-BW-2"): (2_710, None, 10),
    ("Figure 3b", "glass", "GHC-L-FT"): (685_000, None, 1e3),
    ("Figure 3b", "spambase", "GHC-L-FT"): (180_000_000, None, 1e6),
    ("Figure 3b", "digits", "GHC-L-FT"): (2_660, None, 10),
    ("Figure 3b", "glass", "GHC-N-FT"): (668_000, None, 1e3),
    ("Figure 3b", "spambase", "GHC-N-FT"): (99_200_000, None, 1e5),
    ("Figure 3b", "digits", "GHC-N-FT"): (2_650, None, 10),
}
#: Numbers that raw features were chosen to meet.
CHOSEN_BY = {("Figure 3a", "spambase", "HAC-C"), ("Figure 3a", "digits", "HAC-C")}
METRIC = {"Figure 3a": "dendrogram_purity", "Figure 3b": "dasgupta_cost"}


@functools.cache
def claims():
    return load_claims("ghc")


def test_the_tables_hold_every_published_number_and_no_other():
    assert len(PUBLISHED) == 31
    found = {
        (c.place["artifact"], c.measure["dataset"], c.measure["method"]): c
        for c in claims().claims.values()
        if c.kind == "value"
    }
    assert set(found) == set(PUBLISHED)
    for key, (value, spread, unit) in PUBLISHED.items():
        claim = found[key]
        assert (claim.published.value, claim.published.spread) == (value, spread), key
        assert claim.published.unit == pytest.approx(unit), key
        assert claim.measure["metric"] == METRIC[key[0]]
        assert claim.repetitions == 5
        assert claim.one_draw == (claim.measure["dataset"] == "digits")
    assert "fig3a/glass/perch" in claims().claims
    assert len(published_table(claims())) == 31


def test_every_claim_says_where_it_stands_and_what_it_quotes():
    for claim in claims().claims.values():
        assert claim.place_text()
        assert claim.quote
    assert all(entry["why"] for entry in claims().excluded)


def test_what_the_printed_numbers_say_among_themselves():
    found = run(pd.DataFrame(columns=list(rows_of({})[0])))
    verdicts = found.verdict[found.kind == "arithmetic"].to_dict()
    inconsistent = [name for name, verdict in verdicts.items() if verdict == o.INCONSISTENT]
    assert inconsistent == ["data/spambase/points"]  # 4,601, printed 7,000
    # 0.51 against PERCH's 0.61: how far behind is competitive is not printed, and our margin cannot say it.
    assert verdicts["competitive/printed/digits"] == o.NOT_TESTABLE
    assert verdicts["fig3a/bold/spambase"] == o.WITHIN_NOISE  # HAC-C prints 0.63 too
    assert verdicts["fig3a/bold/digits"] == o.REPRODUCED
    assert found.verdict["joint/caption-printed"] == o.INCONSISTENT
    assert found.verdict["joint/two-of-three-printed"] == o.REPRODUCED
    assert found.verdict["neural-linear/printed-everywhere"] == o.REPRODUCED
    assert found.verdict["competitive/everywhere-printed"] == o.NOT_TESTABLE
    assert found.verdict["birch/low-quality-printed"] == o.REPRODUCED  # below 5, 4 and 3 others
    measured = found[found.kind.isin(["value", "order", "trend", "ratio"])]
    assert set(measured.verdict) == {o.NOT_TESTABLE}


def rows_of(shift: dict[tuple[str, str, str], float]):
    """A run in which every published number comes out as printed, but for the shifts (in units of the last place)."""
    noise = np.array([-1.0, 0.5, 0.0, 1.0, -0.5])
    rows = []
    for (artifact, dataset, method), (value, spread, unit) in PUBLISHED.items():
        scale = (spread or 0.0) if artifact == "Figure 3a" else unit
        centre = value + unit * shift.get((artifact, dataset, method), 0.0)
        once = method == "HAC-C" and dataset != "digits"
        values = [centre] if once else centre + scale * noise / 2
        rows += cells(dataset, method, {METRIC[artifact]: values})
    return [row | {"paper": "ghc", "cell_id": row["cell_id"].replace("toy/", "ghc/", 1)} for row in rows]


def run(frame: pd.DataFrame, only: str | None = None) -> pd.DataFrame:
    chosen = {name: c for name, c in claims().claims.items() if only in (None, c.kind)}
    rows = audit_paper(dataclasses.replace(claims(), claims=chosen), frame, selection=SELECTION)
    return as_frame(rows).set_index("claim")


def test_a_run_that_agrees_reproduces_every_number():
    found = run(pd.DataFrame(rows_of({})))
    purities, costs = (
        found[found.index.str.startswith(f"{table}/") & (found.kind == "value")]
        for table in ("fig3a", "fig3b")
    )
    chosen_by = [f"fig3a/{dataset}/{method.lower()}" for _, dataset, method in CHOSEN_BY]
    assert set(purities.verdict[chosen_by]) == {o.NOT_TESTABLE}
    purities = purities.drop(chosen_by)
    # One draw of digits, and spreads of two points and more, leave too much room to show agreement.
    wide = purities.published_spread.fillna(0.0) >= 0.02
    sure = (purities.dataset != "digits") & ~wide
    assert set(purities.verdict[sure]) == {o.REPRODUCED} and sure.sum() == 7
    assert set(purities.verdict[~sure]) == {o.REPRODUCED, o.WITHIN_NOISE}
    # the similarity behind the printed costs is unknown: they are measured and shown, and not judged
    assert set(costs.verdict) == {o.NOT_TESTABLE}
    assert costs.measured.notna().all() and costs.reason.str.contains("The similarity behind").all()
    assert found.verdict["neural-linear/cost-everywhere"] == o.REPRODUCED
    assert found.verdict["joint/caption"] == o.CONTRADICTED
    assert found.verdict["joint/cost/n/spambase"] == o.CONTRADICTED
    assert found.verdict["competitive/measured/digits"] == o.CONTRADICTED
    # 0.51 against 0.61 is what the paper calls competitive: with that margin its own numbers do not contradict it.
    assert found.verdict["competitive/wide/digits"] != o.CONTRADICTED
    assert found.verdict["birch/below/glass/sparsest-cut"] == o.REPRODUCED
    assert found.verdict["birch/low-quality"] == o.REPRODUCED
    assert (found.verdict == found.verdict_beside).all()


@pytest.mark.parametrize("key", sorted({key for key in PUBLISHED if key[0] == "Figure 3a"} - CHOSEN_BY))
def test_each_number_that_is_far_off_is_contradicted_and_no_other(key):
    spread, unit = PUBLISHED[key][1:]
    off = 20 + 5 * (spread or 0.0) / unit
    values = run(pd.DataFrame(rows_of({key: off})), only="value")
    wrong = values[values.verdict == o.CONTRADICTED]
    assert len(wrong) == 1
    assert (wrong.dataset.iloc[0], wrong.methods.iloc[0], wrong.metric.iloc[0]) == (*key[1:], METRIC[key[0]])


def test_the_claims_name_registered_data():
    known = set(datasets.names())
    named = {c.measure["dataset"] for c in claims().claims.values() if "dataset" in c.measure}
    assert named <= known


def test_the_rules_that_claims_are_judged_under_are_in_the_plan():
    assert set(load_plan("ghc").selection) >= {"oracle", "label_free"}


def test_routers_start_alike_on_all_data():
    plan = load_plan("ghc")
    cells = [cell.spec for job in expand(plan, "full") for cell in job.cells]
    for method in ("GHC-N-FT", "GHC-L-FT", "GHC-N-BW-2", "GHC-L-BW-2", "GHC-N-BW-1"):
        for dataset in ("glass", "digits", "spambase"):
            settings = [c.setting for c in cells if (c.dataset, c.method) == (dataset, method)]
            found = {(s.get("start_steps"), s.get("entropy_penalty")) for s in settings}
            assert found == {(2, 0.001)}, (dataset, method)
