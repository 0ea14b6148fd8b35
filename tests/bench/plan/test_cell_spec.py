import dataclasses

import pytest

from cladebench.bench.plan.cell_spec import (
    CellSpec,
    Limits,
    MethodPlan,
    canonical_json,
    derive_seed,
    point_text,
    setting_id,
)

SPEC = CellSpec("p", "d", "m", {"b": 1, "a": [0.5, "x"]}, 2, 7, Limits(10, 500))


def test_seed_is_fixed_for_all_time():
    # The first four bytes of sha256('[7,"p","d","m",2]').
    # A change of the rule would silently change every published result.
    assert derive_seed(7, "p", "d", "m", 2) == SPEC.seed == 750395170


def test_seed_ignores_setting_limits_and_threads_and_hears_the_rest():
    same = [{"setting": {}}, {"task": {"rows": 5}}, {"limits": Limits(1, 1)}, {"threads": 4}]
    assert all(dataclasses.replace(SPEC, **change).seed == SPEC.seed for change in same)
    other = [{"paper": "q"}, {"dataset": "e"}, {"method": "n"}, {"repetition": 3}, {"root_seed": 8}]
    other += [{"fold": 0}, {"fold": 1}]
    assert len({dataclasses.replace(SPEC, **change).seed for change in other} | {SPEC.seed}) == 8


def test_setting_id_does_not_depend_on_the_order_of_keys():
    assert setting_id({"a": 1, "b": 2}) == setting_id({"b": 2, "a": 1}) != setting_id({"a": 1, "b": 3})
    assert setting_id({}) == "default"


def test_cell_id_and_round_trip():
    assert SPEC.cell_id == f"p/d/m/{SPEC.setting_id}/2"
    assert CellSpec.from_dict(SPEC.as_dict()) == SPEC
    fold = dataclasses.replace(SPEC, fold=0, task={"folds": {"n": 2}})
    assert fold.cell_id == f"p/d/m/{SPEC.setting_id}/2.0"
    assert CellSpec.from_dict(fold.as_dict()) == fold != SPEC


def test_evaluation_points_are_equal_however_they_are_written():
    assert point_text({"k": 5.0, "a": "x"}) == point_text({"a": "x", "k": 5}) == '{"a":"x","k":5}'
    assert point_text({}) == "{}" and point_text({"k": 0.5}) == '{"k":0.5}'
    assert point_text({"k": True}) != point_text({"k": 1})


def test_limits_have_a_wall_limit_and_scale():
    assert Limits(10, 500).wall_limit == 60
    assert Limits(10, 500, 5).scaled(2, 3) == Limits(20, 1500, 10)
    assert Limits(10, 500, 5).scaled() == Limits(10, 500, 5)


def test_a_cell_has_one_thread_and_no_fold_unless_it_is_said():
    assert (SPEC.threads, SPEC.fold, SPEC.task) == (1, None, {})
    plain = MethodPlan("m", "E")
    assert (plain.params, plain.label, plain.role) == ({}, "", "method")


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), "10"])
def test_limits_refuse_nonsense(bad):
    with pytest.raises(ValueError, match="time_s"):
        Limits(bad, 100)


def test_canonical_json_refuses_nan():
    with pytest.raises(ValueError):
        canonical_json({"a": float("nan")})


def test_setting_wins_over_the_methods_parameters():
    assert MethodPlan("m", "E", {"a": 1, "b": 2}).parameters({"b": 3}) == {"a": 1, "b": 3}
