"""Plans that are refused, with place, value and what was expected."""

import pytest

from cladebench.bench.plan.plan import PlanError
from cladebench.bench.plan.plan_file import read_plan
from cladebench.input_files import InputFileError


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


def test_random_methods_of_a_measure_are_those_of_the_plan(edited_plan):
    path = edited_plan("measures:\n", "measures:\n  ri: {random: [goood]}\n")
    with pytest.raises(PlanError, match=r"measures\.ri\.random: unknown method 'goood'; did you mean 'good'"):
        read_plan(path, "toy_paper")
    path.write_text(path.read_text().replace("goood", "good"))
    assert read_plan(path, "toy_paper").measures["ri"].random == ("good",)


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
        # Rules, measures and tasks.
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
        ("repetitions: 2", "repetitions: 2\n    task: {test: 1}", r"scopes\.smoke\.task\.test: 1 "),
        (
            "repetitions: 2",
            "repetitions: 2\n    task: {fold: 2}",
            r"scopes\.smoke\.task\.fold: unknown key 'fold'; did you mean 'folds'",
        ),
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


def test_what_alternatives_cannot_be_is_said_of_the_file(edited_plan):
    path = edited_plan(
        "methods:\n", "alternatives:\n  wide: {label: wide, of: [goood], params: {k: 9}}\nmethods:\n"
    )
    with pytest.raises(PlanError, match=r"alternatives\.wide\.of: unknown method 'goood'") as caught:
        read_plan(path, "toy_paper")
    assert str(caught.value).startswith(str(path))
