"""Draw tasks from data of a few labels."""

import dataclasses
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from cladebench.bench.plan.cell_spec import CellSpec, Limits
from cladebench.bench.plan.task import Task, draw_task

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


seeds = st.integers(0, 2**31)


@st.composite
def labelled(draw, min_size=2, max_size=40, classes=4):
    """Labels of which each of 0, 1, ... occurs, in any order."""
    given = draw(st.lists(st.integers(0, classes - 1), min_size=min_size, max_size=max_size))
    return np.unique(given, return_inverse=True)[1]
