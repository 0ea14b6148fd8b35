"""A record is kept only while its data are unchanged, whatever of them changes."""

from __future__ import annotations

import copy
import dataclasses
import sys

import numpy as np
import pytest

from cladebench import datasets
from cladebench.bench.plan.cell_spec import CellSpec, Limits, MethodPlan
from cladebench.bench.plan.jobs import PlannedCell
from cladebench.bench.run import run_cell
from cladebench.bench.run.run_job import _Keys
from cladebench.datasets import Content, Images, Part, View, registry

PROTOCOL = """
from cladebench.bench.run.cell_io import CellOutput
from cladebench.paper.protocol import Protocol


class Count(Protocol):
    def measure(self, cell):
        return CellOutput({"different parents": float(len(set(cell.data.class_parents.tolist())))})


PROTOCOL = Count()
"""
PROVENANCE = {
    "git_commit": None,
    "git_dirty": None,
    "core_build": "b",
    "code_digest": "c",
    "versions": {"python": "3.11.4", "numpy": "1", "scipy": "1", "scikit-learn": "1"},
    "machine": {},
}
SPEC = CellSpec("tiny", "nested-blobs", "count", {}, 0, 1, Limits(60, 2000))
METHOD = MethodPlan("count", "count", {})


@pytest.fixture
def edit(monkeypatch):
    """Change what the loader of nested-blobs gives, as an edit of its module would."""
    entry = registry.info("nested-blobs")

    def change(registered=(), **fields):
        def load(files, draw):
            return dataclasses.replace(entry.loader(files, draw), **fields)

        edited = dataclasses.replace(entry, loader=load, **dict(registered))
        monkeypatch.setattr(registry, "registry", lambda: {"nested-blobs": edited})
        monkeypatch.setattr(run_cell, "_loaded", {})

    return change


@pytest.fixture
def paper(tmp_path, monkeypatch):
    (tmp_path / "tiny_paper").mkdir()
    (tmp_path / "tiny_paper" / "__init__.py").write_text("")
    (tmp_path / "tiny_paper" / "protocol.py").write_text(PROTOCOL)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "tiny_paper"
    for name in ("tiny_paper", "tiny_paper.protocol"):
        sys.modules.pop(name, None)


def run(paper):
    return run_cell.run_cell(SPEC, METHOD, paper, PROVENANCE)[0]


def keeps(record):
    """Whether a new run of the job would keep a record."""

    class OneMethod:
        def method_of(self, spec):
            return METHOD

    class Origins:
        def provenance(self, method):
            return PROVENANCE

    return _Keys(OneMethod(), Origins()).keeps(PlannedCell(SPEC, None), record)


STAR = np.array([8] * 8 + [-1])


def test_after_an_edit_of_the_class_tree_the_record_is_refused_and_a_rerun_gives_the_new_number(edit, paper):
    old = run(paper)
    assert old["status"] == "ok" and keeps(old)
    (before,) = old["readings"][0]["metrics"].values()
    edit(class_parents=STAR)
    assert not keeps(old)
    new = run(paper)
    (after,) = new["readings"][0]["metrics"].values()
    assert (before, after) == (8.0, 2.0)
    assert keeps(new) and new["key"] != old["key"]


@pytest.mark.parametrize(
    "changes",
    [
        {"label_names": tuple("ABCDEFGH")},
        {"feature_names": tuple("abcdefghij")},
        {"class_parents": None},
        {"labels": np.repeat(np.arange(8), 30)},
        {"X": np.ones((240, 10))},
        {"images": Images(np.ones((240, 2, 2), np.uint8)), "registered": {"images": True}},
        {"views": {"v": View("features", np.ones((240, 1)))}, "registered": {"views": {"v": "features"}}},
        {
            **dataclasses.asdict(Content()),
            "parts": {"p": Part("train", Content(np.ones((240, 10)), np.arange(240) % 8, tuple("abcdefgh")))},
            "registered": {"parts": {"p": "train"}},
        },
    ],
    ids=lambda changes: list(changes)[-1] if "parts" in changes else next(iter(changes)),
)
def test_an_edit_of_any_field_leaves_no_old_record(edit, paper, changes):
    old = run(paper)
    assert keeps(old)
    edit(**changes)
    assert datasets.load("nested-blobs").n_samples == 240
    assert not keeps(old)


@pytest.mark.parametrize(("kind", "stand_in_for"), [("stand-in", "the blobs of a paper"), ("real", "")])
def test_when_data_come_to_stand_for_others_no_old_record_is_kept(monkeypatch, paper, kind, stand_in_for):
    old, edited = run(paper), copy.copy(registry.info("nested-blobs"))
    monkeypatch.setattr(registry, "registry", lambda: {"nested-blobs": edited})
    assert keeps(old)
    object.__setattr__(edited, "kind", kind)  # real ones have files, which these have not
    object.__setattr__(edited, "stand_in_for", stand_in_for)
    assert datasets.load("nested-blobs").content_sha256 == old["data"]["content_sha256"]
    assert not keeps(old)
