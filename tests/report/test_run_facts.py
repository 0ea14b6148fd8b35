"""What a run had, as the pages say it."""

from types import SimpleNamespace

import pandas as pd

from cladebench.bench.plan.setting_selection import Rule
from cladebench.bench.samples.results import Results
from cladebench.measures import Measure
from cladebench.report.run_facts import control_rows


def rows(method, values, at, setting="default"):
    return [
        {
            **dict(paper="p", dataset="d", method=method, metric="sp", value=value, at=at, status="ok"),
            **dict(
                task=str(i),
                setting="{}",
                setting_id=setting,
                reason="",
                stand_in_for="",
                repetition=i,
                fold=None,
                **dict.fromkeys(("n_rows", "n_train", "n_test"), 10),
                cell_id=f"p/d/{method}/{setting}/{i}",
            ),
        }
        for i, value in enumerate(values)
    ]


def facts_of(records, roles, rules, measures, default=None):
    """The rows of controls in these records, for methods of these roles."""
    plan = SimpleNamespace(
        methods={name: SimpleNamespace(role=role, label=f"label of {name}") for name, role in roles.items()},
        selection=rules,
        datasets_of=lambda scope: ["d"],
        title_of=lambda name: f"title of {name}",
    )
    results = Results(pd.DataFrame(records), rules, default or {})
    return control_rows(SimpleNamespace(results=results, measures=measures, scope="full"), plan)


def test_controls_are_read_at_the_point_of_the_rule_and_written_as_their_measure_says():
    point, other = '{"k":1}', '{"k":9}'
    records = [
        *rows("Random", [0.25, 0.35], point),
        *rows("Random", [0.9, 0.9], other),
        *rows("A", [0.5, 0.7], point, "a"),
        *rows("A", [0.8, 0.9], point, "b"),
        *rows("B", [0.3], point),
        *rows("A", [0.01], other, "a"),
        *rows("study", [0.0], point),
        *rows("A-otherwise", [0.99], point),
    ]
    rule = Rule("best", "best score", "sp", "higher", {"k": 1.0})
    roles = {"Random": "control", "Oracle": "control", "A": "method", "B": "extra", "study": "study"}
    roles["A-otherwise"] = "alternative"
    (row,) = facts_of(records, roles, {"best": rule}, {"sp": Measure("sp", "", "SP", "%")})
    assert list(row) == ["data set", "rule", "measure", "label of Random", "label of Oracle", "other methods"]
    assert (row["data set"], row["rule"], row["measure"]) == ("title of d", "best score", "SP (%)")
    assert row["label of Random"] == "30.00 ± 7.07 (2)"
    assert row["label of Oracle"] == "not measured" and row["other methods"] == "30.00 to 85.00"


def test_a_control_with_several_settings_stands_in_the_one_that_each_rule_chooses():
    """Though another rule chooses by the same metric at another point, or the other way round."""
    points = ('{"k":1}', '{"k":9}')
    by_setting = {"a": ([0.25, 0.35], [0.9, 0.7]), "b": ([0.1, 0.1], [0.95, 0.85])}
    records = [
        row
        for method in ("Random", "A")
        for setting, values in by_setting.items()
        for at, found in zip(points, values, strict=True)
        for row in rows(method, found, at, setting)
    ]
    selection = {
        "near": Rule("near", "near", "sp", "higher", {"k": 1}),
        "far": Rule("far", "far", "sp", "higher", {"k": 9}),
        "low": Rule("low", "low", "sp", "lower", {"k": 9}),
        "fixed": Rule("fixed", "fixed", setting={"a": 1}),
    }
    measures = {"sp": Measure("sp", "", "SP", "%")}
    found = facts_of(records, {"Random": "control", "A": "method"}, selection, measures, {"k": 1})
    assert [(row["rule"], row["label of Random"], row["other methods"]) for row in found] == [
        ("near", "30.00 ± 7.07 (2)", "30.00 to 30.00"),
        ("far", "90.00 ± 7.07 (2)", "90.00 to 90.00"),
        ("low", "80.00 ± 14.14 (2)", "80.00 to 80.00"),
    ]


def test_a_control_of_which_few_cells_finished_says_so():
    records = [*rows("Random", [0.25], "{}"), *rows("A", [0.5], "{}")]
    lost = {"metric": None, "value": None, "status": "timeout", "reason": "60 s"}
    records += [{**records[0], **lost, "cell_id": f"lost {i}"} for i in range(2)]
    roles, rules = {"Random": "control", "A": "method"}, {"sp": Rule("sp", "sp", "sp", "higher")}
    (row,) = facts_of(records, roles, rules, {"sp": Measure("sp", "")})
    assert (
        row["label of Random"] == "2 of 3 runs timeout: 60 s" and row["other methods"] == "0.5000 to 0.5000"
    )


def test_what_knows_nothing_stands_beside_the_controls_where_a_measure_says_it():
    records = pd.DataFrame([*rows("Random", [0.25], "{}"), *rows("A", [0.5], "{}")])
    records = pd.concat([records, records.assign(metric="ari", value=0.125)])
    rules = {metric: Rule(metric, metric, metric, "higher") for metric in ("sp", "ari")}
    measures = {"sp": Measure("sp", "", unit="%"), "ari": Measure("ari", "", unit="%", blind=0.01)}

    def shown(*controls):
        roles = {"Random": "control" if "Random" in controls else "study", "A": "method"}
        return [list(row.items()) for row in facts_of(records, roles, rules, measures)]

    nothing = "what knows nothing of the data"
    assert shown("Random") == [
        [
            ("data set", "title of d"),
            ("rule", rule),
            ("measure", heading),
            (nothing, blind),
            ("label of Random", f"{value} (1)"),
            ("other methods", f"{low} to {low}"),
        ]
        for rule, heading, blind, value, low in (
            ("sp", "sp (%)", "depends on the data", "25.00", "50.00"),
            ("ari", "ari (%)", "1.00", "12.50", "12.50"),
        )
    ]
    assert [row[3] for row in shown()] == [(nothing, "depends on the data"), (nothing, "1.00")]
    measures["ari"] = Measure("ari", "", unit="%")
    assert shown() == []  # neither a control nor such a value
