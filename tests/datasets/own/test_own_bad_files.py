"""A user's files that cannot be used: one line with file, column, row and remedy."""

import gzip
import io
import os
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest

from cladebench.datasets.own import own_tables, own_text
from cladebench.datasets.own.own_files import OwnDataError, read_own_data
from own_makers import CSV, binary, npy, npz

BAD = {
    "label missing": (
        CSV,
        {"label": "grup"},
        "own.csv: column 'grup': is not in the file; did you mean 'group'?",
    ),
    "label constant": (
        "a,y\n1,x\n2,x\n",
        {"label": "y"},
        "own.csv: column 'y': has one class, 'x'; expected at least 2",
    ),
    "label of rows": (
        "a,y\n1,x\n2,z\n",
        {"label": "y"},
        "own.csv: column 'y': has a class of its own in each row",
    ),
    "label with NaN": (
        "a,y\n1,x\n2,\n3,z\n",
        {"label": "y"},
        "own.csv: column 'y', row 3: 1 label is missing; expected all, or noise: missing to score no such row",
    ),
    "labels with NaN": (
        "a,y\n1,x\n2,\n3,z\n4,\n5,NA\n6,?\n7,\n",
        {"label": "y"},
        "own.csv: column 'y', rows 3, 5, 6 and 2 more: 5 labels are missing; expected all, or noise: missing",
    ),
    "no label": (
        "a,y\n1,\n2,\n3,\n",
        {"label": "y", "noise": "missing"},
        "own.csv: column 'y': has no class; expected at least 2, or no label",
    ),
    "label of two kinds after a gap": (
        "a,y\n1,\n2,x\n3,1.5\n",
        {"label": "y", "noise": "missing"},
        "own.csv: column 'y': has a class of its own in each row",
    ),
    "noise of another word": (
        CSV,
        {"label": "group", "noise": "gone"},
        "data.own",
    ),
    "label measured": (
        "a,y\n1,1\n2,1.5\n3,1\n",
        {"label": "y"},
        "own.csv: column 'y', row 3: 1.5; expected class labels",
    ),
    "one row": ("a,b\n1,2\n", {"clusters": 2}, "own.csv: has one row; expected at least 2"),
    "no rows": ("a,b\n", {"clusters": 2}, "own.csv: has no rows; expected at least 2"),
    "empty": ("\n\n", {"clusters": 2}, "own.csv: is empty; expected rows"),
    "one column": (
        "a\n1\n2\n",
        {"clusters": 2},
        "own.csv: has one column; expected at least 2: set separator",
    ),
    "labels alone": (
        "a,y\n1,x\n2,z\n3,x\n",
        {"label": "y", "ignore": "a"},
        "own.csv: has no column of features",
    ),
    "all NaN": (
        "a,b\n1,\n2,NA\n",
        {"clusters": 2},
        "own.csv: column 'b': has no values; put it under ignore",
    ),
    "same names": (
        "a,b,a\n1,2,3\n2,3,4\n",
        {"clusters": 2},
        "own.csv: column 'a': is the name of columns 1 and 3; rename",
    ),
    "k above n": (CSV, {"clusters": 5}, "data.own: clusters is 5; expected at most 4, the rows of own.csv"),
    "k of 1": (
        CSV,
        {"clusters": 1},
        "data.own: clusters: 1 is not allowed; expected a whole number, at least 2",
    ),
    "k a word": (
        CSV,
        {"clusters": "two"},
        "data.own: clusters: 'two' is not allowed; expected a whole number",
    ),
    "no k": (CSV, {}, "data.own: has neither label nor clusters"),
    "no number": (
        "a,b\n1,2\n2,x\n\n3,4\n",
        {"clusters": 2},
        "own.csv: column 'b', row 3: 'x' is no number; correct it, or put the column under label, categories or ign",
    ),
    "late": (
        "a,b\n1,2\n\n3,4\n4,5,6\n",
        {"clusters": 2},
        "own.csv: row 5: has 3 fields; expected 2, as in the first row",
    ),
    "short": ("a,b,c\n1,2,3\n3,4\n", {"clusters": 2}, "own.csv: row 3: has 2 fields; expected 3"),
    "wide": ("a,b\n1,2,3\n3,4,5\n", {"clusters": 2}, "own.csv: row 2: has 3 fields; expected 2"),
    "comma": (
        "a;b\n1,5;2\n3,5;4\n",
        {"clusters": 2},
        "own.csv: column 'a', row 2: '1,5' is no number; set decimal: ','",
    ),
    "thousands": (
        "a;b\n1,500;2\n3,500;4\n",
        {"clusters": 2},
        "own.csv: column 'a', row 2: '1,500' is no number; set decimal: ','; or decimal: '.' if it parts thousands",
    ),
    "two marks": (
        "a;b\n1,5;2.5\n3,5;4.5\n",
        {"clusters": 2, "decimal": ","},
        "own.csv: column 'b', row 2: '2.5' is no number; expected ',' in all columns, as decimal says",
    ),
    "other separator": (
        CSV,
        {"label": "group", "separator": ";"},
        "own.csv: has one column with separator ';'; expected separator: ','",
    ),
    "decimal is separator": (
        CSV,
        {"label": "group", "decimal": ","},
        "own.csv: is separated by ',', which decimal is too; expected decimal: '.'",
    ),
    "infinite": (
        "a,b\n1,2\n3,inf\n",
        {"clusters": 2},
        "own.csv: column 'b', row 3: inf; expected a number below 1e+140",
    ),
    "large": (
        "a,b\n1,2\n3,1e200\n",
        {"clusters": 2},
        "own.csv: column 'b', row 3: 1e+200; expected a number below 1e+140: rescale",
    ),
    "dates": (
        "a,d\n1,2020-01-02\n3,2021-12-31\n",
        {"clusters": 2},
        "own.csv: column 'd': has dates; expected numbers",
    ),
    "names": (
        "a,d\n" + "".join(f"1,n{i}n\n" for i in range(9)),
        {"clusters": 2},
        "own.csv: column 'd': is text with 9 different values; put it under ignore",
    ),
    "latin": (
        b"a,b\n1,2\n2,\xe4\n",
        {"clusters": 2},
        "own.csv: row 3: is not UTF-8; expected text saved as 'CSV UTF-8'",
    ),
    "NUL": ("a,b\n1,\0\n", {"clusters": 2}, "own.csv: has NUL characters; expected text"),
    "same marks": (
        CSV,
        {"clusters": 2, "decimal": ",", "separator": ","},
        "own.csv: separator and decimal are both ','",
    ),
    "key": (CSV, {"labels": "group"}, "data.own: labels: unknown key 'labels'; did you mean 'label'?"),
    "separator": (
        CSV,
        {"label": "group", "separator": "::"},
        "data.own: separator: '::' is not allowed; expected one mark",
    ),
    "level": (
        "a,a=x\nx,1\ny,2\nx,3\ny,1\n",
        {"clusters": 2},
        "own.csv: column 'a': is a category one of whose columns",
    ),
    "value": (
        CSV,
        {"label": "group", "missing": "drop"},
        "data.own: missing: 'drop' is not allowed; allowed: median, refuse",
    ),
    "list": (
        CSV,
        {"label": [1.5]},
        "data.own: label: [1.5] is not allowed; expected a name or a list of names",
    ),
    "ignored label": (
        CSV,
        {"label": "group", "ignore": ["a", "z"]},
        "own.csv: column 'z': is not in the file; expected one of",
    ),
    "quote": ('a,b\n1,"2\n3,4\n', {"clusters": 2}, "own.csv: "),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_text_is_refused_in_one_line(read, case):
    content, entry, message = BAD[case]
    with pytest.raises(OwnDataError) as caught:
        read(content, **entry)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) <= 128 + 80 * (case == "key") and "\n" not in str(caught.value)


