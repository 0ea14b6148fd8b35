import dataclasses
from typing import ClassVar

import pytest

from cladebench.bench.cell_spec import CellSpec, canonical_json
from cladebench.bench.jobs import MAX_CELLS, expand
from cladebench.bench.plan import PlanError, Problem, expected_failures
from cladebench.bench.plan_file import read_plan
from cladebench.bench.selection import Rule
from cladebench.input_files import InputFileError
from cladebench.paper.catalogue import built_in_papers, load_plan, resolve_package, validate_protocol
from cladebench.paper.protocol import Protocol


def test_papers_are_found_by_folder_and_by_module_name():
    assert "ghc" in built_in_papers()
    assert resolve_package("ghc") == "cladebench.papers.ghc"
    assert resolve_package("toy_paper") == "toy_paper"


@pytest.mark.parametrize("name", ["gch", "no.such.package", "", "json.decoder"])
def test_unknown_paper_says_what_there_is(name):
    with pytest.raises(PlanError, match=r"no paper .*allowed: .*ghc"):
        load_plan(name)


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
    monkeypatch.setattr("cladebench.bench.jobs.MAX_CELLS", n)
    assert sum(len(job.cells) for job in expand(plan, "full")) == n
    monkeypatch.setattr("cladebench.bench.jobs.MAX_CELLS", n - 1)
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


PROBLEMS = """problems:
  halves: {dataset: nested-blobs, task: {share: 0.5}, label: Nested blobs in halves}
  again: {dataset: nested-blobs}
scopes:
"""


def with_problems(edited_plan, task="{rows: 50}", problems=PROBLEMS):
    path = edited_plan("scopes:\n", problems)
    text = path.read_text().replace(
        "datasets: [nested-blobs]\n    methods: [good, globals]",
        f"datasets: [nested-blobs, halves]\n    methods: [good, globals]\n    task: {task}\n"
        "    also:\n      - {method: slow, dataset: [halves, again], repetitions: 1}\n"
        "    overrides:\n      - {method: globals, dataset: halves, task: {rows: 9}}",
    )
    path.write_text(text)
    return path


def test_the_same_data_stand_under_several_names_with_a_task_each(edited_plan):
    plan = read_plan(with_problems(edited_plan), "toy_paper")
    assert plan.datasets == ["nested-blobs", "halves", "again"]
    met = {}
    for job in expand(plan, "full"):
        for spec in (cell.spec for cell in job.cells):
            met[spec.dataset, spec.method] = dict(spec.task)
            assert spec.data == "nested-blobs" and job.data == ("nested-blobs",)
            assert ("entry" in spec.as_dict()) == (spec.dataset != "nested-blobs")
            assert "entry" not in spec.identity() and CellSpec.from_dict(spec.as_dict()) == spec
    assert met == {
        ("nested-blobs", "good"): {"rows": 50},
        ("nested-blobs", "globals"): {"rows": 50},
        ("halves", "good"): {"share": 0.5},
        ("halves", "globals"): {"rows": 9},
        ("halves", "slow"): {"share": 0.5},
        ("again", "slow"): {"rows": 50},
    }
    assert ("problems.halves.task", {"share": 0.5}) in list(plan.tasks())
    assert plan.official_splits() == plan.official_splits("full") == frozenset()
    official = read_plan(with_problems(edited_plan, "{split: official}"), "toy_paper")
    pairs = {("nested-blobs", "good"), ("nested-blobs", "globals"), ("again", "slow")}
    assert official.official_splits() == official.official_splits("full") == pairs
    assert official.official_splits("smoke") == frozenset()
    assert plan.title_of("halves") == "Nested blobs in halves"
    assert plan.title_of("again") == plan.title_of("nested-blobs") != "again"
    # The blobs are drawn anew for each repetition: there is no pool.
    assert not {"halves", "again", "nested-blobs"} & set(plan.pools())
    glass = dataclasses.replace(plan, problems={"halves": Problem("glass")})
    assert glass.pools()["halves"] == glass.pools()["glass"] == 214
    # Nor do parts meet a row twice.
    parts = dataclasses.replace(plan, problems={"halves": Problem("glass", {"parts": {"n": 2}})})
    assert "halves" not in parts.pools() and parts.pools()["glass"] == 214


