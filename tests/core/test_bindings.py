"""What the bindings refuse: no input from Python may reach memory that is not its own, end the process or never return.

`make fuzz` looks for more of it, under sanitizers (tools/fuzz).
"""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cladebench import _core

FUZZ = Path(__file__).parents[2] / "tools/fuzz"


def tool(name: str) -> Any:
    """A module of the fuzz."""
    spec = importlib.util.spec_from_file_location(f"fuzz_{name}", FUZZ / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(FUZZ))  # its modules import each other
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FUZZ))
    return module


calls, fuzz = tool("calls"), tool("fuzz")
TREE = _core.Tree(np.array([-1, 0, 0]), np.array([1, 2]))


@pytest.mark.parametrize(
    ("u", "v", "words"),
    [([0, 1], [0], "as many nodes"), ([3], [0], "expected nodes"), ([0], [-1], "expected nodes")],
)
def test_lca_of_what_are_no_nodes(u: list[int], v: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TREE.lca(np.array(u), np.array(v))
    assert TREE.lca(np.array([1, 1]), np.array([2, 1])).tolist() == [0, 1]


def test_shapes_that_are_not_the_trees() -> None:
    with pytest.raises(ValueError, match="one for each sample"):
        _core.dendrogram_purity(TREE, np.zeros(3, np.int32), 1)
    with pytest.raises(ValueError, match=r"shape \(n_samples, n_samples\)"):
        _core.dasgupta_cost_dense(TREE, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="one row for each sample"):
        _core.dasgupta_cost_linear(TREE, np.zeros((3, 2)))
    for row_ptr, column, value in (([0, 1], [1], [1.0]), ([0, 1, 1], [1, 0], [1.0])):
        with pytest.raises(ValueError, match="CSR arrays"):
            _core.dasgupta_cost_sparse(TREE, np.array(row_ptr), np.array(column, np.int32), np.array(value))


def test_class_counts_of_what_does_not_fit() -> None:
    labels, counts = np.array([0, 1], np.int32), np.zeros((3, 2), np.int32)
    with pytest.raises(ValueError, match=r"labels: shape \(3,\)"):
        _core.class_counts(TREE, np.zeros(3, np.int32), counts)
    with pytest.raises(ValueError, match=r"counts: shape \(2, 2\)"):
        _core.class_counts(TREE, labels, counts[:2])
    for wrong in (-1, 2):
        with pytest.raises(ValueError, match=rf"labels: entry 1 is {wrong}; expected 0\.\.1"):
            _core.class_counts(TREE, np.array([0, wrong], np.int32), counts)
    with pytest.raises(ValueError, match="counts: shares memory with labels"):
        _core.class_counts(TREE, counts[0], counts)
    for other in (np.zeros((3, 2), np.int16), np.zeros((3, 4), np.int32)[:, ::2]):
        with pytest.raises(TypeError):  # a copy would be written, and lost
            _core.class_counts(TREE, labels, other)
    assert not counts.any()
    full = np.full((3, 2), np.iinfo(np.int32).max, np.int32)
    _core.class_counts(TREE, labels, full)
    _core.class_counts(TREE, labels, counts)
    assert np.array_equal(full, counts) and counts.sum() == 4


def test_arrays_of_the_core_live_as_long_as_they_are_held() -> None:
    parents, leaf_of, heights = _core.perch(np.arange(4000.0)[:, None], "none", None)
    sizes = _core.Tree(parents, leaf_of).sizes
    del parents, leaf_of
    assert sizes.max() == 4000 and heights.max() == 3999
    assert not sizes.flags.writeable


def drawn(name: str, seed: int = 0) -> dict[str, Any]:
    """Arguments that are as they should be."""
    return calls.CALLS[name](np.random.default_rng(seed), _core)


def fewer(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array[:-1])


def wider(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, array[..., -1:]], axis=-1)


def without_columns(array: np.ndarray) -> np.ndarray:
    """No memory, and more rows than there is memory for."""
    return np.empty((2**40, 0), array.dtype)


def first_is(value: Any) -> Callable[[np.ndarray], np.ndarray]:
    """The array with another first number."""

    def change(array: np.ndarray) -> np.ndarray:
        found = array.copy()
        found.reshape(-1)[0] = value
        return found

    return change


