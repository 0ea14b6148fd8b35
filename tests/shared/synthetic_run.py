"""Results of runs that never were: records, certificates and figures as a run would leave them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from cladebench import datasets
from cladebench.audit.audit_files import write_audit
from cladebench.audit.pipeline.whole_run import audit_run
from cladebench.bench.plan.cell_spec import canonical_json, digest
from cladebench.bench.plan.jobs import expand
from cladebench.bench.store.cells_table import COLUMNS
from cladebench.crosscheck.certificate import COLUMNS as CERTIFICATE_COLUMNS
from cladebench.paper.catalogue import load_plan
from cladebench.report.artifact_files import build_context, paper_artifacts, write_table
from cladebench.report.pages import write_report

FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100"/></svg>\n'


def samples(spec):
    """Rows that a cell met: all of its data set."""
    return datasets.info(spec.data).n_samples


def rows_of(spec, estimator, rng, metrics, status="ok", reason=None):
    """The rows of one cell, as the store writes them."""
    base = {
        "paper": spec.paper,
        "dataset": spec.dataset,
        "method": spec.method,
        "setting": canonical_json(spec.setting),
        "setting_id": spec.setting_id,
        "repetition": spec.repetition,
        "fold": spec.fold,
        "task": None if status == "unavailable" else digest([spec.dataset, spec.repetition, spec.fold]),
        "metric": None,
        "at": "{}",
        "value": None,
        "status": status,
        "reason": reason,
        "seed": spec.seed,
        "cell_id": spec.cell_id,
        "data_kind": None if status == "unavailable" else "synthetic",
        "data_source": None if status == "unavailable" else "generated",
        "data_sha256": None if status == "unavailable" else f"{spec.repetition:064x}",
        "stand_in_for": None,
        **dict.fromkeys(("n_rows", "n_train", "n_test"), None if status == "unavailable" else samples(spec)),
        "cpu_seconds": float(rng.uniform(0.1, 9)),
        "wall_seconds": float(rng.uniform(0.1, 9)),
        "peak_memory_mb": float(rng.uniform(90, 300)),
        "converged": None,
        "iterations": None,
        "tolerance": None,
        "git_commit": "0123456789abcdef0123456789abcdef01234567",
        "git_dirty": False,
        "core_build": "build-1",
        "code_digest": "c" * 64,
        "versions": json.dumps({"python": "3.11", "numpy": "2.0"}),
        "machine": json.dumps({"cpu": "a processor", "cores": 2}),
        "threads": 1,
        "estimator": estimator,
        "params": canonical_json(spec.setting),
    }
    if status != "ok":
        return [base]
    return [{**base, "metric": name, "value": float(value)} for name, value in sorted(metrics.items())]


def write_cells(frame, results):
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    results.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pandas(frame[list(COLUMNS)], schema=schema, preserve_index=False)
    pyarrow.parquet.write_table(table, results / "cells.parquet")


def certificate(topic, name, passed=True):
    row = dict.fromkeys(CERTIFICATE_COLUMNS, "")
    return row | {
        "id": f"{topic}/random/{name}",
        "topic": topic,
        "instance": "random",
        "problem": "fast = exact",
        "primal": 1.0,
        "dual_bound": 1.0,
        "gap": 0.0,
        "residual": 0.0 if passed else 0.5,
        "tolerance": 1e-10,
        "passed": passed,
        "seconds_fast": 0.01,
        "seconds_reference": 2.0,
        "note": "",
    }


def write_tables(results, paper, scope="smoke"):
    """Build and store the tables of a paper, as `cladebench artifacts` does; its figures are not drawn."""
    context = build_context(load_plan(paper), scope, results)
    for artifact in paper_artifacts(context.package):
        if artifact.kind == "table":
            write_table(artifact, artifact.build(context), results / "tables" / context.paper)


def write_run(
    results: Path, paper: str, metrics, scope="smoke", fate=lambda spec: ("ok", None), figures=("made",)
):
    """Write cells, certificates, verdicts, tables and figures of a run.

    `metrics(spec, rng)` gives the measures of a cell, `fate(spec)` its status and reason.
    """
    plan = load_plan(paper)
    rng = np.random.default_rng(0)
    rows = []
    for job in expand(plan, scope):
        for cell in job.cells:
            status, reason = fate(cell.spec)
            rows += rows_of(
                cell.spec, job.method_of(cell.spec).estimator, rng, metrics(cell.spec, rng), status, reason
            )
    write_cells(pd.DataFrame(rows), results)
    certificates = [
        certificate("exactness", "one"),
        certificate("other", "one", False),
        certificate("exactness", "two"),
    ]
    pd.DataFrame(certificates, columns=list(CERTIFICATE_COLUMNS)).to_csv(
        results / "certificates.csv", index=False
    )
    write_audit(audit_run(results, [paper]), results)
    write_tables(results, paper, scope)
    folder = results / "figures" / plan.paper
    folder.mkdir(parents=True)
    for name in figures:
        (folder / f"{name}.svg").write_text(FIGURE)
    return results


def page_paper_metrics(spec, rng):
    """Measures that give the paper of the tests every kind of verdict."""
    level = {"Grid": 0.5, "Plain": 0.4703, "Random": 0.3, "Oracle": 1.0}.get(spec.method, 0.6)
    level += 0.1 * (spec.dataset == "nested-blobs") + 0.01 * spec.setting.get("n_leaves", 0)
    return {
        "purity": level + rng.normal(0, 0.01),
        "cost": 1e5 * (2 - level) + rng.normal(0, 10),
        "seconds": rng.uniform(1, 2),
    }


def page_paper_fate(spec):
    if spec.dataset == "glass" and spec.repetition == 3:
        return "unavailable", "glass.data: no source holds the file"
    if spec.method == "Broken":
        return "timeout", "31 CPU seconds, 30 allowed"
    return "ok", None


def write_page_run(folder):
    """Write the smoke run of the paper of the tests, with its pages."""
    write_run(folder, "page_paper", page_paper_metrics, fate=page_paper_fate)
    write_report(folder, "smoke", ["page_paper"])
    return folder


def edit_audit(folder, changes, **more):
    """Change claims in a run's `audit.json`, by name, and other parts of the file."""
    audit = json.loads((folder / "audit.json").read_text())
    claims = {claim["claim"]: claim for claim in audit["claims"]}
    for name, change in changes.items():
        claims[name] |= change
    (folder / "audit.json").write_text(json.dumps(audit | more))
