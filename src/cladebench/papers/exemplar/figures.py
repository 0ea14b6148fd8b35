"""Make the figures of the exemplar paper.

Each is a function of the records.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cladebench.datasets.sets.noisy_mixtures import CENTRES, NOISE
from cladebench.metrics.histogram_distances import KINDS
from cladebench.paper.artifact_types import ArtifactContext
from cladebench.paper.figures import (
    BETTER,
    best_of,
    counted,
    empty_figure,
    panel_title,
    title_line,
    with_title,
)
from cladebench.paper.measures_table import label_of
from cladebench.papers.exemplar import drawings, weight_drawings
from cladebench.papers.exemplar.data_sets import MIXTURES, OUTEX, SCENES, SIZES, UIUC

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AGAINST_NOISE = ("Exemplar", "Within", "Ratio", "Average", "Random", "Euclidean", "Clean")
SHOWN_EXEMPLARS = 10
KIND_LABELS = {"chi2": "chi-squared", "squared_l2": "squared Euclidean", "l1": "l1", "rbf": "RBF kernel"}
OF_SPLITS = "Means and standard deviations over splits; the largest weight of each split is 1."
#: Names of the features, as the paper writes them where it does.
FEATURES = {
    "gist": "GIST",
    "dense-hog": "dense HOG",
    "lbp": "LBP",
    "rot-lbp": "rotation-invariant LBP",
    "dense-sift": "dense SIFT",
    "sparse-sift": "sparse SIFT",
    "textons": "textons",
    "mr8-textons": "MR8 textons",
}
#: Features that have the largest weights in the paper's Figure 3.
LEAD = {OUTEX: ("dense-hog", "dense-sift"), UIUC: ("sparse-sift", "mr8-textons")}
#: Mean squared difference in a noisy dimension over that in a clean one, where all classes have centres of their own.
NOISY_OVER_CLEAN = CENTRES**2 * (1 + NOISE**2) / (CENTRES**2 + 1)


def figure_2a(context: ArtifactContext) -> Figure:
    """Draw the objective against rounds, with half of the dimensions noisy."""
    paths = {
        label: [stored["objective_path"] for stored in arrays_of(context, name, "Exemplar")]
        for name, label in SIZES.items()
    }
    paths = {label: runs for label, runs in paths.items() if runs}
    if not paths:
        return missing("Exemplar", "noisy-mixtures-50")
    number = sum(map(len, paths.values()))
    return drawings.objective_paths(paths, notes=(f"{number} runs, each of ten training sets.",))


def figure_2b(context: ArtifactContext) -> Figure:
    """Learned weights of clean and noisy dimensions."""
    name = first_of(context, MIXTURES[50], "Exemplar")
    stored = arrays_of(context, name, "Exemplar")
    if not stored:
        return missing("Exemplar", name)
    noisy = np.array([str(arrays).startswith("noisy") for arrays in stored[0]["features"]])
    return weight_drawings.weights_by_dimension(
        np.stack([arrays["weights"] for arrays in stored]),
        int(np.argmax(noisy)),
        notes=(
            "The squared differences of each dimension are scaled to mean 1. Without that, weights of noisy dimensions"
            f" are about {NOISY_OVER_CLEAN:.0f} times smaller still.",
        ),
    )


def figure_2c(context: ArtifactContext) -> Figure:
    """A clustering of a test set, in two clean dimensions."""
    name = first_of(context, MIXTURES[50], "Exemplar")
    cells = finished(context, name, "Exemplar")
    if not cells:
        return missing("Exemplar", name)
    arrays = context.load_arrays(cells[0])
    one, other = (int(place) + 1 for place in arrays["dimensions"])
    return drawings.clustering(
        arrays["points"],
        arrays["true"],
        arrays["exemplars"],
        arrays["found"],
        axis_names=(f"dimension {one}", f"dimension {other}"),
        notes=(
            "The first test set of the first run, in the two clean dimensions that tell its clusters best. Clusters"
            " overlap in these two, and are apart in all.",
        ),
    )


def figure_2d(context: ArtifactContext) -> Figure:
    """F over pairs against the share of noisy dimensions."""
    curves: dict[str, dict[float, np.ndarray]] = {}
    sizes = set()
    for method in AGAINST_NOISE:
        for noisy, names in MIXTURES.items():
            name = first_of(context, names, "Exemplar")
            rows = context.results.chosen(name, method, "pair_f", context.own_rule)
            if len(rows):
                curves.setdefault(label_of(context, method), {})[noisy] = rows.value.to_numpy()
                sizes.add(100 if name.endswith("n100") else 500)
    if not curves:
        return missing("Exemplar", "noisy-mixtures-50")
    points = " or ".join(str(size) for size in sorted(sizes))
    figure = drawings.accuracy_against_noise(
        curves,
        f"F over pairs\n{BETTER['higher']}",
        notes=(f"Means of ten test sets of {points} points each, over runs.",),
        random=[label_of(context, "Random")],
    )
    return with_title(figure, said_of_noise(context, curves))


def said_of_noise(context: ArtifactContext, curves: Mapping[str, Mapping[float, np.ndarray]]) -> str:
    """Count the shares of noise at which learned weights win.

    They alone have the best mean F. Nothing is said without a rival.

    Clean dimensions alone are no rival: no method is told them.
    """
    of_exemplar, told = label_of(context, "Exemplar"), label_of(context, "Clean")
    means = [
        {name: float(of[noisy].mean()) for name, of in curves.items() if noisy in of and name != told}
        for noisy in MIXTURES
    ]
    compared = [of for of in means if of_exemplar in of and len(of) > 1]
    leads = sum(best_of(of, context.measures["pair_f"]) == {of_exemplar} for of in compared)
    shares = counted(len(compared), "share") + " of noise"
    return f"{of_exemplar.capitalize()} alone have the best mean F at {leads} of {shares}" if compared else ""


def figure_3(context: ArtifactContext) -> Figure:
    """Learned weights of eight features."""
    weights: dict[str, np.ndarray] = {}
    names: Sequence[str] = ()
    same = 0
    for group in (OUTEX, UIUC):
        name = first_of(context, group, "Exemplar")
        stored = arrays_of(context, name, "Exemplar")
        if stored:
            names = [str(arrays) for arrays in stored[0]["features"]]
            learned = np.stack([arrays["weights"] for arrays in stored])
            lead = said_of_lead(names, learned, LEAD[group])
            same += set(largest(names, learned, len(LEAD[group]))) == set(LEAD[group])
            weights[f"{panel_title(context, name, 40)}\n{lead}"] = learned
    if not weights:
        return missing("Exemplar", OUTEX[0])
    figure = weight_drawings.weights_of_features(weights, list(map(name_of, names)), notes=(OF_SPLITS,))
    data = counted(len(weights), "data set")
    return with_title(figure, f"The paper's largest weights are the largest here on {same} of {data}")


def figure_of_distances(context: ArtifactContext, group: Sequence[str]) -> Figure:
    """Learned weights of four distances for each feature."""
    name = first_of(context, group, "Exemplar-several")
    stored = arrays_of(context, name, "Exemplar-several")
    if not stored:
        return missing("Exemplar-several", name)
    features = list(dict.fromkeys(str(own) for own in stored[0]["features"]))
    weights = np.stack([own["weights"].reshape(len(features), len(KINDS)) for own in stored])
    figure = weight_drawings.weights_of_distances(
        {panel_title(context, name, 40): weights},
        list(map(name_of, features)),
        [KIND_LABELS[kind] for kind in KINDS],
        notes=(OF_SPLITS,),
    )
    feature, kind = np.unravel_index(weights.mean(axis=0).argmax(), weights.shape[1:])
    title = f"Largest mean weight: {name_of(features[feature])}, {KIND_LABELS[KINDS[kind]]}"
    return with_title(figure, title)


def exemplars_figure(context: ArtifactContext, group: Sequence[str], method: str) -> Figure:
    """Draw ten images that are exemplars.

    They are of the first split's test set.
    """
    name = first_of(context, group, method)
    cells = finished(context, name, method)
    if not cells:
        return missing(method, name)
    arrays, data = context.load_arrays(cells[0]), context.data_with_images(name)
    if data is None:
        return empty_figure(f"The images of {title_line(context, name)} are not available.")
    assert data.images is not None and data.labels is not None
    pictures, captions = [], []
    sizes = np.bincount(arrays["found"])
    # Evenly spaced in the order of the images, which is by class: no choice is made.
    shown = np.unique(np.linspace(0, len(arrays["exemplars"]) - 1, SHOWN_EXEMPLARS).round().astype(int))
    for cluster in shown:
        row = int(arrays["rows"][arrays["exemplars"][cluster]])
        members = arrays["found"] == cluster
        right = 100.0 * (arrays["true"][members] == data.labels[row]).mean()
        pictures.append(data.images.pixels[row])
        captions.append(
            f"{data.label_names[data.labels[row]]}\n{sizes[cluster]} image{'s' if sizes[cluster] > 1 else ''},"
            f" {right:.0f}% of this class"
        )
    return drawings.exemplar_images(
        pictures,
        captions,
        notes=(f"{len(shown)} of {len(arrays['exemplars'])} exemplars of the first split's test images.",),
        title=f"{len(arrays['exemplars'])} clusters found, {len(np.unique(arrays['true']))} classes:"
        f" {title_line(context, name)}",
    )


def figure_6b(context: ArtifactContext) -> Figure:
    """The objective of learning against rounds, on scenes and textures."""
    paths: dict[str, list[np.ndarray]] = {}
    for group, method in (
        (SCENES, "Exemplar-several"),
        (UIUC, "Exemplar-several"),
        (UIUC, "Exemplar"),
        (OUTEX, "Exemplar"),
    ):
        name = first_of(context, group, method)
        runs = [arrays["objective_path"] for arrays in arrays_of(context, name, method)]
        if runs:
            more = ", four distances a feature" if method == "Exemplar-several" else ""
            paths[f"{title_line(context, name)}{more}"] = runs
    return drawings.objective_paths(paths) if paths else missing("Exemplar-several", SCENES[0])


def first_of(context: ArtifactContext, names: Sequence[str], method: str) -> str:
    """Find the first data set on which a method was run.

    The first of all where there is none.
    """
    return next((name for name in names if len(context.results.rows(name, method))), names[0])


def arrays_of(context: ArtifactContext, dataset: str, method: str) -> list[Mapping[str, np.ndarray]]:
    """What the finished runs of a method stored, repetition by repetition."""
    return [context.load_arrays(cell) for cell in finished(context, dataset, method)]


def finished(context: ArtifactContext, dataset: str, method: str) -> list[str]:
    """Identifiers of the finished runs of a method, repetition by repetition."""
    rows = context.results.chosen(dataset, method, "n_clusters", context.own_rule)
    return sorted(map(str, rows.cell_id))


def missing(method: str, dataset: str) -> Figure:
    """Say that there is nothing to draw."""
    return empty_figure(f"No finished run of {method} on {dataset} in this scope.")


def name_of(feature: str) -> str:
    """Give the name of a feature."""
    return FEATURES.get(feature, feature)


def largest(names: Sequence[str], weights: np.ndarray, number: int) -> list[str]:
    """List the features with the largest mean weights, the largest first."""
    return [names[k] for k in np.argsort(-weights.mean(axis=0), kind="stable")[:number]]


def said_of_lead(names: Sequence[str], weights: np.ndarray, printed: Sequence[str]) -> str:
    """Say which features weigh most in the paper, and here."""
    here = largest(names, weights, len(printed))
    said, leading = (" and ".join(map(name_of, features)) for features in (printed, here))
    if set(here) == set(printed):
        text = f"as in the paper, {said} weigh most"
    elif {*here} & {*printed}:
        text = f"in the paper {said} weigh most, here {leading}"
    else:
        text = f"unlike the paper ({said}), {leading} weigh most"
    return textwrap.fill(text, 40)
