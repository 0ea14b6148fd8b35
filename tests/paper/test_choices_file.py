"""The file of unstated choices: what is refused, and how it is said."""

import sys

import pytest

from cladebench.input_files import InputFileError
from cladebench.paper.catalogue import load_plan
from cladebench.paper.choices import checked_choices, load_choices

ENTRY = """
- id: scale
  place: Section 4
  paper: Nothing.
  chosen: Raw.
  alternatives: [z-scored]
  effects:
    - {by: method, methods: [A, B], metric: purity, datasets: [glass]}
    - {by: setting, method: C, metric: purity, parameter: k, datasets: [glass]}
    - {by: nothing, reason: it cannot be}
    - {by: metric, method: C, metrics: [purity, cost], datasets: [glass]}
"""


PLAN = """
paper: madeup
title: Made up
citation: none
methods:
  A: {estimator: Agglomerative}
  B: {estimator: Agglomerative}
  C: {estimator: Agglomerative}
measures:
  purity: {meaning: share of the class}
  cost: {meaning: what it costs}
scopes:
  smoke:
    datasets: [glass]
    methods: [A, B]
    repetitions: 1
    limits: {time_s: 1, memory_mb: 100}
    also: [{method: C, dataset: [glass, digits], grid: {k: [2, 10, [3, 4]]}}]
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package with a plan, whose register a test writes."""
    folder = tmp_path / "madeup"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "plan.yaml").write_text(PLAN)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield lambda text: (folder / "choices.yaml").write_text(text)
    sys.modules.pop("madeup", None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "by: method",
            "by: methd",
            "entry 'scale': effects[0].by: 'methd' is not allowed; did you mean 'method'?",
        ),
        ("by: method, ", "", "entry 'scale': effects[0]: missing key 'by'"),
        ("chosen:", "choosen:", "entry 'scale': choosen: unknown key 'choosen'; did you mean 'chosen'?"),
        ("  chosen: Raw.\n", "", "entry 'scale': missing key 'chosen'"),
        ("chosen: Raw.", "chosen: ' '", "entry 'scale': chosen: ' ' is not allowed; expected text"),
        ("methods: [A, B], ", "", "entry 'scale': effects[0]: missing key 'methods'"),
        (
            "methods: [A, B]",
            "methods: A",
            "effects[0].methods: 'A' is not allowed; expected a list of two names or more",
        ),
        (
            "methods: [A, B]",
            "methods: [A]",
            "effects[0].methods: ['A'] is not allowed; expected a list of two names",
        ),
        ("methods: [A, B]", "methods: [A, A]", "effects[0].methods: ['A', 'A'] has an entry twice"),
        ("methods: [A, B]", "methods: [A, D]", "effects[0].methods: unknown 'D'; allowed: A, B, C"),
        ("method: C", "method: Cc", "effects[1].method: unknown 'Cc'; did you mean 'C'?"),
        (
            "datasets: [glass]}\n    - {by: s",
            "datasets: [digits, glas]}\n    - {by: s",
            "effects[0].datasets: unknown 'glas'; did you mean 'glass'? allowed: glass, digits",
        ),
        (
            "datasets: [glass]",
            "datasets: glass",
            "effects[0].datasets: 'glass' is not allowed; expected a list",
        ),
        ("datasets: [glass]", "datasets: []", "effects[0].datasets: [] is not allowed; expected a list"),
        ("parameter: k", "parameter: kk", "effects[1].parameter: unknown 'kk'; did you mean 'k'? allowed: k"),
        ("parameter: k, ", "", "effects[1]: missing key 'parameter'"),
        (
            "reason: it",
            "parameter: k, reason: it",
            "effects[2].parameter: unknown key 'parameter'; allowed: by, reason",
        ),
        (
            "alternatives: [z-scored]",
            "alternatives: z-scored",
            "alternatives: 'z-scored' is not allowed; expected a list of texts",
        ),
        ("alternatives: [z-scored]", "alternatives: [1]", "alternatives[0]: 1 is not allowed; expected text"),
        ("purity, cost]", "purity, costs]", "effects[3].metrics: unknown 'costs'; did you mean 'cost'"),
        ("id: scale", "id: 2026-01-31", "line 2, column 7: versions of YAML disagree about '2026-01-31'"),
        (
            "id: scale",
            "id: [scale]",
            "[0].id: ['scale'] is not allowed; expected a name of small letters, digits and -",
        ),
        ("- id: scale\n", "- id: scale\n  id: other\n", "line 3, column 3: the key 'id' is given twice"),
        (ENTRY, "id: scale", "(top level): {'id': 'scale'} is not allowed; expected a list of entries"),
        (ENTRY, "", "(top level): nothing is not allowed; expected a list of entries"),
        (ENTRY, ENTRY + ENTRY, "entry 'scale': id: given twice"),
    ],
)
def test_a_wrong_entry_is_refused_in_a_line_that_names_it(package, old, new, said):
    assert old in ENTRY
    package(ENTRY.replace(old, new, 1))
    with pytest.raises(InputFileError) as caught:
        load_choices("madeup")
    message = str(caught.value)
    assert message.startswith("madeup/choices.yaml") and said in message, message
    assert message.count("\n") == (
        new == "choosen:"
    )  # one line, but for a key that is unknown and so missing


def test_all_wrong_names_are_told_and_a_parameter_is_of_its_method(package):
    package(ENTRY.replace("method: C", "method: A").replace("glass", "glas"))
    with pytest.raises(InputFileError) as caught:
        load_choices("madeup")
    assert [line.split(": ")[2:4] for line in str(caught.value).split("\n")] == [
        ["effects[0].datasets", "unknown 'glas'; did you mean 'glass'? allowed"],
        ["effects[1].parameter", "unknown 'k'; allowed"],
        ["effects[1].datasets", "unknown 'glas'; did you mean 'glass'? allowed"],
        ["effects[3].datasets", "unknown 'glas'; did you mean 'glass'? allowed"],
    ]


def test_metrics_are_held_against_those_that_are_known(package):
    """A plan that declares its measures says which metrics there are before anything runs."""
    package(ENTRY)
    plan = load_plan("madeup")
    object.__setattr__(plan, "measures", {"purity": None, "cost": None})
    assert len(checked_choices(plan)) == 1
    object.__setattr__(plan, "measures", {"purty": None, "cost": None})
    with pytest.raises(
        InputFileError, match=r"effects\[0\]\.metric: unknown 'purity'; did you mean 'purty'"
    ) as caught:
        checked_choices(plan)
    assert len(str(caught.value).split("\n")) == 3


def test_a_paper_may_have_no_register(package):
    assert load_choices("madeup") == []


@pytest.mark.parametrize("first", ["method: {A: B}", "spread: se", "where: {C: {k: 2}}"])
def test_the_data_sets_that_an_alternative_is_kept_to_are_known(package, first):
    others = f"  other_choices: [{{name: u, instead: {{{first}, datasets: [glass, digits]}}}}]\n  effects:\n"
    package(ENTRY.replace("  effects:\n", others))
    assert load_choices("madeup")[0].other_choices[0].instead["datasets"] == ["glass", "digits"]
    package(ENTRY.replace("  effects:\n", others.replace("digits", "digit")))
    with pytest.raises(InputFileError, match=r"other_choices\[0\]\.instead\.datasets: unknown 'digit'"):
        load_choices("madeup")
