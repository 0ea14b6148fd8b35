"""An installed package knows the commit that it was built from, and whether its sources had changed since."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from doc_examples import ROOT

CMAKE = shutil.which("cmake", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
pytestmark = pytest.mark.skipif(CMAKE is None, reason="cmake is in the extra `build`")


@pytest.fixture
def sources(tmp_path):
    """A repository with one commit, of a known day."""
    folder = tmp_path / "sources"
    (folder / "src").mkdir(parents=True)
    (folder / "src/one.cpp").write_text("1")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--no-gpg-sign", "-m", "one", GIT_COMMITTER_DATE="2025-03-01T12:00:00Z")
    return folder


def git(folder, *arguments, **environment):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *arguments],
        env={"PATH": os.environ["PATH"], **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def built_from(sources, prefix):
    """What an installation from sources leaves, or None."""
    script = ROOT / "src/core/built_from.cmake"
    given = [f"-DSOURCES={sources}", f"-DCMAKE_INSTALL_PREFIX={prefix}"]
    subprocess.run([CMAKE, *given, "-P", str(script)], check=True)
    file = prefix / "cladebench/suite/built-from.json"
    return json.loads(file.read_text()) if file.exists() else None


def test_commit_day_and_changes(sources, tmp_path):
    commit = git(sources, "rev-parse", "HEAD")
    clean = {"commit": commit, "day": "2025-03-01", "changed": False}
    assert built_from(sources, tmp_path / "site") == clean
    (sources / "results").mkdir()  # no part of what is built
    (sources / "results/audit.csv").write_text("")
    assert built_from(sources, tmp_path / "site") == clean
    (sources / "src/two.cpp").write_text("2")
    assert built_from(sources, tmp_path / "site") == clean | {"changed": True}


def test_a_folder_without_git_knows_no_commit(sources, tmp_path):
    assert built_from(sources, tmp_path / "site") is not None
    # It lies inside a repository, which does not track it. What another build left is gone.
    assert built_from(sources / "src", tmp_path / "site") is None


def test_what_git_cannot_say_is_not_called_unchanged(sources, tmp_path):
    git(sources, "config", "status.showUntrackedFiles", "nonsense")  # `git status` alone reads it
    assert built_from(sources, tmp_path / "site") is None
