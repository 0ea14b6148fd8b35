"""What `cladebench new-comparison` proposes for a file: an entry that reads, and sentences that say why."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cladebench.datasets.own.own_files import OwnDataError, read_own_data
from cladebench.datasets.own.own_proposals import propose_entry
from own_makers import CSV, npy, npz


@pytest.fixture
def propose(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_and_propose(content, name="own.csv", label=None):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        entry, said = propose_entry(Path(name), label)
        done = list(read_own_data("own", entry, tmp_path).done)
        assert said[len(said) - len(done) :] == done
        return entry, said

    return write_and_propose


def test_a_file_of_all_sorts(propose):
    rows = [
        f"{100 + i};{i % 3},5;{'fm'[i % 2]};2020-01-0{i + 1};note {i};{'' if i == 3 else i};{i % 2}"
        for i in range(9)
    ]
    text = "patient_id;age;sex;born;remark;dose;diagnosis\n" + "\n".join(rows)
    entry, said = propose(text, label="diagnosis")
    assert entry == {
        "file": "own.csv",
        "separator": ";",
        "decimal": ",",
        "label": "diagnosis",
        "categories": ["sex"],
        "missing": "median",
        "ignore": ["patient_id", "born", "remark"],
    }
    told = "\n".join(said)
    for sentence in (
        "'patient_id' has a different value in each row and the name of an identifier: proposed under ignore.",
        "Column 'born' has dates: proposed under ignore.",
        "Column 'remark' is text with 9 different values: proposed under ignore.",
        "Values are separated by ';'.",
        "The decimal mark is a comma.",
        "Label 'diagnosis': 2 classes.",
        "Column 'sex' is a category",
        "1 missing value, in 'dose' (1)",
    ):
        assert sentence in told


def test_an_identifier_must_differ_in_each_row(propose):
    entry, _ = propose("id,a,y\n1,2,p\n2,3,q\n3,3,p\n", label="y")
    assert entry == {"file": "own.csv", "label": "y", "ignore": ["id"]}
    entry, _ = propose("id,a,y\n1,2,p\n2,3,q\n2,3,p\n", label="y")
    assert "ignore" not in entry


def test_the_index_that_pandas_writes_is_no_feature(propose):
    frame = pd.DataFrame({"a": [1.5, 2, 3, 4], "class": list("uvuv")})
    entry, said = propose(frame.to_csv())
    assert entry == {"file": "own.csv", "label": "class", "ignore": ["column 1"]}
    assert "Column 'class' was taken for the label by its name." in said


def test_without_labels_a_number_of_clusters_is_a_guess(propose):
    entry, said = propose("a,b\n1,2\n2,3\n5,9\n1,1\n")
    assert entry == {"file": "own.csv", "clusters": 3}
    assert "No column was named as label; clusters: 3 is a guess: write your own." in said
    entry, _ = propose("1 1:1 2:3\n2 1:3 2:4\n1 1:1 2:1\n", "own.svm")
    assert entry == {"file": "own.svm"}


def test_of_several_files_those_without_the_label_have_none(tmp_path):
    (tmp_path / "own.csv").write_text("a,b,class\n1,2,u\n2,3,v\n5,9,u\n")
    (tmp_path / "own.svm").write_text("1 1:1 2:3\n2 1:3 2:4\n1 1:1 2:1\n")
    for name, label in (("own.csv", {"label": "class"}), ("own.svm", {})):
        with pytest.raises(OwnDataError, match="column 'group': is not in the file"):
            propose_entry(tmp_path / name, "group")
        entry, _ = propose_entry(tmp_path / name, "group", needed=False)
        assert entry == {"file": (tmp_path / name).as_posix(), **label}


def test_the_label_of_an_npz_file_is_known_by_its_name(propose):
    entry, said = propose(npz(X=np.eye(4)[:, :3], y=np.array([0, 1, 0, 1])), "own.npz")
    assert entry == {"file": "own.npz", "label": "y"}
    assert "Column 'y' was taken for the label by its name." in said


def test_distances_are_seen(propose):
    D = np.abs(np.subtract.outer(np.arange(5.0) ** 2, np.arange(5.0) ** 2))
    assert propose(npy(D), "own.npy")[0] == {"file": "own.npy", "clusters": 3, "kind": "distances"}
    frame = pd.DataFrame(D, columns=list("pqrst"), index=list("pqrst"))
    entry, said = propose(frame.to_csv(sep="\t"), "own.tsv")
    assert entry == {
        "file": "own.tsv",
        "separator": "\t",
        "clusters": 3,
        "kind": "distances",
        "ignore": ["column 1"],
    }
    assert "The matrix is square and symmetric with 0 on its diagonal: taken for distances." in said
    assert "kind" not in propose(npy(D + 1), "own.npy")[0]


def test_a_label_that_is_not_there_and_a_wrong_cell(propose):
    with pytest.raises(
        OwnDataError, match=r"^own.csv: column 'groups': is not in the file; did you mean 'group'\?$"
    ):
        propose(CSV, label="groups")
    with pytest.raises(OwnDataError, match=r"^own.csv: column 'a', row 3: 'x' is no number; correct it"):
        propose("a,b\n1,2\nx,3\n4,5\n")
