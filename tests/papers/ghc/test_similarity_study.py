import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from cladebench import datasets, methods
from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative, RandomTree, SparsestCut
from cladebench.metrics import dasgupta_cost
from cladebench.metrics.similarity import Similarity
from cladebench.papers.ghc import similarity_study as study
from cladebench.reference.dasgupta_optimal import optimal_tree_programme


def dataset(n=32, p=5, seed=0):
    return SimpleNamespace(X=np.random.default_rng(seed).gamma(2.0, size=(n, p)))


@pytest.fixture(scope="module")
def frame():
    return study.study({"glass": dataset(), "digits": dataset(24, 7, 1), "spambase": dataset(40, 4, 2)})


def gamma_of(name, X, features):
    median = Similarity(gamma="median", features=features).resolved_gamma(X)
    return {"median": median, "0.5 median": median / 2, "1/d": 1 / X.shape[1], "1": 1.0, "0.5": 0.5}.get(
        name, 1.0
    )


def cost_row(frame, **which):
    found = frame[np.logical_and.reduce([frame[key] == value for key, value in which.items()])]
    assert len(found) == 1
    return found.iloc[0].cost


def test_every_candidate_and_tree_is_there_once(frame):
    key = ["dataset", *study.CANDIDATE]
    assert not frame.duplicated(key).any()
    n_similarities = 4 * 8 + 1 + 6  # the cosine has one scaling; "max" goes without the two medians
    per_pair_counting = n_similarities * (len(study.TREES) + len(study.BOUNDS))
    assert (frame[frame.dataset == "glass"].groupby("pairs").size() == per_pair_counting).all()
    assert "sparsest cut" not in set(frame[frame.dataset == "spambase"].tree)  # the paper prints none


def test_costs_are_those_of_the_project_s_similarity_and_cost(frame):
    X = dataset().X
    seen = frame[(frame.dataset == "glass") & (frame.pairs == "ordered")]
    for kind, gamma, features in (
        seen[["kind", "gamma", "features"]].drop_duplicates().itertuples(index=False)
    ):
        scaled = X / X.max() if features == "max" else X
        plain = "raw" if features == "max" else features
        S = Similarity(kind, gamma_of(gamma, X, plain), plain)(scaled)
        values = Similarity(features=plain).transform(scaled)
        trees = {
            "HAC average": Agglomerative(linkage="average").fit(values).hierarchy_,
            "HAC complete": Agglomerative(linkage="complete").fit(values).hierarchy_,
            "sparsest cut": SparsestCut(similarity="precomputed").fit(S).hierarchy_,
            "random": RandomTree(random_state=0).fit(values).hierarchy_,
        }
        for name, tree in trees.items():
            own = cost_row(seen, kind=kind, gamma=gamma, features=features, tree=name)
            # Ties of the cut may fall otherwise where the similarity differs in its last digit.
            tolerance = 0.02 if name == "sparsest cut" else 1e-9
            assert own == pytest.approx(dasgupta_cost(tree, S, pairs="ordered"), rel=tolerance)


def test_ways_of_counting_pairs(frame):
    costs = frame[frame.tree == "HAC average"].pivot_table(
        index=["dataset", "kind", "gamma", "features"], columns="pairs", values="cost"
    )
    n = costs.index.get_level_values("dataset").map({"glass": 32, "digits": 24, "spambase": 40})
    assert np.allclose(costs["ordered"], 2 * costs["unordered"])
    assert np.allclose(costs["unordered+self"], costs["unordered"] + n)  # one point a leaf
    assert np.allclose(costs["ordered+self"], costs["ordered"] + n)


def test_shared_leaves_cost_their_size():
    X = dataset().X
    average = Agglomerative(linkage="average").fit(X).hierarchy_
    few = study._cut_off(average, 16)
    labels = average.cut(16)
    sizes = np.bincount(labels)
    assert few.n_leaves == 16
    assert study._shared_leaves(few) == (sizes**2).sum()
    S = np.exp(-np.square(X[:, None] - X[None]).sum(-1))
    pairs = np.array([S[i, j] for i, j in itertools.combinations(range(len(X)), 2)])
    assert pairs @ study._ancestor_sizes(few) == pytest.approx(dasgupta_cost(few, S))
    assert study._cut_off(average, 1).n_nodes == 1


