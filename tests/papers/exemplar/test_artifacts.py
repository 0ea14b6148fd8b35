"""The tables and figures of the exemplar paper, from records with known values."""

from types import SimpleNamespace

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import DataUnavailable
from cladebench.metrics.histogram_distances import KINDS
from cladebench.paper.catalogue import load_plan
from cladebench.papers.exemplar import data_sets
from cladebench.papers.exemplar.artifacts import ARTIFACTS
from cladebench.papers.exemplar.figures import (
    AGAINST_NOISE,
    NOISY_OVER_CLEAN,
    first_of,
    name_of,
    said_of_lead,
)
from golden_looks import check_looks
from golden_records import build, cell_id, cells, check_made, context_of, legend_of, points_of, texts

PLAN = load_plan("exemplar")
LABELS = {name: method.label for name, method in PLAN.methods.items()}
FEATURES = ("gist", "hog", "rot-lbp")
ROUNDS = {"max_iter": 500}
PRINTED = [
    ("uiuc-clustering", "Sec. 6", "uiuc", "Exemplar", "matched_accuracy", 0.86, "86"),
    ("uiuc-neighbours", "Sec. 6", "uiuc", "Exemplar", "nn_accuracy", 0.953, "95.3"),
]


def run(dataset, method, metrics, setting=None, at=None):
    """Finished cells; every one has clusters."""
    length = len(next(iter(metrics.values())))
    beside = {} if at else {"n_clusters": [3] * length}
    return cells(dataset, method, {**metrics, **beside}, setting, at=at, n_rows=100)


def unfinished(dataset, method, status, n=1):
    rows = cells(dataset, method, {None: [None] * n}, status=status, n_rows=100)
    return [row | {"cpu_seconds": None, "peak_memory_mb": None, "n_rows": None} for row in rows]


POINTS = {"pair_f": [0.9, 0.8], "number_right": [1.0, 0.5], "noise_share": [0.125, 0.25]}
ROWS = [
    run("noisy-mixtures-50", "Exemplar", POINTS, ROUNDS),
    run("noisy-mixtures-50", "Euclidean", {"pair_f": [0.2, 0.4]}),
    run("noisy-mixtures-50", "Oracle", {"pair_f": [1.0, 1.0]}),  # which no figure shows
    run("noisy-mixtures-50-n100", "Exemplar", {"pair_f": [0.01], "rounds_to_90": [7]}, ROUNDS),
    run("noisy-mixtures-90-n100", "Exemplar", {"pair_f": [0.7]}, ROUNDS),
    run("noisy-mixtures-90-n100", "Random", {"pair_f": [0.3]}),
    run(
        "outex",
        "Exemplar",
        {
            "matched_accuracy": [1.0, 0.9],
            "nn_accuracy": [1.0, 1.0],
            "rounds_to_90": [10, 30],
            "price": [20, 20],
        },
    ),
    run("outex", "Exemplar", {"knn_accuracy": [0.5, 0.7]}, at={"neighbors": 5}),
    run("outex", "Exemplar", {"knn_accuracy": [0.1, 0.1]}, at={"neighbors": 1}),
    run("uiuc-few", "Exemplar", {"matched_accuracy": [0.8], "nn_accuracy": [0.9]}),
    run("uiuc-few", "Exemplar-several", {"matched_accuracy": [0.85], "rounds_to_90": [12]}),
    run(
        "uiuc-few",
        "Exemplar-noise",
        {"matched_accuracy": [0.75], "nn_accuracy": [0.65], "noise_share": [0.02], "noise_largest": [0.05]},
    ),
    run("uiuc-few", "Average", {"matched_accuracy": [0.6], "nn_accuracy": [0.7]}),
    run("uiuc-few", "Single", {"nn_accuracy": [0.9], "nn_accuracy_training": [0.2]}, {"weights": 0}),
    run("uiuc-few", "Single", {"nn_accuracy": [0.5], "nn_accuracy_training": [0.4]}, {"weights": 1}),
    run("scenes-few", "Exemplar-several", {"matched_accuracy": [0.4], "nn_accuracy": [0.6]}),
    unfinished("scenes-few", "MKL-several", "timeout"),
    unfinished("scenes-few", "Average-several", "missing", 2),
]
NAMES = list(dict.fromkeys(row["dataset"] for group in ROWS for row in group))

