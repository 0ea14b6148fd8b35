"""What Snakemake hands over, and what the Snakefile asks."""

import dataclasses
import re

import pytest

from cladebench.bench.store.store import Store
from cladebench.cli import build_parser
from cladebench.commands.run import _chosen_jobs
from cladebench.input_files import InputFileError
from cladebench.workflow.workplan import Workplan

SMOKE = {"scope": "smoke", "papers": ["ghc"]}


def test_sections_of_the_command_line_come_as_text_and_are_understood():
    plan = Workplan(SMOKE | {"limits": {"time_scale": "2.5"}, "data": {"offline": "false", "cache": "12"}})
    assert (plan.config.time_scale, plan.config.data.offline, plan.config.data.cache) == (2.5, False, "12")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"papers": ["gch"]}, "papers: no paper 'gch'"),
        ({"limits": {"time_scale": ".inf"}}, "limits.time_scale: '.inf' is not allowed; expected a number"),
        ({"limits": {"time_scale": "["}}, "limits.time_scale: '[' is not allowed; expected a number"),
        ({"data": {"offline": "yes"}}, "data.offline: 'yes' is not allowed; expected true or false"),
        ({"limits": "{time_scale: 2"}, "limits: '{time_scale: 2' is not allowed; expected keys with values"),
        ({"thread": 2}, "thread: unknown key 'thread'; did you mean 'threads'?"),
    ],
)
def test_a_wrong_configuration_is_one_line_that_says_where_it_may_come_from(changes, message):
    with pytest.raises(InputFileError) as caught:
        Workplan(SMOKE | changes)
    assert str(caught.value).startswith(f"config/config.yaml or --config: {message}")
    assert "\n" not in str(caught.value)


def test_the_file_of_the_configuration_is_read_strictly_too(tmp_path):
    (tmp_path / "config.yaml").write_text("scope: smoke\nseed: 1\nseed: 2\n")
    with pytest.raises(
        InputFileError, match=r"config\.yaml, line 3, column 1: the key 'seed' is given twice"
    ):
        Workplan(SMOKE, [tmp_path / "config.yaml"])


def test_results_go_below_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Workplan(SMOKE | {"results_dir": "~/x"}).results == f"{tmp_path}/x/smoke"


def test_a_changed_method_or_limit_starts_its_jobs_again(monkeypatch):
    def digest(**changes):
        plan = Workplan(SMOKE | changes.pop("config", {}))
        name = next(name for name in plan.jobs if name.startswith("ghc.nested-blobs"))
        job = plan.jobs[name]
        methods = tuple(
            dataclasses.replace(method, **changes) if method.name == "HAC-C" else method
            for method in job.methods
        )
        plan.jobs[name] = dataclasses.replace(job, methods=methods)
        return plan.digest(name)

    assert digest() == digest(label="another label")
    others = [
        digest(params={"linkage": "average"}),
        digest(estimator="BirchTree"),
        digest(config={"limits": {"time_scale": 2.0}}),
        digest(config={"seed": 1}),
    ]
    assert len({digest(), *others}) == 5


def test_all_files_of_a_paper_are_what_its_pages_rest_on():
    names = {path.rpartition("/")[2] for path in Workplan(SMOKE).paper_files()}
    assert {"plan.yaml", "claims.yaml", "choices.yaml", "artifacts.py", "captions.yaml"} <= names


@pytest.mark.parametrize(
    ("place", "state"), [(None, "not at hand"), ("altered", "altered"), ("mirror", "at hand")]
)
def test_jobs_run_again_when_data_come_or_are_repaired(monkeypatch, place, state):
    monkeypatch.setattr("cladebench.workflow.workplan._available", lambda dataset: place)
    plan = Workplan(SMOKE)
    assert {plan.data_state(job) for job in plan.jobs} == {state}


