"""A user's own files: what pandas and NumPy write comes back; what is wrong is refused in one line."""

import gzip
import hashlib

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from cladebench.datasets.own.own_files import OwnDataError, files_of, read_own_data
from own_makers import CSV, binary, npy, npz

NUMBERS = st.floats(-1e100, 1e100, allow_subnormal=False)
NAMES = st.text(st.characters(codec="utf-8", categories=("L",)), min_size=1, max_size=6)
#: Words that are neither numbers nor marks of missing values, with all that must be quoted.
WORDS = st.text("abcxyzäß ,;|\t\"'", min_size=1, max_size=8).map(lambda text: f"w{text}w")


@st.composite
def frames(draw):
    n, p = draw(st.integers(4, 9)), draw(st.integers(1, 4))
    names = draw(st.lists(NAMES, min_size=p + 1, max_size=p + 1, unique=True))
    columns = {
        name: draw(st.lists(draw(st.sampled_from([NUMBERS, st.integers(-999, 999)])), min_size=n, max_size=n))
        for name in names[:p]
    }
    kind = draw(st.sampled_from([WORDS, st.integers(-5, 5), st.integers(2**53, 2**53 + 3)]))
    classes = draw(st.lists(kind, min_size=2, max_size=2, unique=True))
    labels = [
        classes[0],
        classes[1],
        *draw(st.lists(st.sampled_from(classes), min_size=n - 2, max_size=n - 2)),
    ]
    return pd.DataFrame({**columns, names[p]: labels})


def check(data, frame):
    label = frame.columns[-1]
    np.testing.assert_array_equal(data.X, frame[frame.columns[:-1]].to_numpy(float))
    assert data.X.dtype == np.float64 and data.feature_names == tuple(frame.columns[:-1])
    names = np.array(data.class_names[label])
    assert list(names[data.labellings[label]]) == list(frame[label].map(str))
    assert data.clusters == {label: 2}


@given(frames(), st.sampled_from([",", ";", "\t", "|", " "]), st.booleans(), st.booleans(), st.booleans())
def test_what_pandas_writes_as_text_comes_back(tmp_path_factory, frame, separator, comma, mark, packed):
    folder = tmp_path_factory.mktemp("own")
    comma = comma and separator != ","
    text = frame.to_csv(index=False, sep=separator, decimal="," if comma else ".")
    data = text.encode("utf-8-sig" if mark else "utf-8")
    name = "own.csv.gz" if packed else "own.csv"
    (folder / name).write_bytes(gzip.compress(data) if packed else data)
    entry = {
        "file": name,
        "label": frame.columns[-1],
        "separator": separator,
        "decimal": "," if comma else ".",
    }
    check(read_own_data("own", entry, folder), frame)


def test_a_word_for_infinity_may_be_the_name_of_a_column(read):
    assert read("a,INF,y\n1,2,u\n2,3,v\n4,4,u\n", label="y").feature_names == ("a", "INF")


@given(frames(), st.sampled_from(["to_parquet", "to_feather"]))
def test_what_pandas_writes_as_columns_comes_back(tmp_path_factory, frame, method):
    folder, name = tmp_path_factory.mktemp("own"), f"own.{method[3:]}"
    getattr(frame, method)(folder / name)
    check(read_own_data("own", {"file": name, "label": frame.columns[-1]}, folder), frame)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
def test_the_separator_is_found(read, separator):
    data = read(CSV.replace(",", separator), label="group")
    np.testing.assert_array_equal(data.X, [[1.5, 2], [3, 4], [5, 6], [7, 9]])
    assert data.class_names == {"group": ("x", "y")}
    assert "The first row has the names of the columns." in data.done


def test_names_of_columns_are_told_from_values(read):
    assert read("1,2,x\n3,4,y\n5,6,x\n", label=3).feature_names == ("1", "2")
    assert read("0,1,2,kind\n3,4,5,x\n5,6,7,y\n6,7,7,y\n", label="kind").feature_names == ("0", "1", "2")
    assert len(read("0,1\n5,6\n7,8\n", clusters=2, header=False).X) == 3
    assert len(read("0,1\n5,6\n7,8\n", clusters=2).X) == 2
    assert len(read("0,1,2\n1,0,1\n2,1,0\n", clusters=2, kind="distances").X) == 3


def test_a_text_of_two_bytes_a_character_is_read(read):
    assert read(CSV.replace("group", "größe").encode("utf-16"), label="größe").clusters == {"größe": 2}


def test_arrays_come_back(read):
    X, y = np.arange(12.0).reshape(6, 2) ** 2, np.array(["a", "b"] * 3)
    np.testing.assert_array_equal(read(npy(X), "own.npy", clusters=2).X, X)
    np.testing.assert_array_equal(read(gzip.compress(npy(X)), "own.npy.gz", clusters=2).X, X)
    data = read(npz(X=X, y=y, other=X), "own.npz", label="y")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.labellings["y"], [0, 1] * 3)
    data = read(npy(np.column_stack([X, [4, 5] * 3])), "own.npy", label=3)
    assert data.feature_names == ("1", "2") and data.class_names == {"3": ("4.0", "5.0")}


def test_sparse_features_stay_sparse(read):
    data = read("1 1:0.5 9:2 # first\n\n3 2:1\n1 3:-1e-3\n", "own.svm")
    assert scipy.sparse.issparse(data.X) and data.X.shape == (3, 9)
    assert data.X[0, 8] == 2 and data.X[2, 2] == -1e-3
    np.testing.assert_array_equal(data.labellings["label"], [0, 1, 0])
    dense = read("1 1:0.5 2:2\n3 2:1\n1 1:7 2:1\n", "own.svm")
    np.testing.assert_array_equal(dense.X, [[0.5, 2], [0, 1], [7, 1]])
    unlabelled = read("0 1:0.5 9:2\n0 2:1\n0 3:1\n", "own.svm", clusters=2)
    assert unlabelled.labellings == {} and unlabelled.clusters == {"": 2}


