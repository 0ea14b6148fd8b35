"""Scores of known size as the table of runs that statistics read."""

import math

import numpy as np
import pandas as pd

from cladebench.bench.statistics.method_scores import read_values

NAN = math.nan


def runs_of(scores, measure="ari", share=0.5, n_rows=200, deterministic=(), labels="classes"):
    """Runs from scores by data set and method: a list over draws, or such lists by labelling."""
    rows = []
    for data, methods in scores.items():
        for method, found in methods.items():
            for labelling, values in (found if isinstance(found, dict) else {labels: found}).items():
                for draw, value in enumerate(values):
                    status = "error" if math.isnan(value) else "ok"
                    known = method in deterministic
                    row = (data, labelling, method, measure, f"{data}-{draw}", value, status)
                    rows.append((*row, n_rows, share, known))
    names = ["data", "labels", "method", "measure", "draw", "value", "status"]
    return pd.DataFrame(rows, columns=[*names, "n_rows", "share", "deterministic"])


def values_of(scores, measure="ari", **how):
    return read_values(runs_of(scores, measure, **how), measure)


def many(n_data, methods, n_draws=5, seed=0, spread=0.1):
    """Scores of methods, by their mean, on data sets of different difficulty."""
    random = np.random.default_rng(seed)
    return {
        f"d{i}": {
            name: np.clip(mean + random.normal(0, spread, n_draws), -0.5, 1) for name, mean in methods.items()
        }
        for i in range(n_data)
    }
