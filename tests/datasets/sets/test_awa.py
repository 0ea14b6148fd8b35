from __future__ import annotations

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import awa
from cladebench.datasets.sets.awa_classes import CLASSES, tree_of
from cladebench.hierarchy import Hierarchy

REAL = "awa-attr"
NAMES = list(CLASSES)
load_awa_attr = awa.DATASETS[0].loader
STRENGTHS = np.random.default_rng(5).integers(0, 10001, (awa.N_CLASSES, awa.N_ATTRIBUTES)) / 100
ATTRIBUTES = ["white", "brown", *(f"attribute{p}" for p in range(81)), "blue", "black"]


def numbered(names):
    return "".join(f"{number:6d}\t{name}\n" for number, name in enumerate(names, 1)).encode()


def made_up(**changes):
    """Files in the layout of the real ones, with numbers of our own."""
    rows = "\n".join("  ".join(f"{value:.2f}" for value in row) for row in STRENGTHS)
    files = {"names": numbered(NAMES), "attributes": numbered(ATTRIBUTES), "strengths": rows.encode()}
    files |= changes
    keys = (awa.CLASS_NAMES.name, awa.ATTRIBUTES.name, awa.STRENGTHS.name)
    return dict(zip(keys, (files["names"], files["attributes"], files["strengths"]), strict=True))


def test_the_classes_are_those_of_the_paper():
    assert len(NAMES) == awa.N_CLASSES == len({synset for synset, _ in CLASSES.values()})
    assert sum(images for _, images in CLASSES.values()) == 30_475
    assert datasets.info("awa-attr").n_samples == 30_475


def test_scores_lie_around_the_strengths_of_their_class():
    content = load_awa_attr(made_up(), 0)
    images = [CLASSES[name][1] for name in NAMES]
    assert np.bincount(content.labels).tolist() == images
    assert content.X.shape == (30_475, 85) and content.feature_names == tuple(ATTRIBUTES)
    means = np.array([content.X[content.labels == c].mean(axis=0) for c in range(50)])
    expected = STRENGTHS / 100
    unknown = [0, 1, 83, 84]
    expected[0, unknown] = expected[1:, unknown].mean(axis=0)
    error = (means - expected) * np.sqrt(images)[:, None] / awa.NOISE
    assert np.abs(error).max() < 5 and abs(error.std() - 1) < 0.05  # 4,250 of unit variance
    residuals = content.X - expected[content.labels]
    assert abs(residuals.std() / awa.NOISE - 1) < 0.01
    assert abs(np.corrcoef(residuals[:, 0], residuals[:, 1])[0, 1]) < 0.03
    assert (np.diff(content.labels) != 0).mean() > 0.9  # in random order
    np.testing.assert_array_equal(content.X, np.round(content.X, awa.DECIMALS))


def test_a_drawing_is_the_same_each_time():
    first, second = load_awa_attr(made_up(), 0), load_awa_attr(made_up(), 0)
    assert first.X.tobytes() == second.X.tobytes() and first.labels.tobytes() == second.labels.tobytes()


def test_rows_follow_the_order_of_the_file():
    content = load_awa_attr(made_up(names=numbered(NAMES[::-1])), 0)
    assert content.label_names[0] == NAMES[-1].replace("+", " ")
    assert np.bincount(content.labels)[0] == CLASSES[NAMES[-1]][1]


def tree():
    parents = tree_of([synset for synset, _ in CLASSES.values()])
    return Hierarchy.from_parents(parents, np.arange(awa.N_CLASSES))


def branch(node, parents):
    """Nodes from a node up to the root."""
    nodes = [node]
    while parents[node] >= 0:
        node = parents[node]
        nodes.append(node)
    return nodes


def nearest(a, b):
    """Where the branches of two classes meet."""
    parents = tree().parents
    above = set(branch(NAMES.index(a), parents))
    return next(node for node in branch(NAMES.index(b), parents) if node in above)


def test_the_tree_holds_the_classes_and_their_ancestors_alone():
    built = tree()
    assert built.n_nodes == 105
    leaves = set(range(built.n_nodes)) - set(built.parents.tolist())
    assert {NAMES[c] for c in set(range(50)) - leaves} == {"dolphin", "deer"}  # classes above classes
    assert leaves < set(range(50))


def test_known_relations():
    parents = tree().parents
    assert (
        parents[NAMES.index("killer+whale")] == NAMES.index("dolphin") == nearest("killer+whale", "dolphin")
    )
    assert parents[NAMES.index("moose")] == NAMES.index("deer")
    assert parents[NAMES.index("siamese+cat")] == parents[NAMES.index("persian+cat")]
    depths = tree().depths
    for near, far in [
        (("blue+whale", "humpback+whale"), ("blue+whale", "seal")),
        (("blue+whale", "seal"), ("blue+whale", "hippopotamus")),
        (("gorilla", "chimpanzee"), ("gorilla", "spider+monkey")),
        (("gorilla", "spider+monkey"), ("gorilla", "mole")),
        (("collie", "german+shepherd"), ("collie", "dalmatian")),
        # Of the two parents of the dog the first listed counts: it is a domestic animal, and no canine.
        (("wolf", "fox"), ("wolf", "dalmatian")),
    ]:
        assert depths[nearest(*near)] > depths[nearest(*far)]