DISTANCES = {
    "not square": ([[0, 1, 2], [1, 0, 3]], "own.npy: has 2 rows and 3 columns; expected a square matrix"),
    "not symmetric": (
        [[0, 1], [2, 0]],
        "own.npy: column '2', row 1: 1, but 2 the other way round; expected a symm",
    ),
    "diagonal": (
        [[1, 0.5], [0.5, 1]],
        "own.npy: column '1', row 1: 1; expected 0 on the diagonal: are these simil",
    ),
    "negative": (
        [[0, -1], [-1, 0]],
        "own.npy: column '2', row 1: -1 is negative; expected a distance of at least 0",
    ),
    "missing": (
        [[0, np.nan], [1, 0]],
        "own.npy: column '2', row 1: 1 missing value; expected all distances",
    ),
    "infinite": ([[0, np.inf], [1, 0]], "own.npy: column '2', row 1: inf; expected a number below 1e+140"),
}


@pytest.mark.parametrize("case", DISTANCES)
def test_bad_distances_are_refused(read, case):
    D, message = DISTANCES[case]
    with pytest.raises(OwnDataError) as caught:
        read(npy(np.array(D)), "own.npy", kind="distances", clusters=2)
    assert str(caught.value).startswith(message) and len(str(caught.value)) <= 128


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was read",))


def dates(dtype):
    return pd.DataFrame({"a": [1, 2], "b": pd.to_datetime(["2020-01-01", "2021-01-01"]).astype(dtype)})