def test_a_job_starts_again_for_its_own_data_set_and_not_for_others():
    plan = Workplan({"scope": "full", "papers": ["ghc"]})
    files = {
        name: {path.rpartition("/")[2] for path in plan.sources(name) if "/datasets/" in path}
        for name in plan.jobs
    }
    families = {"glass": "uci.py", "digits": "uci.py", "nested-blobs": "generators.py"}
    seen = {dataset for name in files for dataset in plan.jobs[name].datasets}
    assert {"glass", "nested-blobs"} <= seen
    for name, found in files.items():
        own = families.get(plan.jobs[name].datasets[0])
        if own is not None:
            assert found & {"awa.py", "cifar100.py", "topic_counts.py", *families.values()} == {own}
            assert "registry.py" in found


def test_a_job_on_several_data_sets_hangs_on_all_of_them(monkeypatch):
    places = {"usps": "mirror"}
    monkeypatch.setattr("cladebench.workflow.workplan._available", places.get)
    plan = Workplan({"scope": "quick", "papers": ["hfd"]})
    name = next(name for name, job in plan.jobs.items() if name.endswith(".NCA"))
    assert plan.jobs[name].data == (
        "sonar",
        "ionosphere",
        "balance",
        "segmentation",
        "usps",
        "magic",
        "nested-blobs",
    )
    assert {"uci.py", "usps.py", "generators.py"} <= {path.rpartition("/")[2] for path in plan.sources(name)}
    state = plan.data_state(name)
    assert "sonar not at hand" in state and "usps at hand" in state
    places["sonar"] = "mirror"
    assert plan.data_state(name) != state
    places |= dict.fromkeys(plan.jobs[name].data, "mirror")
    assert plan.data_state(name) == "at hand"
    # The options name exactly the job's cells.
    args = build_parser().parse_args(["run", *plan.run_options(name).split(), "--scope", "quick"])
    (job,), *_ = _chosen_jobs(args)
    ids = [[cell.spec.cell_id for cell in cells] for cells in (job.cells, plan.jobs[name].cells)]
    assert job.name == name and ids[0] == ids[1]


@pytest.mark.parametrize("damage", [b"", b"{", b"\0" * 900, b"[" * 100_000, None])
def test_a_job_of_which_a_record_was_cut_is_planned_again_and_others_are_not(tmp_path, damage):
    plan = Workplan({"scope": "smoke", "papers": ["hfd"], "results_dir": str(tmp_path)})
    store = Store(plan.results)
    first, second = list(plan.jobs)[:2]
    for name in (first, second):
        store.job_path(name).parent.mkdir(parents=True, exist_ok=True)
        store.job_path(name).write_text("{}")
        for cell in plan.jobs[name].cells:
            store.path(cell.spec.cell_id).parent.mkdir(parents=True, exist_ok=True)
            store.path(cell.spec.cell_id).write_text("{}")
    path = store.path(plan.jobs[first].cells[-1].spec.cell_id)
    if damage is not None:
        path.write_bytes(damage)
    said = plan.forget_damaged()
    assert store.job_path(first).exists() is (damage is None) and store.job_path(second).exists()
    if damage is None:
        assert said == []
    else:
        assert len(said) == 1 and said[0].startswith(f"{path}: the record cannot be read: ")
        assert f"the job {first} runs again" in said[0]
    assert plan.forget_damaged() == []


def test_jobs_with_more_runs_than_most_start_first():
    plan = Workplan({"scope": "quick", "papers": ["ghc", "hfd"]})
    runs = {name: len(job.cells) for name, job in plan.jobs.items()}
    first = {name for name in runs if re.fullmatch(plan.long_jobs, name)}
    assert first and min(runs[name] for name in first) > max(runs[name] for name in runs.keys() - first)
    assert sum(runs[name] for name in first) > len(first) * sum(runs.values()) / len(runs)


def test_no_job_is_first_among_equals():
    plan = Workplan({"scope": "smoke", "papers": ["ghc"]})
    assert len(plan.jobs) == 1 and not any(re.fullmatch(plan.long_jobs, name) for name in plan.jobs)
