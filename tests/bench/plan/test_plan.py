"""What a plan that is read says of its scopes."""

import dataclasses

import pytest

from cladebench.bench.plan.cell_spec import CellSpec
from cladebench.bench.plan.jobs import expand
from cladebench.bench.plan.plan import Problem, expected_failures
from cladebench.bench.plan.plan_file import read_plan
from cladebench.bench.plan.setting_selection import Rule
from cladebench.input_files import InputFileError

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


def test_what_is_added_may_be_expected_to_fail(edited_plan):
    also = "    also: [{method: bad, dataset: glass}]\n"
    failure = "    expected_failures: [{method: bad, dataset: glass, status: error, reason: known}]\n"
    path = edited_plan("  full:\n", f"{also}{failure}  full:\n")
    assert expected_failures(read_plan(path, "toy_paper"), "smoke")[0]["dataset"] == "glass"


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
