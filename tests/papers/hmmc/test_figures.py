"""The figures of the HMMC paper, from records with known values."""

import dataclasses

import numpy as np
import pytest

from cladebench.audit.claims_file import load_claims
from cladebench.audit.kinds import queries
from cladebench.bench.plan.cell_spec import canonical_json
from cladebench.hierarchy import Hierarchy
from cladebench.paper.figures import EMPTY
from cladebench.paper.protocol import tree_arrays
from cladebench.papers.hmmc import drawings
from cladebench.papers.hmmc.artifacts import ARTIFACTS, FIGURE_2, FIGURE_4, said_of_rises
from cladebench.plotting import use_style
from golden_looks import check_looks, fits_a_page
from golden_records import (
    build,
    cell_id,
    cells,
    context_of,
    failed,
    legend_of,
    line_of,
    points_of,
    ranges_of,
    texts,
)
from hmmc_records import AT, BEST, K3, ROWS, stored

#: Below figures.
CHOSEN = "Settings chosen with test labels."


def test_figure_2_draws_means_and_ranges_by_leaves_and_by_splits(golden):
    figure = build(ARTIFACTS, "figure-2", golden)
    (awa, vehicle), (awa_k, vehicle_k) = np.reshape(figure.axes, (2, 2)).T
    assert [panel.get_title() for panel in (awa, vehicle)] == ["awa-attr", "vehicle"]
    # Above: the setting chosen with as many leaves as classes, although another is better with twice as many.
    assert line_of(awa, "HMMC") == [(1.0, 89.0), (1.5, 72.0), (2.0, 62.0)]
    assert line_of(awa, "KM") == [(1.0, 60.0), (1.5, 50.0)]
    assert ranges_of(awa)[0] == (1.0, 50.0, 70.0)
    assert [tick.get_text() for tick in awa.get_xticklabels()] == ["1", "1.5", "2"]
    # Below: K = 2 is the method itself, every other K a choice of its own, a flat method the same for all.
    assert line_of(awa_k, "HMMC") == [(2, 89.0), (3, 83.0), (4, 84.0)]
    assert line_of(awa_k, "KM") == [(k, 60.0) for k in (2, 3, 4, 5)]
    assert (2.0, 86.0, 92.0) in ranges_of(awa_k)
    assert line_of(vehicle, "KM") == [(1.0, 30.0)]
    assert {line.get_label() for line in vehicle_k.lines} == {"KM"}
    label = "SP (%)\nhigher is better \u2192"
    assert [panel.get_ylabel() for panel in (awa, vehicle, awa_k, vehicle_k)] == [label, label, "", ""]
    assert figure.get_suptitle() == "HMMC has the best mean SP at 4 of 4 points"
    assert legend_of(figure) == ["KM", "MMC", "HMMC"]
    assert figure.get_label().splitlines() == [
        CHOSEN,
        "Rows used: awa-attr 1,000 of 30,475; vehicle all.",
    ]


def test_figure_2_follows_the_rule_of_the_paper(golden):
    """Not one of a certain name, nor the one beside it."""
    rules = {name: golden.rules[name] for name in ("label_free", "oracle")}
    figure = build(ARTIFACTS, "figure-2", context_of("hmmc", *ROWS, selection=rules))
    assert line_of(figure.axes[0], "HMMC")[0] == (1.0, 81.0)
    assert line_of(figure.axes[1], "HMMC")[0] == (2.0, 81.0)


@pytest.mark.parametrize(
    ("status", "said"),
    [("unavailable", ""), ("missing", "Missing: 3 of the 3 runs that are planned for this.")],
)
def test_a_figure_without_curves_says_which_cells_are_missing(status, said):
    rows = failed("awa-attr", "HMMC", status, BEST, 2), failed("awa-attr", "HMMC-K", status, K3)
    figure = build(ARTIFACTS, "figure-2", context_of("hmmc", *rows))
    nothing = "No data set of the paper is available in this run."
    assert figure.get_label().splitlines() == [f"{EMPTY}{nothing}", *said.splitlines()]
    assert texts(figure) == ["No data set of the paper is available in this run."]


def test_figure_3_draws_the_best_tree_and_only_what_its_models_use(golden):
    figure = build(ARTIFACTS, "figure-3", golden)
    assert figure.get_suptitle().startswith("The tree of HMMC on awa-attr has SP 92.00%, the best of ")
    assert texts(figure) == [
        "1,234 images\nape 1200\nbat 30\ncat 4",
        "black 90%, white 10%,\nblue < 1%",
        "34 images\nbat 30\ncat 4",
        "blue 70%, black 30%",
        "30 images\nbat 30",
        "4 images\ncat 4",
        "1,200 images\nape 1200",
    ]


