import dataclasses

import numpy as np
import pytest

from audit_records import NOISE, PURITY, SELECTION, cells, claims_of, frame
from cladebench.audit.pipeline.whole_run import audit_paper
from cladebench.audit.random_methods import RandomMethod, judges_the_result, praised_side
from cladebench.measures import MEASURES
from claim_texts import claim_text


@pytest.mark.parametrize(
    ("relation", "higher", "lower"),
    [
        ("better", 0, 0),
        ("no_worse", 0, 0),
        ("same", 0, 0),
        ("worse", 1, 1),
        ("higher", 0, 1),
        ("lower", 1, 0),
        ("never_below", 0, 1),
        ("never_above", 1, 0),
    ],
)
def test_the_praised_side(relation, higher, lower):
    assert praised_side(relation, "higher") == higher
    assert praised_side(relation, "lower") == lower
    assert praised_side(relation, None) == (relation == "worse")  # of a shape nothing is better


def test_only_measures_of_the_result_can_be_earned_without_the_data():
    found = {name for name, measure in MEASURES.items() if judges_the_result(measure)}
    assert {"dendrogram_purity", "dasgupta_cost", "sp", "ps", "ri", "ari", "accuracy", "precision"} <= found
    assert "mean_average_precision" in found  # of the distance
    assert not found & {"seconds", "depth", "n_leaves", "converged"}
    assert not judges_the_result(None)


def test_a_random_method_brings_its_own_setting_and_keeps_the_point():
    query = {
        "dataset": "d",
        "method": "A",
        "metric": "sp",
        "at": {"k": 1},
        "where": {"a": 1},
        "direction": "higher",
        "change_from": "e",
    }
    assert RandomMethod("Random").instead_of(query) == {
        "dataset": "d",
        "method": "Random",
        "metric": "sp",
        "at": {"k": 1},
        "change_from": "e",
    }
    assert RandomMethod().instead_of(query) == query | {"metric": "sp_permuted"}


CLAIMS = """
tables:
  - id: v
    place: {artifact: Table 1}
    measure: {metric: dendrogram_purity}
    gap: {absolute: 0.05}
    ranking: true
    repetitions: 5
    columns: {d: {dataset: d}}
    rows:
      A: {method: A, printed: ["0.70"]}
      B: {method: B, printed: ["0.50"]}
      C: {method: C, printed: ["0.40"]}
      E: {method: E, printed: ["0.30"]}
      F: {method: F, printed: ["0.20"]}
      Random: {method: Random, printed: ["0.60"]}
claims:
  - id: o
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: dendrogram_purity, dataset: d}
    expects: {left: {method: A}, is: better, than: {best_of: [B, C]}}
  - id: w
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: dendrogram_purity, dataset: d}
    expects: {left: {method: B}, is: worse, than: {method: A}}
  - id: of-a-rival
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: dendrogram_purity, dataset: d}
    expects: {left: {method: Random}, is: better, than: {method: B}}
  - id: time
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: seconds, dataset: d}
    expects: {left: {method: A}, is: better, than: {method: B}}
  - id: s
    kind: sentence
    place: {section: "1"}
    quote: q
    expects: {all_of: [o, w]}
  - id: mixed
    kind: sentence
    place: {section: "1"}
    quote: q
    expects: {all_of: [o, time]}
  - id: nested
    kind: sentence
    place: {section: "1"}
    quote: q
    expects: {all_of: [mixed, time]}
"""


def audited(tmp_path, random, permuted, **how):
    def method(name, purity, seconds=1.0, shuffled=None):
        return cells(
            "d",
            name,
            {
                PURITY: purity + np.roll(NOISE, ord(name[0])),
                f"{PURITY}_permuted": (purity / 2 if shuffled is None else shuffled) + NOISE,
                "seconds": seconds + NOISE,
            },
            **how,
        )

    rows = [
        method("A", 0.7, shuffled=permuted),
        method("B", 0.5 - 0.001, 2.0),
        method("C", 0.4),
        method("E", 0.3),
        method("F", 0.2),
        method("Random", random),
    ]
    found = audit_paper(claims_of(tmp_path, CLAIMS), frame(*rows), selection=SELECTION, blind=("Random",))
    return {row["claim"]: row for row in found}


