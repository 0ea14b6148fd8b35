"""The register of unstated choices: checked on reading, measured from records."""

import sys

import pytest

from cladebench.bench.plan.setting_selection import Rule
from cladebench.input_files import InputFileError
from cladebench.paper.catalogue import load_plan
from cladebench.paper.choices import load_choices
from cladebench.paper.choices_table import check_recorded, choices_table
from golden_records import cell_id, cells, context_of, failed

PLAN = """
paper: madeup
title: Made up
citation: None.
methods:
  A: {estimator: Agglomerative, label: Method A}
  B: {estimator: Agglomerative}
  C: {estimator: BirchTree}
measures:
  purity: {meaning: share of the class, unit: "%", direction: higher}
  cost: {meaning: what it costs, direction: lower}
selection:
  best: {label: oracle, metric: purity}
  blind: {label: label-free, metric: cost}
scopes:
  quick:
    datasets: [glass, digits]
    repetitions: 2
    limits: {time_s: 1, memory_mb: 100}
    grid:
      C: {k: [2, 10]}
"""
ENTRY = """
- id: scale
  place: Section 4
  paper: Nothing.
  chosen: Raw.
  alternatives: [z-scored, in one range]
  effects:
    - {by: method, methods: [A, B], metric: purity, datasets: [glass]}
    - {by: setting, method: C, metric: purity, parameter: k, datasets: [glass]}
    - {by: metric, method: C, metrics: [purity, cost], datasets: [glass]}
    - {by: rule, method: C, metric: purity, datasets: [glass]}
    - {by: dataset, method: A, metric: purity, datasets: [glass, digits]}
    - {by: repetition, method: A, metric: cost, datasets: [glass]}
    - {by: nothing, reason: it cannot be}
- id: last
  place: Section 5
  paper: Nothing.
  chosen: Nothing.
  alternatives: []
  effects:
    - {by: nothing, reason: nor can this}
"""
ROWS = [
    cells("glass", "A", {"purity": [0.25, 0.75], "cost": [1.0, 2.0]}),
    cells("glass", "B", {"purity": [1.0]}),
    cells("glass", "C", {"purity": [0.3], "cost": [7.0]}, {"k": [3, 4]}),
    cells("glass", "C", {"purity": [0.2], "cost": [5.0]}, {"k": 10}),
    cells("glass", "C", {"purity": [0.1], "cost": [6.0]}, {"k": 2}),
    failed("glass", "C", "error", {"k": 2, "n": 3}),
]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package whose register a test writes."""
    folder = tmp_path / "madeup"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "plan.yaml").write_text(PLAN)
    (folder / "choices.yaml").write_text(ENTRY)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    sys.modules.pop("madeup", None)


def context_with(*rows, **more):
    plan = load_plan("madeup")
    how = {
        "selection": plan.selection,
        "measures": plan.measures,
        "at": {},
        "methods": {name: method.as_dict() for name, method in plan.methods.items()},
    }
    context = context_of("ghc", *rows, **(how | more))
    return type(context)(**{**context.__dict__, "paper": "madeup", "package": "madeup"})


@pytest.mark.usefixtures("package")
def test_effects_are_measured_from_the_records():
    table = choices_table(context_with(*ROWS))
    found = table.frame[["compared", "value", "n"]].to_numpy().tolist()
    assert found == [
        ["purity (%), glass, Method A", "25.00", "1"],  # on the task that B has met, too
        ["purity (%), glass, B", "100.00", "1"],
        ["purity (%), glass, k = 2", "10.00", "1"],
        ["purity (%), glass, k = 10", "20.00", "1"],
        ["purity (%), glass, k = [3, 4]", "30.00", "1"],
        ["purity (%), glass, C", "20.00", "1"],  # label-free: the setting with the lowest cost
        ["cost, glass, C", "5", "1"],
        ["purity (%), glass, C, oracle", "30.00", "1"],
        ["purity (%), glass, C, label-free", "20.00", "1"],
        ["purity (%), glass, Method A", "50.00 ± 35.36", "2"],
        ["purity (%), digits, Method A", "no runs in this scope", "0"],
        ["cost, glass, Method A", "1.5 ± 0.71", "2"],
        ["not measured", "it cannot be", "–"],
        ["not measured", "nor can this", "–"],
    ]
    assert table.frame.deviation.tolist() == ["scale", *[""] * 12, "last"]
    assert table.frame.iloc[0, :5].tolist() == [
        "scale",
        "Section 4",
        "Nothing.",
        "Raw.",
        "z-scored; in one range",
    ]
    assert table.frame.alternatives.iloc[-1] == "none"
    assert table.sources[0, "value"] == (cell_id("glass", "A"),)
    assert table.sources[9, "value"] == (cell_id("glass", "A"), cell_id("glass", "A", None, 1))
    assert table.sources[7, "value"] == (cell_id("glass", "C", {"k": [3, 4]}),)
    assert (10, "value") not in table.sources
    assert table.notes[1].endswith("is by the rule: label-free.")


@pytest.mark.usefixtures("package")
def test_the_rule_beside_is_the_plans_not_one_of_a_name():
    """A plan with other rules, and with one alone."""
    rules = {
        "own": Rule("own", "as published", "cost", "lower"),
        "second": Rule("second", "second", "purity", "higher"),
    }
    table = choices_table(context_with(*ROWS, selection=rules))
    assert table.frame.value[5] == "30.00" and table.notes[1].endswith("by the rule: second.")
    alone = choices_table(context_with(*ROWS, selection={"own": rules["own"]}))
    assert alone.frame.value[5] == "20.00" and alone.notes[1].endswith("by the rule: as published.")
    assert len(choices_table(context_with(*ROWS[:2], selection={})).notes) == 1


@pytest.mark.usefixtures("package")
def test_an_effect_of_few_of_the_planned_cells_is_not_shown():
    lost = failed("glass", "A", "timeout", repetitions=4)[1:]
    table = choices_table(context_with(cells("glass", "A", {"purity": [0.5], "cost": [1.0]}), lost))
    assert table.frame.value[0] == "3 of 4 runs timeout" and table.sources == {}


@pytest.mark.usefixtures("package")
def test_what_was_not_run_is_said():
    frame = choices_table(context_with()).frame
    assert set(frame.value) == {"no runs in this scope", "it cannot be", "nor can this"}


def test_each_effect_that_cannot_be_measured_has_a_row(package):
    last = "- {by: nothing, reason: nor can this}"
    (package / "choices.yaml").write_text(
        ENTRY.replace(last, f"{last}\n    - {{by: nothing, reason: or this}}")
    )
    assert choices_table(context_with()).frame.value.tolist()[-2:] == ["nor can this", "or this"]


POINTED = """
- id: points
  place: Section 6
  paper: Nothing.
  chosen: Nothing.
  alternatives: []
  effects:
    - {by: dataset, method: A, metric: near, datasets: [glass]}
    - {by: dataset, method: A, metric: near, datasets: [glass], at: {k: 9}}
    - {by: setting, method: C, metric: near, parameter: m, datasets: [glass], at: {k: 9}, where: {n: 1}}
    - {by: rule, method: C, metric: near, datasets: [glass], at: {k: 5.0}, where: {n: 2}}
