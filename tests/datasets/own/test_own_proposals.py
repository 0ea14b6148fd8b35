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

    def write_and_propose(content, name="own.csv", labels=()):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        entry, said = propose_entry(Path(name), labels)
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
    entry, said = propose(text, labels=["diagnosis"])
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
    entry, _ = propose("id,a,y\n1,2,p\n2,3,q\n3,3,p\n", labels=["y"])
    assert entry == {"file": "own.csv", "label": "y", "ignore": ["id"]}
    entry, _ = propose("id,a,y\n1,2,p\n2,3,q\n2,3,p\n", labels=["y"])
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
            propose_entry(tmp_path / name, ["group"])
        entry, _ = propose_entry(tmp_path / name, ["group"], needed=False)
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
        propose(CSV, labels=["groups"])
    with pytest.raises(OwnDataError, match=r"^own.csv: column 'a', row 3: 'x' is no number; correct it"):
        propose("a,b\n1,2\nx,3\n4,5\n")


def near_distances():
    D = np.abs(np.subtract.outer(np.arange(5.0) ** 2, np.arange(5.0) ** 2))
    return D + 1 - np.eye(5)


def spoilt(row, column, value):
    D = near_distances()
    D[row, column] = value
    return pd.DataFrame(D).to_csv(index=False, header=False)


NEARLY = "The table is nearly a matrix of distances: set kind: distances if meant."


@pytest.mark.parametrize(
    ("cell", "lacks"),
    [
        ((1, 3, 7.0), "column '4', row 2: 7, but 9 the other way round; expected a symmetric matrix."),
        ((1, 3, -1.0), "column '4', row 2: -1 is negative; expected a distance of at least 0."),
        ((2, 2, 1.0), "column '3', row 3: 1; expected 0 on the diagonal: are these similarities?"),
        ((1, 3, np.nan), "column '4', row 2: 1 missing value; expected all distances."),
    ],
)
def test_a_wrong_cell_in_a_matrix_of_distances_is_said(propose, cell, lacks):
    entry, said = propose(spoilt(*cell))
    assert "kind" not in entry and said[-2] == NEARLY
    assert said[-1] == f"As distances, {lacks}"


def test_ways_that_differ_by_direction_are_nearly_distances(propose):
    D = np.random.default_rng(0).uniform(1, 2, (6, 6))
    np.fill_diagonal(D, 0.0)
    assert propose(npy(D), "own.npy")[1][-2] == NEARLY


def test_distances_that_are_read_as_features_are_said(tmp_path):
    (tmp_path / "own.csv").write_text(pd.DataFrame(near_distances()).to_csv(index=False, header=False))
    whole = "The table is square, symmetric and 0 on its diagonal: set kind: distances if meant."
    assert read_own_data("own", {"file": "own.csv", "clusters": 2}, tmp_path).done[-1] == whole
    meant = {"file": "own.csv", "clusters": 2, "kind": "features"}
    assert whole not in read_own_data("own", meant, tmp_path).done


def test_a_square_table_of_features_is_nothing_else(propose):
    rng = np.random.default_rng(0)
    for X in (rng.normal(size=(5, 5)), np.eye(12)):  # zeros alone make a table symmetric
        _, said = propose(npy(X), "own.npy")
        assert not [sentence for sentence in said if "distances" in sentence]
    _, said = propose("a,b,c\nu,1,2\nv,2,3\nu,3,3\n")
    assert not [sentence for sentence in said if "distances" in sentence]


def test_a_file_with_two_of_the_labels_is_refused(propose):
    text = "a,b,y,species\n1,2,p,u\n2,3,q,v\n3,4,p,u\n"
    assert propose(text, labels=["group", "y"])[0]["label"] == "y"
    with pytest.raises(
        OwnDataError, match=r"^own.csv: has the columns 'y' and 'species'; expected one --label"
    ):
        propose(text, labels=["y", "group", "species"])


def test_a_text_of_few_values_may_be_the_label(propose):
    _, said = propose("a,b,my species\n1,2,u\n2,3,v\n3,4,u\n5,6,v\n")
    hint = "Column 'my species' has 2 values and stays a feature; --label 'my species' makes it the label."
    assert hint in said
    _, said = propose("a,b,my species,y\n1,2,u,0\n2,3,v,1\n3,4,u,0\n5,6,v,1\n")
    assert not [sentence for sentence in said if "--label" in sentence]


@pytest.mark.parametrize(
    ("text", "entry", "sentence", "values"),
    [
        ('a,b\n"1,149",2.5\n"2,000",3\n7,1\n', {"decimal": "."}, "a comma parts", [1149, 2000, 7]),
        ("a;b\n1,149;2.5\n2,000;3\n7;1\n", {"separator": ";", "decimal": "."}, "a comma", [1149, 2000, 7]),
        ("a;b\n1.149,5;2\n2,5;3\n7;1\n", {"separator": ";", "decimal": ","}, "a point", [1149.5, 2.5, 7]),
        ("a;b\n1,149;2\n2,000;3\n7;1\n", {"separator": ";", "decimal": ","}, "may part", [1.149, 2, 7]),
    ],
)
def test_marks_of_thousands_are_no_decimal_marks(propose, tmp_path, text, entry, sentence, values):
    found, said = propose(text)
    assert found == {"file": "own.csv", **entry, "clusters": 3}
    assert len([line for line in said if sentence in line and "thousands" in line]) == 1
    assert read_own_data("own", found, tmp_path).X[:, 0].tolist() == values


def test_two_decimal_marks_in_a_file_are_refused(propose):
    with pytest.raises(
        OwnDataError, match=r"^own.csv: column 'a': has decimal commas, but 'b' has points; e"
    ):
        propose("a;b\n1,5;2.5\n2,5;3.5\n3,5;1\n")
    with pytest.raises(
        OwnDataError, match=r"^own.csv: column 'a': has decimal commas, which separate columns"
    ):
        propose('a,b\n"1,5",2\n"2,5",3\n7,1\n')


def test_numbers_with_a_unit_and_columns_of_one_value_are_said(propose):
    rows = "".join(f"{i * i},{i}%,€ {i % 2}.5,5,x,{'uv'[i % 2]}\n" for i in range(12))
    _, said = propose("a,share,price,same,word,kind\n" + rows)
    assert (
        "Column 'share' has numbers with a unit, such as '0%', 12 different ones: proposed under ignore."
        in said
    )
    assert (
        "Column 'price' is a category, though '€ 0.5' has a number: it became 2 columns of 0 and 1." in said
    )
    assert "Column 'word' is a category: it became 1 column of 0 and 1." in said
    assert "Column 'kind' is a category: it became 2 columns of 0 and 1." in said
    assert "The same value in all rows: 'same', 'word'; they change nothing." in said
    assert [sentence for sentence in said if "--label" in sentence] == [
        "Column 'kind' has 2 values and stays a feature; --label kind makes it the label."
    ]


def test_svmlight_with_many_values_is_said_to_be_a_full_table(propose):
    _, said = propose("1 1:1 2:3\n2 1:3 2:4\n1 1:1 2:1\n", "own.svm")
    assert "At least half of the entries are given: read as a full table, not as sparse features." in said