def test_what_a_random_tree_earns_too_supports_nothing(tmp_path):
    found = audited(tmp_path, random=0.6, permuted=0.1)
    for name in ("o", "w", "s"):
        assert (found[name]["verdict"], found[name]["blind"]) == ("uninformative", "reproduced"), name
    assert found["o"]["reason"].startswith("a random method passes too (Random); reproduced: A 0.7000")
    # No random method can have been faster: none passes the whole. It does not hold without the part that one passes.
    for name in ("mixed", "nested"):
        assert (found[name]["verdict"], found[name]["blind"]) == ("uninformative", "contradicted"), name
        assert found[name]["reason"].startswith(
            "does not hold without a part that random methods pass too, and this shows nothing (o"
        )
    assert (found["time"]["verdict"], found["time"]["blind"]) == ("reproduced", "")
    assert (found["of-a-rival"]["verdict"], found["of-a-rival"]["blind"]) == ("reproduced", "")


IN_SP = """
  - id: in-sp
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: sp, dataset: d}
    expects: {left: {method: A}, is: better, than: {method: B}}
"""


def test_a_method_that_cannot_know_a_measure_is_random_there_alone(tmp_path):
    measures = MEASURES | {PURITY: dataclasses.replace(MEASURES[PURITY], random=("F",))}
    rows = [
        cells("d", name, {metric: mean + np.roll(NOISE, ord(name)) for metric in (PURITY, "sp")})
        for name, mean in (("A", 0.7), ("B", 0.5), ("C", 0.4), ("E", 0.3), ("F", 0.6))
    ]
    claims = claims_of(tmp_path, CLAIMS + IN_SP.lstrip("\n"))
    by = {row["claim"]: row for row in audit_paper(claims, frame(*rows), measures=measures)}
    assert (by["o"]["verdict"], by["o"]["blind"]) == ("uninformative", "reproduced")
    assert "(F)" in by["o"]["reason"]
    assert (by["in-sp"]["verdict"], by["in-sp"]["blind"]) == ("reproduced", "")
    # It is asked for nothing where it is praised itself.
    assert by["v/d/f"]["blind"] == ""
    other = {row["claim"]: row for row in audit_paper(claims, frame(*rows))}
    assert (other["o"]["verdict"], other["o"]["blind"]) == ("reproduced", "")


def test_permuted_rows_count_without_any_method(tmp_path):
    found = audited(tmp_path, random=0.1, permuted=0.6)
    assert (found["o"]["verdict"], found["o"]["blind"]) == ("uninformative", "reproduced")
    assert "(its own result with rows permuted); reproduced" in found["o"]["reason"]


def test_a_claim_that_no_random_method_passes_stands_and_says_how_they_do(tmp_path):
    found = audited(tmp_path, random=0.1, permuted=0.1)
    assert (found["o"]["verdict"], found["o"]["blind"]) == ("reproduced", "contradicted")
    assert found["mixed"]["verdict"] == found["nested"]["verdict"] == "reproduced"
    assert audited(tmp_path, random=0.4995, permuted=0.1)["o"]["blind"] in ("direction only", "within noise")


def test_a_number_that_a_random_tree_meets_says_nothing(tmp_path):
    found = audited(tmp_path, random=0.7, permuted=0.1)
    assert (found["v/d/a"]["verdict"], found["v/d/a"]["blind"]) == ("uninformative", "reproduced")
    assert (found["v/d/b"]["verdict"], found["v/d/b"]["blind"]) == ("reproduced", "contradicted")
    assert found["v/d/random"]["blind"] == ""


def test_a_ranking_is_earned_by_shape_alone_where_permuted_rows_rank_alike(tmp_path):
    alike = audited(tmp_path, random=0.6, permuted=0.35)["v/ranking/d"]
    assert (alike["verdict"], alike["blind"], alike["measured"]) == (
        "uninformative",
        "reproduced",
        pytest.approx(1.0),
    )
    # Random is not held against itself: five methods are left.
    other = audited(tmp_path, random=0.6, permuted=0.01)["v/ranking/d"]
    assert (other["verdict"], other["blind"]) == ("reproduced", "within noise")


ACCURACY = """
claims:
  - id: close
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: accuracy, dataset: d}
    expects: {left: {method: A}, is: no_worse, than: {best_of: [B, C]}, margin: 0.05}
  - id: ahead
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: accuracy, dataset: d}
    expects: {left: {method: A}, is: better, than: {best_of: [B, C]}}
"""


@pytest.mark.parametrize(
    ("random", "close", "ahead"),
    [
        (0.70, "uninformative", "reproduced"),
        (0.76, "uninformative", "uninformative"),
        (0.55, "reproduced", "reproduced"),
    ],
)
def test_an_accuracy_that_no_data_are_needed_for_supports_nothing(tmp_path, random, close, ahead):
    """As where nine rows of ten have one class: to be near the best takes only to say this class."""
    levels = {"A": 0.75, "B": 0.72, "C": 0.60, "Random": random}
    rows = [
        cells("d", name, {"accuracy": level + np.roll(NOISE, at)}, held_out=(80, 20))
        for at, (name, level) in enumerate(levels.items())
    ]
    found = audit_paper(claims_of(tmp_path, ACCURACY), frame(*rows), selection=SELECTION, blind=("Random",))
    assert [row["verdict"] for row in found] == [close, ahead]
    assert all(row["blind"] for row in found)