"""
#: The plan's point is k = 5; of the settings with n = 2 one has the higher purity, the other the lower cost.
POINTED_ROWS = [
    *(cells("glass", "A", {"near": [value]}, at={"k": k}) for k, value in ((5, 0.1), (9, 0.2))),
    *(
        cells("glass", "C", {"near": [value + k / 100]}, {"m": m, "n": n}, at={"k": k})
        for k in (5, 9)
        for m, n, value in ((1, 1, 0.3), (2, 1, 0.4), (1, 2, 0.5), (2, 2, 0.6))
    ),
    *(
        cells("glass", "C", {"purity": [purity], "cost": [float(m)]}, {"m": m, "n": n})
        for m, n, purity in ((1, 1, 0.9), (2, 1, 0.1), (1, 2, 0.2), (2, 2, 0.8))
    ),
]


@pytest.fixture
def pointed(package):
    """A register whose effects name evaluation points and parts of settings, and a plan that varies two parameters."""
    plan = PLAN.replace("C: {k: [2, 10]}", "C: {m: [1, 2], n: [1, 2]}").replace(
        "measures:", 'measures:\n  near: {meaning: near ones, unit: "%", direction: higher}'
    )
    (package / "plan.yaml").write_text(plan)
    (package / "choices.yaml").write_text(POINTED)
    return package


@pytest.mark.usefixtures("pointed")
def test_an_effect_is_read_at_its_point_and_in_its_part_of_the_settings_and_says_so():
    found = choices_table(context_with(*POINTED_ROWS, at={"k": 5})).frame
    assert found[["compared", "value", "n"]].to_numpy().tolist() == [
        ["near (%), glass, Method A", "10.00", "1"],
        ["near (%), glass, Method A, at k: 9", "20.00", "1"],
        ["near (%), glass, m = 1, with n: 1, at k: 9", "39.00", "1"],
        ["near (%), glass, m = 2, with n: 1, at k: 9", "49.00", "1"],
        ["near (%), glass, C, with n: 2, at k: 5.0, oracle", "65.00", "1"],
        ["near (%), glass, C, with n: 2, at k: 5.0, label-free", "55.00", "1"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("where: {n: 1}", "where: {nn: 1}", r"effects\[2\]\.where: unknown 'nn'.*allowed: m, n"),
        ("where: {n: 2}", "where: {n: 3}", r"effects\[3\]\.where\.n: unknown 3; allowed: 1, 2"),
        (
            "where: {n: 2}",
            "where: {n: '2'}",
            r"effects\[3\]\.where\.n: '2' is not a number; expected one: 1, 2$",
        ),
        (
            "where: {n: 2}",
            "where: {n: true}",
            r"effects\[3\]\.where\.n: True is not a number; expected one: 1, 2$",
        ),
        ("at: {k: 9}}", "at: {k: 9}, where: {n: 1}}", r"effects\[1\]\.where: unknown 'n'"),
        ("at: {k: 9}", "at: [9]", r"effects\[1\]\.at: .*expected an evaluation point"),
        ("at: {k: 9}", "at: {}", r"effects\[1\]\.at"),
        ("where: {n: 1}", "where: {}", r"effects\[2\]\.where"),
    ],
)
def test_a_wrong_point_or_part_of_a_setting_is_named(pointed, old, new, message):
    assert old in POINTED
    (pointed / "choices.yaml").write_text(POINTED.replace(old, new, 1))
    with pytest.raises(InputFileError, match=f"(?s){message}"):
        load_choices("madeup")


@pytest.mark.parametrize(
    ("values", "value", "fits"),
    [
        ("[1, 2]", "2.0", True),
        ("[1.0, 2]", "1", True),
        ("['1', '2']", "'2'", True),
        ("['1', '2']", "2", False),
        ("[true, false]", "true", True),
        ("[true, false]", "1", False),
        ("[0, auto]", "false", False),
        ("[[1, 2], [3]]", "[3]", True),
        ("[[1, 2], [3]]", "[4]", False),
    ],
)
def test_a_part_of_a_setting_is_a_value_of_the_grid_in_kind_too(pointed, values, value, fits):
    plan = pointed / "plan.yaml"
    assert "n: [1, 2]" in plan.read_text()
    plan.write_text(plan.read_text().replace("n: [1, 2]", f"n: {values}"))
    register = POINTED.replace(", where: {n: 1}", "").replace("where: {n: 2}", f"where: {{n: {value}}}")
    (pointed / "choices.yaml").write_text(register)
    if fits:
        assert load_choices("madeup")[0].effects[3]["where"]
        return
    with pytest.raises(InputFileError, match=r"effects\[3\]\.where\.n: unknown"):
        load_choices("madeup")


def test_a_point_that_no_record_has_is_named(pointed):
    (pointed / "choices.yaml").write_text(POINTED.replace("at: {k: 9}", "at: {k: 7}", 1))
    with pytest.raises(InputFileError, match=r"entry 'points': at: no record .* has 'near' at \{\"k\":7\}"):
        choices_table(context_with(*POINTED_ROWS, at={"k": 5}))
    # Without a record of the method there is nothing to hold it against.
    frame = choices_table(context_with(*POINTED_ROWS[2:], at={"k": 5})).frame
    assert frame.value[1] == "no runs in this scope"


@pytest.mark.usefixtures("package")
def test_a_metric_that_no_record_has_leaves_its_rows_empty():
    context = context_with(cells("glass", "A", {"cost": [1.0]}))
    check_recorded(load_choices("madeup"), context, "here")
    frame = choices_table(context).frame
    assert set(frame.value[frame.compared.str.contains("purity")]) == {"no runs in this scope"}
