"""What readings of HMMC's claims say in numbers follows from the equations and from what is printed."""

import math

import numpy as np
import pytest

from cladebench.audit.claims_file import load_claims
from cladebench.papers.catalogue import load_plan

CLAIMS = load_claims("hmmc").claims


def test_with_a_constant_term_one_sample_alone_costs_two_over_n():
    """The squared hinge of Equation 5 at zero weights; a thousand rows are the fewest of any claim's data set."""
    n, n_clusters = 1000, 2
    labels = np.r_[1, np.zeros(n - 1, dtype=int)]
    scores = np.tile([0.5, -0.5], (n, 1))
    slack = np.maximum(0.0, 1.0 - scores[np.arange(n), labels] + scores[np.arange(n), 1 - labels])
    cost = (slack**2).sum() / (n * n_clusters)
    bounds = [claim.expects["than"]["value"] for name, claim in CLAIMS.items() if "balance/objective" in name]
    assert cost == pytest.approx(2 / n) and len(bounds) == 8 and set(bounds) == {cost}


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
