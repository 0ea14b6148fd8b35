"""The figures of the taxonomy paper: what they show of the data that come in, and that nothing covers anything."""

from functools import cache

import numpy as np
import pytest
from matplotlib.colors import to_hex

from cladebench.hierarchy import Hierarchy
from cladebench.papers.taxonomy import drawings, taxonomy_drawings
from cladebench.plotting import PALETTE, SMALL, use_style
from golden_records import apart, extents, inside, least_text, legend_of, points_of, texts

WORDS = ["neurons", "cells", "em", "electroencephalographic", "backpropagation", "policy", "chip", "circuit"]
LENGTHS = {
    "even": lambda rng, n: rng.uniform(0.3, 1.0, n),
    "unequal": lambda rng, n: rng.exponential(1.0, n) ** 3 + 1e-4,
    "some 0": lambda rng, n: rng.uniform(0.1, 1.0, n) * (rng.random(n) > 0.4),
    "all 0": lambda rng, n: np.zeros(n),
    "tiny": lambda rng, n: rng.uniform(1e-9, 2e-9, n),
}
ONE = Hierarchy([-1], [0], edge_lengths=[0.0])
TWO = Hierarchy([-1, 0, 0], [1, 2], edge_lengths=[0.0, 0.3, 0.2])
CROSS = Hierarchy([-1, 0, 0, 0, 0], [4, 1, 2, 3], edge_lengths=[0, 1, 2, 3, 4])


@pytest.fixture(autouse=True)
def style():
    with use_style():
        yield


def random_tree(k, lengths, seed=0):
    """An additive tree of k clusters: two parts are joined until three are left, about the root."""
    rng = np.random.default_rng(seed)
    alive, parents = list(range(k)), {}
    for node in range(k, 2 * k - 3):
        for _ in range(2):
            parents[alive.pop(rng.integers(len(alive)))] = node
        alive.append(node)
    root = max(k, 2 * k - 3)
    parents |= dict.fromkeys(alive, root)
    above = [parents.get(node, -1) for node in range(root + 1)]
    return Hierarchy(above, range(k), edge_lengths=LENGTHS[lengths](rng, root + 1))


def trees():
    cases = [(3, "even"), (4, "unequal"), (5, "all 0"), (7, "tiny"), (9, "even"), (9, "some 0")]
    cases += [(12, "even"), (12, "unequal")]
    found = {f"{k}, {lengths}": random_tree(k, lengths, seed=k) for k, lengths in cases}
    star = Hierarchy([-1, *[0] * 8], range(1, 9), edge_lengths=np.arange(9.0))
    together = Hierarchy([-1, 0, 0, 0], [1, 1, 2, 3, 3, 0], edge_lengths=[0, 1, 2, 0.5])
    without = Hierarchy.from_nested([0, [1, 2], [3, 4]])
    chain = Hierarchy([-1, 0, 1, 1, 1, 2], [5, 3, 4], edge_lengths=[0, 5, 1, 2, 3, 1])
    found["a chain above the root"] = chain
    return found | {"1": ONE, "2": TWO, "star": star, "clusters at one node": together, "no lengths": without}


TREES = trees()


def captions_of(tree):
    return [f"{chr(97 + k)}: {3 * k + 8}, steffi left {100 - k}%" for k in range(tree.n_samples)]


def pictures_of(tree):
    """Upright and broad, grey and in colour: the k-th is filled with k."""
    shapes = [(60, 64), (120, 50), (30, 90, 3)]
    return [np.full(shapes[k % 3], k, np.uint8) for k in range(tree.n_samples)]


def words_of(tree):
    return [[WORDS[(3 * k + j) % len(WORDS)] for j in range(5)] for k in range(tree.n_samples)]


def images(tree, **more):
    return taxonomy_drawings.taxonomy_of_images(tree, pictures_of(tree), captions_of(tree), **more)


def words(tree, **more):
    return taxonomy_drawings.taxonomy_of_words(tree, words_of(tree), captions_of(tree), **more)


@cache
def drawn(draw, name):
    """A figure that several tests read."""
    return draw(TREES[name])


def lines_of(figure):
    """Edges, leaves, leaders and the scale of a taxonomy, each as complex numbers in the units of the tree."""
    found = {"edges": [], "leaves": [], "leader": [], "scale": []}
    for line in figure.axes[0].lines:
        kind = line.get_gid() or ("leaves" if line.get_marker() == "o" else "edges")
        found[kind].append(np.asarray(line.get_xdata()) + 1j * np.asarray(line.get_ydata()))
    return found


