"""Bounds on the Rand index against all tables of counts of tiny data, and at the sizes of the paper's data."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from cladebench.datasets.sets import awa_classes
from cladebench.metrics.partitions import rand_index as measured
from cladebench.papers.hmmc import feasibility
from cladebench.papers.hmmc.feasibility import leaves, rand_index
from cladebench.papers.hmmc.feasibility.tables import blocks_table, even_table
from cladebench.papers.hmmc.feasibility.uneven import UnevenPartition

AWA = tuple(images for _, images in awa_classes.CLASSES.values())
TENTH = Fraction(1, 10)
class_sizes = st.lists(st.integers(1, 3), min_size=2, max_size=3).map(tuple)
few = settings(max_examples=25)


def spreads(size, clusters):
    """Yield every way to put rows of one class into clusters."""
    for cuts in itertools.combinations(range(size + clusters - 1), clusters - 1):
        ends = (-1, *cuts, size + clusters - 1)
        yield tuple(b - a - 1 for a, b in itertools.pairwise(ends))


def tables(classes, clusters):
    """Yield every table of counts, clusters in order, empty ones too."""
    for rows in itertools.product(*(spreads(size, clusters) for size in classes)):
        yield np.array(rows)


def labels_of(table):
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


@few
@given(class_sizes, st.integers(2, 3))
def test_the_index_of_a_table_is_that_of_its_labels(classes, clusters):
    for table in itertools.islice(tables(classes, clusters), 20):
        assert float(rand_index.index_of(table)) == pytest.approx(measured(*labels_of(table)), rel=1e-15)


@few
@given(class_sizes, st.integers(2, 3), st.sampled_from([Fraction(0), TENTH, Fraction(1, 3), Fraction(9, 10)]))
def test_no_balanced_table_is_beyond_the_bounds(classes, clusters, slack):
    """All of them are looked at; the values said to be attained are among theirs, and steps are no longer than said."""
    n = sum(classes)
    assume(n >= clusters)
    low, high = rand_index.slack_bounds(n, clusters, slack)
    balanced = [t for t in tables(classes, clusters) if low <= t.sum(0).min() and t.sum(0).max() <= high]
    values = sorted({rand_index.index_of(t) for t in balanced})
    found = rand_index.balanced_range(classes, clusters, slack)
    assert found.low <= values[0] and values[-1] <= found.high
    ((first, last),) = found.attained
    assert {first, last} <= set(values)
    within = [value for value in values if first <= value <= last]
    assert max((b - a for a, b in itertools.pairwise(within)), default=0) <= found.step


@few
@given(class_sizes, st.integers(2, 3))
def test_the_lagrangian_bound_is_tight_up_to_rounding(classes, clusters):
    """A pair's worth for each cell at most, however small the data: prices are rounded, and so are the best tables."""
    n = sum(classes)
    assume(n >= clusters)
    low, high = rand_index.slack_bounds(n, clusters, TENTH)
    bound, sizes = rand_index.most_differing(classes, clusters, low, high)
    assert sum(sizes) == n and low <= min(sizes) and max(sizes) <= high
    worst = min(
        rand_index.index_of(t)
        for t in tables(classes, clusters)
        if low <= t.sum(0).min() and t.sum(0).max() <= high
    )
    assert bound - (1 - worst) * math.comb(n, 2) <= len(classes) * clusters


@few
@given(class_sizes, st.integers(2, 3))
def test_the_projection_bound_holds_for_every_table(classes, clusters):
    n = sum(classes)
    for table in tables(classes, clusters):
        squares = Fraction(int((table.sum(0) ** 2).sum()))
        own = Fraction(sum(size**2 for size in classes))
        assert rand_index.projection_bound(n, own, len(classes), squares, clusters) <= rand_index.index_of(
            table
        )


@given(st.integers(2, 12), st.integers(1, 4), st.sampled_from([Fraction(0), TENTH, Fraction(1, 2)]))
def test_squares_of_sizes_are_largest_at_the_bounds(n, clusters, slack):
    assume(n >= clusters)
    low, high = rand_index.slack_bounds(n, clusters, slack)
    every = [s for s in itertools.product(range(low, high + 1), repeat=clusters) if sum(s) == n]
    assert rand_index.most_squares(n, clusters, low, high) == max(sum(x * x for x in s) for s in every)
    assert sum(x * x for x in rand_index.even_sizes(n, clusters)) == min(sum(x * x for x in s) for s in every)


@few
@given(class_sizes, st.integers(2, 3))
def test_one_large_cluster_is_counted_exactly(classes, clusters):
    n = sum(classes)
    assume(n >= clusters)
    wanted = sorted([1] * (clusters - 1) + [n - clusters + 1])
    values = [
        rand_index.index_of(t) for t in tables(classes, clusters) if sorted(t.sum(0).tolist()) == wanted
    ]
    found = rand_index.one_large_range(classes, clusters)
    assert (found.low, found.high) == (min(values), max(values))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.data())
def test_tables_have_the_sums_asked_for(classes, data):
    n = sum(classes)
    ends = sorted(data.draw(st.lists(st.integers(0, n), min_size=1, max_size=4)))
    clusters = tuple(b - a for a, b in itertools.pairwise([0, *ends, n]))
    for table in (even_table(tuple(classes), clusters), blocks_table(tuple(classes), clusters)):
        assert table.min() >= 0
        assert tuple(table.sum(1)) == tuple(classes) and tuple(table.sum(0)) == clusters