def test_stand_in_data_are_said_and_are_of_no_images(golden):
    entries = {n: {**entry, "stand_in_for": "AWA"} for n, entry in golden.datasets.items()}
    context = dataclasses.replace(golden, datasets=entries)
    for artifact in ("figure-2", "figure-3", "convergence"):
        figure = build(ARTIFACTS, artifact, context)
        titles = (
            [figure.get_suptitle()] if artifact == "figure-3" else [axes.get_title() for axes in figure.axes]
        )
        assert all("AWA (stand-in data)" in title for title in titles)
        if artifact == "figure-3":
            assert texts(figure)[0].startswith("1,234 rows") and "image" not in " ".join(texts(figure))
    (axes,) = build(ARTIFACTS, "figure-4", context).axes
    assert all("stand-in data" in tick.get_text() for tick in axes.get_yticklabels())


def test_figures_of_many_data_sets_fit_a_page(golden):
    names = [f"set {k}" for k in range(9)]
    values = np.array([0.5, 0.7])
    points = {name: {method: {1.0: values, 2.0: values} for method in FIGURE_2} for name in names}
    with use_style():
        fits_a_page(drawings.measure_against_size(points, points, golden.measures["sp"]))
        fits_a_page(
            drawings.sparsity(
                {name: dict.fromkeys(FIGURE_4, values) for name in names}, golden.measures["zeros"]
            )
        )
        fits_a_page(drawings.convergence({name: {"HMMC": [np.array([2.0, 1.0])]} for name in names}))


def test_figure_3_has_the_first_four_layers_of_a_deeper_tree():
    tree = Hierarchy([-1, 0, 0, 2, 2, 4, 4, 6, 6], [1, 3, 5, 7, 8])  # a chain: layers 0 to 4
    deep = stored([1, 1, 1]) | tree_arrays(tree) | {"class_counts": np.tile(tree.sizes[:, None], (1, 3))}
    deep |= {name: np.zeros((9, 3), int) for name in ("top_features", "top_feature_shares")}
    arrays = {cell_id("awa-attr", "HMMC", BEST, r): deep for r in range(3)}
    boxes = texts(build(ARTIFACTS, "figure-3", context_of("hmmc", *ROWS, arrays=arrays)))
    # The root, and two in each of the three layers below it.
    assert [box.split()[0] for box in boxes] == ["15", "3", "12", "3", "9", "3", "6"]


def test_figure_3_without_a_tree_says_so():
    (text,) = texts(build(ARTIFACTS, "figure-3", context_of("hmmc", *ROWS[-3:])))
    assert text == "No finished run of HMMC on AWA-ATTR in this scope."


def test_figures_say_how_their_setting_was_chosen_where_they_show_one(golden):
    """Figure 4 has one setting that no rule chooses."""
    empty = context_of("hmmc", datasets=["awa-attr"])
    for artifact, said in (
        *((name, CHOSEN) for name in ("figure-2", "figure-3", "convergence")),
        ("figure-4", ""),
    ):
        below = build(ARTIFACTS, artifact, golden).get_label()
        assert " ".join(below.split()).startswith(said) and bool(below) == bool(said)
        (said,) = build(ARTIFACTS, artifact, empty).get_label().splitlines()
        assert said.startswith(EMPTY)


def test_figure_4_draws_the_zeros_at_one_setting(golden):
    figure = build(ARTIFACTS, "figure-4", golden)
    (axes,) = figure.axes
    bars = {bars.get_label(): [bar.get_width() for bar in bars] for bars in axes.containers}
    assert bars == {"HMMC": pytest.approx([60, 40]), "HMMC-G": pytest.approx([20])}
    dots = [list(map(float, line.get_xdata())) for line in axes.lines]
    assert dots == [pytest.approx([50, 70, 60]), pytest.approx([40]), pytest.approx([20])]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["awa-attr", "vehicle"]
    # The bars of a group stand side by side around its place, in order.
    centres = [bar.get_y() + bar.get_height() / 2 for bars in axes.containers for bar in bars]
    assert centres == pytest.approx([-0.2, 0.8, 0.2])
    assert [float(line.get_ydata()[0]) for line in axes.lines] == pytest.approx([-0.2, 0.8, 0.2])
    assert legend_of(figure) == ["HMMC", "HMMC-G"]
    assert figure.get_suptitle() == "HMMC has most zeros on 1 of 1 data set"


