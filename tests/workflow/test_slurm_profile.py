"""The SLURM profile: what it says, and, where SLURM answers and its plugin is installed, what it runs."""

import shutil
import subprocess
import sys

import pytest
import yaml
from snakemake.cli import parse_args

from cladebench.workflow.workplan import Workplan
from doc_examples import ROOT

PROFILE = ROOT / "profiles" / "slurm"


def settings(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))


def parsed(profile):
    """What Snakemake makes of a profile; it stops at an option or value that it does not know."""
    return parse_args(["--snakefile", str(ROOT / "Snakefile"), "--workflow-profile", str(profile)])[1]


@pytest.fixture
def plugin():
    """Snakemake's SLURM plugin, an optional extra of the project: its tests run where it is installed."""
    return pytest.importorskip("snakemake_executor_plugin_slurm")


@pytest.fixture
def without_plugin(tmp_path):
    """The profile without the keys that only the plugin knows."""
    kept = {
        key: value
        for key, value in settings("slurm").items()
        if key != "executor" and not key.startswith("slurm-")
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(kept))
    return tmp_path


def test_it_repeats_the_default_profile_but_for_what_hides_failures():
    shared = {key: value for key, value in settings("default").items() if key != "quiet"}
    slurm = settings("slurm")
    assert {key: slurm.get(key) for key in shared} == shared
    assert "quiet" not in slurm


def test_snakemake_knows_every_option(without_plugin):
    arguments, default = parsed(without_plugin), parsed(ROOT / "profiles" / "default")
    assert set(arguments.rerun_triggers) == set(default.rerun_triggers)
    assert arguments.jobs == settings("slurm")["jobs"] and arguments.keep_going and arguments.rerun_incomplete


def test_an_unknown_option_does_not_pass(without_plugin, capsys):
    with (without_plugin / "config.yaml").open("a") as file:
        file.write("latency-weight: 60\n")
    with pytest.raises(SystemExit):
        parsed(without_plugin)
    assert "latency-weight" in capsys.readouterr().err


def test_the_plugin_knows_every_option(plugin):
    arguments = parsed(PROFILE)
    assert arguments.executor == "slurm" and arguments.slurm_status_command == "squeue"


def test_a_job_reserves_the_threads_of_its_cells(example):
    planned = example.run("--dry-run", config=("threads=2",)).stdout
    cells = planned.split("rule cells:")[1].split("\n\n")[0]
    assert "threads: 2" in cells, cells


def test_a_job_reserves_at_least_the_limits_of_its_cells():
    plan = Workplan({"scope": "quick", "papers": ["ghc"]})
    for key, job in plan.jobs.items():
        limits = [cell.spec.limits for cell in job.cells]
        assert plan.memory_mb(key) > max(limit.memory_mb for limit in limits)
        assert plan.runtime_minutes(key) * 60 >= sum(limit.wall_limit for limit in limits)


def slurm_answers():
    return (
        shutil.which("sinfo") is not None and subprocess.run(["sinfo"], capture_output=True).returncode == 0
    )


def test_cells_run_by_slurm_are_those_of_a_local_run(plugin, example, tmp_path_factory):
    if not slurm_answers():
        pytest.skip("no SLURM here: sinfo does not answer")
    local = type(example)(tmp_path_factory.mktemp("local"), example.papers)
    local.environment = example.environment
    target = "results/smoke/cells.parquet"
    local.run(target)
    done = example.run("--workflow-profile", str(PROFILE), target)
    assert (done.stdout + done.stderr).count(
        "has been submitted with SLURM jobid"
    ) == 2  # collect stays local
    compared = subprocess.run(
        [sys.executable, "-m", "cladebench.cli", "compare", "--exact"]
        + [str(run.folder / "results" / "smoke") for run in (local, example)],
        capture_output=True,
        text=True,
    )
    assert compared.returncode == 0, compared.stdout + compared.stderr
