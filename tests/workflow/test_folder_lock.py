"""The lock of a folder; the real Snakemake with it is in test_workflow.py."""

import errno
import fcntl
import os
import shutil

import pytest

from cladebench.workflow import folder_lock
from cladebench.workflow.folder_lock import FILE, SNAKEMAKE_LOCKS, hold, hold_if_possible, main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a lock of Snakemake's in it; no Snakemake may be started on it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(folder_lock, "_held", {})
    monkeypatch.setattr(folder_lock.subprocess, "run", lambda *_, **__: pytest.fail("Snakemake was started"))
    (tmp_path / SNAKEMAKE_LOCKS).mkdir(parents=True)
    (tmp_path / SNAKEMAKE_LOCKS / "0.input.lock").write_text("file")
    return tmp_path


def test_a_folder_without_a_lock_is_left_alone(folder, capsys):
    (folder / SNAKEMAKE_LOCKS / "0.input.lock").unlink()
    assert main([]) == 0 and not (folder / FILE).exists()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("of_whom", ["another", "read-only"])
def test_a_folder_that_cannot_be_written_is_refused_before_snakemake(folder, monkeypatch, capsys, of_whom):
    (folder / SNAKEMAKE_LOCKS / "0.input.lock").unlink()
    if of_whom == "another":
        shutil.rmtree(folder / FILE.parent)
        FILE.parent.write_text("a file")
    else:

        def refuse(**_):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        monkeypatch.setattr(folder_lock.tempfile, "TemporaryFile", refuse)
    assert main([]) == 1
    error = capsys.readouterr().err
    assert (
        error.startswith(f"cladebench: {folder / FILE.parent}: cannot be written (")
        and error.count("\n") == 1
    )


def test_another_run_is_named(folder, capsys):
    with open(folder / FILE, "w") as file:
        file.write("process 7 on elsewhere")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        assert hold(folder) is False
        hold_if_possible(folder)  # does not mind
        assert main([]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"cladebench: {folder}: another run is at work here (process 7 on elsewhere)")
    assert error.count("\n") == 1


def test_who_holds_the_lock_is_in_the_file_and_holds_it_once(folder):
    (folder / FILE).write_text("process 123456789 on a host with a long name")
    assert hold(folder) and hold(folder)
    assert (folder / FILE).read_text() == f"process {os.getpid()} on {folder_lock.socket.gethostname()}"
    with open(folder / FILE, "a") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_where_the_file_system_knows_no_locks_it_says_what_to_do(folder, monkeypatch, capsys):
    def flock(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(folder_lock.fcntl, "flock", flock)
    hold_if_possible(folder)
    assert main([]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "snakemake --unlock" in error and "cannot be told" in error
