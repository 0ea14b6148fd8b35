"""Jobs and runs that a plan expands to."""

import dataclasses

import pytest

from cladebench.bench.plan.cell_spec import canonical_json
from cladebench.bench.plan.jobs import MAX_CELLS, expand
from cladebench.bench.plan.plan import PlanError
from cladebench.bench.plan.plan_file import read_plan
from cladebench.paper.catalogue import built_in_papers, load_plan, validate_protocol


def test_grid_is_a_product_in_the_files_order(jobs):
    specs = [cell.spec for cell in jobs["good"].cells]
    assert [(s.setting["alpha"], s.repetition) for s in specs] == [(10, 0), (10, 1), (9, 0), (9, 1)]
    assert len({s.cell_id for s in specs}) == 4


def test_overrides_merge_limits_and_replace_the_rest(jobs):
    limits = jobs["hang"].cells[0].spec.limits
    assert (limits.time_s, limits.memory_mb, limits.wall_s) == (10, 600, 12)
    assert len(jobs["slow"].cells) == 12
    assert {cell.not_applicable for cell in jobs["skipped"].cells} == {"has no meaning here"}
    assert {cell.not_applicable for cell in jobs["good"].cells} == {None}


def test_plans_and_jobs_are_shown_without_their_cells(plan, jobs):
    """There may be thousands, and each message that shows one would be as long."""
    assert "scopes=" not in repr(plan)
    assert repr(jobs["good"]).startswith(
        "Job(scope='smoke', datasets=('nested-blobs',), methods=(MethodPlan("
    )
    assert "cells=" not in repr(jobs["good"])
    # The part of a job is shown as the job is, and is the same job.
    part = dataclasses.replace(jobs["good"], part_of="whole")
    assert repr(part) == repr(jobs["good"]) and part == jobs["good"]


def test_scope_can_name_its_methods_and_limits_scale(plan):
    jobs = expand(plan, "full", time_scale=2, memory_scale=3)
    assert [job.methods[0].name for job in jobs] == ["good", "globals"]
    assert jobs[0].cells[0].spec.limits.as_dict() == {"time_s": 60, "memory_mb": 1800, "wall_s": 240}


def test_methods_of_one_estimator_can_be_one_job(edited_plan, jobs):
    plan = read_plan(
        edited_plan("    repetitions: 2\n", "    repetitions: 2\n    jobs: estimator\n"), "toy_paper"
    )
    merged = {job.name: job for job in expand(plan, "smoke", root_seed=3)}
    together = merged["toy_paper.nested-blobs.good-and-1-more"]
    assert [method.name for method in together.methods] == ["good", "skipped"]
    assert together.cells == (*jobs["good"].cells, *jobs["skipped"].cells)
    assert together.method_of(together.cells[-1].spec).name == "skipped"
    assert sum(len(job.cells) for job in merged.values()) == sum(len(job.cells) for job in jobs.values())
    assert merged["toy_paper.nested-blobs.hang"].cells == jobs["hang"].cells
    part = together.only(["nested-blobs"], ["skipped", "hang"])
    assert part.name == "toy_paper.nested-blobs.skipped" and part.cells == jobs["skipped"].cells
    assert together.only(["nested-blobs"], ["hang"]) is together.only(["glass"], ["good"]) is None


def test_a_job_can_be_all_methods_on_a_data_set_but_those_that_an_override_sets_apart(edited_plan):
    path = edited_plan(
        "    datasets: [nested-blobs]\n    methods", "    datasets: [nested-blobs, glass]\n    methods"
    )
    apart = expand(read_plan(path, "toy_paper"), "full", root_seed=3)
    path.write_text(
        path.read_text().rstrip()
        + "\n    jobs: dataset\n    overrides:\n      - {method: globals, dataset: glass, jobs: method}\n"
        + "    also:\n      - {method: skipped, dataset: digits, repetitions: 1, jobs: estimator}\n"
    )
    together = {job.name: job for job in expand(read_plan(path, "toy_paper"), "full", root_seed=3)}
    assert list(together) == [
        "toy_paper.nested-blobs.good-and-1-more",
        "toy_paper.glass.good",
        "toy_paper.glass.globals",
        "toy_paper.digits.skipped",
    ]
    one, _, alone, _ = together.values()
    assert one.estimators == ("good", "global_generators") and alone.estimators == ("global_generators",)
    assert all(one.method_of(cell.spec).name == cell.spec.method for cell in one.cells)
    found = [cell for job in together.values() for cell in job.cells]
    wanted = {cell.spec.cell_id: cell for job in apart for cell in job.cells}
    assert {cell.spec.cell_id for cell in found} > set(wanted)
    assert all(wanted.get(cell.spec.cell_id, cell) == cell for cell in found)
    assert len({cell.spec.cell_id for cell in found}) == len(found) == len(wanted) + 1