@pytest.mark.parametrize(
    ("draws", "shared"),
    [
        ("{share: 0.5, draws: nested-blobs}", False),  # the others meet 50 rows
        ("{rows: 50, draws: nested-blobs, label_noise: 0.1}", True),
        ("{rows: 50, draws: again}", False),
        ("{rows: 50}", False),
    ],
)
def test_problems_share_draws_where_the_plan_says_so(edited_plan, draws, shared):
    problems = PROBLEMS.replace("{share: 0.5}", draws)
    path = with_problems(edited_plan, problems=problems)
    path.write_text(
        path.read_text().replace("method: globals, dataset: halves, task: {rows: 9}", "method: good")
    )
    plan = read_plan(path, "toy_paper")
    plan.check_tasks(["rows", "share", "label_noise"])
    assert (
        plan.shares_draws("halves", "nested-blobs") == plan.shares_draws("nested-blobs", "halves") == shared
    )
    assert not plan.shares_draws("again", "nested-blobs")
    assert plan.shares_draws("halves", "again") == ("draws: again" in draws)


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        (
            "halves: {dataset: nested-blob}",
            r"problems\.halves\.dataset: unknown data set 'nested-blob'; did you mean",
        ),
        ("halves: {dataset: again}", r"problems\.halves\.dataset: unknown data set 'again'"),
        (
            "glass: {dataset: spambase}",
            r"problems: 'glass' is the name of another data set; name it otherwise",
        ),
        ("halfs: {dataset: glass}", r"problems: 'halfs' is in no scope"),
        ("halves: {task: {rows: 3}}", r"problems\.halves: missing key 'dataset'"),
        ("halves: {dataset: glass, task: {rows: 0}}", r"problems\.halves\.task\.rows: 0 is not allowed"),
        (
            "halves: {dataset: glass, task: {draws: half}}",
            r"problems\.halves\.task\.draws: unknown data set 'half'; did you mean 'halves'",
        ),
        (
            "halves: {dataset: glass, task: {draws: vehicle}}",
            r"problems\.halves\.task\.draws: 'vehicle' is of the data set 'vehicle'; expected one of 'glass'",
        ),
    ],
)
def test_a_wrong_problem_is_named(edited_plan, problems, said):
    with pytest.raises(InputFileError, match=said):
        read_plan(with_problems(edited_plan, problems=f"problems:\n  {problems}\nscopes:\n"), "toy_paper")


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


def test_the_setting_of_a_fixed_rule_has_parameters_that_the_plan_names(edited_plan):
    rule = "selection:\n  fixed: {label: fixed, setting: {alfa: 1}}\n"
    path = edited_plan("selection:\n", rule)
    with pytest.raises(
        PlanError,
        match=r"selection\.fixed\.setting: unknown parameter 'alfa'; did you mean 'alpha'",
    ):
        read_plan(path, "toy_paper")
    path.write_text(path.read_text().replace("alfa", "alpha"))
    assert read_plan(path, "toy_paper").selection["fixed"].setting == {"alpha": 1}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("blind: [goood]", "blind: unknown method 'goood'; did you mean 'good'"),
        ("beyond: [glas]", "beyond: unknown data set 'glas'"),
    ],
)
def test_random_methods_and_other_data_are_those_of_the_plan(edited_plan, line, said):
    with pytest.raises(PlanError, match=said):
        read_plan(edited_plan("selection:\n", f"{line}\nselection:\n"), "toy_paper")


@pytest.mark.parametrize("name", ['"a\\nb"', '"a b"', '"<b>"', '""', '"-a"'])
def test_a_method_s_name_is_letters_digits_and_dashes(edited_plan, name):
    path = edited_plan("methods:\n", f"methods:\n  {name}: {{estimator: RandomTree}}\n")
    with pytest.raises(
        InputFileError, match=r"is not allowed; expected (a name of letters, digits, _ and -|one line)"
    ) as error:
        read_plan(path, "toy_paper")
    assert "\n" not in str(error.value)


