"""Tables of other people's scores, and of their labels beside our clusters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cladebench import datasets
from cladebench.bench.statistics.run_scores import COLUMNS, STATUS
from cladebench.datasets.own.own_data import labellings_of
from cladebench.measures import Measure
from cladebench.metrics import rand_scores
from cladebench.published.agreement import SAME, reason
from cladebench.published.label_archive import published_of, variant_of

#: Columns of ``published.csv``.
AGREEMENTS = (
    "data", "k", "method", "setting", "published", "agreement", "ours", "theirs", "within", "reason",
)  # fmt: skip
#: Behind the name of a published variant, and of a method whose scores are imported, in ``scores.csv``.
PUBLISHED, IMPORTED = " (published)", " (imported)"


def imported_scores(
    imported: Mapping[str, Any], runs: pd.DataFrame, measures: Mapping[str, Measure]
) -> pd.DataFrame:
    """Tabulate imported scores, with the columns of ``scores.csv``.

    A score counts as one run. It has no interval, and its labelling is known only where our `runs` of the data have one
    alone. `imported` is as `cladebench.published.score_file.read_scores` gives it, or empty.
    """
    labels = runs.groupby("data")["labels"].unique().to_dict()
    table = []
    for row in imported.get("rows", ()):
        variants = labels.get(row["data"], ())
        blind = measures[row["measure"]].blind
        chance = np.nan if blind is None else float(blind)
        place = (
            row["data"],
            variants[0] if len(variants) == 1 else "",
            row["method"] + IMPORTED,
            "",
            row["measure"],
        )
        table.append((*place, row["score"], np.nan, np.nan, 1, chance, STATUS, imported["file"]))
    return pd.DataFrame(table, columns=list(COLUMNS))


def published_scores(sources: Mapping[str, str], archive: Mapping[str, str]) -> pd.DataFrame:
    """Score published labels on all rows; columns as in ``scores.csv``, and k.

    `sources` has by data set the name by which it is loaded.
    """
    table = []
    for name, source in sources.items():
        scores = published_of(source, **archive)
        if not scores:
            continue
        labellings = labellings_of(datasets.load(source))
        for variant, by_k in scores.items():
            for labelling, (labels, k) in labellings.items():
                if labels is None or k not in by_k:
                    continue
                kept = labels >= 0
                score = rand_scores(labels[kept], by_k[k][kept]).corrected
                row = (name, labelling, variant + PUBLISHED, '{"rows":"all"}', "ari", score)
                table.append((*row, np.nan, np.nan, 1, 0.0, "ok", "", k))
    return pd.DataFrame(table, columns=[*COLUMNS, "k"])


def agreements(
    runs: pd.DataFrame, scored: pd.DataFrame, methods: Mapping[str, tuple[str, Mapping[str, Any]]]
) -> pd.DataFrame:
    """Tabulate ``published.csv``: our methods beside published labels of the same method.

    A row has a data set and a number of clusters k. The scores are the best over the labellings with k
    clusters, on all rows: those of `runs`, and those that `published_scores` gave. `methods` has the estimator of each
    method, and the defaults of its parameters.
    """
    keys = ["data", "k", "method", "setting"]
    wide = runs.pivot_table(index=keys, columns="measure", values="value", aggfunc="max", sort=False)
    if "published_agreement" not in wide:
        return pd.DataFrame(columns=list(AGREEMENTS))
    theirs = scored.groupby(["data", "k", "method"])["mean"].max().to_dict()
    table = []
    for row in wide.dropna(subset="published_agreement").reset_index().to_dict("records"):
        data, k, method, setting = (row[key] for key in keys)
        estimator, defaults = methods[method]
        variant = variant_of(estimator, {**defaults, **json.loads(setting)})
        scores = row["ari"], theirs[data, k, variant + PUBLISHED], row["published_within"]
        table.append(
            (data, k, method, setting, variant, row["published_agreement"], *scores, reason(row, variant))
        )
    return pd.DataFrame(table, columns=list(AGREEMENTS))


def by_method(rows: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Sum up how our methods agree with the published labels."""
    groups = rows.assign(same=rows["agreement"] >= SAME).groupby(["method", "published"], sort=False)
    means = groups.agg(
        n=("same", "size"),
        same=("same", "sum"),
        least=("agreement", "min"),
        ours=("ours", "mean"),
        theirs=("theirs", "mean"),
        reasons=("reason", _counted),
    )
    return means.reset_index().to_dict("records")


def _counted(reasons: pd.Series) -> str:
    counts = Counter(reasons[reasons != ""])
    return "; ".join(f"{reason} ({n})" for reason, n in counts.most_common())


def by_variant(scored: pd.DataFrame) -> pd.DataFrame:
    """Average each published variant's best scores over data sets, best first."""
    best = scored.groupby(["method", "data"])["mean"].max().groupby("method").agg(["mean", "count"])
    best.index = best.index.str.removesuffix(PUBLISHED)
    return best.sort_values("mean", ascending=False, kind="stable")
