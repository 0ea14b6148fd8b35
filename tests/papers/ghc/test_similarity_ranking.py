"""The rule that ranks candidates: distances to the printed range, what is impossible, what is read."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cladebench.audit.claim_tables import published_table
from cladebench.audit.claims_file import load_claims
from cladebench.datasets import info
from cladebench.papers.ghc import similarity_ranking as ranking
from cladebench.papers.ghc import similarity_study as study

PUBLISHED = published_table(load_claims("ghc"))


def judged(frame):
    return ranking.judged(frame, PUBLISHED)


def test_sizes_are_those_of_the_claims_and_of_the_data():
    claims = load_claims("ghc").claims
    for name, (n_printed, n) in ranking.SIZES.items():
        assert claims[f"data/{name}/points"].published.value == n_printed
        assert info(name).n_samples == n


def test_the_range_is_that_of_the_printed_numbers():
    rows = pd.DataFrame({"dataset": ["digits", "glass"], "cost": [1.0, 1.0], "tree": "random"})
    rows = rows.assign(kind="exp", gamma="", features="raw", pairs="ordered")
    found = judged(rows)
    assert found.published_low.tolist() == [2.65e3, 6.68e5]
    assert found.published_high.tolist() == [2.72e3, 7.54e5]
    halved = ranking.judged(rows, PUBLISHED.assign(value=PUBLISHED.value / 2))
    assert halved.published_low.tolist() == [1.325e3, 3.34e5]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    shapes = {"glass": (32, 5), "digits": (24, 7), "spambase": (40, 4)}
    data = {name: SimpleNamespace(X=rng.gamma(2.0, size=shape)) for name, shape in shapes.items()}
    return judged(study.study(data))


def test_log_ratio_is_a_signed_distance_to_the_range():
    rows = pd.DataFrame(
        {
            "dataset": "glass",
            "kind": "exp",
            "gamma": "",
            "features": "raw",
            "pairs": "ordered",
            "tree": "random",
        },
        index=range(5),
    ).assign(cost=[6.68e4, 7.0e5, 7.54e6, -1.0, 0.0])
    found = judged(rows)
    assert found.log_ratio.round(9).tolist()[:3] == [-1.0, 0.0, 1.0]
    assert np.isnan(found.log_ratio[3:]).all()
    assert found.inside.tolist() == [False, True, False, False, False]
    assert set(found.published_low) == {6.68e5} and set(found.published_high) == {7.54e5}
    assert found.candidate[0] == "exp, raw, ordered"


def test_printed_size_moves_spambase_alone(frame):
    moved = frame.log_ratio != frame.log_ratio_printed_size
    assert set(frame[moved].dataset) == {"spambase"}
    few = frame[(frame.dataset == "spambase") & (frame.log_ratio < -5)]  # far below: a plain shift
    shift = few.log_ratio_printed_size - few.log_ratio
    assert np.allclose(shift, 3 * np.log10(7000 / 4601))


def test_rank_follows_the_rule(frame):
    ranked = ranking.rank(frame)
    assert len(ranked) == len(frame.drop_duplicates(["kind", "gamma", "features", "pairs"]))
    assert ranked.score.is_monotonic_increasing
    best = ranked.iloc[0]
    rows = frame[(frame.candidate == best.candidate) & frame.scored]
    assert rows.groupby("dataset").tree.agg(list).to_dict() == {
        "digits": ["sparsest cut"],
        "glass": ["sparsest cut"],
        "spambase": ["HAC average"],
    }
    assert best.score == pytest.approx(rows.log_ratio.abs().sum())
    assert best["data sets"] == 3
    assert best["glass cost"] == rows[rows.dataset == "glass"].cost.iloc[0]


def test_impossible_is_said_of_ranges_out_of_all_trees_reach():
    bounds = [("any tree, at least", 8e5), ("any tree, at most", 9e5), ("sparsest cut", 8.5e5)]
    row = {"dataset": "glass", "kind": "inv", "gamma": "", "features": "raw", "pairs": "ordered"}
    ranked = ranking.rank(judged(pd.DataFrame([{**row, "tree": t, "cost": c} for t, c in bounds])))
    assert ranked["impossible on"].tolist() == ["glass"]  # printed: 6.68e5 to 7.54e5
    bounds[0] = ("any tree, at least", 6.7e5)  # within the rounding of 6.68e5
    ranked = ranking.rank(judged(pd.DataFrame([{**row, "tree": t, "cost": c} for t, c in bounds])))
    assert ranked["impossible on"].tolist() == [""]


COMMON = {"gamma": "", "features": "raw", "pairs": "ordered"}


def priced(*rows):
    """Kind, data set, tree and cost of each row, judged."""
    found = [dict(zip(("kind", "dataset", "tree", "cost"), row, strict=True)) | COMMON for row in rows]
    return judged(pd.DataFrame(found))


@pytest.mark.parametrize(
    ("least", "most", "impossible"),
    [
        (6.68e5 * 1.004, 9e5, ""),  # three digits are printed
        (6.68e5 * 1.006, 9e5, "glass"),
        (1.0, 7.54e5 * 0.996, ""),
        (1.0, 7.54e5 * 0.994, "glass"),
        (7e5, 7.2e5, "glass"),
    ],
)
def test_what_no_tree_can_cost_is_impossible(least, most, impossible):
    """A bound as far from the printed number as rounding may take it leaves it possible."""
    bounds = zip(study.BOUNDS, (least, most), strict=True)
    ranked = ranking.rank(
        priced(
            *(("inv", "glass", bound, cost) for bound, cost in bounds), ("inv", "glass", "sparsest cut", 7e5)
        )
    )
    assert ranked["impossible on"].tolist() == [impossible]


def test_a_ranking_by_hand():
    """The better candidate last; one whose cost has no logarithm has no score and stands at the end."""
    rows = [
        (kind, dataset, tree, cost)
        for kind, costs in (("exp", (-1.0, 1.0)), ("inv", (6.68e3, 2.72e4)), ("inv_sq", (7e5, 2.65e2)))
        for dataset, cost in zip(("glass", "digits"), costs, strict=True)
        for tree, cost in (("sparsest cut", cost), ("random", 1.0), *((bound, 1e9) for bound in study.BOUNDS))
    ]
    ranked = ranking.rank(priced(*rows))
    assert list(ranked.columns) == [
        *("candidate", "kind", "gamma", "features", "pairs", "score", "score at printed size", "within"),
        *(
            "data sets",
            "glass cost",
            "glass log10 ratio",
            "digits cost",
            "digits log10 ratio",
            "impossible on",
        ),
    ]
    assert ranked.kind.tolist() == ["inv_sq", "inv", "exp"]
    assert ranked.score.tolist() == pytest.approx([1, 3, np.nan], nan_ok=True)
    assert ranked["score at printed size"].tolist() == pytest.approx([1, 3, np.nan], nan_ok=True)
    assert ranked.within.tolist() == [1, 0, 0] and ranked["data sets"].tolist() == [2, 2, 2]
    assert ranked["glass log10 ratio"].tolist() == pytest.approx([0, -2, np.nan], nan_ok=True)
    assert ranked["digits log10 ratio"].tolist()[:2] == pytest.approx([-1, 1])
    assert ranked["digits cost"].tolist() == [2.65e2, 2.72e4, 1.0]
    assert set(ranked["impossible on"]) == {"glass, digits"}


def test_equal_scores_keep_their_order():
    kinds = [f"kind {k}" for k in np.random.default_rng(0).permutation(40)]
    rows = [(kind, "glass", tree, 7e5) for kind in kinds for tree in ("sparsest cut", *study.BOUNDS)]
    assert ranking.rank(priced(*rows)).kind.tolist() == kinds


def test_rows_of_a_ranking_are_numbered_in_its_order():
    rows = [
        (f"kind {k}", "glass", tree, 10.0**k) for k in (9, 8, 7) for tree in ("sparsest cut", *study.BOUNDS)
    ]
    ranked = ranking.rank(priced(*rows))
    assert ranked.kind.to_dict() == {0: "kind 7", 1: "kind 8", 2: "kind 9"}


def test_frame_survives_a_round_trip_through_strings(frame):
    rebuilt = judged(frame[["dataset", *study.CANDIDATE]].astype(str).assign(cost=frame.cost))
    pd.testing.assert_frame_equal(ranking.rank(rebuilt), ranking.rank(frame))