FILES = {
    "pickle": ("own.pkl", pickle.dumps([1]), "cannot be read (pickles can run code); expected one of .csv"),
    "workbook": ("own.xlsx", b"PK", "cannot be read; expected one of .csv, .tsv"),
    "objects": (
        "own.npy",
        npy(np.array([[Trap()]]), allow_pickle=True),
        "holds Python objects, which can run code",
    ),
    "pickled npy": ("own.npy", pickle.dumps(Trap()), "is no whole array; expected numbers"),
    "objects in npz": ("own.npz", npz(X=np.array([[Trap()]])), "X.npy: holds Python objects"),
    "cut npy": ("own.npy", npy(np.ones((9, 9)))[:-8], "is no whole array; expected numbers"),
    "vector": ("own.npy", npy(np.ones(9)), "has shape (9,); expected rows"),
    "one column": ("own.npy", npy(np.ones((9, 1))), "has one column; expected at least 2"),
    "complex": ("own.npy", npy(np.ones((3, 2)) * 1j), "has complex numbers; expected real ones"),
    "two matrices": (
        "own.npz",
        npz(A=np.ones((2, 2)), B=np.ones((2, 2))),
        "has 2 matrices; expected one, or one called X",
    ),
    "short label": (
        "own.npz",
        npz(X=np.ones((3, 2)), y=np.ones(2)),
        "column 'y': has shape (2,); expected (3,), one",
    ),
    "no zip": ("own.npz", b"PK1", "cannot be read as a tar or zip archive"),
    "cut gzip": ("own.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-9], "cannot be unpacked"),
    "no gzip": ("own.csv.gz", CSV.encode(), "cannot be unpacked"),
    "no parquet": ("own.parquet", b"PAR1 nothing", "cannot be read"),
    "no feather": ("own.feather", b"nothing", "cannot be read"),
    "dates": (
        "own.parquet",
        binary(dates("datetime64[ns]"), "to_parquet"),
        "column 'b': has dates; expected numbers",
    ),
    "lists": (
        "own.parquet",
        binary(pd.DataFrame({"a": [[1], [2]], "b": [1, 2]}), "to_parquet"),
        "column 'a', row 1: ",
    ),
    "svmlight": ("own.svm", b"1 1:2\n2 x:1\n", "row 2: '2 x:1'; expected a label and features"),
    "svmlight order": ("own.svm", b"1 1:2\n2 3:1 2:1\n", "cannot be read: Feature indices"),
    "svmlight wide": (
        "own.svm",
        b"1 1:2\n2 99999999:1\n",
        "has shape (2, 99999999); expected rows and 1 to 1,000,000 columns",
    ),
    "svmlight NaN": (
        "own.svm",
        b"1 1:2 9:1\n2 3:nan\n1 3:1\n",
        "column '3', row 2: nan; expected a number below 1e+140",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_bad_files_are_refused_and_run_no_code(read, case):
    name, content, message = FILES[case]
    with pytest.raises(OwnDataError) as caught:
        read(content, name, clusters=2, **({"label": "y"} if case == "short label" else {}))
    assert message in str(caught.value) and str(caught.value).startswith(f"{name}: ")
    assert "set separator" not in str(caught.value)  # of which binary files have none
    assert "\n" not in str(caught.value)


def test_a_file_that_is_missing_or_waits_for_ever(read, tmp_path):
    with pytest.raises(OwnDataError, match=r"^no.csv: cannot be read: No such file"):
        read_own_data("own", {"file": "no.csv", "clusters": 2}, tmp_path)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(OwnDataError, match=r"^pipe.csv: is no regular file"):
        read_own_data("own", {"file": "pipe.csv", "clusters": 2}, tmp_path)


def test_files_that_unpack_to_too_much_are_refused(read, monkeypatch):
    frame = pd.DataFrame({"a": np.zeros(5000), "b": np.zeros(5000)})
    contents = {
        "own.csv.gz": gzip.compress(frame.to_csv(index=False).encode(), mtime=0),
        "own.npz": npz(X=frame.to_numpy()),
        "own.parquet": binary(frame, "to_parquet"),
        "own.feather": binary(frame, "to_feather"),
        "own.csv": frame.to_csv(index=False).encode(),
    }
    for module in (own_text, own_tables):
        monkeypatch.setattr(module, "SIZE_LIMIT", 10_000)
    for name, content in contents.items():
        with pytest.raises(OwnDataError, match=rf"^{name}: .*more than 10,?000 bytes"):
            read(content, name, clusters=2)


def test_members_that_leave_their_folder_are_refused(read):
    stream = io.BytesIO(npz(X=np.ones((3, 2))))
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("../evil.npy", b"")
    with pytest.raises(
        OwnDataError, match=r"^own.npz: member '../evil.npy' would be unpacked outside its folder"
    ):
        read(stream.getvalue(), "own.npz", clusters=2)
