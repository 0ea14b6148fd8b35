"""What readings of HMMC's claims say in numbers follows from the equations and from what is printed."""

import fnmatch
import math
from pathlib import Path

import numpy as np
import pytest

from cladebench.audit.claims_file import load_claims
from cladebench.paper.catalogue import load_plan
from cladebench.paper.findings import read_findings
from cladebench.papers import hmmc

CLAIMS = load_claims("hmmc").claims
FINDINGS = read_findings(Path(hmmc.__file__).parent / "findings.yaml").findings


def test_with_a_constant_term_one_sample_alone_costs_two_over_n():
    """The squared hinge of Equation 5 at zero weights; a thousand rows are the fewest of any claim's data set."""
    n, n_clusters = 1000, 2
    labels = np.r_[1, np.zeros(n - 1, dtype=int)]
    scores = np.tile([0.5, -0.5], (n, 1))
    slack = np.maximum(0.0, 1.0 - scores[np.arange(n), labels] + scores[np.arange(n), 1 - labels])
    cost = (slack**2).sum() / (n * n_clusters)
    (balance,) = (entry for entry in FINDINGS if entry.id == "balance")
    bounds = [number["at_least"] for number in balance.numbers if number["metric"] == "root_objective"]
    assert cost == pytest.approx(2 / n) and len(bounds) == 4 and set(bounds) == {2 * cost}


@pytest.mark.parametrize(("shift", "gains"), [(0.0, False), (10.0, True)])
def test_an_empty_cluster_gains_nothing_where_rows_are_centred(shift, gains):
    """The squared hinge of Equation 5 with all rows in one of two clusters; zero weights cost 1 a row."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 5))
    rows += shift - rows.mean(axis=0)
    directions = rng.normal(size=(500, 5)) * 10.0 ** rng.uniform(-3, 2, size=(500, 1))
    cost = (np.maximum(0.0, 1.0 - directions @ rows.T) ** 2).mean(axis=1)
    assert (cost.min() < 0.9) == gains


def test_the_margin_finding_is_met_by_no_random_tree():
    (margin,) = (entry for entry in FINDINGS if entry.id == "no-margin")
    ahead = {n["dataset"]: n["at_least"] for n in margin.numbers if n["method"] == "BKM"}
    level = {n["dataset"]: n["at_least"] for n in margin.numbers if n["method"] == "HMMC"}
    # A random tree would be below 2-means by more than HMMC may be.
    assert len(level) == 4 and all(-ahead[dataset] < bound for dataset, bound in level.items())


def test_no_single_case_contradicts_a_sentence_that_counts():
    for prefix in ("htdc/printed/", "flat/printed/", "clean/printed/"):
        printed = [claim for name, claim in CLAIMS.items() if name.startswith(prefix)]
        assert printed and all(gap(claim) > 0 for claim in printed), prefix
    for prefix in ("htdc/printed/", "flat/printed/"):
        assert len([name for name in CLAIMS if name.startswith(prefix)]) == 11


def gap(claim):
    """The least by which the left number of a comparison is ahead."""
    values = [CLAIMS[name].published.value for pattern in claim.expects["than"] for name in matching(pattern)]
    return CLAIMS[claim.expects["left"]].published.value - max(values)


def matching(pattern):
    return [n for n, c in CLAIMS.items() if c.kind == "value" and c.published and fnmatch.fnmatch(n, pattern)]


@pytest.mark.parametrize(("dataset", "nodes"), [("awa-attr", 14), ("vehicle", 8), ("imagenet", 7)])
def test_with_the_root_the_printed_single_linkage_needs_long_branches(dataset, nodes):
    """All pairs in one leaf: PS is 1 - mean (1 - t)^2, and two classes that share the root alone have t = 1/length."""
    ps, ri = (CLAIMS[f"table1-{metric}/{dataset}/sl"].published.value / 100 for metric in ("ps", "ri"))
    unlike = math.sqrt((1 - ps) / (1 - ri))
    assert math.ceil(1 / (1 - unlike)) == nodes


def test_orders_are_judged_in_measures_that_no_shape_earns_too():
    measures = load_plan("hmmc").measures
    corrected = [claim for name, claim in CLAIMS.items() if "corrected" in name and claim.kind == "order"]
    assert {claim.measure["metric"] for claim in corrected} == {"ari", "sp_correlation", "ps_correlation"}
    assert all(measures[claim.measure["metric"]].blind == 0.0 for claim in corrected)


def test_two_printed_indices_need_largest_leaves_of_other_sizes():
    """Pairs of one class in different leaves are at most all pairs of one class, which single linkage's index has."""
    ri = {m: CLAIMS[f"table1-ri/imagenet/{m}"].published.value / 100 for m in ("sl", "hsc", "hsc-d")}
    # Pairs that share a leaf: the sum of squared shares, which is at most the largest share.
    at_least = 1.0 - ri["hsc-d"] - ri["sl"]
    # The largest leaf alone has its square in pairs, of which no more than all pairs of one class agree.
    at_most = math.sqrt(1.0 - ri["hsc"] + ri["sl"])
    reason = CLAIMS["possible/hsc-and-hsc-d/imagenet"].not_testable
    assert f"{at_least:.0%} of the images or more" in " ".join(reason.split())
    assert f"largest leaf of {at_most:.0%} at most" in " ".join(reason.split()) and at_most < at_least