def test_figure_4_has_every_method_at_parameters_of_one():
    """Where a method has two, both."""
    settings = {
        "HMMC": [{"alpha": alpha, "beta": beta} for alpha in (0.1, 1.0, 2.0) for beta in (0.1, 1.0, 2.0)],
        **{name: [{"alpha": alpha} for alpha in (0.1, 1.0, 2.0)] for name in ("HMMC-G", "HMMC-1")},
        "HMMC-E": [{"beta": beta} for beta in (0.1, 1.0, 2.0)],
    }
    rows = [
        cells("vehicle", method, {"zeros": [0.3 if set(setting.values()) == {1.0} else 0.9]}, setting)
        for method, found in settings.items()
        for setting in found
    ]
    (axes,) = build(ARTIFACTS, "figure-4", context_of("hmmc", *rows)).axes
    bars = {bars.get_label(): [bar.get_width() for bar in bars] for bars in axes.containers}
    assert bars == {method: pytest.approx([30]) for method in ("HMMC", "HMMC-G", "HMMC-E", "HMMC-1")}


def test_figure_4_leaves_out_data_sets_without_a_comparison():
    both = {"alpha": 1.0, "beta": 1.0}
    alone = cells("nested-blobs", "HMMC", {"zeros": [0.3]}, both)
    compared = [
        *cells("vehicle", "HMMC", {"zeros": [0.3]}, both),
        *cells("vehicle", "HMMC-G", {"zeros": [0.4]}, {"alpha": 1.0}),
    ]
    for rows, shown in ((alone, ["nested-blobs"]), (compared, ["vehicle"]), (alone + compared, ["vehicle"])):
        (axes,) = build(ARTIFACTS, "figure-4", context_of("hmmc", rows)).axes
        assert [tick.get_text() for tick in axes.get_yticklabels()] == shown


def test_figure_4_has_the_settings_that_its_claims_judge():
    judged = {
        (query["method"], canonical_json(query.get("where", {})))
        for claim in load_claims("hmmc").claims.values()
        if claim.place.get("artifact") == "Figure 4" and claim.kind == "order"
        for query in queries(claim)
        if query["method"] != "HMMC-2"  # which the figure leaves out
    }
    assert judged == {(method, canonical_json(setting)) for method, setting in FIGURE_4.items()}


def test_means_of_few_of_the_planned_cells_are_not_drawn():
    """Two of four is half; one of four is not."""
    rows = [
        row
        for method, n in (("HMMC", 1), ("HMMC-G", 2))
        for setting in [{"alpha": 1.0, "beta": 1.0} if method == "HMMC" else {"alpha": 1.0}]
        for row in (
            *cells("awa-attr", method, {"sp": [0.5] * n}, setting, at=AT),
            *cells("awa-attr", method, {"zeros": [0.5] * n}, setting),
            *failed("awa-attr", method, "timeout", setting, 4)[n:],
        )
    ]
    context = context_of("hmmc", rows)
    assert legend_of(build(ARTIFACTS, "figure-4", context)) == ["HMMC-G"]
    assert texts(build(ARTIFACTS, "figure-3", context)) == ["3 of 4 runs timeout"]
    rows += cells("awa-attr", "KM", {"sp": [0.5]}, at=AT)
    figure = build(ARTIFACTS, "figure-2", context_of("hmmc", rows))
    assert legend_of(figure) == ["KM"]
    assert figure.get_label().splitlines()[-1] == "Left out: HMMC on awa-attr: 3 of 4 runs timeout."


def test_convergence_draws_each_repetition_relative_to_its_end(golden):
    figure = build(ARTIFACTS, "convergence", golden)
    (axes,) = figure.axes  # one data set has traces
    assert axes.get_title() == "awa-attr"
    drawn = [points_of(line) for line in axes.lines]
    assert drawn == [[(1, 4.0), (2, 2.0), (3, 1.0)], [(1, 2.0), (2, 1.0)]]  # a trace of one step is no curve
    assert legend_of(figure) == ["HMMC"]
    assert figure.get_suptitle() == "The objective never rises, in 2 runs"


def test_a_title_of_28_letters_stands_in_one_line_above_a_curve(golden):
    for title, shown in {
        "Twenty-eight letters of data": None,
        "Twenty-nine letters of a data": "\ndata",
    }.items():
        entries = {"awa-attr": {**golden.datasets["awa-attr"], "title": title}}
        (axes,) = build(ARTIFACTS, "convergence", dataclasses.replace(golden, datasets=entries)).axes
        assert axes.get_title() == (title.replace(" data", shown) if shown else title)


def test_an_objective_that_rises_by_more_than_rounding_is_counted():
    falls, rises = np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 1.1])
    assert said_of_rises([falls, rises, falls * (1 - 1e-12)]) == "The objective rises in 1 of 3 runs"
    assert said_of_rises([np.array([1.0, 1.0 + 1e-12])]) == "The objective never rises, in 1 run"
    assert said_of_rises([]) == ""


def test_figures_look_as_before(golden):
    check_looks("hmmc", ARTIFACTS, golden)