def test_an_endless_name_of_an_estimator_is_not_repeated(edited_plan):
    path = edited_plan("methods:\n", f"methods:\n  long: {{estimator: {'x' * 9000}}}\n")
    with pytest.raises(
        InputFileError, match=r"methods\.long\.estimator: .*expected the name of a class"
    ) as error:
        read_plan(path, "toy_paper")
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("{folds: {n: 2}, test: 0.5}", r"scopes\.smoke\.task: expected folds or test, not both"),
        ("{rows: 9, share: 0.5}", r"scopes\.smoke\.task: expected rows or share, not both"),
        ("{rows: {per_class: 9}, share: 0.5}", r"scopes\.smoke\.task: expected rows or share, not both"),
        ("{rows: {per_class: 0}}", r"task\.rows"),
        ("{rows: {of_each: 9}}", r"task\.rows"),
        ("{split: official, folds: {n: 2}}", r"scopes\.smoke\.task: expected split or folds, not both"),
        ("{split: official, test: 0.5}", r"scopes\.smoke\.task: expected split or test, not both"),
        ("{split: other}", r"scopes\.smoke\.task\.split: 'other' is not allowed; allowed: official"),
        (
            "{constraints: {pairs: 9, per_class: 9}}",
            r"task\.constraints: expected pairs or per_class, not both",
        ),
        (
            "{constraints: {pairs: 9, must_link: 9}}",
            r"task\.constraints: expected pairs or must_link, not both",
        ),
        ("{constraints: {cannot_link: 9, per_class: 9}}", r"expected per_class or cannot_link, not both"),
        ("{constraints: {labels: noisy}}", r"task\.constraints: missing key 'cannot_link'; or .*'pairs'"),
        ("{constraints: {pairs: 0}}", r"task\.constraints\.pairs: 0 .*both kinds together, at least 1"),
        ("{constraints: {per_class: 1}}", r"task\.constraints\.per_class: 1 .*for each class, at least 2"),
        (
            "{constraints: {per_class: {must_link: 9}}}",
            r"task\.constraints\.per_class: .* or the numbers of both kinds",
        ),
        ("{constraints: {pairs: 9, labels: true}}", r"\.labels: True is not allowed; allowed: clean, noisy"),
        (
            "{share: 1}",
            r"scopes\.smoke\.task\.share: 1 .*the share of rows that a repetition draws, between 0 and 1",
        ),
        ("{share: 0}", r"scopes\.smoke\.task\.share: 0 .*between 0 and 1"),
    ],
)
def test_a_task_that_contradicts_itself_or_draws_none_or_all_is_refused(edited_plan, task, said):
    path = edited_plan("    repetitions: 2\n", f"    repetitions: 2\n    task: {task}\n")
    with pytest.raises(InputFileError, match=said):
        read_plan(path, "toy_paper")


@pytest.mark.parametrize("name", ["order", "rows", "folds", "must_link"])
def test_no_method_shares_its_seeds_with_a_draw(edited_plan, name):
    path = edited_plan("methods:\n", f"methods:\n  {name}: {{estimator: RandomTree}}\n")
    with pytest.raises(PlanError, match=f"methods: '{name}' is the name of a draw"):
        read_plan(path, "toy_paper")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            "{method: good, dataset: nested-blobs}",
            r"also\[0\]: 'good' on 'nested-blobs' is in the scope already",
        ),
        (
            "{method: good, dataset: glas}",
            r"also\[0\]\.dataset: unknown data set 'glas'; did you mean 'glass'",
        ),
        (
            "{method: goood, dataset: glass}",
            r"also\[0\]\.method: unknown method 'goood'; did you mean 'good'",
        ),
        ("{method: good}", r"also\[0\]: missing key 'dataset'"),
        ("{method: good, dataset: glass, planned: true}", r"also\[0\]\.planned: unknown key 'planned'"),
        (
            "{method: good, dataset: glass}\n      - {method: [good], dataset: [glass, digits]}",
            r"also\[1\]: 'good' on 'glass' is in the scope already",
        ),
    ],
)
def test_what_is_added_must_be_new_and_known(edited_plan, entry, said):
    path = edited_plan("  full:\n", f"    also:\n      - {entry}\n  full:\n")
    with pytest.raises(InputFileError, match=said):
        read_plan(path, "toy_paper")


def test_what_is_added_may_be_expected_to_fail(edited_plan):
    also = "    also: [{method: bad, dataset: glass}]\n"
    failure = "    expected_failures: [{method: bad, dataset: glass, status: error, reason: known}]\n"
    path = edited_plan("  full:\n", f"{also}{failure}  full:\n")
    assert expected_failures(read_plan(path, "toy_paper"), "smoke")[0]["dataset"] == "glass"


