from __future__ import annotations

import os
from pathlib import Path

import pytest

from cladebench.cli import main
from cladebench.datasets import settings


def test_default_cache_stays_inside_the_checkout(monkeypatch):
    monkeypatch.delenv("CLADEBENCH_CACHE")
    root = settings.checkout_root()
    assert root is not None and (root / "pyproject.toml").is_file()
    assert settings.current().cache == root / ".cladebench" / "cache"


def test_without_a_checkout_the_cache_is_in_the_current_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("CLADEBENCH_CACHE")
    monkeypatch.setattr(
        settings, "__file__", str(tmp_path / "lib/site-packages/cladebench/datasets/settings.py")
    )
    monkeypatch.chdir(tmp_path)
    assert settings.checkout_root() is None
    assert settings.current().cache == tmp_path / ".cladebench" / "cache"


def test_a_checkout_around_the_current_folder_counts_for_an_installed_package(monkeypatch, tmp_path):
    root = settings.checkout_root()
    monkeypatch.setattr(
        settings, "__file__", str(tmp_path / "lib/site-packages/cladebench/datasets/settings.py")
    )
    monkeypatch.chdir(root / "tests")
    assert settings.checkout_root() == root


def test_folders_are_absolute_and_mirrors_keep_their_order(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLADEBENCH_CACHE", "here")
    monkeypatch.setenv("CLADEBENCH_MIRROR", os.pathsep.join(["b", "", "~/a"]))
    now = settings.current()
    assert now.cache == tmp_path / "here"
    assert now.mirrors == (tmp_path / "b", Path("~/a").expanduser())


@pytest.mark.parametrize(
    ("value", "offline"), [("", False), ("0", False), ("no", False), ("1", True), ("True", True)]
)
def test_offline_switch(monkeypatch, value, offline):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", value)
    assert settings.current().offline is offline


def test_a_wrong_offline_switch_is_named(monkeypatch):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "maybe")
    with pytest.raises(ValueError, match="CLADEBENCH_OFFLINE is 'maybe', expected 1 or 0"):
        settings.current()


@pytest.mark.parametrize("name", ["CLADEBENCH_CACHE", "CLADEBENCH_MIRROR"])
@pytest.mark.parametrize(
    ("value", "words"),
    [("~nosuchuser/data", "there is no such home folder"), (os.fsdecode(b"/data/\xff"), "is not UTF-8")],
)
def test_a_folder_that_cannot_be_is_named_by_every_command(monkeypatch, capsys, name, value, words):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"^{name}: .*{words}"):
        settings.current()
    for command in (["data", "list"], ["verify"], ["run", "--list", "--scope", "smoke"], ["crosscheck"]):
        assert main(command) in (1, 2)
        said = capsys.readouterr()
        assert said.err.count("\n") == 1 and f"{name}: " in said.err and words in said.err