def test_bounds_hold_for_every_tree(frame):
    key = ["dataset", *study.CANDIDATE[:4]]
    by_tree = frame.pivot_table(index=key, columns="tree", values="cost")
    for tree in study.TREES:
        cost = by_tree[tree].dropna()
        assert (by_tree.loc[cost.index, study.BOUNDS[0]] <= cost * (1 + 1e-6)).all()
        assert (cost <= by_tree.loc[cost.index, study.BOUNDS[1]] * (1 + 1e-6)).all()


@pytest.mark.parametrize("seed", range(5))
def test_lower_bound_is_below_the_optimal_tree(seed, monkeypatch):
    X = np.random.default_rng(seed).integers(0, 3, size=(9, 2)).astype(float)  # ties, duplicates
    squared = pdist(X, "sqeuclidean")
    S = np.exp(-np.square(X[:, None] - X[None]).sum(-1))
    bound = np.exp(-squared) @ study._least_sizes(squared)
    monkeypatch.setattr(study, "N_TRIPLES", 0)
    by_ranks = np.exp(-squared) @ study._least_sizes(squared)
    assert 2 * np.exp(-squared).sum() <= by_ranks <= bound <= optimal_tree_programme(S).cost * (1 + 1e-12)


def test_lower_bound_counts_triples():
    X = np.random.default_rng(0).integers(0, 4, size=(12, 2)).astype(float)
    squared = pdist(X, "sqeuclidean")
    S = np.exp(-np.square(X[:, None] - X[None]).sum(-1))
    triples = sum(
        sum(sides) - max(sides)
        for i, j, k in itertools.combinations(range(12), 3)
        for sides in [(S[i, j], S[i, k], S[j, k])]
    )
    expected = 2 * np.exp(-squared).sum() + triples
    assert np.exp(-squared) @ study._least_sizes(squared) == pytest.approx(expected, rel=1e-12)


def test_the_count_of_triples_stands_up_to_its_limit(monkeypatch):
    """Beyond it the bound is weaker, never stronger."""
    squared = pdist(np.random.default_rng(0).normal(size=(20, 2)), "sqeuclidean")
    found = {}
    for limit in (19, 20, 21):
        monkeypatch.setattr(study, "N_TRIPLES", limit)
        found[limit] = study._least_sizes(squared)
    assert found[20].tolist() == found[21].tolist() != found[19].tolist()
    assert (found[19] <= found[20]).all()


def test_sums_are_made_in_blocks(monkeypatch):
    """Of whatever size."""
    random = np.random.default_rng(0)
    squared, weights = random.gamma(2.0, size=50), random.integers(1, 9, size=(3, 50)).astype(np.float32)
    candidates = [study._Candidate(kind, "1", "raw", 1.0, 1.0) for kind in ("exp_sq", "inv")]
    monkeypatch.setattr(study, "BLOCK", 7)
    found = study._weighted_sums(candidates, squared, weights)
    similarity = np.stack([np.exp(-squared), 1 / (1 + np.sqrt(squared))])
    np.testing.assert_allclose(found[:, 0], similarity.sum(axis=1))
    np.testing.assert_allclose(found[:, 1:], similarity @ weights.T)


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.25])
def test_similarities_by_hand(scale):
    """Of points 3 and 0 apart, squared distances scaled first."""
    d_sq = np.array([9.0, 0.0]) * scale
    expected = {
        "exp_sq": np.exp(-0.5 * d_sq),
        "exp": np.exp(-np.sqrt(d_sq)),
        "inv": 1 / (1 + np.sqrt(d_sq)),
        "inv_sq": 1 / (1 + d_sq),
        "cosine": 1 - d_sq / 2,
    }
    for kind, values in expected.items():
        found = study._Candidate(kind, "", "raw", 0.5, scale).pairs(np.array([9.0, 0.0]))
        np.testing.assert_allclose(found, values)


