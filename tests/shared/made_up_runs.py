"""A comparison that nobody ran: scores of known size in the tables that records would give."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cladebench.comparison.as_plan import WHOLE, as_plan
from cladebench.comparison.records import Run

COLUMNS = (
    *("data", "labels", "k", "method", "setting", "measure", "draw", "value", "status", "reason"),
    *("cell", "n_rows", "repetition", "is_whole"),
)
MEANS = {"mine": 0.7, "a": 0.67, "b": 0.3, "RandomClusters": 0.0}


def scores(means=MEANS, n_data=1, n_draws=10, spread=0.02, seed=0):
    """Scores of methods, by their mean, on data sets."""
    random = np.random.default_rng(seed)
    return {
        f"d{i}": {name: mean + random.normal(0, spread, n_draws) for name, mean in means.items()}
        for i in range(n_data)
    }


def made_up_run(
    scores: Mapping[str, Mapping[str, Sequence[float]]],
    folder: Path,
    *,
    mine: str = "",
    measures: Sequence[str] = ("ari",),
    labels: str = "classes",
    rope: float = 0.02,
    n_rows: int = 200,
    without: Mapping[str, Sequence[str]] | None = None,
) -> Run:
    """Make a run from scores by data set and method, over draws; NaN where a draw failed.

    All `measures` have these scores, but those of methods that are `without` them.
    """
    methods = list(dict.fromkeys(name for row in scores.values() for name in row))
    rows: list[dict[str, Any]] = []
    for data, row in scores.items():
        for method, values in row.items():
            for measure in measures:
                if method in (without or {}).get(measure, ()):
                    continue
                where = {"data": data, "labels": labels, "k": 3, "method": method, "setting": "{}"}
                for draw, value in [*enumerate(values), (WHOLE, float(np.mean(values)))]:
                    whole, failed = draw == WHOLE, np.isnan(value)
                    rows.append(
                        where
                        | {"measure": measure, "draw": f"{data}/{draw}", "value": value}
                        | {"status": "error" if failed else "ok", "reason": "it broke" if failed else ""}
                        | {"cell": f"comparison/{data}/{method}/s/{draw}", "repetition": 0 if whole else draw}
                        | {"n_rows": n_rows if whole else n_rows // 2, "is_whole": whole}
                    )
    document = {
        "title": "Made up",
        "path": "comparison.yaml",
        "seed": 0,
        "mine": mine,
        "rope": rope,
        "features": ["zscore"],
        "sys_path": [],
        "methods": {name: {"estimator": name} for name in methods},
        "problems": {name + end: {"dataset": name} for name in scores for end in ("", WHOLE)},
        "scope": {"repetitions": 10, "limits": {"time_s": 60.0, "memory_mb": 4000.0}},
    }
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    chosen = {(data, labels, method): "{}" for data, row in scores.items() for method in row}
    whole = table["is_whole"].to_numpy(dtype=bool)
    cells = table.rename(columns={"data": "dataset", "cell": "cell_id"})
    cells = cells.assign(estimator=cells["method"], cpu_seconds=1.0, versions="{}")
    return Run(folder, document, as_plan(document), cells, table[~whole], table[whole], chosen)
