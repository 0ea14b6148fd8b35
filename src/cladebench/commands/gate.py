"""``cladebench gate``: decide whether a run was good."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cladebench.commands._options import add_keep_option, add_run_options, planned_jobs


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "gate",
        help="decide whether a run was good",
        description="Decide whether a run was good: every planned run has a record with its arrays, nothing failed "
        "that the plan does not declare, no solver check failed. What is wrong is printed, and written to gate.txt. "
        "Verdicts do not enter, for a claim that does not hold is a result; their counts are printed. Exit code 0 "
        "when the run was good, 1 when not, 2 for wrong input.",
    )
    add_run_options(parser, recorded=True)
    add_keep_option(
        parser,
        "runs whose record is not in the folder are done if cells.parquet has rows of them that count",
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print what is wrong or should be known, also into ``gate.txt``."""
    from cladebench.bench.plan.plan import expected_failures
    from cladebench.bench.run.kept_rows import judge, without_record
    from cladebench.bench.store.gate import gate
    from cladebench.bench.store.store import Store
    from cladebench.files import write_atomically

    jobs, out = planned_jobs(args, recorded=True, tabled=args.keep is not None)
    table = out / "cells.parquet"
    kept, faults, notes = None, dict[str, str](), list[str]()
    if args.keep and table.exists():
        rows = without_record(table, jobs)
        judged = judge(rows, jobs, args.keep)
        kept, faults = rows[rows["cell_id"].isin(judged.cells)], dict(judged.faults)
        notes = [*([f"{table}: {judged.said}; these do not count"] if faults else []), *judged.notes(table)]
    ledger = Store(out).ledger((cell for job in jobs for cell in job.cells), kept=kept)
    ledger["reason"] = [
        f"{table} has it with {faults[cell]}" if cell in faults else reason
        for cell, reason in zip(ledger["cell_id"], ledger["reason"], strict=True)
    ]
    plans = {job.plan.paper: (job.plan, job.scope) for job in jobs}
    result = gate(
        ledger, [entry for plan, scope in plans.values() for entry in expected_failures(plan, scope)]
    )
    failures = [*result.failures, *failed_certificates(out / "certificates.csv")]
    counts = ", ".join(f"{count} {status}" for status, count in ledger.status.value_counts().items())
    lines = [
        f"runs: {counts}",
        *(f"note: {note}" for note in (*notes, *result.notes)),
        *(f"FAILED: {failure}" for failure in failures),
        *(["to try failed runs again: cladebench run, then the same command"] if result.failures else []),
        *verdict_counts(out / "audit.json"),
        *(
            f"{name} {path}"
            for name, path in (("report:  ", out / "report" / "index.html"), ("verdicts:", out / "audit.csv"))
            if path.exists()
        ),
        "gate: failed" if failures else "gate: passed",
    ]
    write_atomically(out / "gate.txt", ("\n".join(lines) + "\n").encode())
    print("\n".join(lines))
    return 1 if failures else 0


def verdict_counts(path: Path) -> list[str]:
    """A line for each paper.

    How many claims have which verdict. None where nothing was judged yet.
    """
    from cladebench.audit.audit_files import read_audit

    if not path.exists():
        return []
    return [
        f"{paper}: {sum(counts.values())} claim{'s' * (sum(counts.values()) > 1)}: "
        + ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        for paper, counts in read_audit(path).verdicts.items()
    ]


def failed_certificates(path: Path) -> list[str]:
    """Name the solver checks that did not pass.

    A missing or empty file is a failure too.
    """
    from cladebench.crosscheck.certificate import read_certificates

    frame = read_certificates(path)
    if frame is None:
        return [f"{path}: there are no solver checks; run cladebench crosscheck"]
    if frame.empty:
        return [f"{path}: holds no solver check"]
    failed = frame[~frame["passed"]].to_dict(orient="records")
    return [f"solver check {row['id']}: {row['note']}" for row in failed]