def parts_of(figure, tree):
    """What belongs to each cluster: its frame or picture, then its texts."""
    axes, n = figure.axes[0], tree.n_samples
    if axes.images:
        return [(axes.images[k], axes.texts[k]) for k in range(n)]
    return [(axes.patches[k], axes.texts[2 * k], axes.texts[2 * k + 1]) for k in range(n)]


def inches(figure, points):
    """Points of the axes as places in the figure."""
    points = np.atleast_1d(points)
    placed = figure.axes[0].transData.transform(np.column_stack([points.real, points.imag])) / figure.dpi
    return placed[:, 0] + 1j * placed[:, 1]


def holds(box, points):
    return bool(
        (
            (points.real > box.xmin)
            & (points.real < box.xmax)
            & (points.imag > box.ymin)
            & (points.imag < box.ymax)
        ).any()
    )


def distance(box, point):
    """From a point to a box, which may be 0."""
    x = max(box.xmin - point.real, 0, point.real - box.xmax)
    y = max(box.ymin - point.imag, 0, point.imag - box.ymax)
    return float(np.hypot(x, y))


@pytest.mark.parametrize("draw", [images, words])
@pytest.mark.parametrize("name", TREES)
def test_nothing_covers_anything_and_all_is_in_the_figure(name, draw):
    tree = TREES[name]
    figure = draw(tree, title="A title", notes=["A note of many words that takes more than a line. " * 3])
    axes = figure.axes[0]
    blocks = [extents(figure, parts) for parts in parts_of(figure, tree)]
    if draw is words:
        for frame, caption, own in blocks:
            assert inside(caption, frame) and inside(own, frame) and apart([caption, own])
        flat = [frame for frame, *_ in blocks]
    else:
        flat = [box for boxes in blocks for box in boxes]
    rest = extents(figure, axes.texts[sum(map(len, blocks)) - len(axes.images) - len(axes.patches) :])
    note = extents(figure, [figure._supxlabel])
    assert len(rest) == (1 if tree.n_samples == 1 else 2) and apart([*flat, *rest, *note])
    assert all(inside(box, figure.bbox_inches) for box in (*flat, *rest, *note))
    assert all(box.width > 0 and box.height > 0 for box in flat)
    found = lines_of(figure)
    share = np.linspace(0, 1, 400)
    for line in (*found["edges"], *found["scale"]):
        points = inches(figure, line[0] + share * (line[1] - line[0]))
        assert not any(holds(box, points) for box in (*flat, *rest, *note))
    assert not any(holds(box, inches(figure, found["leaves"][0])) for box in flat)
    assert least_text(figure) >= SMALL
    assert figure.get_figwidth() < 9 and figure.get_figheight() < 9


@pytest.mark.parametrize("draw", [images, words])
@pytest.mark.parametrize("name", TREES)
def test_a_leader_goes_from_each_leaf_to_its_block_where_that_is_not_near(name, draw):
    tree, figure = TREES[name], drawn(draw, name)
    blocks = [extents(figure, parts) for parts in parts_of(figure, tree)]
    found = lines_of(figure)
    (leaves,) = found["leaves"]
    assert len(leaves) == tree.n_samples
    leaders = {}
    for line in found["leader"]:
        begin, end = inches(figure, line)
        (own,) = [
            k
            for k, boxes in enumerate(blocks)
            if abs(inches(figure, leaves[k])[0] - begin) < 1e-6
            and min(distance(box, end) for box in boxes) < 0.02
        ]
        leaders[own] = (begin, end)
    assert len(leaders) == len(found["leader"])
    for k, boxes in enumerate(blocks):
        if k not in leaders:
            assert min(distance(box, inches(figure, leaves[k])[0]) for box in boxes) <= 0.17
        else:
            begin, end = leaders[k]
            path = begin + np.linspace(0, 1, 300) * (end - begin)
            assert abs(end - begin) > 0.16
            others = [box for j, more in enumerate(blocks) if j != k for box in more]
            assert not any(holds(box, path) for box in others)


@pytest.mark.parametrize("name", TREES)
def test_edges_are_as_long_as_in_the_tree(name):
    tree, figure = TREES[name], drawn(images, name)
    found = lines_of(figure)
    lengths = [abs(line[1] - line[0]) for line in found["edges"]]
    pruned = tree.pruned()
    given = np.ones(pruned.n_nodes) if tree.edge_lengths is None else pruned.edge_lengths
    given = np.delete(given, pruned.root)
    scale = given.max() if len(given) and given.any() else 1.0
    np.testing.assert_allclose(np.sort(lengths), np.sort(given), rtol=1e-6, atol=2e-6 * scale)
    (across, up) = figure.axes[0].transData.transform([(1, 0), (0, 1)]) - figure.axes[0].transData.transform(
        (0, 0)
    )
    assert across[0] == pytest.approx(up[1], rel=1e-6)  # a length is a length in any direction


