"""What readings of HFD's claims say in numbers follows from the sizes of the data and from what is printed."""

import math

import pytest

from cladebench.audit.claims_file import load_claims

CLAIMS = load_claims("hfd").claims
ROWS = {"segmentation-search": 2310, "usps-search": 11000}


@pytest.mark.parametrize("name", ["worst-case", "worst-case-large", "worst-case-thirty"])
def test_the_worst_case_is_as_many_rows_as_candidates_of_all_trees(name):
    claim = CLAIMS[f"search/{name}"]
    share = 100 * claim.measure["at"]["candidates"] / (ROWS[claim.measure["dataset"]] - 1)
    assert claim.expects["to"]["value"] == round(share, 4) and claim.expects["at_most"] == 0.5


def test_less_than_a_thousandth_of_the_pairs_of_training_images():
    claim = CLAIMS["retrieval/constraints-share"]
    assert (
        claim.expects["than"]
        == math.comb(50_000, 2) // 1000
        > CLAIMS["retrieval/constraints"].published.value
    )


def test_the_largest_gap_that_the_paper_calls_competitive_is_within_the_margin():
    pairs = [name.split("/")[2] for name in CLAIMS if name.startswith("clustering/competitive-printed/")]
    gaps = [
        CLAIMS[f"table3/{pair}/rfd"].published.value - CLAIMS[f"table3/{pair}/hfd"].published.value
        for pair in pairs
    ]
    margin = CLAIMS["clustering/competitive-printed/usps-5000"].expects["margin"]
    assert len(gaps) == 6 and round(max(gaps), 4) == 0.1005 < margin
