"""Every cross-check passes as things are, and fails when what it checks is broken."""

import importlib

import numpy as np
import pytest

from cladebench.crosscheck import _instances, dasgupta_facts, measures, perch
from cladebench.crosscheck import run as crosschecks
from cladebench.reference.dasgupta_optimal import tree_cost
from cladebench.reference.programmes import LowerBound
from solver_checks import hold


@pytest.fixture(autouse=True)
def two_data_sets(only_data):
    """Bundled data alone: quick, and the same on every machine."""
    crosschecks.discover()
    only_data("iris", "wine")


def run(*topics):
    return list(crosschecks.run("smoke", seed=0, topics=topics))


def failing(*topics):
    return {c.name for c in run(*topics) if not c.passed}


@pytest.fixture(scope="module")
def everything():
    """What the command gives, on all data that are on this machine: one run, for topics of a module share its work."""
    return list(crosschecks.run("smoke", seed=0))


@pytest.mark.parametrize("topic", list(crosschecks.discover()))
def test_passes(everything, topic):
    hold(c for c in everything if c.topic == topic)


@pytest.mark.parametrize(
    ("topic", "names", "instances"),
    [
        (
            "facility-location",
            "value optimum bound relaxation",
            "uniform clusters asymmetric signed-prices iris",
        ),
        ("exemplar-learning", "slaves bound optimum weights", "random iris"),
        (
            "tree-metric",
            "residual four-point lengths lengths-random neighbour-joining all-topologies",
            "random noisy-tree iris",
        ),
    ],
)
def test_each_kind_of_check_is_there(everything, topic, names, instances):
    found = [c for c in everything if c.topic == topic]
    assert {c.name for c in found} == set(names.split())
    assert {c.instance.rsplit("-", 2)[0] for c in found} >= set(instances.split())


def test_topics_are_known_and_ids_are_unique(everything):
    assert {c.topic for c in everything} == set(crosschecks.discover())
    crosschecks.as_frame(everything)  # ids are unique


@pytest.mark.parametrize("topic", ["dendrogram-purity", "perch", "ghc-sampled-cost", "sparsest-cut-mistakes"])
def test_same_seed_same_values(topic):
    one, other = run(topic), run(topic)
    assert {c.topic for c in one} == {topic}
    assert [(c.id, c.primal, c.residual) for c in one] == [(c.id, c.primal, c.residual) for c in other]


def test_every_method_without_labels_meets_the_optimum():
    from cladebench.methods import discover
    from cladebench.methods.base import HierarchicalClusterer

    expected = {name for name, method in discover(HierarchicalClusterer).items() if not method.uses_labels}
    assert {"GHC", "Perch", "SparsestCut"} <= expected <= {c.name for c in run("dasgupta-optimal")}


def test_a_cost_below_the_optimum_fails(monkeypatch):
    module = importlib.import_module("cladebench.crosscheck.dasgupta_optimal")
    true_cost = module.enumerated_cost
    monkeypatch.setattr(module, "enumerated_cost", lambda tree, S: 0.5 * true_cost(tree, S))
    assert {"Agglomerative", "ilp-CBC-5"} <= failing("dasgupta-optimal")


def test_a_bound_above_the_optimum_fails(monkeypatch):
    module = importlib.import_module("cladebench.crosscheck.dasgupta_optimal")
    monkeypatch.setattr(module, "spreading_bound", lambda S: LowerBound(1e9, 1e9, np.zeros(0), 0.0))
    assert failing("dasgupta-optimal") == {"spreading-bound"}


def test_wrong_cuts_and_bounds_fail(monkeypatch):
    module = importlib.import_module("cladebench.crosscheck.sparsest_cut")
    worst = np.arange(8) % 2 == 0
    monkeypatch.setattr(module, "sparsest_cut", lambda S, exact_below: worst)
    monkeypatch.setattr(module, "relaxation_bound", lambda S, kind: LowerBound(1e9, 1e9, np.zeros(0), 0.0))
    monkeypatch.setattr(module, "spectral_bound", lambda S: 1e-9)
    assert failing("sparsest-cut") == {
        "guarantee",
        "solver-enumeration",
        "metric-bound",
        "negative-type-bound",
    }


def test_wrong_kernels_of_the_measures_fail(monkeypatch):
    module = importlib.import_module("cladebench.crosscheck.measures")
    cost, purity = module.dasgupta_cost, module.dendrogram_purity
    monkeypatch.setattr(module, "dasgupta_cost", lambda *a: cost(*a) * (1 + 1e-9))
    monkeypatch.setattr(module, "dendrogram_purity", lambda *a: purity(*a) * (1 + 1e-9))
    assert failing("dasgupta-cost", "dendrogram-purity") >= {"dense", "sparse", "purity"}


