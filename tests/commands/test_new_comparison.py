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


def test_a_file_that_is_there_is_refused_before_anything_is_read(new, tmp_path, monkeypatch):
    (tmp_path / "comparison.yaml").write_text("title: mine\n")
    for late in ("cladebench.comparison.spec", "cladebench.datasets.own.own_proposals"):
        monkeypatch.setitem(sys.modules, late, None)
    code, out, err, document = new(own="no table")
    assert (code, out, document) == (2, "", {"title": "mine"})
    assert err.endswith("comparison.yaml: it is there already; expected another name in --out\n")


def test_a_misspelt_method_of_ones_own_is_told_of_the_option_before_files_are_read(new, tmp_path):
    (tmp_path / "my.py").write_text(
        "class Mine:\n    def fit(self, X):\n        self.labels_ = [0] * len(X)\n"
    )
    code, out, err, document = new("--mine", "my.py:Mein", own=ROWS)
    assert (code, out, document) == (2, "", None)
    assert err == "cladebench new-comparison: --mine: my.py:Mein: my has no Mein; did you mean 'Mine'?\n"
    assert new("--mine", "my.py:Mine", own=ROWS)[3]["mine"] == "Mine"


def test_each_file_has_its_label(new):
    code, _, _, document = new(
        "--label", "y", "--label", "kind", one=ROWS, two="a,b,kind\n1,2,u\n2,4,v\n3,3,u\n"
    )
    assert code == 0
    assert {name: entry["label"] for name, entry in document["data"].items()} == {"one": "y", "two": "kind"}


def test_a_label_of_no_file_is_refused(new):
    code, _, err, document = new("--label", "y", "--label", "group", one=ROWS, two=ROWS.replace("4,9", "4,8"))
    assert (code, document) == (2, None) and "--label group: no file has such a column; expected one" in err


@pytest.mark.parametrize(
    ("options", "files", "said"),
    [
        (
            (),
            {"one": ROWS, "two": ROWS},
            "data.two: has the same rows as data.one; expected data sets that differ",
        ),
        (
            ("--out", "gone/c.yaml"),
            {"one": ROWS},
            "gone/c.yaml: its folder is not there; expected one that is",
        ),
        (("gone.csv",), {}, "gone.csv: cannot be read: No such file or directory; expected a file of data\n"),
    ],
)
def test_what_cannot_be_written_is_refused(new, options, files, said):
    code, _, err, document = new(*options, **files)
    assert (code, document) == (2, None) and said in err
