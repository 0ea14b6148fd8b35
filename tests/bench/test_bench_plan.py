import pytest

from cladebench.bench.plan import PlanError, expand, expected_failures, read_plan
from cladebench.input_files import InputFileError, read_yaml
from cladebench.papers.catalogue import built_in_papers, load_plan, resolve_package, validate_protocol


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
    assert (limits.time_s, limits.memory_mb, limits.wall_s) == (5, 600, 1)
    assert len(jobs["slow"].cells) == 6
    assert {cell.not_applicable for cell in jobs["skipped"].cells} == {"has no meaning here"}
    assert {cell.not_applicable for cell in jobs["good"].cells} == {None}


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
    part = together.only(["skipped", "hang"])
    assert part.name == "toy_paper.nested-blobs.skipped" and part.cells == jobs["skipped"].cells
    assert together.only(["hang"]) is None


@pytest.mark.parametrize("option", ["threads", "time_scale", "memory_scale"])
def test_expand_refuses_numbers_out_of_bounds(plan, option):
    with pytest.raises(PlanError, match=f"{option}: 0"):
        expand(plan, "smoke", **{option: 0})


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
        ("  hang: {", "  bad: {", r"plan\.yaml, line 7, column 3: broken YAML: the key 'bad' is given twice"),
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
        ("direction: max", "direction: up", r"selection\.oracle\.direction: 'up' is not allowed; .*max, min"),
        ("memory_mb: 600, wall_s: 60", "wall_s: 60", r"scopes\.smoke\.limits: missing key 'memory_mb'"),
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
        ("      good: {", "      god: {", r"scopes\.smoke\.grid: unknown method 'god'; did you mean 'good'"),
        ("methods: [good,", "methods: [goood,", r"scopes\.full\.methods: unknown method 'goood'"),
        (
            "alpha: [10, 9]",
            "alpha: 10",
            r"scopes\.smoke\.grid\.good\.alpha: 10 is not allowed; expected a list",
        ),
        ("alpha: [10, 9]", "alpha: [9, 9]", r"scopes\.smoke\.grid\.good\.alpha: \[9, 9\] has an entry twice"),
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


def test_unknown_estimators_are_named(plan):
    known = [method.estimator for method in plan.methods.values()]
    plan.check_estimators(known)
    with pytest.raises(PlanError, match=r"methods\.bad\.estimator: unknown 'bad'; .*allowed: .*good"):
        plan.check_estimators([name for name in known if name != "bad"])


def test_every_papers_own_plan_is_valid():
    for paper in built_in_papers():
        plan = load_plan(paper)
        for scope in plan.scopes:
            ids = [cell.spec.cell_id for job in expand(plan, scope) for cell in job.cells]
            assert len(ids) == len(set(ids)) > 0


def test_merged_keys_may_be_given_anew_but_no_key_twice(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("base: &base {a: 1, b: 2}\nmore: {<<: *base, b: 3}\n")
    assert read_yaml(path)["more"] == {"a": 1, "b": 3}
    path.write_text("base: &base {a: 1}\nmore: {<<: *base, b: 3, b: 4}\n")
    with pytest.raises(InputFileError, match="the key 'b' is given twice"):
        read_yaml(path)
