"""Formulas as the papers print them, beside what the text says of them: where the two differ, and where they do not."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

SEEDS = st.integers(0, 10**6)


def assignment_cost(scores, labels, printed):
    """Equation 6 of HMMC, summed over rows: with w_y' in both terms, as printed, or with w_y in the first."""
    total = 0.0
    for s, y in zip(scores, labels, strict=True):
        for other in range(len(s)):
            if other != y:
                first = s[other] if printed else s[y]
                total += max(0.0, 1.0 - first + s[other]) ** 2
    return total


@given(SEEDS, st.integers(1, 4), st.integers(2, 3))
def test_equation_6_of_hmmc_as_printed_costs_the_same_for_every_assignment(seed, n, k):
    """1 - w_y'.x + w_y'.x is 1 in each of K - 1 terms: n (K - 1), whatever the models and the labels."""
    scores = np.random.default_rng(seed).normal(size=(n, k))
    every = list(itertools.product(range(k), repeat=n))
    assert {round(assignment_cost(scores, labels, printed=True), 9) for labels in every} == {n * (k - 1)}
    meant = [assignment_cost(scores, labels, printed=False) for labels in every]
    assert max(meant) > min(meant)


@settings(max_examples=25)
@given(SEEDS)
def test_prox_of_hmmc_with_the_weights_of_its_regularisers_is_a_minimiser(seed):
    """Soft threshold by s beta lambda_E, then by group by s alpha lambda_G: against the objective of equations 2 and 3.

    The weights fit the equations if w_{n_a,p}, which does not say which of a node's models is meant, is w_{a k_a,p}.
    """
    rng = np.random.default_rng(seed)
    k, p, ancestors = 2, 2, 2
    u, above = rng.normal(size=(k, p)), np.abs(rng.normal(size=(ancestors, p)))
    s, alpha, beta = rng.uniform(0.2, 2, size=3)

    def objective(w):
        w = w.reshape(k, p)
        group = np.sqrt((w**2).sum(axis=0)).sum() / (p * k)
        exclusive = sum(np.abs(w[i]) @ above[a] for i in range(k) for a in range(ancestors)) / (
            k * ancestors * p
        )
        return ((w - u) ** 2).sum() / (2 * s) + alpha * group + beta * exclusive

    v = np.sign(u) * np.maximum(np.abs(u) - s * beta * above.sum(axis=0) / (k * ancestors * p), 0.0)
    norms = np.sqrt((v**2).sum(axis=0))
    two_steps = v * np.maximum(1.0 - s * alpha / (p * k) / np.maximum(norms, 1e-300), 0.0)
    value = objective(two_steps.ravel())
    assert (
        value
        <= minimize(objective, u.ravel(), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).fun
        + 1e-9
    )
    for step in 1e-4 * rng.normal(size=(50, k * p)):
        assert value <= objective(two_steps.ravel() + step) + 1e-15


@given(SEEDS, st.integers(2, 5), st.integers(2, 3))
def test_the_assignment_that_hmmc_calls_np_hard_is_a_linear_programme(seed, n, k):
    """Its constraints are those of a flow, totally unimodular: the relaxation reaches the best whole assignment."""
    cost = np.random.default_rng(seed).uniform(size=(n, k))
    low, high = math.floor(0.9 * n / k), math.ceil(1.1 * n / k)
    best = min(
        cost[np.arange(n), labels].sum()
        for labels in itertools.product(range(k), repeat=n)
        if all(low <= labels.count(j) <= high for j in range(k))
    )
    sizes = np.kron(np.ones((1, n)), np.eye(k))
    relaxed = linprog(
        cost.ravel(),
        A_ub=np.vstack([sizes, -sizes]),
        b_ub=[high] * k + [-low] * k,
        A_eq=np.kron(np.eye(n), np.ones((1, k))),
        b_eq=np.ones(n),
    )
    assert relaxed.fun == pytest.approx(best, abs=1e-9)


def reaching(right):
    """Probabilities of reaching the nodes of a complete tree with 4 leaves, from those of going right; heap order."""
    root, a, b = right
    return np.array([1.0, 1 - root, root, (1 - root) * (1 - a), (1 - root) * a, root * (1 - b), root * b])


@given(SEEDS)
def test_the_lca_formula_of_ghc_leaves_out_the_leaves(seed):
    """Its probabilities over inner nodes add up to one less the chance that both points end in one leaf."""
    rng = np.random.default_rng(seed)
    x, y = (reaching(rng.uniform(size=3)) for _ in range(2))
    inner = [x[2 * v + 2] * y[2 * v + 1] + x[2 * v + 1] * y[2 * v + 2] for v in range(3)]
    assert sum(inner) == pytest.approx(1.0 - x[3:] @ y[3:])
    assert sum(inner) < 1.0


def test_the_cost_of_ghc_as_printed_is_least_where_the_discrete_one_is_greatest():
    """With all points in one leaf no inner node is an ancestor, and the cost is 0; equation 1 gives n for each pair."""
    n, together = 5, reaching([0.0, 0.0, 0.0])
    inner = [together[2 * v + 2] * together[2 * v + 1] * 2 for v in range(3)]
    assert sum(p * n * together[v] for v, p in enumerate(inner)) * math.comb(n, 2) == 0.0
    at_leaf = together[3:] ** 2
    assert (at_leaf * n * together[3:]).sum() * math.comb(n, 2) == n * math.comb(n, 2)


@pytest.mark.parametrize(("second", "pairs"), [(2, 2), (2, 6), (3, 2)])
def test_the_sampled_number_of_points_of_ghc_is_right_only_where_both_samples_are_as_large(second, pairs):
    """|X| / |S| with S the pairs; the mean over all samples S' with replacement is right with |X| / |S'| alone."""
    reach = np.array([0.1, 0.5, 0.9, 0.2])
    drawn = [reach[list(s)].sum() for s in itertools.product(range(4), repeat=second)]
    assert np.mean(drawn) * 4 / second == pytest.approx(reach.sum())
    assert np.mean(drawn) * 4 / pairs == pytest.approx(reach.sum() * second / pairs)
