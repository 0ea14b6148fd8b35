"""Trees as Newick text: there and back, against a strict twin, and bad input."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.hierarchy import Hierarchy
from strategies import binary_hierarchies, hierarchies, same_pairs

NEWICK = re.compile(r"""'((?:[^']|'')*)'|([^\s()\[\]':;,_]+)|([(),:;])""")

LENGTH = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def read_newick(text: str) -> tuple[list[Any], list[str], list[float | None]]:
    """Read Newick strictly: nested lists of tips by their order, and name and length of each tip.

    A tree is a subtree and a semicolon; a subtree is a name or ``(branch, ...)``; a branch is a subtree and, after a
    colon, a length. Names without quotes have no blank, parenthesis, bracket, quote, colon, semicolon or comma, and no
    underscore, which stands for a blank.
    """
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        found = NEWICK.match(text, at)
        assert found, f"{text[at:]!r} begins with no token"
        quoted, plain, mark = found.groups()
        tokens.append(("mark", mark) if mark else ("name", plain or quoted.replace("''", "'")))
        at = found.end()
    tokens.reverse()
    names: list[str] = []
    lengths: list[float | None] = []

    def length() -> float | None:
        if tokens[-1] != ("mark", ":"):
            return None
        tokens.pop()
        kind, number = tokens.pop()
        assert kind == "name" and LENGTH.fullmatch(number)
        return float(number)

    def branch() -> Any:
        if tokens[-1] == ("mark", "("):
            inside = []
            while not inside or tokens[-1] == ("mark", ","):
                tokens.pop()
                inside.append(branch())
            assert tokens.pop() == ("mark", ")")
            length()
            return inside
        names.append(tokens.pop()[1] if tokens[-1][0] == "name" else "")
        lengths.append(length())
        return len(names) - 1

    tree = branch()
    assert tokens == [("mark", ";")]
    return tree if isinstance(tree, list) else [tree], names, lengths


@given(hierarchies(with_heights=False))
def test_newick_round_trip(tree: Hierarchy) -> None:
    nested, names, lengths = read_newick(tree.to_newick())
    read = Hierarchy.from_nested(nested)
    assert same_pairs(tree, Hierarchy(read.parents, read.leaf_of[np.argsort([int(name) for name in names])]))
    assert set(lengths) == {None}


@given(hierarchies(), st.data())
def test_names_and_lengths_of_a_newick_text_are_those_of_the_tree(
    tree: Hierarchy, data: st.DataObject
) -> None:
    letters = st.one_of(
        st.sampled_from("ab_ '\"()[]{}:;,.-\u00a0"), st.characters(exclude_categories=("Cc", "Cs"))
    )
    names = [data.draw(st.text(letters, max_size=4)) + f"_{i}" for i in range(tree.n_samples)]
    numbers = st.floats(0, 1e300)
    lengths = data.draw(st.lists(numbers, min_size=tree.n_nodes, max_size=tree.n_nodes))
    named = Hierarchy(tree.parents, tree.leaf_of, sample_names=names, edge_lengths=lengths)
    _, found, above = read_newick(named.to_newick())
    assert sorted(found) == sorted(names)
    pruned = named.pruned()
    assert pruned.edge_lengths is not None
    for name, length in zip(found, above, strict=True):
        node = pruned.leaf_of[names.index(name)]
        alone = len(pruned.own_samples(node)) == 1 and not len(pruned.children(node))
        if node != pruned.root or not alone:
            assert length == (pruned.edge_lengths[node] if alone else 0.0)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a_b", "'a_b'"),
        ("a b", "'a b'"),
        ("it's", "'it''s'"),
        ("[x]", "'[x]'"),
        ("a/b", "'a/b'"),
        ("a.b-c+2", "a.b-c+2"),
        ("\u00e9\u65e5", "\u00e9\u65e5"),
        ("", ""),
    ],
)
def test_newick_quotes_what_readers_would_change(name: str, written: str) -> None:
    assert Hierarchy([-1, 0, 0], [1, 2], sample_names=[name, "z"]).to_newick() == f"({written},z);"


def test_newick_refuses_what_it_cannot_write() -> None:
    for name in ("a\0", "\n", "a\tb", "\x1b", "\ud800"):
        with pytest.raises(
            ValueError, match=r"sample name '.*' has the character '.*'; expected a name of visible"
        ):
            Hierarchy([-1, 0, 0], [1, 2], sample_names=["b", name]).to_newick()
    for name in ("(", ",", ";", "''", ":)"):  # readers take these for marks, in quotes too
        with pytest.raises(ValueError, match=r"sample name .* has nothing but marks of the format"):
            Hierarchy([-1, 0, 0], [1, 2], sample_names=["b", name]).to_newick()
    with pytest.raises(ValueError, match=r"heights 1e\+308 and -1e\+308 are too far apart for a branch"):
        Hierarchy([-1, 0, 0], [1, 2], [1e308, -1e308, 0]).to_newick()


def test_newick_by_hand() -> None:
    tree = Hierarchy(
        [4, 4, 3, -1, 3], [0, 1, 2, 2], [0, 0, 0.25, 2, 0.5], sample_names=["a", "b c", "d'", ""]
    )
    assert tree.to_newick() == "(('d''':0.25,:0.25):1.75,(a:0.5,'b c':0.5):1.5);"
    assert Hierarchy([-1], [0]).to_newick() == "0;"
    assert Hierarchy([-1], [0, 0]).to_newick() == "(0,1);"
    assert Hierarchy([-1, 0], [0, 1]).to_newick() == "(0,1);"


def test_newick_of_edge_lengths_by_hand() -> None:
    tree = Hierarchy([4, 4, 3, -1, 3], [0, 1, 2, 2], [0, 0, 0.25, 2, 0.5], edge_lengths=[1, 2.5, 3, 99, 4])
    assert tree.to_newick() == "((2:0.0,3:0.0):3.0,(0:1.0,1:2.5):4.0);"
    chain = Hierarchy([-1, 0, 1, 1, 0], [2, 3, 4], edge_lengths=[7, 0, 3, 4, 5])
    assert chain.to_newick() == "((0:3.0,1:4.0):0.0,2:5.0);"
    assert Hierarchy([-1], [0], edge_lengths=[1]).to_newick() == "0;"


def test_newick_refuses_names_that_samples_share() -> None:
    with pytest.raises(
        ValueError, match=r"^sample_names has 2 samples 'b'; expected different names in Newick$"
    ):
        Hierarchy.from_nested([[0, 1], 2], sample_names=["b", "a", "b"]).to_newick()
    nameless = Hierarchy.from_nested([[0, 1], 2], sample_names=["", "a", ""])  # tips without a name
    assert nameless.to_newick() == "((,a),);"


#: Letters of names: those that mean something in the format, and any other.
MARKS = st.sampled_from("a0_ '[](),:;")
ANY = st.characters(exclude_categories=("Cc", "Cs"))


def paths(tree: Hierarchy) -> dict[tuple[int, int], float]:
    """The length of the path between every two samples, by sums towards the root."""

    def above(node: int) -> dict[int, float]:
        assert tree.edge_lengths is not None
        found = {}
        while node >= 0:
            found[node] = float(tree.edge_lengths[node])
            node = int(tree.parents[node])
        return found

    ups = [above(int(node)) for node in tree.leaf_of]
    return {
        (i, j): sum(a[node] for node in a.keys() - b.keys()) + sum(b[node] for node in b.keys() - a.keys())
        for i, a in enumerate(ups)
        for j, b in enumerate(ups)
    }


@given(hierarchies(with_heights=False), st.data())
def test_what_is_written_is_read_as_the_same_tree(tree: Hierarchy, data: st.DataObject) -> None:
    """By numbers or by names, with lengths and without; and it is written in the same text."""
    n, n_nodes = tree.n_samples, tree.n_nodes
    letters = data.draw(st.sampled_from([None, MARKS, ANY]))
    names = None
    if letters is not None:
        name = st.text(letters, max_size=4).filter(lambda text: not text or not set(text) <= set("(),:;'"))
        names = data.draw(st.lists(name, min_size=n, max_size=n, unique=True))
    length = st.sampled_from([0.0, 0.1, 1e-300, 3.0, 2e9])
    lengths = data.draw(st.none() | st.lists(length, min_size=n_nodes, max_size=n_nodes))
    written = Hierarchy(tree.parents, tree.leaf_of, sample_names=names, edge_lengths=lengths)
    text = written.to_newick()
    read = Hierarchy.from_newick(text, sample_names=names)
    assert read.to_newick() == text
    assert read.sample_names == written.sample_names
    assert same_pairs(read, written)
    if lengths is None or read.n_nodes == 1:  # a root has no branch
        assert read.edge_lengths is None
    else:
        assert paths(read) == pytest.approx(paths(written), rel=1e-12, abs=0)


@pytest.mark.parametrize("written", ["it's", "it''s", "'it''s'"])
def test_a_quote_within_a_name_is_a_letter(written: str) -> None:
    """Others write the name in each of these ways."""
    assert Hierarchy.from_newick(f"({written}:1,b:2);").sample_names == ("it's", "b")


@given(hierarchies(), st.data())
def test_the_strict_twin_reads_the_same_nodes(tree: Hierarchy, data: st.DataObject) -> None:
    """With comments and blanks between any two tokens, and with names of inner nodes."""
    text = Hierarchy(tree.parents, tree.leaf_of, edge_lengths=np.ones(tree.n_nodes)).to_newick()
    nested, names, lengths = read_newick(text)
    between = st.sampled_from(["", " ", "\n\t", "[&R]", "[a [b, 'c] ] ", "[)]\n[;:]"])
    spaced = "".join(
        data.draw(between) + token + ("'it''s'" if token == ")" else "") + data.draw(between)
        for token in re.findall(r"[(),:;]|[^(),:;]+", text)
    )
    read = Hierarchy.from_newick(spaced)
    twin = Hierarchy.from_nested(nested)
    at = np.argsort([int(name) for name in names])
    if read.n_nodes > 1:  # the twin puts a tip alone below a root
        assert np.array_equal(read.parents, twin.parents)
        assert np.array_equal(read.leaf_of, twin.leaf_of[at])
        assert read.edge_lengths is not None
        assert read.edge_lengths[twin.leaf_of].tolist() == lengths
        inner = np.setdiff1d(np.arange(read.n_nodes), read.leaf_of)
        assert set(read.node_data["name"][inner]) == {"it's"}


@pytest.mark.parametrize(
    ("text", "leaves", "names"),
    [
        ("(2,(0,1));", [3, 4, 1], None),
        ("('1','0');", [2, 1], None),
        ("0;", [0], None),
        ("(2,(3,1));", [1, 3, 4], ("2", "3", "1")),
        ("(0,(01,2));", [1, 3, 4], ("0", "01", "2")),
        ("(0,(,1));", [1, 3, 4], ("0", "", "1")),
        ("(,);", [1, 2], ("", "")),
        (";", [0], ("",)),
        ("\n b_c ;\n", [0], ("b c",)),
        ("('b_c',d);", [1, 2], ("b_c", "d")),
    ],
)
def test_tips_are_numbers_of_samples_only_if_all_are_there(text: str, leaves: list, names: Any) -> None:
    read = Hierarchy.from_newick(text)
    assert (read.leaf_of.tolist(), read.sample_names) == (leaves, names)


@given(binary_hierarchies())
def test_heights_of_a_dendrogram_come_back(tree: Hierarchy) -> None:
    """Exactly, as they are whole numbers; ties are among them."""
    read = Hierarchy.from_newick(tree.to_newick(), heights=True)
    i, j = (part.ravel() for part in np.indices((tree.n_samples, tree.n_samples)))
    assert np.array_equal(read.heights[read.lca(i, j)], tree.heights[tree.lca(i, j)])


def test_heights_need_lengths() -> None:
    with pytest.raises(
        ValueError, match=r"^newick has no lengths; expected lengths of branches with heights=True$"
    ):
        Hierarchy.from_newick("(a,b);", heights=True)
    with pytest.raises(ValueError, match=r"^heights='yes': expected True or False$"):
        Hierarchy.from_newick("(a:1,b:1);", heights="yes")  # type: ignore[arg-type]
    assert Hierarchy.from_newick("(a:1,(b:3,c:1):.5);", heights=True).heights.tolist() == [3.5, 0, 3, 0, 0]
    assert Hierarchy.from_newick("(a:1,b:1);").heights is None


def test_lengths_of_neighbour_joining_may_be_negative() -> None:
    read = Hierarchy.from_newick("((a:-0.1,b:1):2,c:-3e-3);")
    assert read.edge_lengths.tolist() == [0, 2, -0.1, 1, -0.003]
    assert read.to_newick() == "((a:-0.1,b:1.0):2.0,c:-0.003);"
    assert Hierarchy.from_newick(read.to_newick()).edge_lengths.tolist() == read.edge_lengths.tolist()
    with pytest.raises(
        ValueError,
        match=r"^newick, line 1, column 5: the length is '-0\.1', and a node would be below its child; expected a "
        r"number of at least 0 with heights=True, or heights=False$",
    ):
        Hierarchy.from_newick(read.to_newick(), heights=True)
    assert Hierarchy.from_newick("(a:1,b:1):-1;", heights=True).heights.tolist() == [1, 0, 0]


def test_a_byte_order_mark_is_passed_over() -> None:
    assert Hierarchy.from_newick("\ufeff(a,b);").sample_names == ("a", "b")
    assert Hierarchy.from_newick('("a",b"c);').sample_names == ('"a"', 'b"c')


def test_names_give_the_order_of_samples() -> None:
    read = Hierarchy.from_newick("((a:1,'b c':2):3,1:4);", sample_names=np.array(["1", "b c", "a"]))
    assert read.sample_names == ("1", "b c", "a")
    assert read.leaf_of.tolist() == [4, 3, 2]
    assert read.edge_lengths.tolist() == [0, 3, 1, 2, 4]
    assert Hierarchy.from_newick("(1,0);", sample_names=["1", "0"]).leaf_of.tolist() == [1, 2]


def test_names_of_inner_nodes_are_node_data() -> None:
    read = Hierarchy.from_newick("((a:1.,b:2E0)0.95:1e-2,c:+.5)'the root':-1;")
    assert read.node_data["name"].tolist() == ["the root", "0.95", "a", "b", "c"]
    assert read.edge_lengths.tolist() == [0, 0.01, 1, 2, 0.5]
    assert "name" not in Hierarchy.from_newick("(a,b);").node_data


def test_depth_is_no_limit() -> None:
    depth = 100_000
    tree = Hierarchy(
        np.arange(-1, depth), [depth, *range(depth)], edge_lengths=np.arange(depth + 1.0)
    )  # a chain with a sample at each node
    text = tree.to_newick()
    read = Hierarchy.from_newick(text)
    assert read.depths.max() == depth
    assert read.to_newick() == text
    comment = "[" * depth + "]" * depth
    assert Hierarchy.from_newick(f"({comment}0,1);").leaf_of.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1, column 1: the text ends; expected a tree, as in \(a,b\);"),
        ("(a,\n b)", "line 2, column 4: the text ends; expected ';'"),
        ("(a,(b,c)", r"line 1, column 9: the text ends; expected '\)'"),
        ("((a,b);", r"line 1, column 7: ';' though the '\(' of line 1, column 1 is open; expected '\)'"),
        ("(a,b));", r"line 1, column 6: '\)' outside of brackets; expected ';'"),
        ("a,b;", "line 1, column 2: ',' outside of brackets; expected ';'"),
        ("(a b,c);", r"line 1, column 4: 'b' is not possible here; expected ':', ',', '\)' or ';'"),
        ("(a,b)(c,d);", r"line 1, column 6: '\(' is not possible here; expected a name, ':', .*"),
        ("(a,b);\n[x] (c,d);", r"line 2, column 5: '\(' behind the tree; expected one tree"),
        ("(a,'it s);", "line 1, column 4: the quote is not closed; expected another quote .*"),
        ("('a''b,c);", "line 1, column 2: the quote is not closed; expected another quote .*"),
        ("(a[x,b);", r"line 1, column 3: the comment is not closed; expected '\]'"),
        ("(a[[x],b);", r"line 1, column 3: the comment is not closed; expected '\]'"),
        ("(a],b);", r"line 1, column 3: '\]' without '\['; expected .*"),
        ("(a,(b,a));", "line 1, column 7: the tip 'a' is also in line 1, column 2; expected different names"),
        ("(a:1:2,b:1);", r"line 1, column 5: ':' is not possible here; expected ',', '\)' or ';'"),
        ("(a:1,b);", "line 1, column 6: the branch that begins here has no length, .*; expected all or none"),
        *(
            (
                f"(a,b:{length});",
                f"line 1, column 6: the length is '{re.escape(word)}'; expected a number",
            )
            for length, word in [
                ("x", "x"),
                ("nan", "nan"),
                ("inf", "inf"),
                ("1e999", "1e999"),
                ("0x1", "0x1"),
                ("\u0663", "\u0663"),
                ("1_0", "1 0"),
            ]
        ),
        ("(a,b:);", r"line 1, column 6: the length is '\)'; expected a number"),
        (
            '("a b":1,c:1);',
            "line 1, column 2: a double quote begins a name; expected single quotes, as in 'a b'",
        ),
        ('(c,"a,b");', "line 1, column 4: a double quote begins a name; expected single quotes, as in 'a b'"),
        ('(c," ");', "line 1, column 4: a double quote begins a name; expected single quotes, as in 'a b'"),
        (
            "\n #nexus\nbegin trees;",
            "line 2, column 2: '#NEXUS' begins another format; expected the tree alone, as behind '=' in block TREES",
        ),
    ],
)
def test_bad_newick(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^newick, {message}$"):
        Hierarchy.from_newick(text)


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("(a,b);", ["a", "c"], "sample_names has 'c', but no tip has; expected the names of the tips"),
        ("(a,b);", ["a"], "sample_names lacks the tip 'b'; expected the names of all 2 tips"),
        ("(a,b);", ["a", "b", "b"], "sample_names has 2 samples 'b'; expected different names"),
        ("(a,b);", [], "sample_names lacks the tip 'a'; expected the names of all 2 tips"),
        ("(,);", [""], "newick has several tips without a name; expected one at most with sample_names"),
    ],
)
def test_names_that_are_not_those_of_the_tips(text: str, names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Hierarchy.from_newick(text, sample_names=names)


def test_newick_of_another_type() -> None:
    with pytest.raises(TypeError, match=r"^newick is \w*Path; expected text$"):
        Hierarchy.from_newick(Path("tree.nwk"))  # type: ignore[arg-type]
