"""Arrays that are gone or damaged: the gate names them, artifacts say what makes them again, and it does."""

import pytest

from cladebench.cli import main
from cladebench.report import artifact_files


@pytest.fixture
def figure_of_arrays(monkeypatch):
    """Artifacts that read the arrays of every cell."""

    def write(context, results, *options):
        for cell in context.results.records["cell_id"].unique():
            context.load_arrays(cell)
            yield artifact_files.Made(results / cell)

    monkeypatch.setattr(artifact_files, "write_artifacts", write)
    monkeypatch.setattr("cladebench.bench.provenance.core_build.check_core_is_fresh", lambda: None)


@pytest.mark.parametrize("damage", ["all gone", "one damaged"])
def test_lost_arrays_are_noticed_and_made_again(copied, figure_of_arrays, capsys, damage):
    paths = sorted((copied.folder / "cells").rglob("*.npz"))
    before = {path: path.read_bytes() for path in paths}
    assert len(paths) == 6 and copied.main("artifacts") == 0 and copied.main("gate") == 0
    if damage == "all gone":
        for path in paths:
            path.unlink()
    else:
        paths[2].write_bytes(before[paths[2]][:-1])
    capsys.readouterr()

    assert copied.main("gate") == 1
    said = capsys.readouterr().out
    lost = {"all gone": "3 runs missing, first", "one damaged": "1 run missing, first"}[damage]
    assert said.count(lost) == {"all gone": 2, "one damaged": 1}[damage]
    assert "gate: failed" in said and ".npz: the arrays of examplepaper/nested-blobs/" in said

    assert copied.main("artifacts") == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and error.startswith("cladebench artifacts: ")
    advised = error.partition("; run cladebench ")[2].partition(",")[0].split()
    assert advised[0] == "run" and main(advised) == 0
    assert capsys.readouterr().out.count("(kept)") == {"all gone": 0, "one damaged": 5}[damage]
    assert {path: path.read_bytes() for path in paths} == before
    assert copied.main("artifacts") == 0 and copied.main("gate") == 0


def test_a_figure_that_is_kept_is_told_with_the_reason_and_not_counted(copied, monkeypatch, capsys):
    given = []

    def write(context, results, *options):
        given.append(options)
        yield artifact_files.Made(results / "a.svg", "no record")
        yield artifact_files.Made(results / "b.svg")

    monkeypatch.setattr(artifact_files, "write_artifacts", write)
    monkeypatch.setattr("cladebench.bench.provenance.core_build.check_core_is_fresh", lambda: None)
    capsys.readouterr()
    assert copied.main("artifacts", "--keep") == 0
    kept, made, count = capsys.readouterr().out.splitlines()
    assert kept.endswith("a.svg (kept: no record)") and made.endswith("b.svg")
    assert count.startswith("1 tables and figures in ")
    assert copied.main("artifacts", "--only", "figures", "--pdf") == 0
    both = ("table", "figure")
    assert given == [(True, both, ("svg",)), (False, ("figure",), ("svg", "pdf"))]
