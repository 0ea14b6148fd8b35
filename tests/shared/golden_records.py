"""Records with known values, and the context in which a paper's tables and figures read them."""

import itertools
import json

import pandas as pd
from matplotlib.text import Text

from cladebench.bench.plan.cell_spec import canonical_json, point_text, setting_id
from cladebench.bench.samples.results import Results
from cladebench.paper.artifact_types import ArtifactContext, Table
from cladebench.paper.catalogue import load_plan

N_SAMPLES = {
    "glass": 214,
    "spambase": 4601,
    "digits": 1797,
    "awa-attr": 30475,
    "vehicle": 12000,
    "nested-blobs": 240,
    "usps": 11000,
    "cifar10": 60000,
    "faces": 200,
    **dict.fromkeys(("faces-expressions", "newsgroups", "newsgroups-100"), 150),
    **dict.fromkeys(("nips", "nips-halves"), 300),
    **dict.fromkeys(("sonar", "sonar-noise-10", "sonar-noise-20", "sonar-search", "sonar-60"), 208),
}


def cells(dataset, method, metrics, setting=None, *, at=None, status="ok", n_rows=None, paper="p"):
    """Rows of cells, one repetition for each value of the metrics; several calls give readings of the same cells."""
    setting = setting or {}
    n_rows = n_rows or N_SAMPLES[dataset]
    return [
        {
            **dict(paper=paper, dataset=dataset, method=method, metric=metric, value=value, status=status),
            **dict(setting=canonical_json(setting), setting_id=setting_id(setting), at=point_text(at or {})),
            **dict(
                repetition=repetition,
                fold=None,
                task=f"{dataset}-{repetition}",
                reason=None,
                stand_in_for=None,
            ),
            **dict(n_rows=n_rows, n_train=n_rows, n_test=n_rows, cpu_seconds=1.0, peak_memory_mb=100.0),
            "cell_id": cell_id(dataset, method, setting, repetition, paper),
        }
        for metric, values in metrics.items()
        for repetition, value in enumerate(values)
    ]


def cell_id(dataset, method, setting=None, repetition=0, paper="p"):
    return f"{paper}/{dataset}/{method}/{setting_id(setting or {})}/{repetition}"


def failed(dataset, method, status, setting=None, repetitions=1, paper="p"):
    """Rows of cells that have no number."""
    rows = cells(dataset, method, {None: [None] * repetitions}, setting, status=status, paper=paper)
    return [row | {"cpu_seconds": None, "peak_memory_mb": None, "n_rows": None} for row in rows]


def context_of(paper, *rows, published=(), arrays=None, datasets=None, **more):
    """The context of a paper of cladebench: its plan, these rows, these printed numbers and these arrays by cell."""
    plan = load_plan(paper)
    fields = list(cells("glass", "A", {"m": [0.0]})[0])  # those of a row, where there is none
    records = pd.DataFrame([row for group in rows for row in group], columns=fields)
    records = records.astype({"value": float, "fold": float, "n_rows": float, "cpu_seconds": float})
    results = Results(
        records.assign(paper=paper), more.pop("selection", plan.selection), more.pop("at", plan.at)
    )
    names = datasets or list(dict.fromkeys(records.dataset))
    entries = {n: {"title": n, "stand_in_for": None, "n_samples": N_SAMPLES[n]} for n in names}
    columns = ["claim", "artifact", "dataset", "method", "metric", "value", "printed", "at", "where"]
    meant = ["", "{}"]  # where a printed number names no evaluation point and no setting
    return ArtifactContext(
        paper=paper,
        package=plan.package,
        scope="quick",
        results=results,
        published=pd.DataFrame([(*row, *meant[len(row) - 7 :]) for row in published], columns=columns),
        measures=more.pop("measures", plan.measures),
        methods=more.pop("methods", {name: method.as_dict() for name, method in plan.methods.items()}),
        datasets=more.pop("entries", entries),
        load_arrays=(arrays or {}).__getitem__,
        **more,
    )


def build(artifacts, name, context):
    """Build one artifact of a paper."""
    (artifact,) = [artifact for artifact in artifacts if artifact.id == name]
    return artifact.build(context)


def check_made(artifact, *contexts):
    """Make an artifact of each context: numbers of a table have places in it, and a figure can be laid out."""
    every = [artifact.build(context) for context in contexts]
    for made in every:
        if artifact.kind == "table":
            assert isinstance(made, Table)
            assert set(made.sources) <= {(i, c) for i in range(len(made.frame)) for c in made.frame}
            json.dumps(made.notes)
        else:
            made.draw_without_rendering()  # the canvas of a bare figure draws nothing
    return every


def line_of(axes, label):
    """Points of the line with a label, to nine decimals."""
    (line,) = [line for line in axes.lines if line.get_label() == label]
    return points_of(line)


def points_of(line):
    return [(round(float(x), 9), round(float(y), 9)) for x, y in line.get_xydata()]


def ranges_of(axes):
    """Vertical lines of a panel: (place, low, high), in the order in which they were drawn."""
    return [
        tuple(round(float(number), 9) for number in (low[0], *sorted((low[1], high[1]))))
        for lines in axes.collections
        for low, high in lines.get_segments()
    ]


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def notes_of(figure):
    """What stands below a figure, in one line."""
    return " ".join(figure.get_label().split())


def legend_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def least_text(figure):
    """Size in points of the smallest text of a figure."""
    return min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text())


def extents(figure, artists):
    """Bounding boxes of artists, in inches, once everything has its place."""
    figure.draw_without_rendering()
    return [box.get_window_extent().transformed(figure.dpi_scale_trans.inverted()) for box in artists]


def inside(inner, outer):
    """Whether a bounding box lies within another one, to a hundredth of an inch."""
    return (inner.min >= outer.min - 0.01).all() and (inner.max <= outer.max + 0.01).all()


def apart(boxes):
    """Whether no two bounding boxes overlap."""
    return not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
