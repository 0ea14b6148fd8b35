"""What `Hierarchy.to_newick` writes is read by others with the same names and lengths."""

from collections.abc import Callable

import numpy as np
import pytest

from cladebench.hierarchy import Hierarchy

NAMES = [
    "a_b",
    "a b",
    "it's",
    "[x]",
    "a:b",
    '"q"',
    "é日",
    "",
    "\u2028",
    " a ",
    "'a'",
    "(,) ;",
    "[",
    "_",
    "A-1.5+",
]
#: Names of tips, and the lengths of the paths between them.
Read = tuple[list[str], list[list[float]]]


def by_dendropy(text: str) -> Read:
    dendropy = pytest.importorskip("dendropy")
    tree = dendropy.Tree.get(data=text, schema="newick")
    tips = tree.leaf_nodes()
    names = ["" if tip.taxon is None else tip.taxon.label for tip in tips]
    for tip in tips:  # one without a name has no taxon, which distances are looked up by
        tip.taxon = tip.taxon or tree.taxon_namespace.new_taxon("nameless")
    path = tree.phylogenetic_distance_matrix()
    return names, [[path(a.taxon, b.taxon) for b in tips] for a in tips]


def by_skbio(text: str) -> Read:
    skbio = pytest.importorskip("skbio")
    tips = list(skbio.TreeNode.read([text], format="newick").tips())
    return [tip.name or "" for tip in tips], [[a.distance(b) for b in tips] for a in tips]


READERS = pytest.mark.parametrize("read", [by_dendropy, by_skbio])


def path_length(tree: Hierarchy, i: int, j: int) -> float:
    def above(node: int) -> set[int]:
        parent = int(tree.parents[node])
        return {node} | above(parent) if parent >= 0 else set()

    return float(tree.edge_lengths[sorted(above(tree.leaf_of[i]) ^ above(tree.leaf_of[j]))].sum())


@READERS
def test_readers_find_the_names_and_the_lengths(read: Callable[[str], Read]) -> None:
    rng = np.random.default_rng(0)
    n = len(NAMES)
    nested: list = list(range(n))
    while len(nested) > 1:  # merge two or three at random
        parts = [nested.pop(rng.integers(len(nested))) for _ in range(min(len(nested), rng.integers(2, 4)))]
        nested.append(parts)
    shape = Hierarchy.from_nested(nested[0])
    tree = Hierarchy(shape.parents, shape.leaf_of, edge_lengths=rng.random(shape.n_nodes), sample_names=NAMES)
    names, lengths = read(tree.to_newick())
    assert sorted(names) == sorted(NAMES)
    order = [NAMES.index(name) for name in names]
    np.testing.assert_allclose(lengths, [[path_length(tree, i, j) for j in order] for i in order], atol=1e-12)


@READERS
@pytest.mark.parametrize("name", [*"(),:;'", "''", "(,)"])
def test_names_that_readers_take_for_marks_are_refused(read: Callable[[str], Read], name: str) -> None:
    """Though they are in quotes; with any other character they are read."""
    with pytest.raises(
        ValueError, match=r"^sample name .* has nothing but marks .*; expected another character"
    ):
        Hierarchy([-1, 0, 0], [1, 2], sample_names=[name, "z"]).to_newick()
    for own in (f"{name}a", f" {name}"):
        tree = Hierarchy([-1, 0, 0], [1, 2], edge_lengths=[0, 1, 2], sample_names=[own, "z"])
        assert read(tree.to_newick()) == ([own, "z"], [[0, 3], [3, 0]])


@pytest.mark.parametrize("seed", range(20))
def test_what_scikit_bio_writes_is_read_with_the_same_paths(seed: int) -> None:
    skbio = pytest.importorskip("skbio")
    rng = np.random.default_rng(seed)
    # It writes a quote at the beginning of a name as if the name were empty.
    names = [name for name in NAMES if name.strip(" '") == name != "" and name.isprintable()]
    parts = [skbio.TreeNode(name=name, length=float(rng.integers(9)) / 4) for name in names]
    while len(parts) > 1:
        children = [parts.pop(rng.integers(len(parts))) for _ in range(min(len(parts), rng.integers(2, 4)))]
        parts.append(skbio.TreeNode(children=children, length=float(rng.integers(9)) / 4 if parts else None))
    text = str(parts[0])
    tree = Hierarchy.from_newick(text)
    tips = {tip.name: tip for tip in parts[0].tips()}
    assert tree.sample_names is not None and set(tree.sample_names) == set(tips)
    for i, one in enumerate(tree.sample_names):
        for j, other in enumerate(tree.sample_names[:i]):
            assert path_length(tree, i, j) == pytest.approx(tips[one].distance(tips[other]))
