import datetime
import math
import os
from pathlib import Path

import jsonschema
import pytest

from cladebench.bench.plan.config import Config, DataConfig, load_config, parse_config
from cladebench.bench.plan.jobs import SCALES
from cladebench.input_files import InputFileError, validator


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


def test_limits_are_the_plans_where_nothing_is_said(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("seed: 5\n")
    config = load_config(path)
    assert (config.time_scale, config.memory_scale, config.threads) == (1.0, 1.0, 1)


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
        ({"papers": "ghc"}, r"papers: 'ghc' is not allowed; expected a list of papers, as in \[ghc\]$"),
        ({"papers": [3]}, r"papers\[0\]: 3 is not allowed; expected the id of a paper"),
        ({"papers": ["ghc", "ghc"]}, r"papers: \['ghc', 'ghc'\] has an entry twice"),
        ({"seed": 7.0}, r"seed: 7\.0 is not allowed; expected a whole number, at least 0$"),
        ({"seed": True}, r"seed: True is not allowed; expected a whole number"),
        ({"seed": 10**18 * 10}, r"seed: 10{19} is not allowed; expected a whole number"),
        (
            {"seed": datetime.date(2026, 1, 31)},
            r"seed: datetime\.date\(2026, 1, 31\) is not allowed; expected a",
        ),
        ({"threads": 0}, r"threads: 0 is not allowed; expected a whole number, at least 1$"),
        ({"results_dir": ""}, r"results_dir: '' is not allowed; expected a folder$"),
        (
            {"limits": None},
            r"limits: nothing is not allowed; expected keys with values: time_scale, memory_scale$",
        ),
        *(
            (
                {"limits": {"time_scale": value}},
                r"limits\.time_scale: .* expected a number, at least 0\.001, at most 1000$",
            )
            for value in (0, -1, 1e308, 10**400, math.inf, math.nan, "2", True)
        ),
        ({"data": {"offline": "maybe"}}, r"data\.offline: 'maybe' is not allowed; expected true or false$"),
        ({"data": {"cache": 3}}, r"data\.cache: 3 is not allowed; expected a folder$"),
        (
            {"data": {"mirrors": ["a:b"]}},
            r"data\.mirrors\[0\]: 'a:b' is not allowed; expected a folder, whose path has no :$",
        ),
        ({"data": {"mirrors": "m"}}, r"data\.mirrors: 'm' is not allowed; expected a list of folders"),
        ([], r"\(top level\): \[\] is not allowed; expected keys with values: scope, papers"),
    ],
)
def test_wrong_configurations_are_refused_in_one_line_of_plain_words(document, message):
    with pytest.raises(InputFileError, match=message) as caught:
        parse_config(document, "c.yaml")
    assert str(caught.value).startswith("c.yaml: ") and "\n" not in str(caught.value)


def test_the_home_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLADEBENCH_CACHE", "CLADEBENCH_MIRROR", "CLADEBENCH_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "c.yaml").write_text("results_dir: ~/x\ndata: {cache: ~/c, mirrors: [~/m, ~]}\n")
    with pytest.raises(
        InputFileError, match=r"data\.mirrors\[1\]: nothing is not allowed; expected a folder"
    ):
        load_config(tmp_path / "c.yaml")
    config = parse_config({"results_dir": "~/x", "data": {"cache": "~/c", "mirrors": ["~/m", "~"]}}, "c.yaml")
    assert config.results_dir == f"{tmp_path}/x"
    assert config.data.environment() == {
        "CLADEBENCH_CACHE": f"{tmp_path}/c",
        "CLADEBENCH_MIRROR": f"{tmp_path}/m{os.pathsep}{tmp_path}",
    }


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ({"results_dir": "~nobody-here/x"}, "results_dir"),
        ({"data": {"cache": "~nobody-here"}}, r"data\.cache"),
        ({"data": {"mirrors": ["a", "~nobody-here"]}}, r"data\.mirrors\[1\]"),
    ],
)
def test_a_home_folder_that_is_not_there_is_named(document, where):
    with pytest.raises(
        InputFileError,
        match=rf"^c\.yaml: {where}: '~nobody-here.*' is not allowed, there is no such home folder$",
    ):
        parse_config(document, "c.yaml")


def test_an_empty_list_of_papers_means_all():
    assert parse_config({"papers": []}, "c.yaml").papers == ()


@pytest.mark.parametrize("schema", ["config", "plan", "claims", "choices", "record"])
def test_the_schemas_are_schemas(schema):
    jsonschema.Draft202012Validator.check_schema(validator(schema).schema)


def test_the_bounds_of_scales_are_those_of_the_schema():
    for scale in validator("config").schema["properties"]["limits"]["properties"].values():
        assert (scale["minimum"], scale["maximum"]) == SCALES


def test_a_wrong_variable_of_the_environment_is_named(monkeypatch):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "maybe")
    with pytest.raises(InputFileError, match=r"environment: CLADEBENCH_OFFLINE is 'maybe', expected 1 or 0"):
        DataConfig().environment()


def test_environment_wins_over_the_configuration(monkeypatch, tmp_path):
    monkeypatch.delenv("CLADEBENCH_MIRROR", raising=False)
    monkeypatch.setenv("CLADEBENCH_CACHE", "elsewhere")
    monkeypatch.delenv("CLADEBENCH_OFFLINE", raising=False)
    monkeypatch.chdir(tmp_path)
    data = DataConfig(cache="here", mirrors=("m1", "m2"), offline=True)
    mirrors = os.pathsep.join([str(tmp_path / "m1"), str(tmp_path / "m2")])
    assert data.environment() == {"CLADEBENCH_MIRROR": mirrors, "CLADEBENCH_OFFLINE": "1"}
