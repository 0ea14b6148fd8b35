"""A run of the paper of the report's tests, and files of the project of known truth."""

import pytest

import synthetic_run
from cladebench.export import rocrate

CITATION = """\
title: "cladebench: audits"
license: BSD-3-Clause
version: 0.1.0
date-released: "2026-01-02"
authors:
  - name: The developers
  - {given-names: Ada, family-names: Example, orcid: "https://orcid.org/0000-0002-1825-0097"}
"""


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """The folder of the run, not to be changed."""
    return synthetic_run.write_page_run(tmp_path_factory.mktemp("run") / "smoke")


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Sources with an organisation and a person as authors, and a day."""
    found = {
        "CITATION.cff": CITATION,
        "Snakefile": 'include: "workflow/Snakefile"\n',
        "workflow/Snakefile": "rule all:\n",
        "workflow/rules/b.smk": "",
        "workflow/rules/a.smk": "rule a:\n",
        "config/config.yaml": "scope: smoke\n",
    }
    root = tmp_path / "suite"
    for name, text in found.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(rocrate, "suite_folder", lambda: root)
    return root
