"""A disk that takes no more: one line that names the file, exit code 1, and every file as it was."""

import contextlib
import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cladebench.cli import main
from cladebench.files import write_together

WRITERS = {
    "collect": "cells.parquet",
    "crosscheck": "certificates.csv",
    "audit": "audit.csv",
    "artifacts": "tables/examplepaper/table-1.json",
    "report": "report/index.html",
    "gate": "gate.txt",
}


def contents(folder):
    """All files with their bytes, temporary ones too."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextlib.contextmanager
def no_room():
    """No file takes a single byte, so that the system itself refuses to write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("command", "name"), WRITERS.items(), ids=WRITERS)
def test_every_command_names_the_file_and_leaves_the_old_ones(copied, capsys, command, name):
    before = contents(copied.folder)
    with no_room():
        assert copied.main(command) == 1
    error = capsys.readouterr().err
    assert error == f"cladebench {command}: {copied.folder / name}: {os.strerror(errno.EFBIG)}\n"
    assert contents(copied.folder) == before


@pytest.mark.parametrize("failing", ["os.fsync", "os.replace", "os.fdopen"])
def test_files_that_belong_together_are_written_all_or_none(tmp_path, monkeypatch, failing):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"before")
    calls = []

    def full(*arguments):
        calls.append(arguments)
        if failing == "os.replace" or len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return original(*arguments)

    original = getattr(os, failing.partition(".")[2])
    monkeypatch.setattr(failing, full)
    with pytest.raises(OSError) as caught:
        write_together({old: b"after", new: b"too"})
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(old if failing == "os.replace" else new)
    assert contents(tmp_path) == {Path("old"): b"before"}


def test_a_figure_has_all_its_forms_or_stays_as_it_was(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    from cladebench.plotting import save_figure

    figure = Figure()
    figure.add_subplot().plot([0, 1])
    assert [path.name for path in save_figure(figure, tmp_path / "a.b")] == ["a.b.svg", "a.b.pdf", "a.b.png"]
    before = contents(tmp_path)
    assert [content[:4] for content in before.values()].count(b"%PDF") == 1
    figure.axes[0].plot([1, 0])
    with no_room(), pytest.raises(OSError) as caught:
        save_figure(figure, tmp_path / "a.b")
    assert caught.value.filename == str(tmp_path / "a.b.svg") and contents(tmp_path) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["1", ""])
@pytest.mark.parametrize("errors", ["/dev/full", None])
def test_an_output_that_cannot_be_written_is_said_in_one_line(errors, unbuffered):
    command = [sys.executable, "-m", "cladebench.cli", "data", "list"]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full, open(errors or os.devnull, "w") as stderr:
        done = subprocess.run(
            command, stdout=full, stderr=stderr if errors else subprocess.PIPE, text=True, env=environment
        )
    assert done.returncode == 1
    if not errors:
        assert done.stderr == f"cladebench data: standard output: {os.strerror(errno.ENOSPC)}\n"


def test_any_other_fault_of_the_system_keeps_its_traceback(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise OSError(errno.EIO, "a fault without a file")

    monkeypatch.setattr("cladebench.audit.two_runs.compare_runs.compare_runs", broken)
    with pytest.raises(OSError, match="a fault without a file"):
        main(["compare", str(tmp_path), str(tmp_path)])
