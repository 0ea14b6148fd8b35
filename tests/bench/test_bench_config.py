import os
from pathlib import Path

import pytest

from cladebench.bench.config import Config, DataConfig, load_config, parse_config
from cladebench.bench.schema import InputFileError


def test_defaults_where_there_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_config() == Config()


def test_the_default_file_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    Path("config/config.yaml").write_text(
        "seed: 5\nlimits: {time_scale: 2}\ndata: {mirrors: [a, b]}\npapers: [ghc]\n"
    )
    config = load_config()
    assert (config.seed, config.time_scale, config.data.mirrors, config.papers) == (
        5,
        2,
        ("a", "b"),
        ("ghc",),
    )


def test_an_empty_file_means_defaults_and_a_named_one_must_exist(tmp_path):
    (tmp_path / "c.yaml").write_text("# nothing\n")
    assert load_config(tmp_path / "c.yaml") == Config()
    with pytest.raises(InputFileError, match=r"d\.yaml: cannot be read"):
        load_config(tmp_path / "d.yaml")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"scope": "quikc"}, r"c\.yaml: scope: 'quikc' is not allowed; did you mean 'quick'\?"),
        ({"sed": 1}, r"unknown key 'sed'; did you mean 'seed'"),
        ({"data": {"offline": "maybe"}}, r"data\.offline: 'maybe' is str, expected boolean"),
        ({"limits": {"time_scale": 0}}, r"limits\.time_scale: 0"),
        ([], r"\(top level\): \[\] is list, expected object"),
    ],
)
def test_wrong_configurations_are_refused(document, message):
    with pytest.raises(InputFileError, match=message):
        parse_config(document, "c.yaml")


def test_environment_wins_over_the_configuration(monkeypatch, tmp_path):
    monkeypatch.delenv("CLADEBENCH_MIRROR", raising=False)
    monkeypatch.setenv("CLADEBENCH_CACHE", "elsewhere")
    monkeypatch.delenv("CLADEBENCH_OFFLINE", raising=False)
    monkeypatch.chdir(tmp_path)
    data = DataConfig(cache="here", mirrors=("m1", "m2"), offline=True)
    mirrors = os.pathsep.join([str(tmp_path / "m1"), str(tmp_path / "m2")])
    assert data.environment() == {"CLADEBENCH_MIRROR": mirrors, "CLADEBENCH_OFFLINE": "1"}
