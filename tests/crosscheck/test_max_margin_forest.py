"""The cross-checks of the max-margin forest and of learned distances fail when what they check is spoilt."""

import dataclasses

import numpy as np
import pytest

from cladebench.crosscheck import _instances, _pairs, learned_distances, max_margin_forest, max_margin_split
from cladebench.reference import dca


@pytest.fixture(autouse=True)
def one_data_set(monkeypatch):
    wine = {"wine": _instances.real_data()["wine"]}
    for module in (learned_distances, max_margin_forest, max_margin_split):
        monkeypatch.setattr(module, "real_data", lambda: wine)


def failing(module):
    return {f"{c.topic}/{c.name}" for c in module.certificates("smoke", 0) if not c.passed}


class Spoilt:
    """An object whose given attributes are others."""

    def __init__(self, kept, **changes):
        self._kept, self._changes = kept, changes

    def __getattr__(self, name):
        return self._changes[name] if name in self._changes else getattr(self._kept, name)


@pytest.mark.parametrize("module", [learned_distances, max_margin_forest, max_margin_split])
def test_certificates_of_smoke_hold(module):
    found = list(module.certificates("smoke", 1))  # of another seed than in test_topics.py
    assert {c.topic for c in found} == set(module.TOPICS)
    assert [c.id for c in found if not c.passed] == []
    assert all(c.residual >= 0.0 for c in found)
    assert len({c.id for c in found}) == len(found)


def test_another_convex_solver_fails(monkeypatch):
    fixed = max_margin_split._fixed

    def spoilt(node, w, **settings):
        kept = fixed(node, w, **settings)

        def minimise(*arguments):
            best, value, bound, count = kept.minimise(*arguments)
            return 0.8 * best, value, bound + 0.01, count

        def evaluate(at):
            loss, slope = kept.evaluate(at)
            return loss, slope + 1e-3

        return Spoilt(kept, minimise=minimise, evaluate=evaluate)

    monkeypatch.setattr(max_margin_split, "_fixed", spoilt)
    assert failing(max_margin_split) == {
        f"hfd-convex/{labels}-{name}"
        for labels in ("start", "random")
        for name in ("cutting-planes", "bound", "algorithm-1", "subgradient")
    }


def spoil_split(monkeypatch, change):
    split = max_margin_split.solver.max_margin_split
    monkeypatch.setattr(
        max_margin_split.solver, "max_margin_split", lambda *a, **k: change(split(*a, **k), **k)
    )


def test_a_rise_and_a_wrong_objective_fail(monkeypatch):
    def rise(fit, max_rounds=None, **others):
        # The last round's weights are worse than those of the round before.
        return fit if max_rounds != 3 else dataclasses.replace(fit, weights=0.5 * fit.weights)

    with monkeypatch.context() as here:
        spoil_split(here, rise)
        assert "hfd-descent/cutting-planes" in failing(max_margin_split)
    spoil_split(monkeypatch, lambda fit, **_: dataclasses.replace(fit, objective=fit.objective + 1e-5))
    assert "hfd-descent/cutting-planes" in failing(max_margin_split)


def test_an_objective_below_the_least_fails(monkeypatch):
    objective = max_margin_split._objective
    monkeypatch.setattr(max_margin_split, "_objective", lambda *a: 0.2 * objective(*a))
    assert {"hfd-local/1-starts", "hfd-local/10-starts"} <= failing(max_margin_split)


def spoil_forest(monkeypatch, **changes):
    """Spoil the forest of all trees, not those of one tree each."""
    grow = max_margin_forest._grow

    def spoilt(*arguments):
        grown = grow(*arguments)
        made = {name: change(getattr(grown.whole, name)) for name, change in changes.items()}
        return grown._replace(whole=Spoilt(grown.whole, **made))

    monkeypatch.setattr(max_margin_forest, "_grow", spoilt)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda D: D * (1 + 1e-15), {"symmetric", "plain-walk"}),
        (lambda D: D + np.triu(np.ones(D.shape), 1) * 1e-16, {"symmetric"}),
        (lambda D: D + 1.0, {"range", "symmetric", "plain-walk"}),
        (lambda D: D - 1.0, {"range", "symmetric", "plain-walk"}),
    ],
)
def test_other_distances_fail(monkeypatch, change, expected):
    spoil_forest(monkeypatch, pairwise=lambda kept: lambda *a: change(kept(*a)))
    found = failing(max_margin_forest)
    assert {f"hfd-distance/{name}" for name in expected} <= found
    assert ("hfd-distance/range" in found) == ("range" in expected)


def test_rows_that_share_a_leaf_and_are_apart_fail(monkeypatch):
    grow = max_margin_forest._grow

    def spoilt(*arguments):
        grown = grow(*arguments)
        first = grown.single[0]
        apart = Spoilt(first, pairwise=lambda *a: np.maximum(first.pairwise(*a), 1e-9))
        return grown._replace(single=[apart, *grown.single[1:]])

    monkeypatch.setattr(max_margin_forest, "_grow", spoilt)
    assert "hfd-distance/shared-leaf" in failing(max_margin_forest)