EVERYWHERE = """    jobs: estimator-everywhere
    overrides:
      - {method: globals, dataset: glass, planned: false}
    also:
      - {method: skipped, dataset: digits, repetitions: 1}
  full:
"""


def test_methods_of_one_estimator_can_be_one_job_on_all_data_sets(edited_plan):
    """The same cells as job by job, in the order of the plan; neither methods nor data sets need be the same."""
    path = edited_plan(
        "    datasets: [nested-blobs]\n    methods", "    datasets: [nested-blobs, glass]\n    methods"
    )
    scope, full = path.read_text().split("  full:\n")
    text = f"{scope}  full:\n{full.rstrip()}\n{EVERYWHERE.removesuffix('  full:' + chr(10))}"
    path.write_text(text.replace("estimator-everywhere", "method"))
    apart = expand(read_plan(path, "toy_paper"), "full", root_seed=3)
    path.write_text(text)
    together = expand(read_plan(path, "toy_paper"), "full", root_seed=3)
    assert [(job.name, job.datasets, job.data) for job in together] == [
        ("toy_paper.nested-blobs-and-2-more.good-and-1-more", *[("nested-blobs", "glass", "digits")] * 2),
        ("toy_paper.nested-blobs.globals", *[("nested-blobs",)] * 2),
    ]
    good, globally = together
    assert [cell.spec.method for cell in good.cells] == ["good"] * 18 + ["skipped"]
    assert sorted(cell.spec.cell_id for job in together for cell in job.cells) == sorted(
        cell.spec.cell_id for job in apart for cell in job.cells
    )
    by_id = {cell.spec.cell_id: cell for job in apart for cell in job.cells}
    assert all(cell == by_id[cell.spec.cell_id] for job in together for cell in job.cells)
    part = good.only(["glass", "digits"], ["good", "skipped"])
    assert part.name == "toy_paper.glass-and-1-more.good-and-1-more" and len(part.cells) == 10
    assert (
        good.only(["glass"], ["skipped"]) is None
        and globally.only(["glass", "nested-blobs"], ["globals"]) == globally
    )


@pytest.mark.parametrize("option", ["threads", "time_scale", "memory_scale"])
def test_expand_refuses_numbers_out_of_bounds(plan, option):
    with pytest.raises(PlanError, match=f"{option}: 0"):
        expand(plan, "smoke", **{option: 0})


@pytest.mark.parametrize(
    ("option", "low", "high"),
    [
        ("time_scale", 0.001, 1000.0),
        ("memory_scale", 0.001, 1000.0),
        ("root_seed", 0, 2**70),
        ("threads", 1, 64),
    ],
)
def test_bounds_themselves_are_allowed_and_what_lies_beyond_is_not(plan, option, low, high):
    for value in (low, high):
        (spec, *_) = [cell.spec for job in expand(plan, "full", **{option: value}) for cell in job.cells]
        limits = (30 * value, 600) if option == "time_scale" else (30, 600 * value)
        assert option in ("root_seed", "threads") or (spec.limits.time_s, spec.limits.memory_mb) == limits
        assert option not in ("root_seed", "threads") or getattr(spec, option) == value
    beyond = [
        low - 0.0005 if isinstance(low, float) else low - 1,
        *([high + 1] if isinstance(high, float) else []),
    ]
    for value in beyond:
        name = option.removeprefix("root_")
        with pytest.raises(
            PlanError, match=rf"^{name}: .* is not allowed; expected a number (from|of at least)"
        ):
            expand(plan, "full", **{option: value})


def test_as_many_cells_as_are_allowed_may_be_planned(plan, monkeypatch):
    n = sum(len(job.cells) for job in expand(plan, "full"))
    monkeypatch.setattr("cladebench.bench.plan.jobs.MAX_CELLS", n)
    assert sum(len(job.cells) for job in expand(plan, "full")) == n
    monkeypatch.setattr("cladebench.bench.plan.jobs.MAX_CELLS", n - 1)
    with pytest.raises(PlanError, match=f"scopes.full: {n} runs up to 'globals' on 'nested-blobs'"):
        expand(plan, "full")