NOISY = ("clean 1", "clean 2", "noisy 3", "noisy 4")


def of_points(first: float) -> dict[str, np.ndarray]:
    """What a cell of points stores."""
    return {
        "weights": np.array([first, 1.0, 0.25, 0.0]),
        "features": np.array(NOISY),
        "kinds": np.array(["squared_l2"] * 4),
        "objective_path": np.array([10.0 * first, 5.0 * first, first]),
        "true": np.array([0, 0, 1, 1]),
        "found": np.array([0, 0, 0, 1]),
        "exemplars": np.array([1, 3]),
        "dimensions": np.array([1, 0]),
        "points": np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]) + first,
    }


def of_images(first: float, kinds: int = 1) -> dict[str, np.ndarray]:
    """What a cell of images stores: the first and last of three exemplars serve two images, and one."""
    weights = np.arange(3.0 * kinds) / (3 * kinds)
    weights[0] = first
    return {
        "weights": weights,
        "features": np.repeat(FEATURES, kinds),
        "kinds": np.array(KINDS if kinds == 4 else KINDS[:1] * kinds * 3),
        "objective_path": np.array([4.0, 2.0, first]),
        "true": np.array([0, 1, 1, 2]),
        "found": np.array([0, 0, 1, 2]),
        "exemplars": np.array([1, 2, 3]),
        "rows": np.array([8, 6, 4, 2]),
    }


ARRAYS = {
    **{cell_id("noisy-mixtures-50", "Exemplar", ROUNDS, r): of_points(0.5 + 0.25 * r) for r in (0, 1)},
    cell_id("noisy-mixtures-50-n100", "Exemplar", ROUNDS): of_points(0.125),
    **{cell_id("outex", "Exemplar", None, r): of_images(0.5 * r) for r in (0, 1)},
    cell_id("uiuc-few", "Exemplar"): of_images(0.875),
    cell_id("uiuc-few", "Exemplar-several"): of_images(0.5, 4),
    cell_id("scenes-few", "Exemplar-several"): of_images(0.25, 4),
}


def pictures(available: bool = True) -> SimpleNamespace:
    """Ten images, each of a grey that tells its row, of three classes in turn."""
    pixels = [np.full((4, 4), 10 * row, dtype=np.uint8) for row in range(10)]
    shown = SimpleNamespace(pixels=pixels) if available else None
    names = ("bark", "wood", "brick")
    return SimpleNamespace(images=shown, labels=np.arange(10) % 3, label_names=names)


def context(*rows, names=None, **more):
    """The context of these rows, in a scope of these data sets; by default those of the rows."""
    names = names or list(dict.fromkeys(row["dataset"] for group in rows for row in group))
    entries = {n: {"title": f"title of {n}", "stand_in_for": None, "n_samples": 100} for n in names}
    return context_of("exemplar", *rows, datasets=["glass"], entries=entries, **more)


@pytest.fixture(scope="module")
def golden():
    return context(
        *ROWS,
        names=[*NAMES, "uiuc"],
        published=PRINTED,
        arrays=ARRAYS,
        load_data=lambda name, draw: {"outex": pictures(), "scenes-few": pictures()}[name],
    )


@pytest.fixture(scope="module")
def nothing():
    return context(names=["noisy-mixtures-50", "outex", "uiuc", "scenes"])


def notes_of(figure):
    return " ".join(figure.get_label().split())


def column_of(table, heading):
    (column,) = [name for name in table.frame if name == heading]
    return dict(zip(table.frame.method, table.frame[column], strict=True))


# ---------------------------------------------------------------- tables


