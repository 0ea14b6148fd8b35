from __future__ import annotations

import os
from pathlib import Path

import pytest

from cladebench import cli, datasets
from cladebench.datasets import fetch
from cladebench.datasets.base import DatasetInfo
from cladebench.datasets.sets import cifar100, noisy_mixtures, uci


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty mirror; no network, no cache, no configuration."""
    (tmp_path / "mirror/optdigits").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLADEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CLADEBENCH_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "1")
    fetch._failed.clear()
    return tmp_path


def test_list_has_every_data_set(capsys):
    assert cli.main(["data", "list"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "bundled" in lines["digits"] and "generated" in lines["nested-blobs"]
    assert "not here (offline)" in lines["glass"] and "4601" in lines["spambase"]
    assert "not here (mirror only)" in lines["awa-pca"] and "stand-in" in lines["awa-pca"]


def test_list_shows_every_shape(capsys):
    assert cli.main(["data", "list"]) == 0
    rows = {
        line.split()[0]: line.split(maxsplit=7)
        for line in capsys.readouterr().out.splitlines()[1:]
        if line.strip()
    }
    shown = {name: (row[2], row[3], row[4], row[7]) for name, row in rows.items() if "generated" in row}
    assert shown == {
        "nested-blobs": ("240", "10", "8", "-"),
        "planted-shared": ("1600", "100", "16", "-"),
        "planted-splits": ("1600", "100", "16", "-"),
        "small-images": ("80", "-", "4", "images; 1 view (features)"),
        "split-distances": ("180", "-", "3", "4 views (distances); 3 train, 2 test sets"),
        "topic-counts": ("150", "300", "5", "-"),
        "uneven-distances": ("90", "-", "3", "1 view (distances)"),
        "unlabelled-blobs": ("120", "6", "-", "-"),
        **{
            noisy_mixtures.name_of(noisy, n, centres, d): (
                str(20 * n),
                str(d),
                str(m),
                "10 train, 10 test sets",
            )
            for noisy, n, m, centres, d in noisy_mixtures.KINDS
        },
    }


def test_a_library_that_is_missing_is_named(monkeypatch, capsys):
    monkeypatch.setattr(DatasetInfo, "missing_libraries", property(lambda self: ("toylib", "other")))
    assert cli.main(["data", "list"]) == 0
    (glass,) = (line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["glass"])
    assert "needs toylib, other" in glass
    assert cli.main(["data", "info", "digits"]) == 0
    assert "  available: needs toylib, other\n" in capsys.readouterr().out


def test_info_says_all_that_the_registry_knows(capsys):
    assert cli.main(["data", "info", "split-distances", "awa-pca"]) == 0
    first, second = capsys.readouterr().out.split("\n\n")
    assert first.startswith("split-distances: Three training and two test sets with stacks of distances\n")
    assert "  kind:      synthetic\n" in first and "  available: generated\n" in first
    assert "180 points; distances: dimension-0, dimension-1, dimension-2, dimension-3; 3 classes" in first
    assert "  part:      train-1 (train)\n" in first and "  part:      test-2 (test)" in first
    assert "  kind:      stand-in, stands in for AWA-PCA\n" in second
    assert "  available: not here (mirror only)\n" in second
    assert f"  file:      {cifar100.WORDS.name}, 7526715 bytes, sha256 {cifar100.WORDS.sha256}\n" in second
    assert "no public address serves it" in second and cifar100.TREE.urls[1] in second


def test_info_says_that_features_are_sparse(capsys):
    assert cli.main(["data", "info", "topic-counts", "nested-blobs"]) == 0
    out = capsys.readouterr().out
    assert "  contents:  150 points; 300 sparse features; 5 classes\n" in out
    assert "  contents:  240 points; 10 features; 8 classes\n" in out


def test_list_shows_where_each_file_belongs_in_a_mirror(folders, capsys):
    assert cli.main(["data", "list"]) == 0
    files = capsys.readouterr().out.split("files, by their path in a mirror folder (CLADEBENCH_MIRROR)")[1]
    shown = dict(line.split(maxsplit=1) for line in files.splitlines()[1:])
    assert (
        shown["cifar100/cifar100_bow_sift1000.npz"]
        == "awa-pca, imagenet, imagenet-counts, imagenet-sizes, vehicle, vehicle-counts, vehicle-sizes"
    )
    names = {file.name: name for name in datasets.names() for file in datasets.info(name).files}
    assert shown.keys() == names.keys() and all(names[path] in users for path, users in shown.items())
    # A file put at the path that is shown is found.
    path = next(path for path, users in shown.items() if users == "digits")
    (folders / "mirror" / path).write_bytes(uci.bundled_optdigits())
    assert datasets.availability("digits") == "mirror"


def test_fetch_of_what_only_a_mirror_has_says_what_is_missing_and_how_to_go_on(capsys):
    for name in ("awa-pca", "vehicle", "imagenet"):
        assert cli.main(["data", "fetch", name]) == 1
        out = capsys.readouterr().out
        assert f"{name}: unavailable: cifar100/cifar100_bow_sift1000.npz: not in the cache" in out
        assert "recipes/cifar100_sift_words.py" in out and "cifar-100-binary.tar.gz" in out
        assert "a new run fits other words, which the registered sha256 refuses" in out
        assert "set CLADEBENCH_MIRROR=FOLDER:\n  FOLDER/cifar100/cifar100_bow_sift1000.npz\n" in out
    assert cli.main(["data", "fetch", "digits"]) == 0
    assert "FOLDER" not in capsys.readouterr().out


def test_list_says_what_is_to_be_fetched_and_which_mirror_is_missing(capsys, monkeypatch):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "0")
    monkeypatch.setenv("CLADEBENCH_MIRROR", "nowhere")
    assert cli.main(["data", "list"]) == 0
    out = capsys.readouterr().out
    assert "to be fetched" in out and "nowhere: no such folder" in out


def test_fetch_of_what_is_there(capsys):
    assert cli.main(["data", "fetch", "digits", "nested-blobs"]) == 0
    out = capsys.readouterr().out
    assert "[1/2] digits: optdigits/optdigits.tes, 264712 bytes, bundled" in out and "nothing to fetch" in out


def test_fetch_of_what_cannot_be_had_goes_on_and_fails(capsys):
    assert cli.main(["data", "fetch"]) == 1
    out = capsys.readouterr().out
    away = {file.name for name in datasets.names() for file in datasets.info(name).files if not file.bundled}
    total = len(datasets.names())
    assert "glass: unavailable" in out and f"/{total}] spambase: unavailable" in out
    assert f"\n{len(away)} files unavailable, 0 altered\n" in out
    assert cli.main(["data", "fetch", "--allow-unavailable"]) == 0


def test_an_altered_file_fails_fetch_and_check(folders, capsys):
    bad = folders / "mirror" / uci.OPTDIGITS_TEST.name
    bad.write_bytes(uci.bundled_optdigits()[:-7])
    assert cli.main(["data", "fetch", "--allow-unavailable", "digits"]) == 1
    assert f"{bad}: expected 264712 bytes" in capsys.readouterr().out
    assert cli.main(["data", "check"]) == 1
    out = capsys.readouterr().out
    assert (
        f"optdigits.tes: 264705 bytes, expected 264712 bytes with sha256 {uci.OPTDIGITS_TEST.sha256}" in out
    )
    assert str(bad) in out and "1 local files checked, 1 truncated" in out
    assert cli.main(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "altered" in next(line for line in lines if line.split()[0] == "digits")
    assert lines[-1].startswith(f"altered: {bad}: 264705 bytes, expected 264712")
    bad.write_bytes(uci.bundled_optdigits())
    assert cli.main(["data", "check"]) == 0
    assert "optdigits/optdigits.tes: ok" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["fetch", "info"])
def test_unknown_name_is_wrong_usage(capsys, command):
    assert cli.main(["data", command, "iris"]) == 2
    assert (
        "data set 'iris': unknown; did you mean 'digits'? allowed: 20news, 20news-w100"
        in capsys.readouterr().err
    )


def test_mirror_from_the_configuration(folders, monkeypatch, capsys):
    monkeypatch.delenv("CLADEBENCH_MIRROR")
    (folders / "mirror" / uci.OPTDIGITS_TEST.name).write_bytes(uci.bundled_optdigits())
    config = folders / "own.yaml"
    config.write_text("data:\n  mirrors: [mirror]\n")
    # Environment variables that the command sets are taken back with the test.
    monkeypatch.setattr("os.environ", dict(os.environ))
    assert cli.main(["data", "--config", str(config), "fetch", "digits"]) == 0
    assert "bytes, mirror" in capsys.readouterr().out
    assert cli.main(["data", "--config", str(config), "check"]) == 0
    assert "1 local files checked" in capsys.readouterr().out


def test_broken_configuration_is_one_line(folders, capsys):
    (folders / "own.yaml").write_text("data: {mirors: [x]}\n")
    assert cli.main(["data", "--config", "own.yaml", "list"]) == 2
    assert "mirors" in capsys.readouterr().err