def test_other_neighbors_fail(monkeypatch):
    names = {f"{order}-{kind}" for order in ("sampled", "nearest") for kind in ("candidates", "twin")}

    def changed(change):
        def spoil(kept):
            def neighbors_of(*arguments, candidates_per_tree, **others):
                found = kept(*arguments, candidates_per_tree=candidates_per_tree, **others)
                return found if candidates_per_tree is None else change(*found)

            return neighbors_of

        return spoil

    with monkeypatch.context() as here:
        spoil_forest(here, neighbors_of=changed(lambda d, rows, n: (d, np.roll(rows, 1, axis=1), n)))
        assert {f"hfd-neighbors/{name}" for name in names} <= failing(max_margin_forest)
    everything = {f"hfd-neighbors/{name}" for name in (*names, "sampled-all", "nearest-all")}
    with monkeypatch.context() as here:
        spoil_forest(here, neighbors_of=changed(lambda d, rows, n: (d * (1 - 1e-15), rows, n)))
        assert everything <= failing(max_margin_forest)

    def all_farther(kept):
        def neighbors_of(*arguments, **others):
            distance, *rest = kept(*arguments, **others)
            return distance + 1e-9, *rest

        return neighbors_of

    spoil_forest(monkeypatch, neighbors_of=all_farther)
    assert "hfd-neighbors/brute-twin" in failing(max_margin_forest)


@pytest.mark.parametrize("name", ["ITML", "LMNN", "BoostMetric", "DCA"])
def test_another_map_fails(monkeypatch, name):
    kept = getattr(learned_distances, name)

    class Other(kept):
        def fit(self, *arguments, **constraints):
            super().fit(*arguments, **constraints)
            self.components_ = 1.3 * self.components_ + 1e-3
            return self

    monkeypatch.setattr(learned_distances, name, Other)
    expected = {
        "ITML": {
            f"itml/gamma-{gamma}-{kind}"
            for gamma in ("0.1", "1", "10")
            for kind in ("conditions", "cone-programme")
        },
        "LMNN": {"lmnn/dual-bound"},
        "BoostMetric": {"boost-metric/corrective"},
        "DCA": {"dca/1-components", "dca/2-components"},
    }[name]
    found = failing(learned_distances)
    assert expected <= found and {one.split("/")[0] for one in found} == {
        one.split("/")[0] for one in expected
    }


def test_a_bound_above_the_least_loss_and_a_loss_below_it_fail(monkeypatch):
    least = learned_distances.lmnn.least_loss
    for factor, expected in (
        (0.9, {"lmnn/semidefinite-programme", "lmnn/dual-bound"}),
        (1.1, {"lmnn/semidefinite-programme"}),
    ):
        monkeypatch.setattr(
            learned_distances.lmnn, "least_loss", lambda *a, factor=factor: (factor * least(*a)[0], None)
        )
        assert failing(learned_distances) == expected


def test_where_the_cone_solver_gives_up_the_dual_problem_proves_itml(monkeypatch):
    def gives_up(*arguments):
        raise learned_distances.cp.error.SolverError("failed")

    monkeypatch.setattr(learned_distances.itml, "programme", gives_up)
    found = [c for c in learned_distances.certificates("smoke", 0) if c.topic == "itml"]
    assert len(found) == 3 and all(c.passed and abs(c.gap) < 1e-6 for c in found)


def test_other_probabilities_fail(monkeypatch):
    class Other(learned_distances.RandomForestDistance):
        def pairwise(self, *rows):
            return super().pairwise(*rows) + 1e-9

    monkeypatch.setattr(learned_distances, "RandomForestDistance", Other)
    assert failing(learned_distances) == {"pair-forest/probabilities"}


def test_nodes_hold_the_rows_and_constraints_that_came_down():
    X, labels = _pairs.draw_labelled(*_instances.real_data()["iris"], 60, 0)
    must, cannot = _pairs.draw_pairs(labels, 30, 0)
    assert (labels[must[:, 0]] == labels[must[:, 1]]).all()
    assert (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()
    nodes = {node.name: node for node in _pairs.nodes_of_a_tree(X, must, cannot, 0)}
    assert set(nodes) == {"root", "constrained", "free"}
    assert len(nodes["root"].X) == 60 and np.array_equal(nodes["root"].must, must)
    assert len(nodes["free"].cannot) == 0 < len(nodes["constrained"].cannot) < len(cannot)
    for node in nodes.values():
        assert node.X.shape[1] == 2 and max(node.must.max(), node.cannot.max(initial=0)) < len(node.X) <= 60


def test_chunklets_of_the_twin_are_the_components_of_the_must_links():
    assert dca.chunklets(7, np.array([[5, 1], [1, 0], [3, 4], [0, 5]])) == [[0, 1, 5], [3, 4]]
    assert dca.chunklets(3, np.array([[2, 2], [0, 1]])) == [[0, 1], [2]]
    between, _ = dca.covariances(np.eye(3), np.array([[0, 1]]), np.array([[0, 2]]))
    assert np.array_equal(between, np.eye(3))  # no cannot-link is between two chunklets