def test_accuracies_stand_beside_the_printed_ones(golden):
    clustering, neighbours = build(ARTIFACTS, "clustering", golden), build(ARTIFACTS, "neighbours", golden)
    shown = [name.partition(":")[0] for name in clustering.frame.columns[2:]]
    # Images alone, in the order of the paper; also where nothing was run but in the scope.
    assert list(dict.fromkeys(shown)) == ["outex", "uiuc", "uiuc-few", "scenes-few"]
    index = {method: i for i, method in enumerate(clustering.frame.method)}
    learned = LABELS["Exemplar"]
    assert clustering.claims == {(index[learned], "uiuc: published"): "uiuc-clustering"}
    assert column_of(clustering, "uiuc: published")[learned] == "86"
    assert column_of(neighbours, "uiuc: published")[learned] == "95.3"
    (first,) = [name for name in clustering.frame if name == f"outex: {PLAN.selection['training'].label}"]
    assert column_of(clustering, first)[learned] == "95.00 ± 7.07 (2)"
    assert clustering.sources[index[learned], first] == tuple(
        cell_id("outex", "Exemplar", None, r) for r in (0, 1)
    )
    of_scenes = column_of(clustering, f"scenes-few: {PLAN.selection['training'].label}")
    assert of_scenes[LABELS["MKL-several"]] == "timeout"
    assert of_scenes[LABELS["Average-several"]] == "missing"
    assert of_scenes[learned] == "not planned"
    # The best single distance by the test images, and by the training images.
    single = {
        rule: column_of(neighbours, f"uiuc-few: {PLAN.selection[rule].label}")[LABELS["Single"]]
        for rule in ("oracle", "training")
    }
    assert single == {"oracle": "90.00 (1)", "training": "50.00 (1)"}
    assert "What is printed for the scenes is of four distances a feature." in clustering.notes
    assert not any(LABELS[name] in index for name in ("Exemplar-weak", "Euclidean"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("figure-2d-numbers", "0.8500 ± 0.071 (2)"),
        ("number-of-clusters", "75.00 ± 35.36 (2)"),
        ("noisy-dimensions", "18.75 ± 8.84 (2)"),
    ],
)
def test_tables_of_points_have_all_sets_of_points(golden, name, expected):
    table = build(ARTIFACTS, name, golden)
    shown = list(dict.fromkeys(name.partition(":")[0] for name in table.frame.columns[2:]))
    assert shown == ["noisy-mixtures-50", "noisy-mixtures-50-n100", "noisy-mixtures-90-n100"]
    (column,) = [
        column for column in table.frame if column == f"noisy-mixtures-50: {PLAN.selection['training'].label}"
    ]
    assert column_of(table, column)[LABELS["Exemplar"]] == expected
    assert table.claims == {}


def test_five_neighbours(golden):
    table = build(ARTIFACTS, "five-neighbours", golden)
    column = f"outex: {PLAN.selection['training'].label}"
    assert column_of(table, column)[LABELS["Exemplar"]] == "60.00 ± 14.14 (2)"


def test_what_random_features_do(golden):
    table = build(ARTIFACTS, "noise-features", golden)
    assert list(table.frame.columns) == ["method", "measure", "uiuc-few"]
    rows = {(row.method, row.measure): row._2 for row in table.frame.itertuples(index=False)}

    def shown(method, metric):
        return rows[LABELS[method], PLAN.measures[metric].meaning]

    assert shown("Exemplar", "nn_accuracy") == "90.00 (1)"
    assert shown("Exemplar-noise", "nn_accuracy") == "65.00 (1)"
    assert shown("Average", "matched_accuracy") == "60.00 (1)"
    assert shown("Average-noise", "matched_accuracy") == "not planned"
    assert shown("Exemplar-noise", "noise_share") == "2.00 (1)"
    assert shown("Exemplar-noise", "noise_largest") == "5.00 (1)"
    assert shown("Exemplar-noise", "noise_suppressed") in ("–", "—")
    assert len(rows) == 2 * 6 + 2 * 3


