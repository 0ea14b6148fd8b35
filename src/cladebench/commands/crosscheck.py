"""``cladebench crosscheck``: hold every fast path against an exact reference."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from cladebench.commands._options import (
    add_folder_option,
    add_scope_option,
    refuse_to_lose,
    scope_of,
    user_path,
    whole,
)


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "crosscheck",
        help="check the fast paths against exact references",
        description="Check solvers, kernels and methods against exact references, print a table and write "
        "certificates.csv. Exit code 1 if a check failed.",
    )
    add_scope_option(parser)
    add_folder_option(
        parser, "--out", "--results", about="folder to write to (default: <results_dir>/<scope>)"
    )
    parser.add_argument("--topic", action="append", help="only this topic (repeatable; default: all)")
    parser.add_argument("--seed", type=whole, help="draws the instances (default: the configuration's)")
    parser.add_argument("--config", type=user_path, help="configuration (default: config/config.yaml)")
    parser.add_argument(
        "--record-only", action="store_true", help="exit with 0 although a check failed (the gate decides)"
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Run the checks."""
    from cladebench.bench.plan.config import load_config
    from cladebench.crosscheck import run as crosschecks
    from cladebench.input_files import InputFileError

    try:
        config = load_config(args.config)
        os.environ.update(config.data.environment())
        scope = args.scope or (scope_of(args.out, None, config.scope) if args.out else config.scope)
        seed = config.seed if args.seed is None else args.seed
        if seed < 0:
            raise ValueError(f"--seed: {seed} is not allowed; expected a whole number, at least 0")
        out = args.out or Path(config.results_dir) / scope
        out.mkdir(parents=True, exist_ok=True)  # now, rather than to fail after all checks
        path = out / "certificates.csv"
        if args.topic:
            _refuse_to_lose_topics(path, args.topic)
        certificates = []
        for certificate in crosschecks.run(scope, seed, args.topic):
            certificates.append(certificate)
            print(f"{'ok    ' if certificate.passed else 'FAILED'} {certificate.id}", flush=True)
    except ValueError as error:
        raise InputFileError(str(error)) from None
    print(crosschecks.summary(certificates))
    path = crosschecks.write(certificates, out)
    failed = sum(not certificate.passed for certificate in certificates)
    print(f"{len(certificates)} solver checks, {failed} failed: {path}")
    return 1 if failed and not args.record_only else 0


def _refuse_to_lose_topics(path: Path, kept: list[str]) -> None:
    """Refuse to write over other topics' solver checks or unreadable files."""
    from cladebench.crosscheck.certificate import read_certificates
    from cladebench.input_files import InputFileError

    advice = "leave --topic out, or write to another folder with --out"
    try:
        held = read_certificates(path)
    except InputFileError as error:
        fault = str(error).partition(";")[0]
        raise InputFileError(f"{fault}: its solver checks would be lost; {advice}") from None
    if held is not None:
        refuse_to_lose(path, "solver checks of", held["topic"], kept, advice)