def test_of_columns_with_as_much_left_an_even_table_takes_the_first():
    sizes = (2, 2, 1, 2, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1)
    assert even_table((13, 13), sizes)[0].tolist() == [1] * 13 + [0] * 5


def test_leaves_of_any_size_leave_the_adjusted_index_most_room():
    expects = {"classes": {"sizes": [30, 30, 40]}, "clusters": 4, "slack": 0.1}
    found = feasibility.PROGRAMMES["ri", "leaves of balanced splits"].bounds(
        "ri", expects, None, (Fraction(1, 2), Fraction(3, 5))
    )
    said = re.findall(r"with ([a-z ]+) (?:impossible|between (\S+) and (\S+?))(?:,|$)", found.implies)
    assert [name for name, _, _ in said] == [
        "equally balanced leaves",
        "balanced splits",
        "leaves of any size",
    ]
    widths = [float(high) - float(low) for _, low, high in said]
    assert widths == sorted(widths) and widths[0] < widths[1]


def test_even_tables_refuse_other_totals():
    with pytest.raises(ValueError, match="classes have 5 rows and clusters 4"):
        even_table((2, 3), (2, 2))


@few
@given(class_sizes, st.integers(2, 3))
def test_what_an_index_implies_of_the_adjusted_one_holds_for_every_table(classes, clusters):
    n = sum(classes)
    assume(4 * sum(math.comb(size, 2) for size in classes) < 2 * math.comb(n, 2))
    every = list(tables(classes, clusters))
    for table in every[:: max(1, len(every) // 9)]:
        squares = Fraction(int((table.sum(0) ** 2).sum()))
        index = rand_index.index_of(table)
        found = leaves.adjusted_range(classes, clusters, (index, index), (squares, squares))
        exact = adjusted_rand_score(*labels_of(table))
        wide = leaves.adjusted_range(
            classes, clusters, (index - TENTH, index + TENTH), (Fraction(0), Fraction(n * n))
        )
        if max(squares, sum(size**2 for size in classes)) > n:  # else no pair is together anywhere
            assert found == (pytest.approx(exact), pytest.approx(exact))
            assert wide is not None and wide[0] <= exact + 1e-12 and exact <= wide[1] + 1e-12


def splits(n, count, slack):
    """Yield leaf sizes of every tree of balanced binary splits."""
    if count == 1:
        yield (n,)
        return
    low, high = rand_index.slack_bounds(n, 2, slack)
    for left in range(low, min(high, n - 1) + 1):
        for k in range(1, count):
            if k <= left and count - k <= n - left:
                for a, b in itertools.product(splits(left, k, slack), splits(n - left, count - k, slack)):
                    yield a + b


@pytest.mark.parametrize(
    ("n", "count", "small"), [(9, 3, 3), (24, 3, 8), (24, 4, 8), (40, 3, 20), (40, 2, 20)]
)
def test_no_tree_has_larger_leaves_than_the_bound(n, count, small):
    trees = set(splits(n, count, TENTH))
    worst = max(sum(size**2 for size in sizes) for sizes in trees)
    bound = leaves.tree_squares(n, count, TENTH, small)
    assert worst <= bound
    assert {*leaves._trees(n, count, TENTH)} <= trees  # the instances are trees of that kind


def test_the_bound_on_trees_nears_the_most_uneven_tree():
    """Of leaves that stay whole at 55% the squares add up to 0.3025 / (1 - 0.2025) of n^2; rounding adds little."""
    share = float(leaves.tree_squares(10**8, 50, TENTH, small=10**4) / 10**16)
    assert 0.3025 / 0.7975 < share < 0.3025 / 0.7975 + 0.001


@given(st.lists(st.integers(2, 4), min_size=4, max_size=6).map(tuple))
def test_sizes_that_an_uneven_partition_allows_include_the_true_ones(classes):
    """One row alone, any of them; then the classes must be among those that its index allows."""
    n, largest = sum(classes), Fraction(max(classes), sum(classes))
    own = sum(size**2 for size in classes)
    for at in range(len(classes)):
        table = np.array([[size - (k == at), int(k == at)] for k, size in enumerate(classes)])
        index = rand_index.index_of(table)
        try:
            uneven = UnevenPartition(n, index, largest)
        except ValueError:
            continue
        assert own <= uneven.class_squares
        assert uneven.outside(Fraction(own)) >= 1 - Fraction(math.comb(n - 1, 2), math.comb(n, 2))
        assert uneven.narrowed(len(classes)).largest >= largest


def test_one_cluster_of_all_rows_gives_the_squares_of_the_classes_away():
    classes = (3, 4, 5, 4, 4)
    index = rand_index.index_of(np.array(classes)[:, None])
    uneven = UnevenPartition(20, index, Fraction(1, 4))
    assert uneven.class_squares == sum(size**2 for size in classes)
    assert uneven.outside(uneven.class_squares) == 0


def test_an_uneven_partition_says_how_large_a_class_may_be():
    with pytest.raises(ValueError, match=r"expected less than 0\.31"):
        UnevenPartition(26624, Fraction(5305, 100000), Fraction(1, 3))


def test_balanced_clusters_of_awa_agree_with_its_classes_on_957_pairs_in_1000():
    found = rand_index.balanced_range(AWA, 50, TENTH)
    assert Fraction(9573, 10000) < found.low < Fraction(9574, 10000)
    assert found.attained[0][0] - found.low < Fraction(
        2, 10**6
    )  # a table is there, two pairs in a million away


def test_sizes_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="expected sizes that add up to 3"):
        rand_index.balanced_range((2, 1), 5, TENTH)
