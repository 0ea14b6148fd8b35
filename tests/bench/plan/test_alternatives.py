import pytest

from cladebench.bench.plan.alternatives import matching, written_out

PLAN = {
    "methods": {
        "A": {"estimator": "X", "label": "Ann", "role": "method", "params": {"k": 1, "z": 2}},
        "A-B": {"estimator": "Y"},
        "C": {"estimator": "X"},
    },
    "alternatives": {
        "wide": {"label": "wide", "of": ["A", "A-B"], "params": {"k": 9}},
        "far": {"label": "far off", "of": ["C"], "params": {"d": [1]}},
    },
    "scopes": {
        "full": {
            "datasets": ["d"],
            "grid": {"A-B-*": {"g": [1]}, "A-*": {"g": [2]}, "C": {"g": [3]}, "*-far": {"g": [4]}},
            "overrides": [{"method": ["*-wide", "C"], "planned": False}, {"dataset": "d", "repetitions": 1}],
        },
        "smoke": {"datasets": ["d"]},
    },
}


def test_an_alternative_is_its_method_with_other_parameters():
    methods = written_out(PLAN)["methods"]
    assert list(methods) == ["A", "A-B", "C", "A-wide", "A-B-wide", "C-far"]
    assert methods["A-wide"] == {
        "estimator": "X",
        "params": {"k": 9, "z": 2},
        "label": "Ann, wide",
        "role": "alternative",
    }
    assert methods["A-B-wide"] == {
        "estimator": "Y",
        "params": {"k": 9},
        "label": "A-B, wide",
        "role": "alternative",
    }
    assert methods["A"] is PLAN["methods"]["A"]


def test_a_grid_is_its_own_then_that_of_the_first_pattern():
    scopes = written_out(PLAN)["scopes"]
    assert scopes["full"]["grid"] == {
        "C": {"g": [3]},
        "A-B-wide": {"g": [1]},
        "A-B": {"g": [2]},
        "A-wide": {"g": [2]},
        "C-far": {"g": [4]},
    }
    assert scopes["full"]["overrides"] == [
        {"method": ["A-wide", "A-B-wide", "C"], "planned": False},
        {"dataset": "d", "repetitions": 1},
    ]
    assert scopes["smoke"] == {"datasets": ["d"]}


def test_a_pattern_that_matches_nothing_is_left_for_the_check_of_names():
    assert matching(["Z*", "A", "A"], ["A", "B"]) == ["Z*", "A"]


@pytest.mark.parametrize(
    ("of", "said"),
    [("D", "alternatives.wide.of: unknown method 'D'"), ("A", "'A-wide' is the name of another method")],
)
def test_names_that_cannot_be_are_refused(of, said):
    methods = PLAN["methods"] | {"A-wide": {"estimator": "X"}}
    entry = {"label": "wide", "of": [of], "params": {"k": 9}}
    with pytest.raises(ValueError, match=said):
        written_out({"methods": methods, "alternatives": {"wide": entry}, "scopes": {}})