def test_a_protocol_that_stumbles_over_a_plan_is_one_line(plan, monkeypatch):
    import toy_paper.protocol

    def stumble(plan):
        raise TypeError("run_cell() missing 3 arguments")

    monkeypatch.setattr(toy_paper.protocol.PROTOCOL, "validate", stumble)
    with pytest.raises(PlanError, match=r"plan\.yaml: toy_paper\.protocol: TypeError: run_cell"):
        validate_protocol(plan)


def test_unknown_scope_says_which_there_are(plan):
    with pytest.raises(PlanError, match=r"no scope 'quikc'.*smoke, full"):
        expand(plan, "quikc")


def test_expected_failures_are_spread_over_methods_and_data_sets(edited_plan):
    path = edited_plan(
        "  full:",
        "    expected_failures:\n"
        "      - {method: [bad, nan], dataset: nested-blobs, status: error, reason: known}\n  full:",
    )
    declared = expected_failures(read_plan(path, "toy_paper"), "smoke")
    assert [(d["method"], d["dataset"], d["status"]) for d in declared] == [
        ("bad", "nested-blobs", "error"),
        ("nan", "nested-blobs", "error"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{estimator: bad}", "{estimator: [bad}", r"plan\.yaml, line \d+, column \d+: broken YAML"),
        ("  hang: {", "  bad: {", r"plan\.yaml, line 7, column 3: the key 'bad' is given twice"),
        ("paper: toy_paper", "paper: other", r"paper: 'other' must be the name of its folder, 'toy_paper'"),
        (
            "repetitions: 2",
            "repetitions: 0",
            r"scopes\.smoke\.repetitions: 0 is not allowed; expected a whole number, at least 1",
        ),
        (
            "repetitions: 2",
            "repetitions: two",
            r"scopes\.smoke\.repetitions: 'two' is not allowed; expected a whole number",
        ),
        (
            "repetitions: 2",
            "repetition: 2",
            r"unknown key 'repetition'; did you mean 'repetitions'\? allowed:",
        ),
        (
            "metric: score,",
            "metric: score, direction: up,",
            r"selection\.oracle\.direction: 'up' is not allowed; .*higher, lower",
        ),
        ("memory_mb: 600, wall_s: 240", "wall_s: 240", r"scopes\.smoke\.limits: missing key 'memory_mb'"),
        ("{estimator: bad}", "{}", r"methods\.bad: missing key 'estimator'"),
        ("  smoke:", "  tiny:", r"scopes\.tiny: unknown key 'tiny'; allowed: smoke, quick, full"),
        ("  bad: {", "  b/d: {", r"the key 'b/d' is not allowed; expected a name of letters"),
        (
            "[nested-blobs]",
            "[nested-blob]",
            r"datasets: unknown data set 'nested-blob'; did you mean 'nested-blobs'",
        ),
        (
            "method: hang",
            "method: hung",
            r"overrides\[0\]\.method: unknown method 'hung'; did you mean 'hang'",
        ),
        (
            "{method: hang, ",
            "{method: hang, dataset: nested-blob, ",
            r"overrides\[0\]\.dataset: unknown data set 'nested-blob'; did you mean 'nested-blobs'",
        ),
        ("      good: {", "      god: {", r"scopes\.smoke\.grid: unknown method 'god'; did you mean 'good'"),
        ("methods: [good,", "methods: [goood,", r"scopes\.full\.methods: unknown method 'goood'"),
        (
            "alpha: [10, 9]",
            "alpha: 10",
            r"scopes\.smoke\.grid\.good\.alpha: 10 is not allowed; expected a list",
        ),
        ("alpha: [10, 9]", "alpha: [9, 9]", r"scopes\.smoke\.grid\.good\.alpha: \[9, 9\] has an entry twice"),
        ("  bad: {", '  "bad\\nbad": {', r"the key 'bad\\nbad' is not allowed; expected one line"),
        (
            "time_s: 10, wall_s: 12}",
            "time_s: 1e+200}",
            r"overrides\[0\]\.limits\.time_s: 1e\+200 is not allowed",
        ),
        ("{method: hang, ", "{", r"overrides\[0\]: missing key 'dataset'; or missing key 'method'"),
    ],
)
def test_wrong_plans_are_refused_with_place_value_and_choice(edited_plan, old, new, message):
    with pytest.raises(InputFileError, match=message) as caught:
        read_plan(edited_plan(old, new), "toy_paper")
    assert "plan.yaml" in str(caught.value)


def test_missing_plan_names_the_file(tmp_path):
    with pytest.raises(InputFileError, match=r"plan\.yaml: cannot be read: No such file"):
        read_plan(tmp_path / "plan.yaml", "toy_paper")


def test_all_errors_are_told_at_once(edited_plan):
    path = edited_plan("[nested-blobs]\n    repetitions: 2", "[moon]\n    repetitions: 2\n    methods: [sun]")
    with pytest.raises(PlanError, match=r"(?s)moon.*sun"):
        read_plan(path, "toy_paper")


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (
            "alpha: [10, 9]",
            "alhpa: [10, 9]",
            r"scopes\.smoke\.grid\.good: good has no parameter 'alhpa'; did you mean",
        ),
        (
            "{estimator: bad}",
            "{estimator: bad, params: {x: 1}}",
            r"methods\.bad\.params: bad has no parameter 'x'",
        ),
        (
            "- {method: hang, ",
            "- {method: good, grid: {gamma: [1]}}\n      - {method: hang, ",
            r"overrides\[0\]\.grid: good has no parameter 'gamma'",
        ),
    ],
)
def test_protocol_refuses_wrong_parameter_names(edited_plan, old, new, where):
    with pytest.raises(PlanError, match=where):
        validate_protocol(read_plan(edited_plan(old, new), "toy_paper"))