def test_the_largest_value_scales_the_features_and_medians_stand_aside():
    X = np.array([[1.0, -4.0], [2.0, 0.0], [0.0, 1.0]])
    found = study._candidates(X, "raw", pdist(X, "sqeuclidean"))
    scaled = [candidate for candidate in found if candidate.features == "max"]
    assert {candidate.scale for candidate in scaled} == {1 / 16}
    assert [(c.kind, c.gamma) for c in scaled] == [
        *(("exp_sq", "1/d"), ("exp_sq", "1"), ("exp_sq", "0.5"), ("exp", ""), ("inv", ""), ("inv_sq", ""))
    ]
    gammas = {c.gamma: c.gamma_value for c in found if c.features == "raw" and c.gamma}
    median = np.median([17.0, 26.0, 5.0])
    assert gammas == {"median": 1 / median, "0.5 median": 0.5 / median, "1/d": 0.5, "1": 1.0, "0.5": 0.5}
    assert all(c.scale == 1.0 for c in found if c.features == "raw")


def test_places_count_what_comes_before_with_equals_by_index():
    row = np.random.default_rng(0).integers(0, 5, size=300).astype(float)
    expected = np.empty(300)
    expected[np.argsort(row, kind="stable")] = np.arange(1, 301)
    assert study._places(row).tolist() == expected.tolist()


def test_lower_bound_is_attained_where_the_tree_is_plain():
    squared = np.square(pdist([[0.0], [1.0], [10.0], [11.0], [100.0]]))
    tree = Hierarchy.from_nested([[[0, 1], [2, 3]], 4])
    cost = dasgupta_cost(tree, squareform(1 / (1 + squared)))
    assert (1 / (1 + squared)) @ study._least_sizes(squared) == pytest.approx(cost)


def test_a_cell_keeps_every_cost(frame):
    """Each cost is a reading at its candidate and tree."""
    readings = study.run_study(glass_cell(np.arange(32)[::-1])).readings
    own = frame[frame.dataset == "glass"].reset_index(drop=True)
    assert [dict(reading.at) for reading in readings] == own[list(study.CANDIDATE)].to_dict("records")
    assert [dict(reading.metrics) for reading in readings] == [{"tree_cost": cost} for cost in own.cost]


def glass_cell(rows):
    data = replace(datasets.load("nested-blobs"), name="glass", X=dataset().X)
    return SimpleNamespace(data=data, task=SimpleNamespace(rows=rows))


def test_the_study_prices_trees_of_the_rows_that_are_drawn():
    readings = study.run_study(glass_cell(np.arange(20)[::-1])).readings
    drawn = study.study({"glass": SimpleNamespace(X=dataset().X[:20])})
    assert [reading.metrics["tree_cost"] for reading in readings] == drawn.cost.tolist()


def test_deterministic_and_without_labels(frame):
    again = study.study({"glass": dataset()})
    pd.testing.assert_frame_equal(again, frame[frame.dataset == "glass"].reset_index(drop=True))


def test_unusable_data_are_named():
    with pytest.raises(ValueError, match="nested-blobs"):
        study.study({"nested-blobs": dataset()})
    with pytest.raises(ValueError, match="all zeros"):
        study.study({"glass": SimpleNamespace(X=np.vstack([dataset().X, np.zeros(5)]))})
    with pytest.raises(ValueError, match="median"):
        study.study({"glass": SimpleNamespace(X=np.ones((9, 2)))})


def test_trees_are_of_the_linkages_that_they_are_named_by(monkeypatch):
    made = []
    original = methods.Agglomerative
    monkeypatch.setattr(methods, "Agglomerative", lambda **how: made.append(how) or original(**how))
    list(study._rows("glass", np.random.default_rng(0).normal(size=(40, 2)), "raw"))
    assert made == [{"linkage": "average"}, {"linkage": "complete"}]