@pytest.mark.parametrize("name", ["3, even", "7, tiny", "9, even", "12, unequal", "star", "2"])
def test_the_scale_is_as_long_as_it_says(name):
    figure = drawn(images, name)
    (bar,) = lines_of(figure)["scale"]
    says = texts(figure)[-1]
    assert says.endswith(" (distance in the tree)")
    assert bar[1] - bar[0] == pytest.approx(float(says.split()[0]), rel=1e-9)
    assert 0.3 < abs(np.diff(inches(figure, bar))[0]) < 0.9


def test_without_lengths_no_scale_is_drawn_and_that_is_said():
    for name, says in (
        ("5, all 0", "all distances in the tree are 0"),
        ("no lengths", "edges are not to scale"),
    ):
        figure = drawn(images, name)
        assert texts(figure)[-1] == says and lines_of(figure)["scale"] == []
    assert texts(words(ONE)) == ["a: 8, steffi left 100%", "\n".join(words_of(ONE)[0])]


@pytest.mark.parametrize("name", TREES)
def test_each_cluster_has_its_picture_and_below_it_its_caption(name):
    tree, figure = TREES[name], drawn(images, name)
    for k, (picture, caption) in enumerate(parts_of(figure, tree)):
        np.testing.assert_array_equal(picture.get_array(), pictures_of(tree)[k])
        assert picture.get_clim() == (0, 255) and picture.get_cmap().name == "gray"
        assert caption.get_text().replace("\n", " ") == captions_of(tree)[k]
        assert max(map(len, caption.get_text().split("\n"))) <= 18
        above, below = extents(figure, [picture, caption])
        assert 0 <= above.ymin - below.ymax < 0.06
        assert (above.xmin + above.xmax) / 2 == pytest.approx((below.xmin + below.xmax) / 2, abs=0.02)
        height, width = pictures_of(tree)[k].shape[:2]
        assert above.width / above.height == pytest.approx(width / height, rel=0.02)
        assert max(above.width, above.height) == pytest.approx(0.72, abs=0.02)


def test_line_breaks_of_captions_are_kept():
    figure = taxonomy_drawings.taxonomy_of_images(
        TWO, pictures_of(TWO), ["a: 8\nmixed", "b: one very long name of people"]
    )
    assert texts(figure)[:2] == ["a: 8\nmixed", "b: one very long\nname of people"]


def test_each_cluster_has_its_caption_and_below_it_its_words():
    tree = TREES["9, even"]
    figure = words(tree, title="NIPS")
    for k, (_, caption, own) in enumerate(parts_of(figure, tree)):
        assert caption.get_text() == captions_of(tree)[k] and caption.get_fontweight() == "bold"
        assert own.get_text().split("\n") == words_of(tree)[k] and own.get_fontweight() == "normal"
        above, below = extents(figure, [caption, own])
        assert 0 <= above.ymin - below.ymax < 0.06
    assert "NIPS" in texts(figure)


@pytest.mark.parametrize("draw", [images, words])
def test_blocks_stand_at_their_own_leaves_and_outward_of_them(draw):
    figure = draw(CROSS)
    (leaves,) = lines_of(figure)["leaves"]
    starts = {complex(end) for line in lines_of(figure)["edges"] for end in line}
    (middle,) = starts - set(map(complex, leaves))
    np.testing.assert_allclose(np.abs(leaves - middle), [4, 1, 2, 3])  # of samples, not of nodes
    for k, parts in enumerate(parts_of(figure, CROSS)):
        box = extents(figure, parts[:1])[0]
        at = complex(*(box.min + box.max) / 2)
        leaf, root = inches(figure, leaves[k])[0], inches(figure, middle)[0]
        assert min(range(4), key=lambda j: abs(inches(figure, leaves[j])[0] - at)) == k
        assert abs(at - root) > abs(leaf - root)
        assert abs(np.angle((at - leaf) / (leaf - root))) < np.pi / 2
    # Where there is room, leaders only bridge what a caption is broader than its picture.
    assert all(abs(np.diff(inches(figure, line))[0]) < 0.45 for line in lines_of(figure)["leader"])
    assert draw is images or lines_of(figure)["leader"] == []


def test_the_longest_way_is_level():
    figure = drawn(images, "9, even")
    nodes = np.concatenate(lines_of(figure)["edges"])
    steps = nodes[:, None] - nodes
    longest = steps.ravel()[np.abs(steps).argmax()]
    assert abs(longest.imag) < 1e-9 * abs(longest)