def test_how_learning_goes(golden):
    table = build(ARTIFACTS, "learning", golden)
    # Of points those of Fig. 2(a), after the images.
    assert list(table.frame.columns) == [
        *("method", "measure", "outex", "uiuc-few", "scenes-few"),
        *("noisy-mixtures-50-n100", "noisy-mixtures-50"),
    ]
    rows = table.frame.set_index(["method", "measure"])
    to_90 = PLAN.measures["rounds_to_90"].meaning
    assert rows.loc[(LABELS["Exemplar"], to_90), "outex"] == "20 ± 14 (2)"
    assert rows.loc[(LABELS["Exemplar-several"], to_90), "uiuc-few"] == "12 (1)"
    assert rows.loc[(LABELS["Exemplar"], to_90), "noisy-mixtures-50-n100"] == "7 (1)"
    price = PLAN.measures["price"].meaning
    assert rows.loc[(LABELS["Exemplar"], price), "outex"] == "20 ± 0 (2)"
    assert len(table.frame) == 12


@pytest.mark.parametrize(
    "name",
    [
        *("clustering", "neighbours", "figure-2d-numbers", "number-of-clusters", "noisy-dimensions"),
        "five-neighbours",
    ],
)
def test_a_table_says_who_was_not_run(nothing, name):
    table = build(ARTIFACTS, name, nothing)
    assert table.frame.empty and table.sources == {}
    (note,) = [note for note in table.notes if note.startswith("Neither printed nor planned here: ")]
    assert all(LABELS[name] in note for name in ("Exemplar", "Average", "SVM-cluster", "Random"))


@pytest.mark.parametrize(("name", "n_rows"), [("noise-features", 18), ("learning", 12)])
def test_of_nothing_there_are_measures_and_no_numbers(nothing, name, n_rows):
    table = build(ARTIFACTS, name, nothing)
    assert list(table.frame.columns) == ["method", "measure"] and len(table.frame) == n_rows
    assert table.sources == {} and len(table.notes) == 1


# ---------------------------------------------------------------- figures of points


def test_objectives_of_points(golden):
    figure = build(ARTIFACTS, "figure-2a", golden)
    (axes,) = figure.axes
    labels = [data_sets.SIZES[name] for name in ("noisy-mixtures-50-n100", "noisy-mixtures-50")]
    assert legend_of(figure) == [labels[0], f"{labels[1]} (2 runs)"]
    assert [line.get_ydata().tolist() for line in axes.lines] == [pytest.approx([1.0, 0.5, 0.1])] * 4
    assert notes_of(figure) == "3 runs, each of ten training sets."


def test_weights_of_dimensions(golden):
    figure = build(ARTIFACTS, "figure-2b", golden)
    (axes,) = figure.axes
    (dots,) = [line for line in axes.lines if len(line.get_xdata()) == 4]
    # Two runs on the larger sets, and not the one on the smaller ones.
    assert points_of(dots) == [(1, 0.625), (2, 1.0), (3, 0.25), (4, 0.0)]
    assert "noisy dimensions" in texts(figure)
    (ground,) = axes.patches
    assert ground.get_x() == 2.5 and ground.get_x() + ground.get_width() == 4.5
    notes = " ".join(notes_of(figure).split())
    assert notes.startswith("The squared differences of each dimension are scaled to mean 1.")
    assert notes.endswith("weights of noisy dimensions are about 13 times smaller still.")


def test_how_much_larger_noisy_differences_are():
    parts = datasets.load("noisy-mixtures-50").parts
    # Variances within a set, of which each dimension has its own: those of all sets together are near the truth.
    of_dimensions = np.mean([part.content.X.var(axis=0) for part in parts.values()], axis=0)
    assert of_dimensions[50:].mean() / of_dimensions[:50].mean() == pytest.approx(NOISY_OVER_CLEAN, rel=0.1)


