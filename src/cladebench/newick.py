"""Trees as text in Newick format, read and written."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from cladebench.rooted_tree import RootedTree, as_names
from cladebench.validation import check_flag
from cladebench.yaml_values import shown

#: A name in quotes, a name or number without, or a mark. Blanks and comments stand between these. Other programs write
#: quotes within names without quotes.
_TOKEN = re.compile(
    r"'(?P<quoted>(?:[^']|'')*+)'|(?P<plain>[^\s()\[\]':;,][^\s()\[\]:;,]*)|(?P<mark>[(),:;])"
)
_BLANKS = re.compile(r"\s*")
_BRACKET = re.compile(r"[\[\]]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
#: Names that need no quotes; letters may also be others than these.
_PLAIN = re.compile(r"[A-Za-z0-9.+-]*")

#: What may come next.
_NODE = "a name or '('"
_NAME = "a name, ':', ',', ')' or ';'"
_COLON = "':', ',', ')' or ';'"
_LENGTH = "a number"
_NEXT = "',', ')' or ';'"
_END = "one tree"


def read_newick(text: str, sample_names: Sequence[str] | None, heights: bool) -> dict[str, Any]:
    """Arguments of the class for a Newick text; see `Hierarchy.from_newick`."""
    if not isinstance(text, str):
        raise TypeError(f"newick is {type(text).__name__}; expected text")
    order = None if sample_names is None else as_names(sample_names)
    check_flag("heights", heights)
    reader = _Reader(text.removeprefix("\ufeff"), heights)  # a byte-order mark, as some editors write
    reader.read()
    names, at = reader.names, reader.tips()
    parts: dict[str, Any] = {"parents": reader.parents, "edge_lengths": reader.edge_lengths()}
    if any(name and not is_tip for name, is_tip in zip(names, reader.is_tip, strict=True)):
        parts["node_data"] = {"name": np.array(names)}
    if heights:
        parts["heights"] = _heights(reader.parents, parts["edge_lengths"])
    numbers = [str(i) for i in range(sum(reader.is_tip))]
    if order is not None:
        _check_order(order, at, len(numbers))
        return parts | {"leaf_of": [at[name] for name in order], "sample_names": order}
    if at.keys() == set(numbers):
        return parts | {"leaf_of": [at[number] for number in numbers]}
    tips = np.flatnonzero(reader.is_tip)
    return parts | {"leaf_of": tips, "sample_names": [names[tip] for tip in tips]}


def _heights(parents: list[int], lengths: list[float] | None) -> list[float]:
    """Compute the height of each node above its farthest tip.

    Parents stand before their children.
    """
    if lengths is None and len(parents) > 1:
        raise ValueError("newick has no lengths; expected lengths of branches with heights=True")
    heights = [0.0] * len(parents)
    for node in range(len(parents) - 1, 0, -1):
        above = parents[node]
        heights[above] = max(heights[above], heights[node] + lengths[node])  # type: ignore[index]
    return heights


def _check_order(order: tuple[str, ...], at: dict[str, int], n_tips: int) -> None:
    """Refuse names that are not those of the tips, each once."""
    name, n_of_it = Counter(order).most_common(1)[0] if order else ("", 0)
    if n_of_it > 1:
        raise ValueError(f"sample_names has {n_of_it} samples {shown(name)}; expected different names")
    for name in order:
        if name not in at:
            raise ValueError(
                f"sample_names has {shown(name)}, but no tip has; expected the names of the tips"
            )
    known = set(order)
    for name in at:
        if name not in known:
            raise ValueError(
                f"sample_names lacks the tip {shown(name)}; expected the names of all {n_tips} tips"
            )
    if n_tips > len(order):
        raise ValueError("newick has several tips without a name; expected one at most with sample_names")


class _Reader:
    """Read a tree, and number the nodes as they begin."""

    def __init__(self, text: str, heights: bool) -> None:
        self.text = text
        self.heights = heights
        self.parents: list[int] = []
        self.names: list[str] = []
        self.lengths: list[float | None] = []
        self.is_tip: list[bool] = []
        self.starts: list[int] = []

    def read(self) -> None:
        """Fill the lists with all nodes of the text."""
        begin = self._behind_blanks(0)
        if self.text[begin : begin + 6].upper() == "#NEXUS":
            self._refuse(
                begin, "'#NEXUS' begins another format", "the tree alone, as behind '=' in block TREES"
            )
        expected, node, above = _NODE, -1, -1  # above: the node whose bracket is open
        for mark, word, start in self._tokens():
            if expected is _NODE:
                node = self._add(above, start, is_tip=mark != "(")
                if mark == "(":
                    above = node
                    continue
                expected = _NAME  # a tip, which need not have a name
            if expected is _LENGTH:
                self.lengths[node] = self._length(mark or word, start, node)
                expected = _NEXT
            elif expected is _NAME and not mark:
                self.names[node] = word
                expected = _COLON
            elif expected in (_NAME, _COLON) and mark == ":":
                expected = _LENGTH
            elif expected is not _END and mark and mark in ",);":
                node, above, expected = self._go_on(mark, start, node, above)
            else:
                problem = f"{shown(mark or word)} {'behind the tree' if expected is _END else 'is not possible here'}"
                self._refuse(start, problem, expected)
        if expected is not _END:
            wanted = "')'" if above >= 0 else "';'" if self.parents else "a tree, as in (a,b);"
            self._refuse(len(self.text), "the text ends", wanted)

    def _go_on(self, mark: str, start: int, node: int, above: int) -> tuple[int, int, str]:
        """Return node, node above and what is expected behind a mark."""
        if mark == ";":
            if above >= 0:
                self._refuse(start, f"';' though the '(' of {self._place(self.starts[above])} is open", "')'")
            return node, above, _END
        if above < 0:
            self._refuse(start, f"{mark!r} outside of brackets", "';'")
        return (node, above, _NODE) if mark == "," else (above, self.parents[above], _NAME)

    def tips(self) -> dict[str, int]:
        """Map the name of each tip to its node.

        Names that occur again are refused, but tips need not have one.
        """
        node_of: dict[str, int] = {}
        for node, (name, is_tip) in enumerate(zip(self.names, self.is_tip, strict=True)):
            if is_tip and node_of.setdefault(name, node) != node and name:
                problem = f"the tip {shown(name)} is also in {self._place(self.starts[node_of[name]])}"
                self._refuse(self.starts[node], problem, "different names")
        return node_of

    def edge_lengths(self) -> list[float] | None:
        """List the lengths of all edges, or None if there is none."""
        if all(length is None for length in self.lengths[1:]):
            return None
        without = next((k for k, length in enumerate(self.lengths) if k and length is None), None)
        if without is not None:
            problem = "the branch that begins here has no length, but others have"
            self._refuse(self.starts[without], problem, "all or none")
        return [0.0 if length is None else length for length in self.lengths]

    def _tokens(self) -> Iterator[tuple[str, str, int]]:
        """Yield a mark or a word, and where it begins."""
        at = self._behind_blanks(0)
        while at < len(self.text):
            token = _TOKEN.match(self.text, at)
            if token is None:
                if self.text[at] == "'":
                    self._refuse(at, "the quote is not closed", "another quote behind the name")
                self._refuse(at, "']' without '['", "a comment in '[' and ']'")
            word = token["quoted"]
            if word is None:  # an underscore stands for a blank
                word = (token["plain"] or "").replace("_", " ")
                if word.startswith('"') and (len(word) == 1 or not word.endswith('"')):
                    self._refuse(at, "a double quote begins a name", "single quotes, as in 'a b'")
            yield token["mark"] or "", word.replace("''", "'"), at
            at = self._behind_blanks(token.end())

    def _behind_blanks(self, at: int) -> int:
        """Pass by blanks and comments, which may be nested."""
        at = _past_blanks(self.text, at)
        while self.text.startswith("[", at):
            n_open = 0
            for bracket in _BRACKET.finditer(self.text, at):
                n_open += 1 if bracket.group() == "[" else -1
                if n_open == 0:
                    at = _past_blanks(self.text, bracket.end())
                    break
            else:
                self._refuse(at, "the comment is not closed", "']'")
        return at

    def _add(self, parent: int, start: int, *, is_tip: bool) -> int:
        self.parents.append(parent)
        self.names.append("")
        self.lengths.append(None)
        self.is_tip.append(is_tip)
        self.starts.append(start)
        return len(self.parents) - 1

    def _length(self, word: str, start: int, node: int) -> float:
        length = float(word) if _NUMBER.fullmatch(word) else math.nan
        if not math.isfinite(length):
            self._refuse(start, f"the length is {shown(word)}", _LENGTH)
        if self.heights and length < 0 and node > 0:  # the root has no edge
            self._refuse(
                start,
                f"the length is {shown(word)}, and a node would be below its child",
                "a number of at least 0 with heights=True, or heights=False",
            )
        return length

    def _place(self, at: int) -> str:
        line = self.text.count("\n", 0, at)
        column = at - self.text.rfind("\n", 0, at)
        return f"line {line + 1}, column {column}"

    def _refuse(self, at: int, problem: str, expected: str) -> NoReturn:
        raise ValueError(f"newick, {self._place(at)}: {problem}; expected {expected}")


def _past_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return at if blanks is None else blanks.end()


def write_newick(tree: RootedTree) -> str:
    """Newick text of a pruned tree; see `Hierarchy.to_newick`."""
    samples = _sample_texts(tree)
    nodes, n_nodes = tree.preorder, tree.n_nodes
    parents, first, last, depths = (of[nodes] for of in (tree.parents, tree.first, tree.last, tree.depths))
    n_own = np.bincount(tree.leaf_of, minlength=n_nodes)[nodes]
    tips = ((n_own == 1) & (np.diff(tree.child_ptr)[nodes] == 0)).tolist()
    commas = np.where(first > tree.first[parents], ",", "")
    commas[0] = ""  # the root
    above = _edge_texts(tree)
    begins = [
        comma + (samples[place] + edge if is_tip else "(")
        for comma, place, edge, is_tip in zip(commas.tolist(), first.tolist(), above, tips, strict=True)
    ]
    ends = ["" if is_tip else ")" + edge for edge, is_tip in zip(above, tips, strict=True)]
    for k in np.flatnonzero((n_own > 0) & ~np.array(tips)).tolist():
        edge = ":0.0" if tree.edge_lengths is not None else ""
        if not edge and tree.heights is not None:
            edge = f":{float(tree.heights[nodes[k]])!r}"
        begins[k] += ",".join(name + edge for name in samples[first[k] : first[k] + n_own[k]])
    # Before a node begins, all before it in preorder have begun, and of these all but those above it have ended.
    places, behind = np.arange(n_nodes), np.cumsum(np.bincount(first, minlength=tree.n_samples))[last - 1]
    order = np.empty(2 * n_nodes, dtype=np.int64)
    order[2 * places - depths] = places
    order[2 * behind - depths - 1] = places + n_nodes
    texts = begins + ends
    return "".join([texts[k] for k in order.tolist()]) + ";"


def _sample_texts(tree: RootedTree) -> list[str]:
    """Names of samples from left to right."""
    names = tree.sample_names
    if names is None:
        return list(map(str, tree.sample_order.tolist()))
    name, n_of_it = Counter(name for name in names if name).most_common(1)[0] if any(names) else ("", 0)
    if n_of_it > 1:
        raise ValueError(
            f"sample_names has {n_of_it} samples {shown(name)}; expected different names in Newick"
        )
    return [_newick_name(names[i]) for i in tree.sample_order.tolist()]


def _edge_texts(tree: RootedTree) -> list[str]:
    """Lengths of the edges above nodes in preorder."""
    nodes, lengths, heights = tree.preorder, tree.edge_lengths, tree.heights
    if lengths is None and heights is None:
        return [""] * len(nodes)
    below = nodes[1:]
    if lengths is not None:
        edges = lengths[below]
    else:
        with np.errstate(over="ignore"):
            edges = heights[tree.parents[below]] - heights[below]  # type: ignore[index]
        if not np.isfinite(edges).all():
            node = below[np.argmin(np.isfinite(edges))]
            raise ValueError(
                f"heights {heights[tree.parents[node]]:g} and {heights[node]:g} are too far apart for a branch; "  # type: ignore[index]
                "expected a finite difference"
            )
    return ["", *(f":{edge!r}" for edge in edges.tolist())]


def _newick_name(name: str) -> str:
    """Quote a name but for letters, digits and ``.+-``.

    Without quotes an underscore is read as a blank.
    """
    if _PLAIN.fullmatch(name):
        return name
    wrong = next((letter for letter in name if unicodedata.category(letter) in ("Cc", "Cs")), None)
    if wrong is not None:
        raise ValueError(f"sample name {name!r} has the character {wrong!r}; expected a name of visible ones")
    if name and set(name) <= set("(),:;'"):  # readers take these for their marks, in quotes or not
        raise ValueError(
            f"sample name {name!r} has nothing but marks of the format; expected another character"
        )
    if all(letter.isalnum() or letter in ".+-" for letter in name):  # nothing at all is a tip without a name
        return name
    return "'" + name.replace("'", "''") + "'"
