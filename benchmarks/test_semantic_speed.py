"""Semantic similarity and the Rand index: whole calls at the size of the largest data set, against twins and peer."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import rand_score

from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative, BirchTree
from cladebench.metrics import rand_index, semantic_scores, semantic_similarity
from cladebench.reference import semantic as reference
from test_metrics_speed import random_binary

N_SAMPLES, N_CLASSES = 30_475, 50
KINDS = ("shortest_path", "path_sharing")
SHAPES = ("random", "balanced", "caterpillar", "single linkage", "BIRCH")


def full_tree(shape: str, n: int) -> Hierarchy:
    """A leaf for each sample."""
    if shape == "random":
        return random_binary(n, seed=0)
    if shape == "balanced":
        k = np.arange(0, 2 * n - 2, 2)
        return Hierarchy.from_linkage(np.column_stack([k, k + 1, np.arange(n - 1)]))
    if shape == "caterpillar":
        return Hierarchy([*range(-1, n - 2), *range(n - 1), n - 2], n - 1 + np.arange(n))
    X = np.random.default_rng(3).normal(size=(n, 4))
    method = BirchTree() if shape == "BIRCH" else Agglomerative(linkage="single")
    return method.fit(X).hierarchy_


def samples_at_leaves(n_leaves: int, n_samples: int, seed: int) -> Hierarchy:
    """A binary tree of random merges with samples drawn to its leaves."""
    tree = random_binary(n_leaves, seed)
    return Hierarchy(tree.parents, np.random.default_rng(seed).integers(0, n_leaves, n_samples))


@pytest.mark.parametrize("n_leaves", [50, 100])
def test_all_three_from_samples(n_leaves: int, ratios, seconds) -> None:
    tree, class_tree = samples_at_leaves(n_leaves, N_SAMPLES, 0), random_binary(N_CLASSES, 1)
    labels = np.random.default_rng(2).integers(0, N_CLASSES, N_SAMPLES)
    both = [
        seconds(partial(semantic_similarity, tree, labels, class_tree, kind), repeats=15) for kind in KINDS
    ]
    rand = seconds(lambda: rand_index(labels, tree.leaf_of), repeats=15)
    size = f"n = 30,475, {n_leaves} leaves x 50 classes"
    ratios.add(f"SP, PS and RI, {size}, counting included", 1e3 * (sum(both) + rand), "< 20", "ms")
    peer = seconds(lambda: rand_score(labels, tree.leaf_of))
    ratios.add(f"RI, {size}: scikit-learn / ours", peer / rand)


def test_against_twins(ratios, seconds) -> None:
    n = 300
    tree, class_tree = samples_at_leaves(10, n, 0), random_binary(10, 1)
    labels = np.random.default_rng(2).integers(0, 10, n)
    for kind in KINDS:
        ours = seconds(partial(semantic_similarity, tree, labels, class_tree, kind), repeats=15)
        twin = seconds(partial(reference.semantic_similarity, tree, labels, class_tree, kind), repeats=1)
        ratios.add(f"{kind}, n = 300, 10 leaves x 10 classes: twin / ours", twin / ours)
    for shape in SHAPES:
        whole = full_tree(shape, n)
        for kind in KINDS:
            ours = seconds(partial(semantic_scores, whole, labels, class_tree, kind), repeats=15)
            twin = seconds(partial(reference.semantic_similarity, whole, labels, class_tree, kind), repeats=1)
            ratios.add(f"{kind}, n = 300, {shape} tree, all scores: twin / ours", twin / ours)
    ours = seconds(lambda: rand_index(labels, tree.leaf_of), repeats=15)
    twin = seconds(lambda: reference.rand_index(labels, tree.leaf_of), repeats=1)
    ratios.add("RI, n = 300: twin / ours", twin / ours)


FULL_TREE = """
import json, sys, time
from memory import peak_mebibytes
import numpy as np
from cladebench.metrics import semantic_scores
from test_semantic_speed import KINDS, N_CLASSES, N_SAMPLES, full_tree, random_binary
tree, class_tree = full_tree(sys.argv[1], N_SAMPLES), random_binary(N_CLASSES, 1)
labels = np.random.default_rng(2).integers(0, N_CLASSES, N_SAMPLES)
before, took = peak_mebibytes(), {}
for kind in KINDS:
    start = time.process_time()
    semantic_scores(tree, labels, class_tree, kind)
    took[kind] = time.process_time() - start
print(json.dumps(took | dict(memory=peak_mebibytes() - before)))
"""


@pytest.mark.parametrize("shape", SHAPES)
def test_a_leaf_for_each_sample(shape: str, ratios) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_TREE, shape],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
    )
    figures = json.loads(done.stdout)
    both = sum(figures[kind] for kind in KINDS)  # of the processor: what else it runs does not count
    ratios.add(
        f"SP and PS, expectations, correlations: 30,475 leaves x 50 classes, {shape}", both, "< 0.5", "s"
    )
    ratios.add("  memory on top (all pairs of leaves at once: 7,086 MiB)", figures["memory"], "< 256", "MiB")