def test_a_tree_of_a_few_synsets_keeps_chains_and_drops_the_rest():
    killer_whale, dolphin = CLASSES["killer+whale"][0], CLASSES["dolphin"][0]
    parents = tree_of([killer_whale, dolphin])
    assert parents[0] == 1 and len(branch(0, parents)) == len(parents)
    assert (parents == -1).sum() == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"names": numbered(NAMES[:-1])},
            "classes.txt: expected lines of number and name.*from 1 to 50, found 49",
        ),
        (
            {"names": numbered([*NAMES[:-1], "unicorn"])},
            r"known classes, not or alone here: \['dolphin', 'unicorn'\]",
        ),
        ({"names": numbered([*NAMES[:-1], NAMES[0]])}, "50 different names, found 49"),
        ({"names": b"\xff\xfe"}, "number and name"),
        ({"attributes": numbered(ATTRIBUTES).replace(b"85", b"86")}, "predicates.txt: expected lines"),
        (
            {"attributes": numbered(ATTRIBUTES).replace(b"blue", b"azure")},
            "expected black, white, blue, brown among",
        ),
        ({"strengths": b"1 2\n3 4\n"}, r"continuous.txt: .*shape \(50, 85\), found \(2, 2\)"),
        ({"strengths": b"1 2\n3\n"}, r"shape \(50, 85\), found: "),
        ({"strengths": b"1 x\n"}, r"shape \(50, 85\), found: "),
        ({"strengths": b"-1.00 " * 85 + b"\n" + (b"0 " * 85 + b"\n") * 49}, "from 0 to 100"),
        ({"strengths": (b"nan " * 85 + b"\n") * 50}, "from 0 to 100"),
    ],
)
def test_malformed_files_are_named(changes, message):
    with pytest.raises(DatasetError, match=rf"^awa/.*{message}"):
        load_awa_attr(made_up(**changes), 0)


@pytest.mark.parametrize("shape", ["gaussian", "correlated", "heavy"])
def test_noise_has_variance_1_and_the_shape_that_is_asked_for(shape):
    means = np.random.default_rng(0).normal(size=(30, 6)) * np.arange(1, 7)
    noise = awa.noise_of(shape, means, 200_000, np.random.default_rng(1))
    covariance = np.cov(noise.T)
    assert covariance.trace() / 6 == pytest.approx(1.0, abs=0.05)
    expected = np.eye(6)
    if shape == "correlated":
        expected = np.cov(means.T)
        expected *= 6 / expected.trace()
    assert np.abs(covariance - expected).max() < 0.1
    beyond = (np.abs(noise[:, 0]) > 5 * noise[:, 0].std()).mean()
    assert (beyond > 1e-4) == (shape == "heavy")  # of a normal distribution 6e-7


def test_other_noise_keeps_rows_and_classes():
    content = [awa.load_scores(made_up(), 0, shape, 0.5) for shape in ("gaussian", "correlated", "heavy")]
    assert all(c.labels.tolist() == content[0].labels.tolist() for c in content)
    assert not np.allclose(content[0].X, content[1].X) and not np.allclose(content[0].X, content[2].X)


def test_without_its_files_the_message_says_where_they_come_from(monkeypatch):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "1")
    with pytest.raises(datasets.DataUnavailable, match=r"awa/classes\.txt: .*it is .*AwA2-base\.zip"):
        datasets.load("awa-attr")


def test_the_real_files(real):
    assert real.label_names[:3] == ("antelope", "grizzly bear", "killer whale")
    assert list(real.label_names) == [name.replace("+", " ") for name in NAMES]
    assert real.feature_names[:4] == ("black", "white", "blue", "brown") and len(real.feature_names) == 85
    means = np.array([real.X[real.labels == c].mean(axis=0) for c in range(50)])
    stripes = np.argsort(-means[:, real.feature_names.index("stripes")])[:2]
    assert {real.label_names[c] for c in stripes} == {"zebra", "tiger"}
    assert real.class_parents.tolist() == tree().parents.tolist()


def test_the_noise_gives_k_means_its_published_rand_index(real):
    """One run of those behind the docstring's table, whose standard deviation is 0.015 there."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import rand_score

    found = KMeans(50, n_init=1, random_state=0).fit(real.X).labels_
    assert abs(100 * rand_score(real.labels, found) - 96.04) < 0.05