CHECKED = """
paper: toy_paper
title: t
citation: c
methods:
  tree: {estimator: Agglomerative, params: {linkage: ward}}
  far: {estimator: sklearn.cluster.KMeans, params: {n_clusters: 2, length: 3}}
  look: {estimator: toy_paper.protocol.good, role: study}
scopes:
  smoke:
    datasets: [nested-blobs]
    repetitions: 1
    limits: {time_s: 30, memory_mb: 600}
    grid: {tree: {n_clusters: [2, 3]}}
"""


class Checked(Protocol):
    own: ClassVar = {"length": 1}

    def measure(self, cell):
        raise AssertionError("nothing runs")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "", ""),
        (
            "Agglomerative",
            "Aglomerative",
            r"methods\.tree\.estimator: .*'Aglomerative'.*did you mean 'Agglomerative'",
        ),
        (
            "cluster.KMeans",
            "cluster.KMean",
            r"methods\.far\.estimator: .*has no KMean; did you mean 'KMeans'",
        ),
        ("cluster.KMeans", "clustr.KMeans", r"methods\.far\.estimator: .*no module sklearn\.clustr"),
        (
            "sklearn.cluster.KMeans",
            "no_such_package.x.Y",
            r"methods\.far\.estimator: .*no module no_such_package",
        ),
        (
            "linkage: ward",
            "linkge: ward",
            r"methods\.tree\.params: tree has no parameter 'linkge'; did you mean",
        ),
        (
            "length: 3",
            "lenght: 3",
            r"methods\.far\.params: far has no parameter 'lenght'; did you mean 'length'",
        ),
        ("n_clusters", "n_clustrs", r"scopes\.smoke\.grid\.tree: tree has no parameter 'n_clustrs'"),
        (
            "protocol.good",
            "protocol.gud",
            r"methods\.look\.estimator: 'toy_paper\.protocol\.gud' cannot be found",
        ),
        ("protocol.good", "protocol.Toy", r"methods\.look\.estimator: .*expected a function of a cell"),
        ("protocol.good", "protcl.good", r"methods\.look\.estimator: .*No module named 'toy_paper\.protcl'"),
    ],
)
def test_a_protocol_checks_estimators_studies_and_parameters(tmp_path, old, new, message):
    path = tmp_path / "plan.yaml"
    path.write_text(CHECKED.replace(old, new) if old else CHECKED)
    plan = read_plan(path, "toy_paper")
    if not message:
        return Checked().validate(plan)
    with pytest.raises(PlanError, match=message) as caught:
        Checked().validate(plan)
    assert str(caught.value).startswith(f"{path}: ")