def test_too_many_cells_are_counted_before_any_is_made(edited_plan):
    plan = read_plan(edited_plan("repetitions: 2", "repetitions: 1000000000"), "toy_paper")
    with pytest.raises(
        PlanError,
        match=r"scopes\.smoke: 2,000,000,000 runs up to 'good' on 'nested-blobs' .*; expected at most 100,000",
    ):
        expand(plan, "smoke")
    bound = (
        "repetitions: 33333"  # 2 settings of `good`, and one each of `bad` and `hang`, are four times as many
    )
    with pytest.raises(PlanError, match="133,332 runs up to 'hang'"):
        expand(read_plan(edited_plan("repetitions: 2", bound), "toy_paper"), "smoke")
    assert MAX_CELLS == 100_000


ALSO = """    also:
      - {method: [globals, slow], dataset: glass, repetitions: 1, limits: {time_s: 3}}
      - {method: hang, dataset: [nested-blobs], grid: {alpha: [1, 2]}}
  full:
"""


def test_cells_beyond_the_product_can_be_added(edited_plan):
    path = edited_plan("methods: [good, globals]", "methods: [good]\n    jobs: estimator")
    text = path.read_text().replace("  full:\n", "  full:\n" + ALSO.removesuffix("  full:\n"))
    path.write_text(text)
    plan = read_plan(path, "toy_paper")
    assert plan.datasets_of("full") == plan.datasets == ["nested-blobs", "glass"]
    assert plan.datasets_of("smoke") == ["nested-blobs"]
    jobs = expand(plan, "full")
    assert [(*job.datasets, job.methods[0].name, len(job.cells)) for job in jobs] == [
        ("nested-blobs", "good", 9),
        ("glass", "globals", 1),
        ("glass", "slow", 1),
        ("nested-blobs", "hang", 6),
    ]
    assert jobs[1].cells[0].spec.limits.time_s == 3 and jobs[1].cells[0].spec.limits.memory_mb == 600
    assert [cell.spec.setting for cell in jobs[3].cells[::3]] == [{"alpha": 1}, {"alpha": 2}]
    assert ("scopes.full.also[1].grid", "hang", "alpha") in set(plan.parameter_uses())


def test_what_is_added_has_the_last_word_and_joins_its_estimators_job(edited_plan):
    path = edited_plan(
        "  full:\n",
        "      - {method: slow, dataset: glass, planned: false}\n      - {method: slow, repetitions: 9}\n"
        + ALSO,
    )
    path.write_text(
        path.read_text().replace(
            "      - {method: hang, dataset: [nested-blobs], grid: {alpha: [1, 2]}}\n", ""
        )
    )
    jobs = [job for job in expand(read_plan(path, "toy_paper"), "smoke") if job.datasets == ("glass",)]
    assert [(job.methods[0].name, len(job.cells)) for job in jobs] == [("globals", 1), ("slow", 1)]


def test_unknown_scope_says_which_there_are(plan):
    with pytest.raises(PlanError, match=r"no scope 'quikc'.*smoke, full"):
        expand(plan, "quikc")


def test_folds_are_cells_of_each_repetition_and_tasks_can_be_overridden(edited_plan):
    path = edited_plan("repetitions: 2\n", "repetitions: 2\n    task: {folds: {n: 3}, rows: 50}\n")
    text = path.read_text().replace("- {method: slow, repetitions: 12}", "- {method: slow, task: {rows: 20}}")
    path.write_text(text)
    jobs = {job.methods[0].name: job for job in expand(read_plan(path, "toy_paper"), "smoke")}
    specs = [cell.spec for cell in jobs["bad"].cells]
    assert [(s.repetition, s.fold) for s in specs] == [(r, f) for r in (0, 1) for f in (0, 1, 2)]
    assert [s.cell_id.rpartition("/")[2] for s in specs] == ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]
    assert {canonical_json(s.task) for s in specs} == {'{"folds":{"n":3},"rows":50}'}
    assert [(c.spec.fold, dict(c.spec.task)) for c in jobs["slow"].cells] == [(None, {"rows": 20})] * 2


def test_every_papers_own_plan_is_valid():
    for paper in built_in_papers():
        plan = load_plan(paper)
        validate_protocol(plan)
        for scope in plan.scopes:
            ids = [cell.spec.cell_id for job in expand(plan, scope) for cell in job.cells]
            assert len(ids) == len(set(ids)) > 0
