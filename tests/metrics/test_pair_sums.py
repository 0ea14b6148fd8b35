"""Sums over pairs, against quotients that are added one by one without rounding."""

import itertools
from decimal import localcontext
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from cladebench.hierarchy import Hierarchy
from cladebench.metrics.pair_sums import PRECISE, _LevelSums
from strategies import hierarchies


def ancestors(tree: Hierarchy, node: int) -> list[int]:
    found = [node]
    while tree.parents[found[-1]] >= 0:
        found.append(int(tree.parents[found[-1]]))
    return found


@given(tree=hierarchies(min_samples=2, max_samples=7), with_root=st.booleans())
def test_levels_between_the_deeper_sample_and_the_common_ancestor_are_added_exactly(tree, with_root):
    first, second = Fraction(0), Fraction(0)
    for a, b in itertools.combinations(tree.leaf_of.tolist(), 2):
        above = set(ancestors(tree, b))
        common = next(node for node in ancestors(tree, a) if node in above)
        deeper = max(int(tree.depths[a]), int(tree.depths[b]))
        quotient = Fraction(deeper - int(tree.depths[common]), max(deeper + with_root, 1))
        first, second = first + quotient, second + quotient**2
    with localcontext(PRECISE):
        found = _LevelSums(tree, with_root).moments()
    # Each quotient is cut after 200 bits.
    assert all(
        abs(Fraction(got) - exact) <= Fraction(1, 2**190)
        for got, exact in zip(found, (first, second), strict=True)
    )