def corner_is(value: Any) -> Callable[[np.ndarray], np.ndarray]:
    """The matrix with another number at the end of its first row."""

    def change(array: np.ndarray) -> np.ndarray:
        found = array.copy()
        found[0, -1] = value
        return found

    return change


#: What is called, which argument is spoiled, how (a function of it, or another value), and words of the refusal.
BAD: list[tuple[str, str, Any, str]] = [
    ("dendrogram_purity", "n_classes", 2**31 - 1, r"n_classes: 2147483647; expected 1\.\."),
    ("squared_hinge", "labels", fewer, "labels: shape"),
    ("squared_hinge", "W", wider, "W: shape"),
    ("assignment_costs", "W", wider, "W: shape"),
    ("assignment_costs", "W", lambda W: W[:0], "W: shape"),
    ("assignment_costs", "X", without_columns, "X: shape"),
    ("sparse_group_prox", "group", fewer, "group: shape"),
    ("sparse_group_prox", "l1", fewer, "l1: shape"),
    ("sparse_group_prox", "W", without_columns, "W: no column"),
    ("fit_margin", "labels", fewer, "labels: shape"),
    ("fit_margin", "group", fewer, "group: shape"),
    ("fit_margin", "l1", fewer, "l1: shape"),
    ("fit_margin", "ridge", fewer, "ridge: shape"),
    ("fit_margin", "W", lambda W: np.zeros((2, 99)), r"W: shape \(2, 99\); expected"),
    ("fit_margin", "n_clusters", 2**62, r"n_clusters: 4611686018427387904; expected 2\.\.65536"),
    ("fit_margin", "tol", np.nan, "tol: nan; expected"),
    ("fit_itml", "pairs", lambda pairs: pairs[:, :1].copy(), "pairs: shape"),
    ("fit_itml", "signs", lambda signs: np.append(signs, 1.0), "pairs: shape"),
    ("fit_itml", "pairs", first_is(2**62), "pairs: entry 0 is 4611686018427387904; expected 0"),
    ("fit_itml", "pairs", first_is(-1), "pairs: entry 0 is -1; expected 0"),
    ("fit_itml", "tol", np.nan, "tol: nan; expected"),
    ("router_steps", "hidden_size", 0, r"hidden_size: 0; expected 1\.\."),
    ("router_steps", "hidden_size", 2**62, r"hidden_size: 4611686018427387904; expected 1\.\."),
    ("router_steps", "steps_before", 2**63 - 1, r"steps_before: 9223372036854775807; expected 0\.\."),
    ("grow_pair_forest", "must_link", first_is(-1), "must_link: entry 0 is -1; expected 0"),
    ("grow_pair_forest", "cannot_link", first_is(2**32), "cannot_link: entry 0 is 4294967296; expected 0"),
    ("grow_pair_forest", "must_link", wider, r"must_link: shape \(\d+, 3\); expected \(\d+, 2\)"),
    ("grow_pair_forest", "X", first_is(np.nan), "X: entry 0 is nan; expected a finite number"),
    ("grow_pair_forest", "X", first_is(3e38), "X: entry 0 is 3e"),
    ("grow_pair_forest", "n_trees", 2**40, r"n_trees: 1099511627776; expected 0\.\.1048576"),
    ("pair_forest_means", "A", without_columns, "the shapes of A, B and result do not fit"),
    ("pair_forest_means", "value", first_is(np.nan), "value: entry 0 is nan"),
    ("pair_forest_neighbors", "value", first_is(np.inf), "value: entry 0 is inf"),
    ("pair_forest_neighbors", "k", 2**60, r"k: 1152921504606846976; expected 1\.\."),
    ("pair_forest_neighbors", "k", 0, r"k: 0; expected 1\.\."),
    ("max_margin_split", "must_link", lambda pairs: np.zeros((3, 1), np.int64), "must_link: shape"),
    ("max_margin_split", "cannot_link", lambda pairs: np.full((3, 2), 99), "cannot_link: entry 0 is 99"),
    ("max_margin_split", "X", first_is(np.nan), "X: entry 0 is nan"),
    ("max_margin_split", "X", without_columns, r"X: shape \(1099511627776, 0\)"),
    ("scatter_direction", "cannot_link", lambda pairs: np.zeros((3, 1), np.int64), "cannot_link: shape"),
    ("FixedSplit", "w", fewer, "w: shape"),
    ("FixedSplit.evaluate", "w", fewer, "w: shape"),
    ("FixedSplit.multiply", "w", fewer, "w: shape"),
    ("FixedSplit.minimise", "w", fewer, "w: shape"),
    ("grow_forest", "must_link", lambda pairs: np.array([[0, 2**32]]), "must_link: entry 1 is 4294967296"),
    ("grow_forest", "cannot_link", lambda pairs: np.array([[-1, 0]]), "cannot_link: entry 0 is -1"),
    ("grow_forest", "n_split_features", 2**60, r"n_split_features: 1152921504606846976; expected 1\.\."),
    ("grow_forest", "count", 2**40, r"count: 1099511627776; expected 0\.\."),
    ("PlacedForest", "n_split_features", 2**63, "n_split_features: 9223372036854775808; expected at most"),
    ("PlacedForest", "alpha", np.inf, "alpha: inf; expected a finite number"),
    ("PlacedForest.pairwise", "A", wider, "A: shape"),
    ("PlacedForest.pairwise", "B", wider, "B: shape"),
    ("PlacedForest.neighbors", "queries", lambda rows: np.zeros((2, 99)), r"queries: shape \(2, 99\)"),
    ("PlacedForest.neighbors", "k", 0, r"k: 0; expected 1\.\."),
    ("PlacedForest.neighbors", "k", 2**60, r"k: 1152921504606846976; expected 1\.\."),
    ("PlacedForest.neighbors", "candidates", 2**63, r"candidates: 9223372036854775808; expected 0\.\."),
    ("TripletLoss", "targets", lambda targets: np.zeros((999, 1), np.int64), "targets: shape"),
    ("TreeBuilder", "X", first_is(np.nan), "X: entry 0 is nan"),
    ("TreeBuilder", "X", lambda X: np.empty((0, 2**40)), r"X: shape \(0, 1099511627776\)"),
    ("add_trees", "depth", 30, r"depth: 30; expected 0\.\.20"),
    ("add_trees", "depth", -1, r"depth: -1; expected 0\.\.20"),
    ("add_trees", "Z", fewer, "Z: shape"),
    ("add_trees", "threshold", wider, "threshold: shape"),
    ("add_trees", "feature", wider, "feature: shape"),
    ("add_trees", "values", lambda values: values[:, :-1].copy(), "values: shape"),
    ("add_trees", "feature", first_is(99_999), "feature: entry 0 is 99999"),
    ("add_trees", "feature", first_is(-1), "feature: entry 0 is -1"),
    ("best_of_all_trees", "D", lambda D: np.zeros((12, 12)), r"k: 12; expected 1\.\.10"),
    ("neighbor_joining", "D", first_is(np.nan), "D: entry 0 is nan"),
    ("search_trees", "D", first_is(np.inf), "D: entry 0 is inf"),
    ("search_trees", "D", np.tril, "expected a symmetric matrix"),
    ("search_trees", "D", lambda D: D * 1e110, r"D: .*; expected 0\.\.1e"),
    ("search_trees", "D", np.negative, r"D: -.*; expected 0\.\."),
    ("neighbor_joining", "D", np.tril, "expected a symmetric matrix"),
    ("weighted_sum", "stack", lambda stack: np.empty((0, 2**40), stack.dtype), "stack: shape"),
    ("point_slaves", "distances", lambda d: d.reshape(1, -1), "distances: shape"),
    ("move_multipliers", "raw", lambda raw: raw.reshape(1, -1), "raw: shape"),
    ("facility_location", "tolerance", np.inf, "tolerance: inf; expected a finite number"),
    ("facility_location", "tolerance", np.nan, "tolerance: nan; expected a finite number"),
    ("facility_location", "d", first_is(np.nan), "d: entry 0 is nan"),
    ("facility_location", "d", corner_is(-1.0), r"d: entry \(0, \d+\) is -1; expected at least 0"),
    ("violated_triangles", "x", first_is(np.nan), "entry 0 is nan"),
    ("relax_clustering", "s", corner_is(9.0), "differ; expected a symmetric matrix"),
    ("relax_clustering", "tolerance", np.nan, "tolerance: nan"),
    ("relax_clustering", "known_value", np.nan, "known_value: nan"),
    ("relax_clustering", "x", lambda x: np.full((12, 12), np.nan), "x"),
    ("improve_partition", "s", corner_is(9.0), "differ; expected a symmetric matrix"),
    ("improve_partition", "s", first_is(np.inf), "entry 0 is inf"),
]


