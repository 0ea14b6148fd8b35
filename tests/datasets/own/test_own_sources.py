"""What an entry of `data:` stands for: own files, a battery, the registry."""

import gzip

import pytest

from cladebench import datasets
from cladebench.datasets.own.own_sources import Source, sources_of
from cladebench.datasets.own.own_text import OwnDataError


@pytest.fixture
def folder(tmp_path):
    rows = "".join(f"{i},{i * i},{'abc'[i % 3]}\n" for i in range(12))
    (tmp_path / "patients.csv").write_text("age,dose,class\n" + rows)
    (tmp_path / "notes.svm").write_text("".join(f"{i % 2} {i % 4 + 1}:{i + 1}\n" for i in range(12)))
    for name in ("x", "y"):
        (tmp_path / f"{name}.data.gz").write_bytes(gzip.compress(b"0 1\n2 3\n4 5\n6 7\n"))
        (tmp_path / f"{name}.labels0.gz").write_bytes(gzip.compress(b"1\n2\n2\n1\n"))
    return tmp_path


def found(folder, **entry):
    return sources_of("d", entry, folder, "c.yaml")


def test_own_files_have_a_name_that_loads_them(folder):
    (source,) = found(folder, file="patients.csv", label="class").values()
    assert datasets.load(source.name).labellings["class"].tolist() == [0, 1, 2] * 4
    assert source == Source(source.name, "features", False, True, 12, 3)
    (plain,) = found(folder, file="patients.csv", ignore=["class"], clusters=4).values()
    assert (plain.labelled, plain.n_clusters) == (False, 4)
    (notes,) = found(folder, file="notes.svm").values()
    assert notes.sparse and notes.labelled


def test_a_battery_has_a_source_a_data_set_with_its_finest_labelling(folder):
    (folder / "y.labels1.gz").write_bytes(gzip.compress(b"1\n2\n3\n3\n"))
    sources = found(folder, battery="clustbench", **{"from": "."})
    assert {name: source.n_rows for name, source in sources.items()} == {"d-x": 4, "d-y": 4}
    assert {name: source.n_clusters for name, source in sources.items()} == {"d-x": 2, "d-y": 3}


@pytest.mark.parametrize("name", ["topic-counts", "digits"])
def test_registered_data_are_as_the_registry_has_them(folder, name):
    (source,) = found(folder, registered=name).values()
    data = datasets.info(name)
    assert source == Source(name, "features", data.sparse, True, data.n_samples, data.n_classes)
    assert source.sparse == (name == "topic-counts")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"file": "patients.csv"}, "c.yaml: data.d: has neither label nor clusters; expected one of them"),
        ({}, "no source; expected one of file, registered, battery"),
        ({"file": "patients.csv", "registered": "digits"}, "file, registered; expected one of"),
        ({"registered": "iriss"}, "registered: no data set 'iriss'; expected one of"),
        ({"registered": "scenes-15"}, "'scenes-15' has no table of features; expected one"),
        ({"registered": "noisy-mixtures-10"}, "has no table of features; expected one"),
        ({"registered": "nips"}, "'nips' has no labels; expected data that have some"),
        ({"registered": "glass", "label": "x"}, "unknown key 'label'; expected none beside registered"),
    ],
)
def test_a_wrong_entry_is_named(folder, entry, said):
    with pytest.raises(OwnDataError) as error:
        found(folder, **entry)
    assert str(error.value).startswith("c.yaml: data.d") and said in str(error.value)
