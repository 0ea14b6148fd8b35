import csv
import math
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from cladebench.crosscheck import certificate as module
from cladebench.crosscheck import run as crosschecks
from cladebench.crosscheck.certificate import COLUMNS, Certificate


def certificate(topic="topic", name="name", residual=0.0, **changes):
    values = dict(
        topic=topic,
        instance="instance",
        name=name,
        problem="a statement",
        fast="fast",
        reference="exact",
        primal=3.0,
        dual_bound=2.0,
        residual=residual,
        tolerance=1e-9,
    )
    return Certificate(**(values | changes))


def topic_module(*certificates, error=None):
    def generate(scope, seed):
        yield from certificates
        if error is not None:
            raise error

    module = ModuleType("toy")
    module.certificates = generate
    return module


@pytest.mark.parametrize(
    ("residual", "passed"),
    [(0.0, True), (1e-9, True), (2e-9, False), (math.nan, False), (math.inf, False), (-math.inf, False)],
)
def test_the_residual_decides(residual, passed):
    assert certificate(residual=residual).passed is passed


def test_gap_is_relative_but_for_zero():
    assert certificate().gap == 0.5
    assert certificate(dual_bound=0.0).gap == 3.0
    assert certificate(primal=-3.0, dual_bound=-2.0).gap == -0.5


def test_row_has_the_columns():
    assert tuple(certificate().row()) == COLUMNS
    assert certificate().row()["id"] == "topic/instance/name"


def test_differences():
    assert module.shortfall(2.0, 1.0) == 0.0
    assert module.shortfall(1.0, 2.0) == 0.5
    assert module.shortfall(-2.0, 0.0) == 1.0
    assert math.isnan(module.shortfall(math.nan, 1.0))
    assert module.relative_difference(0.0, 0.0) == 0.0
    assert module.relative_difference(-1.0, 1.0) == 2.0
    side = module.timed("a function", str.upper, "value")
    assert side[:2] == ("a function", "VALUE") and side.seconds >= 0.0


@pytest.mark.parametrize(
    ("residual", "expected"),
    [(None, 1 / 3), (module.shortfall, 0.0), (module.excess, 1 / 3), (lambda a, b: a - b, 1.0), (7, 7.0)],
)
def test_two_sides_are_compared(residual, expected):
    fast, exact = module.Side("fast", [5.0], 0.5), module.Side("exact", 2.0, 0.25)
    found = module.Checks("topic", "instance").certify(
        "name", "a statement", fast.giving(3), exact, 1e-9, residual=residual, note="why"
    )
    assert found == certificate(residual=expected, seconds_fast=0.5, seconds_reference=0.25, note="why")
    assert fast.giving(4, "other words") == ("other words", 4.0, 0.5)


def test_topics_are_found_by_folder():
    found = crosschecks.discover()
    assert {"dasgupta-optimal", "sparsest-cut", "ghc-gradient", "ghc-sampled-cost", "perch"} <= set(found)
    assert {"dendrogram-purity", "dasgupta-cost", "dasgupta-root-split", "sparsest-cut-mistakes"} <= set(
        found
    )


def test_an_exception_is_a_failed_certificate_and_the_rest_goes_on():
    modules = {
        "a": topic_module(certificate("a"), error=RuntimeError("no\nluck")),
        "b": topic_module(certificate("b")),
    }
    found = list(crosschecks.run(modules=modules))
    assert [(c.id, c.passed) for c in found] == [
        ("a/instance/name", True),
        ("a/all/runs-to-its-end", False),
        ("b/instance/name", True),
    ]
    assert found[1].note.startswith("RuntimeError: no luck (test_certificates.py:")


def test_only_the_topics_asked_for():
    both = topic_module(certificate("a"), certificate("b"))
    found = list(crosschecks.run(topics=["b"], modules={"a": both, "b": both}))
    assert [c.topic for c in found] == ["b"]


def test_a_module_of_two_topics_runs_once():
    both = topic_module(certificate("a"), certificate("b"))
    assert len(list(crosschecks.run(modules={"a": both, "b": both}))) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scope": "huge"}, "smoke, quick, full"),
        ({"topics": ["alchemy"]}, "'alchemy': unknown; allowed: balanced-assignment"),
    ],
)
def test_unknown_names_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        list(crosschecks.run(**arguments))


def test_written_files(tmp_path):
    found = [certificate(), certificate(name="other", residual=math.nan)]
    path = crosschecks.write(found, tmp_path / "new")
    frame = pd.read_csv(path)
    assert tuple(frame.columns) == COLUMNS
    assert frame.passed.tolist() == [True, False]
    assert frame.id.tolist() == [c.row()["id"] for c in found] and math.isnan(frame.residual[1])
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["certificates.csv"]


def test_two_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="topic/instance/name"):
        crosschecks.write([certificate(), certificate()], tmp_path)
    assert not list(tmp_path.iterdir())


def test_summary_names_what_failed():
    text = crosschecks.summary([certificate(), certificate(name="bad", residual=1.0, note="why")])
    assert "1 of 2" in text
    assert "FAILED topic/instance/bad: a statement; residual 1, tolerance 1e-09. why" in text


def test_nothing_found_is_still_a_table(tmp_path):
    assert pd.read_csv(crosschecks.write([], tmp_path)).empty
    assert "passed" in crosschecks.summary([])


def test_values_survive_the_file(tmp_path):
    primal = float(np.nextafter(1 / 3, 1))
    path = crosschecks.write([certificate(primal=primal)], tmp_path)
    with open(path, newline="") as file:
        assert float(next(csv.DictReader(file))["primal"]) == primal