def test_a_figure_is_as_wide_as_its_title_needs_and_no_less_than_a_page_needs():
    for title, width in (("", 2.8), ("t" * 30, 2.8), ("t" * 50, 4.6)):
        assert words(ONE, title=title).get_figwidth() == pytest.approx(width)
    plain, titled = words(ONE), words(ONE, title="t")
    assert titled.get_figheight() - plain.get_figheight() == pytest.approx(0.3)
    (shown,) = [text for text in titled.axes[0].texts if text.get_text() == "t"]
    assert shown.get_fontsize() == 9.0 and (shown.get_ha(), shown.get_va()) == ("left", "top")
    (box,) = extents(titled, [shown])
    assert titled.get_figheight() - box.ymax == pytest.approx(0.08, abs=0.02)
    assert box.xmin == pytest.approx(0.1, abs=0.02) and shown.get_fontweight() == "bold"


def test_the_same_data_give_the_same_drawing():
    figures = (drawn(words, "9, some 0"), words(TREES["9, some 0"]))
    one, other = ([box.bounds for box in extents(figure, figure.axes[0].patches)] for figure in figures)
    assert one == other


def test_what_does_not_fit_the_tree_is_named():
    with pytest.raises(ValueError, match="pictures has length 1; expected 2, one for each cluster"):
        taxonomy_drawings.taxonomy_of_images(TWO, pictures_of(ONE), ["a", "b"])
    with pytest.raises(ValueError, match="captions has length 3; expected 2"):
        taxonomy_drawings.taxonomy_of_images(TWO, pictures_of(TWO), ["a", "b", "c"])
    with pytest.raises(ValueError, match="words has length 1; expected 2"):
        taxonomy_drawings.taxonomy_of_words(TWO, [["x"]], ["a", "b"])
    with pytest.raises(ValueError, match="captions has length 1; expected 2"):
        taxonomy_drawings.taxonomy_of_words(TWO, [["x"], ["y"]], ["a"])


# ------------------------------------------------------------------ structures

CATERPILLAR = Hierarchy.from_nested([[[[[[[[0, 1], 2], 3], 4], 5], 6], 7], 8])
CHAIN = Hierarchy([-1, 0, 1, 0, 3, 3, 3, 3, 3, 3, 3, 3], [2, *range(4, 12)])  # one inner node with one child
STRUCTURES = {
    "ternary, 3 × 3": (Hierarchy.from_nested([[0, 1, 2], [3, 4, 5], [6, 7, 8]]), 2),
    "caterpillar": (CATERPILLAR, 8),
    "with a chain": (CHAIN, 2),
    "two": (Hierarchy.from_nested([[0, 1, 2, 3], [4, 5, 6, 7, 8]]), 2),
    "star, which is Y = I and has a long name": (Hierarchy.from_nested(list(range(9))), 1),
}


def test_structures_have_a_dot_for_each_cluster_and_their_depth():
    figure = drawings.structures({name: tree for name, (tree, _) in STRUCTURES.items()})
    assert len(figure.axes) == 8
    for axes, letter, (name, (tree, depth)) in zip(figure.axes, "abcde", STRUCTURES.items(), strict=False):
        assert axes.get_title().replace("\n", " ") == f"({letter}) {name}" and not axes.axison
        *edges, dots = axes.lines
        assert dots.get_marker() == "o" and dots.get_linestyle() == "None"
        ends = points_of(dots)
        assert len(ends) == len(set(ends)) == 9
        assert [-y for _, y in ends] == tree.depths[tree.leaf_of].tolist()
        assert min(y for _, y in ends) == -depth
        # Each edge goes down by one layer, and all dots hang on one.
        assert len(edges) == tree.n_nodes - 1
        downs = [points_of(line) for line in edges]
        assert all(top[1] - bottom[1] == 1 for top, bottom in downs)
        assert set(ends) <= {bottom for _, bottom in downs}
    assert all(not axes.axison and not axes.lines for axes in figure.axes[5:])
    titles = extents(figure, [axes.title for axes in figure.axes[:5]])
    assert apart(titles) and all(inside(box, figure.bbox_inches) for box in titles)
    assert least_text(figure) >= SMALL
    assert texts(drawings.structures({})) == ["No structures are given."]


# ------------------------------------------------------------------ numbers of clusters

CURVES = {
    "one": {3: np.array([0.5, 0.9]), 2: np.array([0.2, 0.4])},
    "two": {2: np.array([0.1])},
}
EIGENVALUES = {"one": np.array([5.0, 4.0, 1.0]), "two": np.array([[3.0, 1.0], [5.0, 2.0]])}