def test_labels_are_read_without_loss(read):
    big = 2**53
    data = read(f"1 1:1 2:1\n{big} 1:1 2:2\n{big + 1} 1:3 2:1\n1 1:1 2:2\n", "own.svm")
    assert data.class_names["label"] == ("1", str(big), str(big + 1))
    data = read("a,y\n1,1.0\n2,2\n3,1\n", label="y")
    assert data.class_names["y"] == ("1", "2")
    assert read("a,y\n1,01\n2,1\n3,01\n", label="y").class_names["y"] == ("01", "1")
    assert read("a,y\n1,None\n2,mild\n3,None\n", label="y").class_names["y"] == ("None", "mild")


def test_missing_values_become_medians_and_are_counted(read):
    text = "a,b,sex,y\n1,?,f,x\n,2,m,y\n3,NA,,x\n8,5,f,y\n"
    data = read(text, label="y", categories=["sex"])
    np.testing.assert_array_equal(data.X[:, :2], [[1, 3.5], [3, 2], [3, 3.5], [8, 5]])
    np.testing.assert_array_equal(data.X[:, 2:], [[1, 0], [0, 1], [0, 0], [1, 0]])
    assert data.feature_names == ("a", "b", "sex=f", "sex=m")
    assert any(line.startswith("4 missing values, in 'a' (1), 'b' (2), 'sex' (1)") for line in data.done)
    with pytest.raises(
        OwnDataError, match=r"^own.csv: column 'b', row 2: 2 missing values; .* missing: median$"
    ):
        read(text, label="y", missing="refuse", ignore=["a"])


def test_text_is_a_category_and_numbers_may_be(read):
    data = read("a,s,y\n7,p,x\n7,q,y\n8,p,x\n9,q,y\n", label="y", categories="a")
    assert data.feature_names == ("a=7", "a=8", "a=9", "s=p", "s=q")
    np.testing.assert_array_equal(data.X.sum(axis=1), [2, 2, 2, 2])
    assert "Column 's' is a category: it became 2 columns of 0 and 1." in data.done


def test_types_of_pandas_are_numbers(read):
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "flag": pd.array([True, False, None, True], dtype="boolean"),
            "kind": pd.Categorical(["u", "v", "u", "v"]),
            "y": pd.Categorical(["a", "b", "a", "b"]),
        },
        index=[5, 6, 7, 8],
    )
    data = read(binary(frame, "to_parquet"), "own.parquet", label="y")
    np.testing.assert_array_equal(data.X, [[1, 1, 1, 0], [3, 0, 0, 1], [3, 1, 1, 0], [4, 1, 0, 1]])
    assert data.labellings["y"].tolist() == [0, 1, 0, 1]
    assert "The file's index is left out." in data.done


def test_several_labellings_and_noise(read, tmp_path):
    (tmp_path / "own.labels0.gz").write_bytes(gzip.compress(b"1\n2\n1\n2\n"))
    (tmp_path / "own.labels1.gz").write_bytes(gzip.compress(b"1\n0\n3\n3\n"))
    files = ["own.labels0.gz", "own.labels1.gz"]
    data = read("1 2\n3 4\n5 6\n7 8\n", "own.data", label_files=files, noise=0, header=False)
    assert {k: v.tolist() for k, v in data.labellings.items()} == {
        "labels0": [0, 1, 0, 1],
        "labels1": [0, -1, 1, 1],
    }
    assert data.class_names["labels1"] == ("1", "3") and data.clusters == {"labels0": 2, "labels1": 2}
    assert "Label 'labels1': 2 classes; rows of no class, left out of scores: 1." in data.done
    entry = {"file": "own.data", "label_files": files}
    assert files_of(entry, tmp_path) == [tmp_path / name for name in ["own.data", *files]]
    digests = [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ["own.data", *files]]
    assert data.sha256 == hashlib.sha256("".join(digests).encode()).hexdigest()
    two = read("a,y,z\n1,p,1\n2,q,1\n3,p,2\n", label=["z", "y"], clusters=3)
    assert list(two.labellings) == ["z", "y"] and two.clusters == {"z": 3, "y": 3}
    assert two.sha256 == hashlib.sha256((tmp_path / "own.csv").read_bytes()).hexdigest()


def test_distances_with_names_of_rows(read):
    D = np.array([[0, 1, 2], [1, 0, 4], [2, 4, 0]])
    for text in ("town,u,v,w\nu,0,1,2\nv,1,0,4\nw,2,4,0\n", ",0,1,2\n0,0,1,2\n1,1,0,4\n2,2,4,0\n"):
        data = read(text, kind="distances", clusters=2)
        np.testing.assert_array_equal(data.X, D)
        assert data.kind == "distances" and "The first column has the names of the rows." in data.done
    near = D + np.array([[0, 1e-12, 0], [0, 1e-13, 0], [-1e-12, 0, 0]])
    data = read(npy(near), "own.npy", kind="distances", clusters=2)
    assert (data.X == data.X.T).all() and not np.diag(data.X).any() and "Rounding" in data.done[-1]


def test_a_file_may_lie_in_a_mirror(places, tmp_path):
    places.put(places.mirror, CSV.encode(), "sub/own.csv")
    assert len(read_own_data("own", {"file": "sub/own.csv", "label": "group"}, tmp_path).X) == 4
