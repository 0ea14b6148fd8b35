"""Fixtures around the toy paper, whose cells misbehave in every way a watchdog must cope with."""

from __future__ import annotations

from pathlib import Path

import pytest

from cladebench.bench.plan.jobs import Job, expand
from cladebench.bench.plan.plan import Plan
from cladebench.paper.catalogue import load_plan


@pytest.fixture(scope="session")
def plan() -> Plan:
    return load_plan("toy_paper")


@pytest.fixture(scope="session")
def jobs(plan: Plan) -> dict[str, Job]:
    return {job.methods[0].name: job for job in expand(plan, "smoke", root_seed=3)}


@pytest.fixture
def edited_plan(plan: Plan, tmp_path: Path):
    """Gives a function that writes the toy plan with one text replaced by another, and its path."""

    def edit(old: str, new: str) -> Path:
        text = plan.path.read_text(encoding="utf-8")
        assert text.count(old) >= 1
        path = tmp_path / "plan.yaml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return path

    return edit