def test_wrong_gradient_cost_and_samples_fail(monkeypatch):
    exact = importlib.import_module("cladebench.methods.ghc.exact")
    objective = importlib.import_module("cladebench.methods.ghc.objective")
    both, sampled, cost = exact.value_and_gradient, objective.sampled_objective, objective.exact_objective

    def bent(*arguments):
        value, gradient = both(*arguments)
        return value, {name: part * (1 + 1e-4) for name, part in gradient.items()}

    monkeypatch.setattr(exact, "value_and_gradient", bent)
    monkeypatch.setattr(objective, "sampled_objective", lambda *a, **k: 1.5 * sampled(*a, **k))
    monkeypatch.setattr(objective, "exact_objective", lambda *a: cost(*a) * (1 + 1e-8))
    found = [c for c in run("ghc-gradient", "ghc-sampled-cost", "ghc-cost") if c.name.endswith("-dense")]
    assert {c.topic: c.passed for c in found} == {
        "ghc-gradient": False,
        "ghc-sampled-cost": False,
        "ghc-cost": False,
    }


def test_another_perch_fails(monkeypatch):
    fit = perch._fit
    monkeypatch.setattr(
        perch, "_fit", lambda X, rotations, max_leaves=None: fit(X[::-1], rotations, max_leaves)
    )
    assert failing("perch") == {"masking-balance", "masking", "collapsed", "nearest-neighbour"}


@pytest.mark.parametrize("seed", [1, 3])
def test_ties_are_ties_for_kernel_and_twin(seed):
    """Iris is given in tenths: in these orders sums of squares that are equal differed by their rounding."""
    found = [c for c in perch.certificates("quick", seed) if c.instance.startswith("iris")]
    assert len(found) == 4 and [c.id for c in found if not c.passed] == []


def test_neighbours_are_read_off_the_tree():
    X = np.random.default_rng(0).normal(size=(60, 3))
    chosen = perch.chosen_neighbours(perch._fit(X, "none"))
    brute = [0] + [int(np.argmin(np.square(X[:t] - X[t]).sum(axis=1))) for t in range(1, len(X))]
    assert chosen.tolist() == brute


def test_all_trees_of_any_arity_are_enumerated():
    def canonical(tree):
        return tree if isinstance(tree, int) else frozenset(map(canonical, tree))

    for n, expected in ((1, 1), (2, 1), (3, 4), (4, 26), (5, 236)):
        trees = [canonical(tree) for tree in dasgupta_facts.every_tree(tuple(range(n)))]
        assert len(trees) == len(set(trees)) == expected


def test_recursive_cuts_and_the_best_tree_below_a_cut():
    S = _instances.random_graph(6, 0)
    tree = dasgupta_facts.recursive_sparsest_cut(S)
    from cladebench.reference.dasgupta_optimal import optimal_tree_programme

    best = optimal_tree_programme(S)
    first = np.isin(
        np.arange(6), best.hierarchy.samples(int(best.hierarchy.children(best.hierarchy.root)[0]))
    )
    assert tree_cost(tree, S) >= best.cost * (1 - 1e-12)
    assert dasgupta_facts._best_below(S, first) == pytest.approx(best.cost)


def test_statements_fail_where_they_are_false(monkeypatch):
    # Graphs on which nothing can be seen, and a cost that is another one.
    module = dasgupta_facts
    monkeypatch.setattr(module, "N_GRAPHS", 2)
    monkeypatch.setattr(module, "random_graph", lambda n, seed: np.ones((n, n)) - np.eye(n))
    assert not module._mistakes(0).passed
    assert not module._root_split(0).passed
    monkeypatch.setattr(module, "tree_cost", lambda tree, S: float(len(str(tree))))
    assert not module._path_is_halved().passed
    assert not module._clique_is_indifferent().passed
    assert not module._binary("clique", np.ones((4, 4))).passed
    assert not module._subtree("clique", np.ones((5, 5))).passed


def test_draws_are_distinct_rows_and_the_columns_that_vary():
    X = np.repeat(np.arange(6.0)[:, None], 3, axis=1) * [1.0, 0.0, 10.0]
    X = np.vstack([X, X])
    points = _instances.draw(X, 6, seed=0, n_features=2)
    assert sorted(points[:, 1].tolist()) == [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    assert (points[:, 1] == 10 * points[:, 0]).all()


def test_trees_of_the_checks_depend_on_the_seed_alone():
    X = np.random.default_rng(0).normal(size=(60, 2))
    wanted = measures.SIZES["full"][1]
    first, again = (measures.trees(X, wanted, 3) for _ in range(2))
    assert {name: tree.to_newick() for name, tree in first.items()} == {
        name: tree.to_newick() for name, tree in again.items()
    }