def spoil(name: str, argument: str, how: Any) -> dict[str, Any]:
    """Arguments of which one is spoiled, of the first draw in which there is enough of it to be."""
    for seed in range(200):
        arguments = drawn(name, seed)
        given = arguments[argument]
        if (isinstance(given, np.ndarray) and given.size < 4) or (argument == "queries" and given is None):
            continue
        if name == "router_steps" and arguments["router"] == "linear":
            continue
        arguments[argument] = how(given) if callable(how) else how
        return arguments
    raise AssertionError("no draw has it")


@pytest.mark.parametrize(("name", "argument", "how", "words"), BAD)
def test_what_would_reach_other_memory_or_never_end(name: str, argument: str, how: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        calls.perform(_core, name, spoil(name, argument, how))


def off_by_a_byte(array: np.ndarray) -> np.ndarray:
    """The same numbers at addresses that are no multiples of their size."""
    found = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def test_numbers_between_addresses() -> None:
    X = np.arange(12.0).reshape(4, 3)
    assert not off_by_a_byte(X).flags.aligned
    assert _core.first_nonfinite(off_by_a_byte(X)) == -1
    found = _core.assignment_costs(off_by_a_byte(X), off_by_a_byte(X[:2]))
    assert np.array_equal(found, _core.assignment_costs(X, X[:2]))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.move_multipliers(np.ones((4, 3), np.uint8), 1.0, off_by_a_byte(X))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("move_multipliers", "raw"),
        ("point_slaves", "copies"),
        ("add_trees", "Z"),
        ("pair_forest_means", "result"),
    ],
)
def test_what_is_written_is_no_copy(name: str, written: str) -> None:
    """A copy would be written in its place, and lost without a word."""
    for seed in range(9):
        arguments = drawn(name, seed)
        arguments[written] = np.asfortranarray(arguments[written])
        if arguments[written].flags.c_contiguous:
            continue
        with pytest.raises(TypeError, match="incompatible function arguments"):
            calls.perform(_core, name, arguments)


