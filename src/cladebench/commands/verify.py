"""``cladebench verify``: is this installation fit for a run?"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from cladebench import datasets, extras
from cladebench.bench.plan.config import Config, load_config
from cladebench.bench.provenance.core_build import (
    StaleCore,
    check_core_is_fresh,
    core_build_id,
    core_sources_digest,
)
from cladebench.commands._options import user_path
from cladebench.datasets import fetch, settings

MINIMUM_PYTHON = (3, 11)


class CheckFailed(Exception):
    """A check found a fault; the message says what to do."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "verify",
        help="check this installation",
        description="Check this installation in a few seconds: Python, the compiled core, the extras, the data on this "
        "machine, write access to cache and results. Extras and data that are not here are no fault. Never asks the "
        "network. Exit code 1 on a fault.",
    )
    parser.add_argument(
        "--config", type=user_path, metavar="FILE", help="configuration (default: config/config.yaml)"
    )
    parser.set_defaults(func=verify)


def verify(args: argparse.Namespace) -> int:
    """Run every check, one line each."""
    try:
        config = load_config(args.config)
        unread = None
        os.environ.update(config.data.environment())
    except ModuleNotFoundError as error:  # of the reader of YAML: the core is checked without it
        config, unread = Config(), extras.advice(error)
        if unread is None:
            raise
    checks, faults = list(_checks(config, unread)), 0
    for name, check in checks:
        try:
            print(f"ok    {name}: {check()}")
        except CheckFailed as fault:
            faults += 1
            print(f"FAIL  {name}: {fault}")
    print(f"{len(checks)} checks, {faults} failed")
    return int(faults > 0)


def _checks(config: Config, unread: str | None) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "Python", check_python
    yield "core", check_core
    if unread:
        yield "configuration", lambda: f"not read, its defaults hold: {unread}"
    for extra, absent in extras.lacking().items():
        yield f"extra {extra}", partial(describe_extra, extra, absent)
    for name in datasets.names():
        yield f"data {name}", partial(check_data, name)
    yield "cache", partial(check_writable, settings.current().cache, f"{settings.CACHE} or data.cache")
    yield "results", partial(check_writable, Path(config.results_dir), "results_dir")


def check_python() -> str:
    """Check the interpreter's version."""
    if sys.version_info[:2] < MINIMUM_PYTHON:
        needed = ".".join(map(str, MINIMUM_PYTHON))
        raise CheckFailed(f"{platform.python_version()} is too old: install {needed} or later")
    return platform.python_version()


def check_core() -> str:
    """Check that the compiled core loads, computes and is current.

    It must be built from the sources at hand.
    """
    try:
        from cladebench import _core
        from cladebench.hierarchy import Hierarchy
        from cladebench.metrics import dendrogram_purity

        check_core_is_fresh()
    except ImportError as error:
        raise CheckFailed(f"cannot be loaded ({error}): run `make build`") from error
    except StaleCore as error:
        raise CheckFailed(str(error)) from error
    # Of the three same-class pairs of ((0, 1), (2, 3)) with classes 0, 0, 0, 1, one meets in a pure node and two at
    # the root, where three samples of four are theirs.
    purity = dendrogram_purity(Hierarchy.from_nested([[0, 1], [2, 3]]), [0, 0, 0, 1])
    if abs(purity - (1 + 2 * 0.75) / 3) > 1e-12:
        raise CheckFailed(
            f"the dendrogram purity of a tree of four is {purity}, expected 5/6: build the core again"
        )
    origin = "matches its sources" if core_sources_digest() else "no checkout to compare it with"
    return f"build {core_build_id()[:12]}, {origin}, {_core.max_threads()} threads"


def describe_extra(extra: str, absent: list[str]) -> str:
    """Say what an extra lacks; that is no fault."""
    if not absent:
        return "installed"
    return f"without {', '.join(absent)}; pip install 'cladebench[{extra}]' adds them"


def check_data(name: str) -> str:
    """Check the local files of a data set.

    One that has yet to be fetched is not a fault.
    """
    for file in datasets.info(name).files:
        for copy in fetch.check_local(file):
            if copy.fault:
                raise CheckFailed(f"{copy.path}: {copy.fault}; remove or repair it")
    if not datasets.info(name).fetchable:
        away = "no public address serves it"
    else:
        away = "and offline" if settings.current().offline else "to be fetched"
    return datasets.availability(name) or f"not on this machine, {away}"


def check_writable(folder: Path, setting: str) -> str:
    """Check that a folder can be written; leave nothing behind.

    The nearest existing folder above is checked instead of a missing one.
    """
    folder = folder.expanduser().absolute()
    existing = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise CheckFailed(
            f"cannot write to {existing}: {error.strerror}; set {setting} to a folder that can be written"
        ) from error
    return f"{folder} can be written"
