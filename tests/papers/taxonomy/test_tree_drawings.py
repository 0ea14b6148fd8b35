"""Drawn taxonomies: nothing covers anything, and lengths, pictures and words are where they belong."""

from functools import cache

import numpy as np
import pytest

from cladebench.hierarchy import Hierarchy
from cladebench.papers.taxonomy import tree_drawings
from cladebench.plotting import SMALL
from golden_records import apart, extents, inside, least_text, texts

pytestmark = pytest.mark.usefixtures("style")

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
    return tree_drawings.taxonomy_of_images(tree, pictures_of(tree), captions_of(tree), **more)


def words(tree, **more):
    return tree_drawings.taxonomy_of_words(tree, words_of(tree), captions_of(tree), **more)


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
    assert len(rest) == (1 if tree.n_samples == 1 else 2) and apart([*flat, *rest])
    assert all(inside(box, figure.bbox_inches) for box in (*flat, *rest))
    assert all(box.width > 0 and box.height > 0 for box in flat)
    found = lines_of(figure)
    share = np.linspace(0, 1, 400)
    for line in (*found["edges"], *found["scale"]):
        points = inches(figure, line[0] + share * (line[1] - line[0]))
        assert not any(holds(box, points) for box in (*flat, *rest))
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
    figure = tree_drawings.taxonomy_of_images(
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


def test_what_does_not_fit_the_tree_is_named():
    with pytest.raises(ValueError, match="pictures has length 1; expected 2, one for each cluster"):
        tree_drawings.taxonomy_of_images(TWO, pictures_of(ONE), ["a", "b"])
    with pytest.raises(ValueError, match="captions has length 3; expected 2"):
        tree_drawings.taxonomy_of_images(TWO, pictures_of(TWO), ["a", "b", "c"])
    with pytest.raises(ValueError, match="words has length 1; expected 2"):
        tree_drawings.taxonomy_of_words(TWO, [["x"]], ["a", "b"])
    with pytest.raises(ValueError, match="captions has length 1; expected 2"):
        tree_drawings.taxonomy_of_words(TWO, [["x"], ["y"]], ["a"])
