"""Solver checks on instances that a test draws, and on those of the smoke scope while something is wrong."""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import pytest

from cladebench.crosscheck.certificate import Certificate


def hold(checks: Certificate | Iterable[Certificate]) -> None:
    """There are checks, and all have passed."""
    found = [checks] if isinstance(checks, Certificate) else list(checks)
    assert found and [f"{c.id}: {c.residual}" for c in found if not c.passed] == []


def failing(module: ModuleType, topic: str | None = None) -> set[str]:
    """Names of the checks that fail in the smoke scope, of all topics of a module or of one."""
    found = module.certificates("smoke", 0)
    return {c.name for c in found if not c.passed and topic in (None, c.topic)}


def spoil(patch: pytest.MonkeyPatch, module: Any, name: str, change: Callable[[Any], Any]) -> None:
    """Let a function give something else than it found."""
    kept = getattr(module, name)
    patch.setattr(module, name, lambda *given, **options: change(kept(*given, **options)))
