"""Make the figures of the taxonomy paper from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cladebench.methods._structures import named_tree
from cladebench.paper.artifact_types import ArtifactContext
from cladebench.paper.figures import counted, empty_figure, panel_title, title_line, with_title
from cladebench.paper.measures_table import label_of
from cladebench.paper.protocol import stored_tree
from cladebench.papers.taxonomy import drawings, tree_drawings
from cladebench.papers.taxonomy.words import LETTERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Methods of Table 1, in its order, and what tells apart what helps.
TABLE_1 = ("Spectral", *(f"CLUHSIC-{letter}" for letter in LETTERS), "NTC")
BESIDE = (
    "Relaxation",
    "NTC-unconstrained",
    "NTC-star",
    "NTC-random",
    "CLUHSIC-h-normalized",
    "KM",
    "Ward",
)
#: Words beside a leaf of a drawn tree.
SHOWN_WORDS = 5


def entropies(context: ArtifactContext) -> Figure:
    """Table 1 as a picture: a dot for each draw of people."""
    rows: dict[str, np.ndarray] = {}
    for method in (*TABLE_1, *BESIDE):
        sample = context.results.chosen("faces", method, "conditional_entropy", context.own_rule)
        if len(sample):
            rows[label_of(context, method)] = sample.sort_values("cell_id").value.to_numpy()
    published = context.published[context.published.artifact == "Table 1"]
    printed = {
        label_of(context, str(claim["method"])): float(claim["value"])
        for claim in published.to_dict("records")
    }
    title = panel_title(context, "faces", 60) if rows else ""
    sample = context.results.chosen("faces", "Random", "conditional_entropy", context.own_rule)
    random = {label_of(context, "Random"): sample.value.to_numpy()} if len(sample) else {}
    return with_title(drawings.entropies(rows, printed, title, random), said_of_rank(context, rows))


def said_of_rank(context: ArtifactContext, rows: Mapping[str, np.ndarray]) -> str:
    """Count the methods with a lower mean than taxonomy clustering.

    Nothing where there are no others.
    """
    of_ntc = label_of(context, "NTC")
    if of_ntc not in rows or len(rows) < 2:
        return ""
    lower = sum(float(values.mean()) < float(rows[of_ntc].mean()) for values in rows.values())
    return f"{of_ntc.capitalize()}: {lower} of {counted(len(rows) - 1, 'other method')} have a lower mean"


def figure_1(context: ArtifactContext) -> Figure:
    """The structures that replace the lost drawings."""
    trees = {
        "star" if arity == 9 else f"{arity}-ary": named_tree(f"{arity}-ary", 9) for arity in range(2, 10)
    }
    return with_title(
        drawings.structures(trees), f"{len(trees)} trees over 9 clusters replace the lost drawings"
    )


def figure_2(context: ArtifactContext) -> Figure:
    """Draw the taxonomy of one draw of faces.

    The one whose conditional entropy is the median.
    """
    rows = context.results.chosen("faces", "NTC", "conditional_entropy", context.own_rule)
    if rows.empty:
        return empty_figure("No finished run of NTC on faces in this scope.")
    # Neither the best nor the worst draw: of an even number the lower of the two in the middle.
    shown = rows.sort_values(["value", "cell_id"], kind="stable").iloc[(len(rows) - 1) // 2]
    arrays = context.load_arrays(str(shown.cell_id))
    repetition = repetition_of(str(shown.cell_id))
    data = context.data_with_images("faces", repetition)
    if data is None:
        return empty_figure("The images of the faces are not available.")
    assert data.images is not None
    labels, names = arrays["labels"], numbered_people(arrays["class_names"].tolist())
    pure = sum(int(counts.max() == counts.sum()) for counts in arrays["class_counts"])
    pictures, captions = [], []
    for cluster, counts in enumerate(arrays["class_counts"]):
        mean = np.stack([data.images.pixels[int(i)] for i in np.flatnonzero(labels == cluster)]).mean(axis=0)
        # The files use half of the grey values at most.
        pictures.append(np.clip(mean * (255.0 / 150.0), 0, 255).astype(np.uint8))
        largest = int(counts.argmax())
        share = 100.0 * counts[largest] / counts.sum()
        captions.append(f"{drawings.letter(cluster)}: {counts.sum()} images\n{names[largest]}, {share:.0f}%")
    return tree_drawings.taxonomy_of_images(
        stored_tree(arrays),
        pictures,
        captions,
        notes=(
            f"Draw {repetition + 1} of {len(rows)}, the median by H(l|c) = {shown.value:.3f}; mean images, brightened."
            " Below each the class that most of its images have.",
        ),
        title=f"{title_line(context, 'faces')}: {pure} of {len(captions)} clusters hold one class alone",
    )


def numbered_people(classes: Sequence[str]) -> list[str]:
    """Number the people of classes such as ``boland left``.

    The names of the files say nothing to a reader.

    >>> numbered_people(["at33 left", "at33 up", "boland left"])
    ['person 1, left', 'person 1, up', 'person 2, left']
    """
    people: dict[str, int] = {}
    names = []
    for name in classes:
        person, _, value = str(name).rpartition(" ")
        names.append(f"person {people.setdefault(person, len(people) + 1)}, {value}")
    return names


def repetition_of(cell_id: str) -> int:
    """Repetition of a cell, which is the draw of its data."""
    return int(cell_id.rpartition("/")[2].partition(".")[0].lstrip("r"))


def by_objective(context: ArtifactContext, dataset: str) -> pd.DataFrame:
    """List the finished runs of NTC, the largest objective first.

    No label is looked at.
    """
    rows = context.results.chosen(dataset, "NTC", "objective", context.own_rule)
    return rows.sort_values(["value", "cell_id"], ascending=[False, True], kind="stable")


def taxonomy_of(context: ArtifactContext, dataset: str) -> Figure:
    """The taxonomy of documents, with the leading words of each cluster."""
    rows = by_objective(context, dataset)
    if rows.empty:
        return empty_figure(f"No finished run of NTC on {dataset} in this scope.")
    arrays = context.load_arrays(str(rows.iloc[0].cell_id))
    sizes = np.bincount(arrays["labels"])
    named = dict(zip(arrays["matched"].tolist(), LETTERS, strict=True)) if "matched" in arrays else {}
    captions = []
    for cluster, size in enumerate(sizes):
        like = f", as {named[cluster]} of Table 2" if cluster in named else ""
        captions.append(f"{drawings.letter(cluster)}: {size}{like}")
    return tree_drawings.taxonomy_of_words(
        stored_tree(arrays),
        [top[:SHOWN_WORDS].tolist() for top in arrays["top_words"]],
        captions,
        notes=(
            f"The run with the largest objective of {len(rows)}. Words: the first five by their share in the cluster"
            " less their share outside. Numbers: documents.",
        ),
        title=f"{title_line(context, dataset)}: {len(sizes)} clusters of {sizes.sum():,} documents",
    )


def numbers_figure(context: ArtifactContext) -> Figure:
    """The objective against the number of clusters, and the eigenvalues."""
    curves: dict[str, dict[int, np.ndarray]] = {}
    eigenvalues: dict[str, np.ndarray] = {}
    elbow: dict[str, int] = {}
    gap: dict[str, int] = {}
    for name in ("faces", "nips"):
        rows = context.results.rows(name, "number-study")
        finished = rows[rows.status == "ok"] if len(rows) else rows
        if finished.empty:
            continue
        title = panel_title(context, name)
        for k in range(2, 16):
            sample = context.results.chosen(name, "number-study", "objective", context.own_rule, at={"k": k})
            if len(sample):
                curves.setdefault(title, {})[k] = sample.value.to_numpy()
        stored = [context.load_arrays(cell)["eigenvalues"] for cell in sorted(set(finished.cell_id))]
        least = min(len(values) for values in stored)
        eigenvalues[title] = np.stack([values[:least] for values in stored])
        for rule, into, less in (("elbow", elbow, 0), ("eigengap", gap, 1)):
            chosen = context.results.chosen(name, "number-study", rule, context.own_rule).value
            # Of repetitions that choose different numbers the median.
            into[title] = int(np.median(chosen)) - less
    figure = drawings.objective_against_clusters(curves, eigenvalues, elbow, gap)
    apart = sum(elbow[title] != gap[title] + 1 for title in gap)
    data = counted(len(gap), "data set")
    title = f"The elbow and the largest gap choose other numbers of clusters on {apart} of {data}"
    return with_title(figure, title if gap else "")
