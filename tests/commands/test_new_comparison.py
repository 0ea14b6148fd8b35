"""What `cladebench new-comparison` prints and writes."""

import sys

import pytest
import yaml

from cladebench.cli import main

ROWS = "a,b,y\n1,2,p\n2,3,q\n3,3,p\n4,9,q\n"


@pytest.fixture
def new(tmp_path, monkeypatch, capsys):
    """Write files, start the command on them, and give the exit code, the output, the errors and the document."""
    monkeypatch.chdir(tmp_path)

    def start(*options, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.csv").write_text(text)
        code = main(["new-comparison", *(f"{name}.csv" for name in files), *options])
        said = capsys.readouterr()
        file = tmp_path / "comparison.yaml"
        return code, said.out, said.err, yaml.safe_load(file.read_text()) if file.exists() else None

    return start


def test_a_method_that_cannot_run_is_said_with_the_extra(new, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    code, out, _, _ = new(own=ROWS)
    assert code == 0
    assert out.count("GHC is not run: jax is not installed; expected pip install 'cladebench[ghc]'\n") == 1
