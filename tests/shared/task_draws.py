"""Draw tasks from data of a few labels, and cells with their tasks."""

import dataclasses
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from cladebench import datasets
from cladebench.bench.plan.cell_spec import CellSpec, Limits
from cladebench.bench.plan.task import Task, draw_task
from cladebench.bench.run.cell_io import Cell

SPEC = CellSpec("p", "d", "m", {}, 0, 7, Limits(10, 100))


def data_of(labels=None, n=None, sha="1" * 64, parts=None, n_training=None):
    """What a draw sees of a data set."""
    labels = None if labels is None else np.asarray(labels, dtype=np.intp)
    n = len(labels) if n is None else n
    return SimpleNamespace(
        name="toy", labels=labels, n_samples=n, parts=parts or {}, content_sha256=sha, n_training=n_training
    )


def draw(data, how=None, repetition=0, fold=None, **spec) -> Task:
    return draw_task(
        dataclasses.replace(SPEC, task=how or {}, repetition=repetition, fold=fold, **spec), data
    )


def drawn_cell(paper, method, data="nested-blobs", *, name=None, setting=None, repetition=0, **how) -> Cell:
    """A cell of a method, with the task that the spine draws; `how` is what a specification may say beside."""
    data = datasets.load(data) if isinstance(data, str) else data
    spec = CellSpec(
        paper, data.name, name or method.name, setting or {}, repetition, 7, Limits(60, 2000), **how
    )
    return Cell(spec, method, data, draw_task(spec, data))


def study_cell(rows=40, data="nested-blobs", paper="taxonomy", **parameters) -> Cell:
    """A cell of a study of a paper, with parameters that no plan has."""
    method = SimpleNamespace(name="study", parameters=lambda setting: parameters)
    return drawn_cell(paper, method, data, task={"rows": rows})


seeds = st.integers(0, 2**31)


@st.composite
def labelled(draw, min_size=2, max_size=40, classes=4):
    """Labels of which each of 0, 1, ... occurs, in any order."""
    given = draw(st.lists(st.integers(0, classes - 1), min_size=min_size, max_size=max_size))
    return np.unique(given, return_inverse=True)[1]