def test_a_clustering(golden):
    figure = build(ARTIFACTS, "figure-2c", golden)
    (axes,) = figure.axes
    stored = ARRAYS[cell_id("noisy-mixtures-50", "Exemplar", ROUNDS)]
    (rings,) = [line for line in axes.lines if line.get_label() == "exemplar"]
    assert points_of(rings) == [tuple(stored["points"][row]) for row in (1, 3)]
    (wrong,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert points_of(wrong) == [tuple(stored["points"][2])]
    first, second = axes.lines[:2]  # true clusters
    assert points_of(first) == [tuple(row) for row in stored["points"][:2]]
    assert points_of(second) == [tuple(row) for row in stored["points"][2:]]
    # Dimensions are counted from 1.
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("dimension 2", "dimension 1")
    assert figure.get_suptitle().startswith("2 clusters found, 2 true clusters; ")


def test_accuracy_against_noise(golden):
    figure = build(ARTIFACTS, "figure-2d", golden)
    (axes,) = figure.axes
    curves = {
        line.get_label().removeprefix("random method: "): np.array(points_of(line))
        for line in axes.lines
        if not str(line.get_label()).startswith("_")
    }
    assert f"random method: {LABELS['Random']}" in legend_of(figure)
    assert set(curves) == {LABELS[name] for name in ("Exemplar", "Euclidean", "Random")}
    for method, expected in {
        "Exemplar": [(50, 0.85), (90, 0.7)],
        "Euclidean": [(50, 0.3)],
        "Random": [(90, 0.3)],
    }.items():
        found = curves[LABELS[method]]
        assert found[:, 0] == pytest.approx([x for x, _ in expected], abs=1.0)
        assert found[:, 1] == pytest.approx([y for _, y in expected])
    assert axes.get_ylabel() == "F over pairs\nhigher is better \u2192"
    assert figure.get_suptitle().startswith("Learned weights alone have the best mean F at ")
    assert notes_of(figure) == "Means of ten test sets of 100 or 500 points each, over runs."


def test_all_methods_of_a_share_of_noise_are_shown_on_the_same_sets():
    # Another method alone was run on the larger sets.
    rows = [
        run("noisy-mixtures-90", "Average", {"pair_f": [0.99]}),
        run("noisy-mixtures-90-n100", "Exemplar", {"pair_f": [0.7]}),
        run("noisy-mixtures-90-n100", "Average", {"pair_f": [0.5]}),
    ]
    figure = build(ARTIFACTS, "figure-2d", context(*rows))
    (axes,) = figure.axes
    heights = {line.get_label(): line.get_ydata().tolist() for line in axes.lines}
    assert heights[LABELS["Average"]] == [0.5] and heights[LABELS["Exemplar"]] == [0.7]
    assert "of 100 points each" in notes_of(figure)


# ---------------------------------------------------------------- figures of images


def bars_of(axes):
    return [round(float(bar.get_width()), 9) for bars in axes.containers for bar in bars]


def test_weights_of_features(golden):
    figure = build(ARTIFACTS, "figure-3", golden)
    outex, uiuc = figure.axes
    assert outex.get_title().splitlines() == [
        "title of outex",
        "unlike the paper (dense HOG and dense",
        "SIFT), rotation-invariant LBP and hog",
        "weigh most",
    ]
    assert uiuc.get_title().startswith("title of uiuc-few\n")
    assert [tick.get_text() for tick in outex.get_yticklabels()] == list(map(name_of, FEATURES))
    assert bars_of(outex) == pytest.approx([0.25, 1 / 3, 2 / 3])  # means of two splits
    assert bars_of(uiuc) == pytest.approx([0.875, 1 / 3, 2 / 3])


def test_the_title_says_where_the_largest_weights_are_the_papers():
    names, weights = ["gist", "dense-hog", "rot-lbp"], np.array([[0.1, 0.9, 0.5], [0.1, 0.7, 1.0]])
    same = said_of_lead(names, weights, ("rot-lbp", "dense-hog"))
    assert " ".join(same.split()) == "as in the paper, rotation-invariant LBP and dense HOG weigh most"
    other = said_of_lead(names, weights, ("rot-lbp", "gist")).split()
    said = (
        "in the paper rotation-invariant LBP and GIST weigh most, here dense HOG and rotation-invariant LBP"
    )
    assert other == said.split()


@pytest.mark.parametrize(
    ("name", "dataset", "first"), [("figure-5", "uiuc-few", 0.5), ("figure-6a", "scenes-few", 0.25)]
)
def test_weights_of_four_distances(golden, name, dataset, first):
    figure = build(ARTIFACTS, name, golden)
    (axes,) = figure.axes
    assert axes.get_title() == f"title of {dataset}"
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(map(name_of, FEATURES))
    assert legend_of(figure) == ["chi-squared", "squared Euclidean", "l1", "RBF kernel"]
    expected = np.arange(12) / 12
    expected[0] = first
    # A container for each kind, of which each feature has a bar.
    found = [[bar.get_width() for bar in bars] for bars in axes.containers]
    assert np.array(found) == pytest.approx(expected.reshape(3, 4).T)


@pytest.mark.parametrize(
    ("name", "dataset", "method"),
    [("figure-4", "outex", "Exemplar"), ("figure-7", "scenes-few", "Exemplar-several")],
)
def test_exemplars(golden, name, dataset, method):
    figure = build(ARTIFACTS, name, golden)
    stored = ARRAYS[cell_id(dataset, method)]
    shown = [axes for axes in figure.axes if axes.images]
    # The exemplars are places among the test images, whose rows are stored.
    rows = stored["rows"][stored["exemplars"]]
    assert rows.tolist() == [6, 4, 2]
    assert [int(axes.images[0].get_array()[0, 0]) for axes in shown] == [60, 40, 20]
    captions = [" ".join(axes.get_xlabel().split()).replace("1 images", "1 image") for axes in shown]
    # Row 6 is of class 0, as one of the two images in its cluster.
    assert captions == [
        "bark 2 images, 50% of this class",
        "wood 1 image, 100% of this class",
        "brick 1 image, 100% of this class",
    ]
    assert notes_of(figure) == "3 of 3 exemplars of the first split's test images."


def test_of_many_exemplars_ten_are_shown_from_the_first_to_the_last():
    n = 31
    stored = {
        "found": np.arange(n),
        "true": np.arange(n) % 3,
        "exemplars": np.arange(n),
        "rows": np.arange(n),
    }
    data = SimpleNamespace(
        images=SimpleNamespace(pixels=[np.full((2, 2), row, dtype=np.uint8) for row in range(n)]),
        labels=np.arange(n) % 3,
        label_names=("a", "b", "c"),
    )
    figure = build(
        ARTIFACTS,
        "figure-4",
        context(
            run("outex", "Exemplar", {"nn_accuracy": [1.0]}),
            arrays={cell_id("outex", "Exemplar"): stored},
            load_data=lambda name, draw: data,
        ),
    )
    shown = [int(axes.images[0].get_array()[0, 0]) for axes in figure.axes if axes.images]
    assert len(shown) == 10 and shown[0] == 0 and shown[-1] == 30
    assert set(np.diff(shown)) <= {3, 4}
    assert "10 of 31 exemplars" in notes_of(figure)
    assert figure.get_suptitle() == "31 clusters found, 3 classes: title of outex"


def not_here(name, draw):
    raise DataUnavailable(f"{name} is not here")


@pytest.mark.parametrize("load_data", [lambda name, draw: pictures(available=False), not_here])
def test_without_images_that_is_said(load_data):
    figure = build(
        ARTIFACTS,
        "figure-4",
        context(
            run("outex", "Exemplar", {"nn_accuracy": [1.0]}),
            arrays={cell_id("outex", "Exemplar"): of_images(0.5)},
            load_data=load_data,
        ),
    )
    assert texts(figure) == ["The images of title of outex are not available."]


def test_objectives_of_images(golden):
    figure = build(ARTIFACTS, "figure-6b", golden)
    (axes,) = figure.axes
    more = ", four distances a feature"
    assert [" ".join(label.split()) for label in legend_of(figure)] == [
        f"title of scenes-few{more}",
        f"title of uiuc-few{more}",
        "title of uiuc-few",
        "title of outex (2 runs)",
    ]
    ends = [line.get_ydata()[-1] for line in axes.lines]
    assert ends == pytest.approx([0.25 / 4, 0.5 / 4, 0.875 / 4, 0.0, 0.125, 0.0625])


# ---------------------------------------------------------------- which data sets, and none


def test_the_first_data_set_that_was_run_stands_for_a_group(golden):
    assert first_of(golden, data_sets.UIUC, "Exemplar") == "uiuc-few"
    assert first_of(golden, data_sets.UIUC, "Random") == "uiuc"  # neither
    assert first_of(golden, data_sets.MIXTURES[50], "Exemplar") == "noisy-mixtures-50"
    assert first_of(golden, data_sets.MIXTURES[90], "Exemplar") == "noisy-mixtures-90-n100"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *(
            (f"figure-2{x}", "No finished run of Exemplar on noisy-mixtures-50 in this scope.")
            for x in "abcd"
        ),
        *((f"figure-{n}", "No finished run of Exemplar on outex in this scope.") for n in (3, 4)),
        ("figure-5", "No finished run of Exemplar-several on uiuc in this scope."),
        *(
            (f"figure-{n}", "No finished run of Exemplar-several on scenes in this scope.")
            for n in ("6a", "6b", "7")
        ),
    ],
)
def test_an_empty_figure_says_why(nothing, name, said):
    assert texts(build(ARTIFACTS, name, nothing)) == [said]
    names = ["noisy-mixtures-50", "outex", "uiuc", "scenes"]
    rows = [
        unfinished(dataset, method, "timeout")
        for dataset in names
        for method in ("Exemplar", "Exemplar-several")
    ]
    # Nothing is read of cells that have not finished.
    assert texts(build(ARTIFACTS, name, context(*rows))) == [said]