class Loose:
    def run(self, cell):
        raise AssertionError("nothing runs")


@pytest.mark.parametrize("found", [None, Loose(), Protocol])
def test_a_protocol_is_an_instance_of_a_subclass(plan, monkeypatch, found):
    import toy_paper.protocol

    validate_protocol(plan)
    monkeypatch.setattr(toy_paper.protocol, "PROTOCOL", found)
    with pytest.raises(
        PlanError, match=r"toy_paper\.protocol: PROTOCOL: .*; expected an instance of a subclass of"
    ):
        validate_protocol(plan)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "metric: score,",
            "metric: scor,",
            r"selection\.oracle\.metric: no measure 'scor'; did you mean 'score'",
        ),
        (
            "direction: higher}",
            "needs: [labels]}",
            r"selection\.oracle: missing key 'direction': 'score' has none",
        ),
        (
            "{meaning: a number, direction: higher}",
            "{direction: higher}",
            r"measures\.score: missing key 'meaning'",
        ),
        ("label: oracle, ", "", r"selection\.oracle: missing key 'label'"),
        ("metric: score,", "metric: score, setting: {alpha: 9},", r"selection\.oracle"),
        ("metric: score, ", "", r"selection\.oracle: missing key 'metric'; or missing key 'setting'"),
        (
            "metric: objective, uses",
            "metric: sp, uses",
            r"selection\.label_free\.uses: 'no labels', but the measure 'sp' needs class tree and labels",
        ),
        (
            "metric: score, uses: test labels",
            "metric: accuracy, uses: training labels",
            r"selection\.oracle\.uses: 'training labels', but the measure 'accuracy' needs test labels",
        ),
        (
            "metric: objective, uses: no labels",
            "metric: dasgupta_cost, uses: nothing",
            r"selection\.label_free\.uses: 'nothing', but .* needs similarity and tree",
        ),
        ("uses: test labels", "uses: luck", r"selection\.oracle\.uses: 'luck' is not allowed"),
        ("repetitions: 2", "repetitions: 2\n    task: {folds: {n: 1}}", r"scopes\.smoke\.task\.folds\.n: 1 "),
        ("repetitions: 2", "repetitions: 2\n    task: {folds: {n: 2}, test: 0.5}", r"scopes\.smoke\.task"),
        ("repetitions: 2", "repetitions: 2\n    task: {test: 1}", r"scopes\.smoke\.task\.test: 1 "),
        (
            "repetitions: 2",
            "repetitions: 2\n    task: {fold: 2}",
            r"scopes\.smoke\.task\.fold: unknown key 'fold'; did you mean 'folds'",
        ),
    ],
)
def test_wrong_rules_measures_and_tasks_are_refused(edited_plan, old, new, message):
    with pytest.raises(InputFileError, match=message):
        read_plan(edited_plan(old, new), "toy_paper")


def test_rules_take_direction_and_point_from_measure_and_plan(edited_plan):
    path = edited_plan("selection:\n", "at: {k: 5}\nselection:\n")
    text = path.read_text().replace("metric: score,", "metric: score, at: {k: 1},")
    path.write_text(
        text.replace("scopes:\n", "  fixed: {label: fixed, setting: {alpha: 9}, uses: nothing}\nscopes:\n", 1)
    )
    plan = read_plan(path, "toy_paper")
    assert list(plan.selection) == ["oracle", "label_free", "fixed"] and plan.at == {"k": 5}
    assert plan.selection["oracle"] == Rule(
        "oracle", "oracle", "score", "higher", {"k": 1}, None, "test labels"
    )
    assert plan.selection["label_free"].direction == "lower" and plan.selection["label_free"].at == {"k": 5}
    fixed = plan.selection["fixed"]
    assert (fixed.metric, fixed.direction, fixed.setting) == (None, None, {"alpha": 9})
    turned = edited_plan("metric: objective,", "metric: objective, direction: higher,")
    assert read_plan(turned, "toy_paper").selection["label_free"].direction == "higher"


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
        for scope in plan.scopes:
            ids = [cell.spec.cell_id for job in expand(plan, scope) for cell in job.cells]
            assert len(ids) == len(set(ids)) > 0
