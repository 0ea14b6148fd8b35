"""Records of a paper that is nowhere, drawn at random: for claims of every kind, in all that a run may hold."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from cladebench.datasets.registry import info
from verdicts.plans import data_of, planned, said_of, written_out

HERE = Path(__file__).parent / "made_up"
#: The schema of all runs.
COMMITTED = Path(__file__).parents[2] / "results" / "full" / "cells.parquet"
METRICS = (
    "sp",
    "sp_permuted",
    "cost",
    "cost_permuted",
    "cost_other",
    "cost_other_permuted",
    "share",
    "bound",
    "seconds",
)


def packages(folder: Path, names: list[str]) -> None:
    """Packages of the paper, one a name."""
    for name in names:
        shutil.copytree(HERE, folder / name)
        (folder / name / "__init__.py").write_text("")
        for file in ("plan.yaml", "claims.yaml"):
            text = (HERE / file).read_text().replace("paper: made_up", f"paper: {name}")
            (folder / name / file).write_text(text)


def results(folder: Path, names: list[str]) -> None:
    """A results folder with records of all, each paper's drawn from the seed that ends its name."""
    rows = [row for name in names for row in _rows(name, np.random.default_rng(int(name[-1])))]
    schema = pq.read_schema(COMMITTED)
    table = pd.DataFrame(rows).reindex(columns=schema.names)
    folder.mkdir()
    pq.write_table(pa.Table.from_pandas(table, schema, preserve_index=False), folder / "cells.parquet")
    certificates = pd.DataFrame(
        {"id": ["made/x/a-good", "made/x/b-good", "made/x/c"], "passed": [True, True, False]}
    )
    columns = pd.read_csv(COMMITTED.with_name("certificates.csv"), nrows=1).columns
    certificates = certificates.assign(
        topic="made", instance="x", primal=1.0, dual_bound=1.0, gap=0.0, residual=0.0
    )
    certificates = certificates.assign(tolerance=0.0).reindex(columns=columns)
    certificates.to_csv(folder / "certificates.csv", index=False)


def _rows(paper: str, rng: np.random.Generator) -> list[dict[str, Any]]:
    plan = written_out(yaml.safe_load((HERE / "plan.yaml").read_text()))
    rows = []
    tasks = {(problem, method): said.get("task", {}) for (problem, method), said in said_of(plan, "smoke")}
    for (dataset, method), setting, n in planned(plan, "smoke"):
        task = tasks[dataset, method]
        if rng.random() < 0.03:
            continue  # planned, and there is no record of it
        level = {metric: rng.normal(0.6, 0.03) for metric in METRICS}
        noise = 0.0 if method == "E" else rng.choice([0.0, 0.003, 0.02])
        folds = task.get("folds", {}).get("n", 1)
        lost = 0.0 if method == "E" else rng.choice([0.0, 0.1, 0.6], p=[0.8, 0.15, 0.05])
        for cell in range(n):
            fold = cell % folds if folds > 1 else None
            size = task.get("rows", info(data_of(plan, dataset)).n_samples)
            held_out = 0 if fold is None else len(range(fold, size, folds))
            fixed = _cell(paper, dataset, method, setting, cell // folds, fold)
            fixed |= _of_data(data_of(plan, dataset))
            fixed |= {"n_rows": size, "n_train": size - held_out, "n_test": held_out or size}
            if rng.random() < lost:
                rows.append({**fixed, "status": "timeout", "reason": "took long"})
                continue
            for k in (1, 2) if method not in {"C", "Star"} else (1,):
                for metric in METRICS:
                    if metric.endswith("_permuted") and method == "D":
                        continue
                    own = level[metric.removesuffix("_permuted")] + 0.01 * k
                    own += 0.02 * (level[metric] - 0.6) / 0.03 if metric.endswith("_permuted") else 0.0
                    value = float(np.clip(own + noise * rng.normal(), 0.01, 0.99))
                    rows.append(
                        {
                            **fixed,
                            "status": "ok",
                            "metric": metric,
                            "at": json.dumps({"k": k}, separators=(",", ":")),
                            "value": value,
                        }
                    )
    return rows


def _cell(
    paper: str, dataset: str, method: str, setting: Mapping[str, Any], repetition: int, fold: int | None
) -> dict[str, Any]:
    text = json.dumps(setting, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:8] if setting else "default"
    return {
        "paper": paper,
        "dataset": dataset,
        "method": method,
        "setting": text,
        "setting_id": digest,
        "repetition": repetition,
        "fold": fold,
        "at": "{}",
        "task": hashlib.sha256(f"{dataset} {repetition} {fold}".encode()).hexdigest(),
        "seed": repetition,
        "cell_id": f"{paper}/{dataset}/{method}/{digest}/{repetition}" + ("" if fold is None else f".{fold}"),
        "data_source": "generated",
        "data_sha256": "0" * 64,
        "cpu_seconds": 1.0,
        "wall_seconds": 1.0,
        "peak_memory_mb": 1.0,
        "git_dirty": False,
        "threads": 1,
        "estimator": "RandomTree",
        "params": text,
        "versions": "{}",
        "machine": "{}",
    }


def _of_data(name: str) -> dict[str, Any]:
    return {"data_kind": info(name).kind, "stand_in_for": info(name).stand_in_for}