@pytest.mark.parametrize("relation", ["better", "worse"])
def test_a_random_method_has_both_readings_of_one_result(tmp_path, relation):
    """Beside another measure of the method itself a random one would be ahead by its own height alone."""
    expects = f"{{left: {{metric: ari}}, is: {relation}, than: {{metric: ri}}}}"
    text = "claims:\n" + claim_text("c", "order", measure="{method: A, dataset: d}", expects=expects)
    ahead, behind = ("ari", "ri") if relation == "better" else ("ri", "ari")
    for random, verdict in (
        ({ahead: 0.6, behind: 0.6}, "reproduced"),
        ({ahead: 0.6, behind: 0.4}, "uninformative"),
    ):
        rows = [
            cells(
                "d",
                name,
                {metric: level + np.roll(NOISE, at) for at, (metric, level) in enumerate(levels.items())},
            )
            for name, levels in (("A", {ahead: 0.5, behind: 0.3}), ("Random", random))
        ]
        (found,) = audit_paper(
            claims_of(tmp_path, text), frame(*rows), selection=SELECTION, blind=("Random",)
        )
        assert found["verdict"] == verdict


def test_between_two_settings_of_a_method_a_random_one_has_the_praised_one(tmp_path):
    expects = "{left: {where: {k: 2}}, is: better, than: {where: {k: 1}}}"
    measure = "{method: A, dataset: d, metric: ari}"
    text = "claims:\n" + claim_text("c", "order", measure=measure, expects=expects)
    rows = [
        cells("d", name, {"ari": level + np.roll(NOISE, at)}, setting)
        for at, (name, level, setting) in enumerate(
            [("A", 0.3, {"k": 1}), ("A", 0.5, {"k": 2}), ("Random", 0.6, None)]
        )
    ]
    (found,) = audit_paper(claims_of(tmp_path, text), frame(*rows), selection=SELECTION, blind=("Random",))
    assert (found["verdict"], found["blind"]) == ("uninformative", "reproduced")


def test_what_was_never_good_loses_nothing(tmp_path):
    """To lose less to noise than others takes only to have had nothing to lose."""
    text = """
claims:
  - id: loses-less
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: accuracy, dataset: noisy, change_from: d}
    expects: {left: {method: A}, is: better, than: {best_of: [B, C]}}
  - id: ahead
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: accuracy, dataset: noisy}
    expects: {left: {method: A}, is: better, than: {best_of: [B, C]}}
"""
    levels = {"A": (0.9, 0.89), "B": (0.92, 0.7), "C": (0.8, 0.6), "Random": (0.5, 0.5)}
    rows = [
        cells(dataset, name, {"accuracy": level + np.roll(NOISE, 2 * at + place)}, held_out=(80, 20))
        for at, (name, both) in enumerate(levels.items())
        for place, (dataset, level) in enumerate(zip(("d", "noisy"), both, strict=True))
    ]
    found = audit_paper(claims_of(tmp_path, text), frame(*rows), selection=SELECTION, blind=("Random",))
    assert [row["verdict"] for row in found] == ["uninformative", "reproduced"]
    assert found[0]["measured"] == pytest.approx(-0.01 + 0.2)
    assert found[0]["published"] == "A > C in the change of accuracy from d"
    assert found[0]["cells"][:2] == ["toy/noisy/A/default/*", "toy/d/A/default/*"]


def test_what_is_contradicted_stays_so_whatever_a_random_method_does(tmp_path):
    turned = CLAIMS.replace("{left: {method: A}, is: better", "{left: {method: F}, is: better")
    rows = [
        cells("d", name, {PURITY: value + NOISE})
        for name, value in (("F", 0.2), ("B", 0.5), ("C", 0.4), ("Random", 0.6))
    ]
    found = audit_paper(claims_of(tmp_path, turned), frame(*rows), selection=SELECTION, blind=("Random",))
    row = next(row for row in found if row["claim"] == "o")
    assert (row["verdict"], row["blind"]) == ("contradicted", "reproduced")


def test_on_stand_in_data_numbers_have_no_random_method_and_orders_have(tmp_path):
    found = audited(tmp_path, random=0.6, permuted=0.1, stand_in_for="the paper's d")
    assert (found["o"]["verdict"], found["o"]["blind"]) == ("uninformative", "analogue holds")
    assert (found["v/d/a"]["verdict"], found["v/d/a"]["blind"]) == ("not testable", "")
