"""Find the cross-checks, run them, write the certificates."""

from __future__ import annotations

import importlib
import math
import pkgutil
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

import pandas as pd

from cladebench import crosscheck
from cladebench.crosscheck.certificate import COLUMNS, Certificate
from cladebench.files import write_atomically
from cladebench.input_files import one_of

SCOPES = ("smoke", "quick", "full")


def discover() -> dict[str, ModuleType]:
    """Find the modules of this folder that define ``TOPICS`` and ``certificates``.

    Returns
    -------
    dict
        Topic -> module, in the order of the modules' names.

    Raises
    ------
    ImportError
        If two modules claim a topic.
    """
    topics: dict[str, ModuleType] = {}
    for info in sorted(pkgutil.iter_modules(crosscheck.__path__), key=lambda module: module.name):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{crosscheck.__name__}.{info.name}")
        for topic in getattr(module, "TOPICS", ()):
            if topic in topics:
                raise ImportError(f"topic {topic!r} is in {topics[topic].__name__} and in {module.__name__}")
            topics[topic] = module
    return topics


def run(
    scope: str = "quick",
    seed: int = 0,
    topics: Sequence[str] | None = None,
    modules: Mapping[str, ModuleType] | None = None,
) -> Iterator[Certificate]:
    """Run cross-checks; one that raises becomes a certificate that failed.

    Parameters
    ----------
    scope : {"smoke", "quick", "full"}, default="quick"
        More and larger instances with each.
    seed : int, default=0
        Draws the instances.
    topics : sequence of str, optional
        Only these; all by default.
    modules : mapping of str to module, optional
        Topic -> module; by default those of `discover`.

    Yields
    ------
    Certificate

    Raises
    ------
    ValueError
        If a scope or topic is unknown.
    """
    if scope not in SCOPES:
        raise ValueError(f"scope {scope!r}: expected one of {', '.join(SCOPES)}")
    known = discover() if modules is None else modules
    wanted = list(known) if topics is None else list(topics)
    for topic in wanted:
        if topic not in known:
            raise ValueError(f"topic {topic!r}: unknown; {one_of(topic, known)}")
    for module in dict.fromkeys(known[topic] for topic in wanted):
        of_module = [topic for topic in wanted if known[topic] is module]
        try:
            for certificate in module.certificates(scope, seed):
                if certificate.topic in of_module:
                    yield certificate
        except Exception as error:
            for topic in of_module:
                yield _crash(topic, error)


def _crash(topic: str, error: Exception) -> Certificate:
    """Put an exception on record as a failed check."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    return Certificate(
        topic=topic,
        instance="all",
        name="runs-to-its-end",
        problem="the cross-checks of this topic end without an error",
        fast="",
        reference="",
        primal=math.nan,
        dual_bound=math.nan,
        residual=math.inf,
        tolerance=0.0,
        note=f"{type(error).__name__}: {error} ({Path(at.filename).name}:{at.lineno})".replace("\n", " "),
    )


def as_frame(certificates: Sequence[Certificate]) -> pd.DataFrame:
    """Make the table of ``certificates.csv``.

    Raises
    ------
    ValueError
        If two certificates have one id.
    """
    frame = pd.DataFrame([certificate.row() for certificate in certificates], columns=list(COLUMNS))
    if frame.id.duplicated().any():
        raise ValueError(f"two solver checks are named {frame.id[frame.id.duplicated()].iloc[0]!r}")
    return frame


def write(certificates: Sequence[Certificate], folder: Path) -> Path:
    """Write ``certificates.csv`` and give its path."""
    path = folder / "certificates.csv"
    write_atomically(path, as_frame(certificates).to_csv(index=False).encode())
    return path


def summary(certificates: Sequence[Certificate]) -> str:
    """Sum up each topic's passes, largest gap and times, and failures."""
    lines = [
        f"{'topic':24} {'passed':>9} {'worst residual':>15} {'largest gap':>12} {'fast s':>8} {'reference s':>12}"
    ]
    frame = as_frame(certificates)
    for topic, rows in frame.groupby("topic", sort=False):
        lines.append(
            f"{topic:24} {f'{rows.passed.sum()} of {len(rows)}':>9} {rows.residual.max():15.2g}"
            f" {rows.gap.max():12.3g} {rows.seconds_fast.sum():8.3f} {rows.seconds_reference.sum():12.3f}"
        )
    for row in frame[~frame.passed].itertuples():
        lines.append(
            f"FAILED {row.id}: {row.problem}; residual {row.residual:.3g}, tolerance {row.tolerance:.3g}. {row.note}"
        )
    return "\n".join(lines)
