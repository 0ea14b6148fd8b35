"""HMMC against its formulas written out, and what holds of any of its trees."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from cladebench.methods import HMMC, MMC
from cladebench.methods._max_margin import balance_bounds
from cladebench.metrics import rand_index

VARIANTS = ("group+exclusive", "group", "exclusive", "l1", "l2")


def data(n=60, n_features=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, n_features)) * np.linspace(2.0, 0.5, n_features)
    return X - X.mean(axis=0)


def fitted(X, n_leaves=6, **params):
    return HMMC(n_leaves, **{"alpha": 0.1, "beta": 0.5, "random_state": 0, **params}).fit(X)


def split_nodes(tree):
    return [int(v) for v in tree.preorder if len(tree.children(v))]


def ancestors(model, node):
    """Pairs (ancestor, number of its child on the path), walked up by hand."""
    tree, found = model.hierarchy_, []
    while tree.parents[node] >= 0:
        parent = int(tree.parents[node])
        found.append((parent, tree.children(parent).tolist().index(node)))
        node = parent
    return found


def written_out(model, X, node):
    """The objective of equation 5 and the score of equation 4 at a node, term by term."""
    tree, W = model.hierarchy_, model.models_[node]
    n_clusters, n_features = W.shape
    G = sum(np.sqrt(sum(W[k, p] ** 2 for k in range(n_clusters))) for p in range(n_features))
    G /= n_features * n_clusters
    above = ancestors(model, node)
    E = sum(
        abs(W[k, p]) * abs(model.models_[a][child, p])
        for k in range(n_clusters)
        for a, child in above
        for p in range(n_features)
    )
    E /= n_clusters * max(1, len(above)) * n_features
    loss = fit = n = 0.0
    for y, part in enumerate(tree.children(node)):
        for i in tree.samples(part):
            n += 1
            fit += W[y] @ X[i]
            loss += sum(max(0.0, 1.0 - (W[y] - W[k]) @ X[i]) ** 2 for k in range(n_clusters) if k != y)
    return model.alpha * G + model.beta * E + loss / (n * n_clusters), fit / (G + E)


def hinge(model, X, node):
    """The loss alone."""
    tree, W = model.hierarchy_, model.models_[node]
    terms = [
        max(0.0, 1.0 - (W[y] - W[k]) @ X[i]) ** 2
        for y, part in enumerate(tree.children(node))
        for i in tree.samples(part)
        for k in range(len(W))
        if k != y
    ]
    return sum(terms) / (tree.sizes[node] * len(W))


@pytest.mark.parametrize("n_splits", [2, 3])
def test_objective_and_score_are_those_of_the_paper(n_splits):
    X = data()
    model = fitted(X, n_leaves=7, n_splits=n_splits)
    tree = model.hierarchy_
    nodes = split_nodes(tree)
    assert len(nodes) > 2
    for node in nodes:
        objective, score = written_out(model, X, node)
        assert tree.node_data["score"][node] == pytest.approx(score, rel=1e-9)
        assert tree.node_data["objective"][node] == pytest.approx(objective, rel=1e-9)
    assert model.objective_trace_[-1] == tree.node_data["objective"][tree.root]


def test_the_regulariser_is_split_among_the_features():
    X = data()
    model = fitted(X)
    for node in split_nodes(model.hierarchy_):
        objective, _ = written_out(model, X, node)
        assert model.feature_costs_[node].sum() == pytest.approx(objective - hinge(model, X, node), rel=1e-9)
        unused = (model.models_[node] == 0).all(axis=0)
        assert (model.feature_costs_[node][unused] == 0).all()


@pytest.mark.filterwarnings("ignore:.*labels_ has")
@pytest.mark.parametrize("n_splits", [2, 3])
@pytest.mark.parametrize("grow", ["score", "lowest", "mean", "largest"])
def test_the_next_leaf_is_the_one_that_the_rule_names(grow, n_splits):
    X = data(90)
    model = fitted(X, n_leaves=9, n_splits=n_splits, grow=grow)
    full = fitted(
        X, n_leaves=15, n_splits=n_splits, grow=grow
    )  # has the splits of leaves that were left standing
    tree, order = full.hierarchy_, full.hierarchy_.node_data["order"]
    rank = {}
    for node in split_nodes(tree):
        sums = written_out(full, X, node)[1]
        rank[node] = {
            "score": sums,
            "lowest": -sums,
            "mean": sums / tree.sizes[node],
            "largest": tree.sizes[node],
        }[grow]
        assert tree.node_data["score"][node] == pytest.approx(rank[node], rel=1e-9)
    assert model.trace_["score"].tolist() == full.trace_["score"][: len(model.trace_["score"])].tolist()
    for node, t in ((v, order[v]) for v in rank):
        standing = [v for v in rank if order[v] > t and (v == 0 or order[tree.parents[v]] < t)]
        assert all(rank[v] <= rank[node] * (1 + 1e-9) for v in standing)


def test_the_rules_of_growth_give_different_trees_of_the_same_splits():
    X = data(60)
    trees = {grow: fitted(X, n_leaves=9, grow=grow).hierarchy_ for grow in ("score", "mean", "largest")}
    parts = {grow: {frozenset(tree.samples(v)) for v in tree.preorder} for grow, tree in trees.items()}
    assert parts["score"] != parts["mean"] != parts["largest"] != parts["score"]
    # The root's split does not depend on what is split later.
    assert len({frozenset(tree.samples(tree.children(0)[0])) for tree in trees.values()}) == 1


@pytest.mark.parametrize("regularizer", VARIANTS)
@pytest.mark.parametrize("n_splits", [2, 3])
def test_no_step_raises_the_objective_and_every_split_is_balanced(regularizer, n_splits):
    X = data(90)
    model = fitted(X, n_leaves=9, regularizer=regularizer, n_splits=n_splits)
    assert model.converged_
    assert model.largest_rise_ <= 1e-9  # at any node
    assert (np.diff(model.objective_trace_) <= 1e-9 * model.objective_trace_[:-1]).all()
    tree = model.hierarchy_
    for node in split_nodes(tree):
        lower, upper = balance_bounds(int(tree.sizes[node]), n_splits, 0.1)
        sizes = tree.sizes[tree.children(node)]
        assert len(sizes) == n_splits
        assert lower <= sizes.min() <= sizes.max() <= upper


def test_well_separated_classes_are_found():
    # Without an intercept, directions through the origin have to separate the classes of every node.
    centers = [[3, 1, 0], [3, -1, 0], [-3, 1, 0], [-3, -1, 0]]
    X, y = make_blobs(200, centers=centers, cluster_std=0.2, random_state=3)
    for regularizer in VARIANTS:
        model = HMMC(4, regularizer=regularizer, random_state=0).fit(X - X.mean(axis=0))
        assert rand_index(y, model.labels_) == 1.0


def test_weights_of_zero_give_the_variants():
    X = data()
    same = lambda a, b: np.array_equal(a.hierarchy_.leaf_of, b.hierarchy_.leaf_of)  # noqa: E731
    assert same(fitted(X, beta=0.0), fitted(X, regularizer="group"))
    assert same(fitted(X, alpha=0.0), fitted(X, regularizer="exclusive"))
    assert not same(fitted(X, beta=0.0), fitted(X, beta=5.0))


@pytest.mark.filterwarnings("ignore:.*labels_ has")
def test_group_sparsity_empties_features_for_all_clusters():
    X = data(80, 8)
    W = fitted(X, n_leaves=2, alpha=3.0, n_splits=3).models_[0]
    empty = (W == 0).all(axis=0)
    assert 0 < empty.sum() < 8
    assert (W[:, ~empty] != 0).all(axis=0).any()


def test_exclusive_sparsity_leaves_the_features_of_the_ancestors():
    X = data(200, 6)
    shared = []
    for beta in (0.0, 50.0):
        model = fitted(X, n_leaves=4, alpha=0.01, beta=beta)
        shares = []
        for node in split_nodes(model.hierarchy_)[1:]:
            ((parent, child), *_) = ancestors(model, node)
            shares.append(np.abs(model.models_[node]).sum(axis=0) @ np.abs(model.models_[parent][child]))
        shared.append(np.mean(shares))
    assert shared[1] < 0.5 * shared[0]


def test_the_root_of_hmmc_e_is_finite_on_separable_data():
    X, _ = make_blobs(60, 3, centers=[[-9, 0, 0], [9, 0, 0]], random_state=0)
    model = HMMC(3, regularizer="exclusive", random_state=0).fit(X - X.mean(axis=0))
    inner = split_nodes(model.hierarchy_)
    assert np.isfinite(model.models_[inner]).all()
    # Without the ridge the denominator of the score is nothing but its floor of 1e-12.
    assert 0 < model.hierarchy_.node_data["score"][0] < 1e11
    bare = HMMC(3, regularizer="exclusive", ridge=0.0, random_state=0).fit(X - X.mean(axis=0))
    assert bare.hierarchy_.node_data["score"][0] > 1e12
    # Of the models that separate the data, the ridge picks a small one.
    assert np.abs(model.models_[0]).max() <= np.abs(bare.models_[0]).max() * (1 + 1e-9)


@pytest.mark.parametrize("regularizer", ["group+exclusive", "group", "l1", "l2"])
def test_a_weight_of_zero_takes_its_term_out_of_the_score(regularizer):
    X = data()
    model = fitted(X, n_leaves=2, alpha=0.0, regularizer=regularizer)
    least = fitted(X, n_leaves=2, alpha=1e-9, regularizer=regularizer)
    tree, W = model.hierarchy_, model.models_[0]
    fit = sum(W[k] @ X[i] for k, part in enumerate(tree.children(0)) for i in tree.samples(part))
    ridge = 1e-6 / W.size * (W**2).sum() if regularizer == "group+exclusive" else 0.0
    assert tree.node_data["score"][0] == pytest.approx(fit / (ridge + 1e-12), rel=1e-9)
    assert tree.node_data["score"][0] > 1e4 * least.hierarchy_.node_data["score"][0]


@pytest.mark.parametrize("beta", [0.0, 1e-9])
def test_a_score_without_exclusive_sparsity_has_group_sparsity_alone(beta):
    X = data()
    model = fitted(X, n_leaves=4, beta=beta)
    tree = model.hierarchy_
    for node in split_nodes(tree)[1:]:
        W = model.models_[node]
        fit = sum(W[k] @ X[i] for k, part in enumerate(tree.children(node)) for i in tree.samples(part))
        group_alone = fit / (np.linalg.norm(W, axis=0).sum() / W.size)
        assert (tree.node_data["score"][node] == pytest.approx(group_alone, rel=1e-9)) == (beta == 0.0)


def test_three_clusters_a_split_and_two_in_the_flat_clustering_is_said():
    words = "HMMC: labels_ has 1 cluster, as the tree skips n_clusters=2; expected n_clusters=1 or 3"
    with pytest.warns(UserWarning, match=words):
        model = HMMC(n_splits=3, random_state=0).fit(data())
    assert (model.labels_ == 0).all() and model.n_leaves_grown_ == 3
    with pytest.raises(ValueError, match="n_leaves=4 is below n_clusters=5"):
        HMMC(5, n_leaves=4).fit(data())


@pytest.mark.parametrize(("method", "params"), [(HMMC, {"n_splits": 4}), (MMC, {})])
def test_fewer_distinct_samples_than_clusters_come_apart_in_silence(method, params):
    X = np.repeat([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 4, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = method(4, random_state=0, **params).fit(X).labels_
    assert np.bincount(labels, minlength=4).min() > 0  # so that equal samples are in two clusters


def test_more_starts_never_end_higher():
    X = data(120)
    one = fitted(X, n_leaves=2).objective_trace_[-1]
    assert fitted(X, n_leaves=2, n_init=8).objective_trace_[-1] <= one * (1 + 1e-6)


def test_an_intercept_helps_where_the_data_lie_off_the_origin():
    X = data(100) + 7.0
    plain, free = fitted(X, n_leaves=2), fitted(X, n_leaves=2, fit_intercept=True)
    assert free.objective_trace_[-1] < plain.objective_trace_[-1]
    assert free.models_.shape == plain.models_.shape
    assert (free.intercepts_[0] != 0).any()
    assert (plain.intercepts_[0] == 0).all()


def test_a_penalty_that_empties_the_model_still_gives_a_balanced_tree():
    model = fitted(data(40), n_leaves=4, alpha=1e6)
    assert (model.models_[0] == 0).all()
    assert model.hierarchy_.n_leaves == 4
    assert np.isfinite(model.hierarchy_.node_data["score"][0])


def test_sizes_keep_bounds_that_lie_inwards():
    tree = fitted(data(90), n_leaves=9, rounding="inward").hierarchy_
    sizes = [np.sort(tree.sizes[tree.children(v)]).tolist() for v in split_nodes(tree)]
    assert all(balance_bounds(sum(s), 2, 0.1, "inward")[0] <= s[0] for s in sizes)
    assert any(balance_bounds(sum(s), 2, 0.1)[0] < s[0] for s in sizes)


def test_without_balance_a_split_may_take_off_as_little_as_it_likes():
    X = np.concatenate([data(40), [[60.0, 0, 0, 0, 0]]])
    X -= X.mean(axis=0)
    least = {
        slack: fitted(X, n_leaves=2, alpha=0.001, slack=slack).hierarchy_.sizes[1:].min()
        for slack in (0.1, 1)
    }
    assert 1 <= least[1] < balance_bounds(41, 2, 0.1)[0] <= least[0.1]
    assert balance_bounds(41, 2, 1.0) == (1, 41)


def test_a_slack_beyond_the_whole_is_refused():
    with pytest.raises(ValueError, match="slack"):
        HMMC(2, slack=1.5).fit(data())