def test_objective_and_eigenvalues_are_means_with_their_ranges():
    figure = drawings.objective_against_clusters(CURVES, EIGENVALUES)
    left, right = figure.axes
    assert [points_of(line) for line in left.lines] == [[(2, 0.3), (3, 0.7)], [(2, 0.1)]]
    assert [points_of(line) for line in right.lines] == [[(1, 5), (2, 4), (3, 1)], [(1, 4), (2, 1.5)]]
    ranges = [tuple(np.sort(ends[:, 1])) for ends in left.collections[0].get_segments()]
    assert ranges == [(0.2, 0.4), (0.5, 0.9)]
    assert legend_of(figure) == ["one", "two"]
    looks = [[(to_hex(line.get_color()), line.get_marker()) for line in axes.lines] for axes in (left, right)]
    assert looks[0] == looks[1] and looks[0][0][0] != looks[0][1][0] and looks[0][0][1] != looks[0][1][1]
    assert (left.get_xlabel(), right.get_xlabel()) == ("number of clusters k", "rank")


def test_elbow_and_gap_are_marked():
    figure = drawings.objective_against_clusters(CURVES, EIGENVALUES, {"one": 3}, {"one": 2, "two": 1})
    left, right = figure.axes
    assert [points_of(line) for line in left.lines[2:]] == [[(3, 0.7)]]
    assert [points_of(line) for line in right.lines[2:]] == [[(2, 4)], [(1, 4)]]
    assert legend_of(figure) == ["one", "two", "elbow", "last before the gap"]
    assert left.lines[2].get_marker() != right.lines[2].get_marker()
    extents(figure, [])
    only = drawings.objective_against_clusters({}, {"two": EIGENVALUES["two"]}, None, {"two": 2})
    assert points_of(only.axes[1].lines[1]) == [(2, 1.5)]
    assert "No finished run" in texts(drawings.objective_against_clusters({}, {}))[0]


# ------------------------------------------------------------------ entropies

ROWS = {"taxonomy": np.array([0.3, 0.3, 0.6]), "spectral": np.array([0.5]), "none": np.array([])}
PRINTED = {"taxonomy": 0.2807, "b": 0.497}


def test_entropies_have_a_row_for_each_method():
    figure = drawings.entropies(ROWS, PRINTED)
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["taxonomy", "spectral", "none", "b"]
    dots = [points_of(line) for line in axes.lines if line.get_marker() == "o"]
    assert [[x for x, _ in points] for points in dots] == [[0.3, 0.3, 0.6], [0.5]]
    assert len({y for _, y in dots[0]}) == 3 and all(abs(y) < 0.5 for _, y in dots[0])
    assert dots[1] == [(0.5, 1.0)]
    means = [lines.get_segments()[0] for lines in axes.collections]
    assert [float(ends[0, 0]) for ends in means] == pytest.approx([0.4, 0.5])
    assert [float(ends[:, 1].mean()) for ends in means] == pytest.approx([0, 1])
    low, high = axes.get_ylim()
    assert low > high  # the first on top
    assert axes.get_xlim()[0] == 0
    grids = [[line.get_visible() for line in axis.get_gridlines()] for axis in (axes.xaxis, axes.yaxis)]
    assert not any(grids[0]) and all(grids[1])
    assert axes.get_xlabel() == "conditional entropy H(l|c) (nats)\n← lower is better"


def test_a_random_method_is_a_line_from_end_to_end():
    figure = drawings.entropies(ROWS, PRINTED, random={"Random": np.array([1.5, 1.7])})
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == "random method: Random"]
    assert list(line.get_xdata()) == pytest.approx([1.6, 1.6]) and list(line.get_ydata()) == [0, 1]
    assert "random method: Random" in legend_of(figure)


def test_printed_entropies_are_told_apart_as_those_of_other_data():
    figure = drawings.entropies(ROWS, PRINTED)
    diamonds = [line for line in figure.axes[0].lines if line.get_marker() == "D"]
    assert [points_of(line) for line in diamonds] == [[(0.2807, 0)], [(0.497, 3)]]
    for line in diamonds:
        assert line.get_markerfacecolor() == "none" and to_hex(line.get_markeredgecolor()) == to_hex(
            PALETTE[1]
        )
    assert legend_of(figure) == ["one draw", "mean", "printed, other images"]
    extents(figure, [])
    assert least_text(figure) >= SMALL
    assert "No finished run" in texts(drawings.entropies({}, {}))[0]
