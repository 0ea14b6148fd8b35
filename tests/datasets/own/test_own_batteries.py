"""Batteries of data sets: made up here, and the real ones where the mirror is."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from cladebench.datasets.own.own_batteries import expand_battery
from cladebench.datasets.own.own_files import OwnDataError, files_of, read_own_data

#: As the user has it: the tests of this folder hide it.
MIRRORS = [Path(part) for part in os.environ.get("CLADEBENCH_MIRROR", "").split(os.pathsep) if part]
REAL = next((mirror / "clustbench" for mirror in MIRRORS if (mirror / "clustbench").is_dir()), None)
needs_mirror = pytest.mark.skipif(REAL is None, reason="no clustbench in a mirror folder")


def fill(folder):
    files = {
        "x.data.gz": "0 1\n  2 3\n1.5e1   5\n7 8\n",
        "x.labels0.gz": "1\n2\n1\n2\n",
        "x.labels1.gz": "1\n0\n2\n2\n",
        "x2.data.gz": "1 2 3\n4 5 6\n7 8 8\n",
        "x2.labels0.gz": "2\n2\n1\n",
        "x.txt": "about x",
    }
    folder.mkdir(parents=True)
    for name, text in files.items():
        content = text.encode()
        (folder / name).write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)


def test_a_battery_gives_an_entry_for_each_data_set(tmp_path):
    fill(tmp_path / "toys")
    entries = expand_battery("own", {"battery": "clustbench", "from": "toys", "missing": "refuse"}, tmp_path)
    assert list(entries) == ["own-x", "own-x2"]
    assert entries["own-x"]["label_files"] == ["toys/x.labels0.gz", "toys/x.labels1.gz"]
    assert entries["own-x"]["missing"] == "refuse"
    assert files_of(entries["own-x2"], tmp_path) == [
        tmp_path / "toys" / name for name in ("x2.data.gz", "x2.labels0.gz")
    ]
    data = read_own_data("own-x", entries["own-x"], tmp_path)
    np.testing.assert_array_equal(data.X, [[0, 1], [2, 3], [15, 5], [7, 8]])
    assert {name: codes.tolist() for name, codes in data.labellings.items()} == {
        "labels0": [0, 1, 0, 1],
        "labels1": [0, -1, 1, 1],
    }
    assert data.clusters == {"labels0": 2, "labels1": 2}
    chosen = expand_battery("own", {"battery": "clustbench", "from": "toys", "only": ["x2"]}, tmp_path)
    assert list(chosen) == ["own-x2"]


def test_a_battery_may_lie_in_a_mirror(places, tmp_path):
    fill(places.mirror / "sub" / "toys")
    entries = expand_battery("own", {"battery": "b", "from": "sub/toys"}, tmp_path)
    assert len(read_own_data("own-x2", entries["own-x2"], tmp_path).X) == 3


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "data.own: from is nothing; expected the folder of the battery"),
        ({"from": "toys", "only": 3}, "data.own: only is 3; expected a list of names"),
        ({"from": "toys", "only": ["x22"]}, "data.own: only: 'x22' is not in toys; did you mean 'x2'?"),
        ({"from": "none"}, "none: no such folder; expected a battery there or in a CLADEBENCH_MIRROR folder"),
        ({"from": "."}, ".: has no data sets; expected NAME.data.gz and NAME.labels0.gz"),
    ],
)
def test_a_battery_that_is_not_there_is_refused(tmp_path, entry, message):
    fill(tmp_path / "toys")
    with pytest.raises(OwnDataError) as caught:
        expand_battery("own", {"battery": "b", **entry}, tmp_path)
    assert str(caught.value).startswith(message) and len(str(caught.value)) <= 120


def test_too_few_labels_are_refused(tmp_path):
    fill(tmp_path / "toys")
    (tmp_path / "toys" / "x.labels1.gz").write_bytes(gzip.compress(b"1\n2\n", mtime=0))
    entries = expand_battery("own", {"battery": "b", "from": "toys"}, tmp_path)
    with pytest.raises(
        OwnDataError, match=r"^toys/x.labels1.gz: has 2 labels; expected 4, one for each row of toys"
    ):
        read_own_data("own-x", entries["own-x"], tmp_path)


@needs_mirror
def test_the_real_batteries_are_read_whole():
    sizes = {}
    for battery in ("wut", "fcps", "uci", "sipu"):
        entries = expand_battery(battery, {"battery": "clustbench", "from": f"data/{battery}"}, REAL)
        for name, entry in entries.items():
            if (REAL / entry["file"]).stat().st_size > 25_000:
                continue
            data = read_own_data(name, entry, REAL)
            sizes[name] = data.X.shape
            for codes in data.labellings.values():
                assert len(codes) == len(data.X) and codes.min() >= -1
    assert sizes["fcps-target"] == (770, 2) and sizes["uci-wine"] == (178, 13)
    data = read_own_data(
        "wut-x2", expand_battery("wut", {"from": "data/wut", "only": "x2"}, REAL)["wut-x2"], REAL
    )
    assert (data.labellings["labels1"] == -1).sum() == 10 and (data.labellings["labels0"] >= 0).all()
