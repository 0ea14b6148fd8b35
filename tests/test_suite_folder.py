"""The project's own files are those of the checkout, or those that the package brings."""

import pytest

from cladebench import suite_folder
from doc_examples import ROOT


def test_in_a_checkout_it_is_the_root():
    assert suite_folder.suite_folder() == ROOT


def test_an_installed_package_brings_its_own(tmp_path, monkeypatch):
    package = tmp_path / "site" / "python" / "cladebench"
    monkeypatch.setattr(suite_folder, "__file__", str(package / "suite_folder.py"))
    with pytest.raises(FileNotFoundError, match="no Snakefile in this installation"):
        suite_folder.suite_folder()
    for folder in (package / "suite", tmp_path / "site"):
        (folder / "workflow").mkdir(parents=True)
        (folder / "Snakefile").touch()
        if folder == tmp_path / "site":  # of somebody else: there is no workflow/Snakefile
            assert suite_folder.suite_folder() == package / "suite"
        (folder / "workflow" / "Snakefile").touch()
    assert suite_folder.suite_folder() == tmp_path / "site"
