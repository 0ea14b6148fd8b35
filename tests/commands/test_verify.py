from __future__ import annotations

import sys

import pytest

from cladebench import cli, datasets
from cladebench.bench.provenance import core_build as build
from cladebench.commands import verify
from cladebench.datasets.sets import uci


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """An empty mirror and an empty current folder; a core that counts as fresh, whatever is being edited."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLADEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CLADEBENCH_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setattr(build, "core_sources_digest", build.core_build_id)
    return tmp_path


def test_a_sound_installation_passes_with_a_line_for_each_check(folders, capsys):
    assert cli.main(["verify"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[-1] == f"{len(lines) - 1} checks, 0 failed"
    assert all(line.startswith("ok    ") for line in lines[:-1])
    assert [line.split()[1].rstrip(":") for line in lines[:2]] == ["Python", "core"]
    for name in datasets.names():
        assert f"data {name}: " in out
    assert "data digits: bundled" in out and "data glass: not on this machine" in out
    assert list(folders.iterdir()) == []  # a check leaves nothing behind


def failing_line(capsys):
    assert cli.main(["verify"]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAIL")]
    assert len(failed) == 1
    return failed[0]


def test_stale_core_fails(monkeypatch, capsys):
    monkeypatch.setattr(build, "core_sources_digest", lambda: "0" * 64)
    assert "core: the compiled core is older than its sources: run `make build`" in failing_line(capsys)


def test_missing_core_fails(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cladebench._core", None)
    monkeypatch.delattr("cladebench._core", raising=False)
    line = failing_line(capsys)
    assert "core: cannot be loaded" in line and "run `make build`" in line


def test_core_that_computes_wrongly_fails(monkeypatch, capsys):
    monkeypatch.setattr("cladebench.metrics.dendrogram_purity", lambda hierarchy, labels: 0.5)
    assert "expected 5/6" in failing_line(capsys)


def test_altered_data_fail(folders, capsys):
    bad = folders / "mirror" / uci.GLASS.name
    bad.parent.mkdir(parents=True)
    bad.write_bytes(b"1,2,3\n")
    assert cli.main(["verify"]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAIL")]
    assert [line.split(":")[0] for line in failed] == ["FAIL  data glass"]
    assert all(str(bad) in line for line in failed)


@pytest.mark.parametrize(
    ("folder", "setting"), [("results", "results_dir"), ("cache", "CLADEBENCH_CACHE or data.cache")]
)
def test_unwritable_folders_fail(folders, capsys, folder, setting):
    (folders / folder).write_text("a regular file where the folder should be")
    line = failing_line(capsys)
    assert f"{folder}: cannot write to {folders / folder}: Not a directory; set {setting} to" in line


def test_old_python_fails(monkeypatch, capsys):
    monkeypatch.setattr(verify, "MINIMUM_PYTHON", (99, 0))
    assert "too old: install 99.0 or later" in failing_line(capsys)


def test_wrong_configuration_is_wrong_usage(folders, capsys):
    assert cli.main(["verify", "--config", str(folders / "absent.yaml")]) == 2
    assert "absent.yaml" in capsys.readouterr().err