def test_everything_that_is_exported_is_fuzzed() -> None:
    assert calls.exported(_core) - calls.WITHOUT_ARGUMENTS == set(calls.CALLS)


@pytest.mark.parametrize("name", sorted(calls.CALLS))
def test_the_core_takes_what_is_not_spoiled(name: str) -> None:
    """Else the fuzz would see nothing but refusals."""
    in_use = _core.instruction_set()
    for seed in range(20):
        calls.perform(_core, name, drawn(name, seed))
    _core.use_instruction_set(in_use)


def test_nothing_that_is_spoiled_ends_the_process() -> None:
    done = subprocess.run(
        [sys.executable, FUZZ / "fuzz.py", "--core", _core.__file__, "--rounds", "40", "--seed", "3"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout.endswith(" 0 faults\n"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("program", "limits", "words"),
    [
        ("import os; os.abort()", {}, "ends the worker with -6"),
        ("raise SystemError", {}, "ends the worker with 1"),
        ("while True: pass", {"LIMIT": 1.0}, "goes on after"),
        ("import time; time.sleep(600)", {"STILL": 5.0}, "goes on after"),
        ("", {}, "None"),
    ],
)
def test_the_fuzz_sees_how_a_worker_ends(
    program: str, limits: dict[str, float], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(fuzz, name, value)
    progress = np.memmap(tmp_path / "progress", np.int64, "w+", shape=1)
    assert words in str(fuzz.watched([sys.executable, "-c", program], {}, progress, tmp_path / "log"))