@pytest.mark.parametrize("artifact", ARTIFACTS, ids=lambda artifact: artifact.id)
def test_every_artifact_is_made_of_the_golden_records_and_of_none(golden, nothing, artifact):
    assert len(artifact.caption.split()) > 8 and artifact.title
    # The register of unstated choices has every number of the paper looked up: once is enough.
    for made in check_made(artifact, *((golden,) if artifact.id == "deviations" else (golden, nothing))):
        if artifact.kind == "table":
            assert len(made.frame) >= 15 if artifact.id == "deviations" else made.notes


def test_artifacts_ask_for_what_the_plan_has():
    assert {
        *data_sets.IMAGES,
        *data_sets.SIZES,
        *(name for names in data_sets.MIXTURES.values() for name in names if not name.endswith("n100")),
    } <= set(PLAN.datasets)
    assert set(AGAINST_NOISE) <= set(PLAN.methods)
    ids = [artifact.id for artifact in ARTIFACTS]
    assert len(set(ids)) == len(ids)
    shown = {artifact.place for artifact in ARTIFACTS}
    assert {
        *(f"Fig. 2({x})" for x in "abcd"),
        "Fig. 3",
        "Fig. 4",
        "Fig. 5",
        "Fig. 6(a)",
        "Fig. 6(b)",
        "Fig. 7",
    } <= shown


def test_figures_look_as_before(golden):
    check_looks("exemplar", ARTIFACTS, golden)


def test_mixtures_are_data_sets_with_so_many_noisy_dimensions():
    known = {name for scope in PLAN.scopes for name in PLAN.datasets_of(scope)}
    for noisy, names in data_sets.MIXTURES.items():
        assert names == (f"noisy-mixtures-{noisy}", f"noisy-mixtures-{noisy}-n100") and known & {*names}
    assert {*data_sets.SIZES} <= known
