"""Show other people's scores beside ours: imported, or of published labels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cladebench import datasets
from cladebench.comparison.protocol import asked
from cladebench.comparison.published import SAME
from cladebench.comparison.scores import COLUMNS, Run
from cladebench.datasets.own.own_published import published_of, variant_of
from cladebench.metrics import rand_scores

#: Columns of ``published.csv``.
AGREEMENTS = (
    "data", "k", "method", "setting", "published", "agreement", "ours", "theirs", "within", "reason",
)  # fmt: skip
#: Behind the name of a published variant, and of a method whose scores are imported, in ``scores.csv``.
PUBLISHED, IMPORTED = " (published)", " (imported)"
#: Status of imported scores in ``scores.csv``.
STATUS = "imported"


def imported_scores(run: Run) -> pd.DataFrame:
    """Tabulate imported scores, with the columns of ``scores.csv``.

    A score counts as one run. It has no interval, and its labelling is known only where the data have one alone.
    """
    found = run.document.get("imported") or {}
    labels = run.values.groupby("data")["labels"].unique().to_dict()
    table = []
    for row in found.get("rows", ()):
        own = labels.get(row["data"], ())
        blind = run.plan.measures[row["measure"]].blind
        chance = np.nan if blind is None else float(blind)
        place = (row["data"], own[0] if len(own) == 1 else "", row["method"] + IMPORTED, "", row["measure"])
        table.append((*place, row["score"], np.nan, np.nan, 1, chance, STATUS, found["file"]))
    return pd.DataFrame(table, columns=list(COLUMNS))


def published_scores(run: Run) -> pd.DataFrame:
    """Score published labels on all rows; columns as in ``scores.csv``, and k."""
    table = []
    for name in run.names("data"):
        source = run.plan.data_of(name)
        found = published_of(source, **run.document["published"])
        if not found:
            continue
        labellings = asked(datasets.load(source))
        for variant, by_k in found.items():
            for labelling, (labels, k) in labellings.items():
                if labels is None or k not in by_k:
                    continue
                kept = labels >= 0
                score = rand_scores(labels[kept], by_k[k][kept]).corrected
                row = (name, labelling, variant + PUBLISHED, '{"rows":"all"}', "ari", score)
                table.append((*row, np.nan, np.nan, 1, 0.0, "ok", "", k))
    return pd.DataFrame(table, columns=[*COLUMNS, "k"])


def agreements(run: Run, scored: pd.DataFrame) -> pd.DataFrame:
    """Tabulate ``published.csv``: our methods beside published labels of the same method.

    A row has a data set and a number of clusters k. The scores are the best over the labellings with k
    clusters, on all rows.
    """
    keys = ["data", "k", "method", "setting"]
    wide = run.whole.pivot_table(index=keys, columns="measure", values="value", aggfunc="max", sort=False)
    if "published_agreement" not in wide:
        return pd.DataFrame(columns=list(AGREEMENTS))
    theirs = scored.groupby(["data", "k", "method"])["mean"].max().to_dict()
    table = []
    for row in wide.dropna(subset="published_agreement").reset_index().to_dict("records"):
        data, k, method, setting = (row[key] for key in keys)
        variant = _variant(run, method, setting)
        scores = row["ari"], theirs[data, k, variant + PUBLISHED], row["published_within"]
        table.append(
            (data, k, method, setting, variant, row["published_agreement"], *scores, reason(row, variant))
        )
    return pd.DataFrame(table, columns=list(AGREEMENTS))


def _variant(run: Run, method: str, setting: str) -> str:
    parameters = run.document["parameters"][method] | json.loads(setting)
    return variant_of(run.plan.methods[method].estimator, parameters)


def reason(row: Mapping[Any, Any], variant: str) -> str:
    """Say why two partitions differ; empty where they are the same.

    Other runs of ours show it.
    """
    agrees, seeded = row["published_agreement"], bool(row["published_seeded"])
    if agrees >= SAME:
        return ""
    same_scale, between = row["published_same_scale"] >= SAME, row["published_least_between"]
    if same_scale and between >= SAME:
        return "scale and rounding of the data"
    if same_scale or row["published_best_other"] >= SAME:
        return "another start" if seeded else "ties, which noise breaks"
    if between <= agrees:
        return "starts: ours differ as much" if seeded else "near ties: ours differ as much under such noise"
    if variant == "sklearn_kmeans" and abs(row["published_within"] - 1) > 1e-6:
        better = "ours" if row["published_within"] < 1 else "theirs"
        return f"two optima: {better} has fewer squares"
    return "not explained"


def by_method(rows: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Sum up how our methods agree with the published labels."""
    groups = rows.assign(same=rows["agreement"] >= SAME).groupby(["method", "published"], sort=False)
    found = groups.agg(
        n=("same", "size"),
        same=("same", "sum"),
        least=("agreement", "min"),
        ours=("ours", "mean"),
        theirs=("theirs", "mean"),
        reasons=("reason", _counted),
    )
    return found.reset_index().to_dict("records")


def _counted(reasons: pd.Series) -> str:
    counts = Counter(reasons[reasons != ""])
    return "; ".join(f"{reason} ({n})" for reason, n in counts.most_common())


def by_variant(scored: pd.DataFrame) -> pd.DataFrame:
    """Average each published variant's best scores over data sets, best first."""
    best = scored.groupby(["method", "data"])["mean"].max().groupby("method").agg(["mean", "count"])
    best.index = best.index.str.removesuffix(PUBLISHED)
    return best.sort_values("mean", ascending=False, kind="stable")
