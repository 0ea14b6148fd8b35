import math

import pytest

from cladebench.input_files import validator
from cladebench.measures import MEASURES, NEEDS, Measure, measure, permuted_name, with_own


def test_every_measure_is_whole():
    assert len(MEASURES) > 10
    for name, entry in MEASURES.items():
        assert entry.name == name and entry.meaning and measure(name) is entry
        assert entry.direction in ("higher", "lower", None) and set(entry.needs) <= set(NEEDS)
        low, high = entry.range
        assert low < high
        assert entry.blind is None or low <= entry.blind <= high
    with pytest.raises(TypeError):
        MEASURES["mine"] = MEASURES["ari"]


def test_a_plan_may_say_what_measures_need():
    own = validator("plan").schema["properties"]["measures"]["additionalProperties"]["properties"]
    assert own["needs"]["items"]["enum"] == list(NEEDS)


def test_an_unknown_measure_says_which_there_are():
    with pytest.raises(
        KeyError, match=r"no measure 'purty'; known: dendrogram_purity, dendrogram_purity_permuted, "
    ):
        measure("purty")


@pytest.mark.parametrize(
    ("unit", "scale", "heading", "text"),
    [
        ("", 1.0, "my share", "0.1234"),
        ("%", 100.0, "my share (%)", "12.34"),
        ("s", 1.0, "my share (s)", "0.1234"),
    ],
)
def test_a_share_in_percent_is_shown_times_a_hundred(unit, scale, heading, text):
    entry = Measure("my_share", "m", unit=unit)
    assert (entry.scale, entry.heading, entry.text(0.12344)) == (scale, heading, text)
    assert Measure("x", "m", "Title", unit).heading.startswith("Title")


@pytest.mark.parametrize(("direction", "better"), [("higher", True), ("lower", False)])
def test_which_is_better_is_a_matter_of_direction(direction, better):
    entry = Measure("x", "m", direction=direction)
    assert entry.better(2.0, 1.0) is better and entry.better(1.0, 2.0) is not better
    assert not entry.better(1.0, 1.0)


def test_without_a_direction_nothing_is_better():
    with pytest.raises(ValueError, match="measure 'depth' has no direction"):
        measure("depth").better(1, 2)


def test_a_paper_adds_measures_and_changes_what_differs():
    own = {
        "gain": {"meaning": "what is gained", "direction": "lower", "range": [0, None], "needs": ["labels"]},
        "ari": {"unit": "%"},
    }
    found = with_own(own)
    assert found["gain"] == Measure(
        "gain", "what is gained", direction="lower", range=(0, math.inf), needs=("labels",)
    )
    ari = MEASURES["ari"]
    assert found["ari"] == Measure("ari", ari.meaning, ari.title, "%", "higher", ari.range, 0.0, ari.needs)
    assert ari.unit == "" and "gain" not in MEASURES
    assert with_own({"x": {"meaning": "m", "range": [None, 1]}})["x"].range == (-math.inf, 1)
    assert with_own({}) == dict(MEASURES)


def test_a_new_measure_needs_its_meaning():
    with pytest.raises(ValueError, match=r"^measures\.gain: missing key 'meaning': what the number says"):
        with_own({"gain": {"unit": "%"}})


def test_what_chance_gives_is_described_beside_each_measure_that_rewards_shape():
    rewarding = {name for name, entry in MEASURES.items() if entry.rewards_shape}
    assert rewarding == {
        "dendrogram_purity",
        "dasgupta_cost",
        "sp",
        "ps",
        "ri",
        "v_measure",
        "conditional_entropy",
        "pair_f",
        "matched_accuracy",
    }
    assert {name for name in MEASURES if name.endswith("_permuted")} == set(map(permuted_name, rewarding))
    for name in rewarding:
        entry, permuted = MEASURES[name], MEASURES[permuted_name(name)]
        assert (permuted.range, permuted.needs, permuted.direction) == (entry.range, entry.needs, None)
        assert permuted.title == f"{entry.title}, permuted" and entry.title in permuted.meaning
        assert permuted.unit == entry.unit
        if entry.corrected:
            corrected = MEASURES[entry.corrected]
            assert corrected.blind == 0.0 and corrected.direction == "higher" and not corrected.rewards_shape
    assert {entry.corrected for entry in MEASURES.values()} == {
        *(
            "",
            "dendrogram_purity_adjusted",
            "sp_correlation",
            "ps_correlation",
            "ari",
            "ami",
            "matched_accuracy_adjusted",
        )
    }


def test_a_measure_of_a_paper_has_its_expectation_described_too():
    own = {"sp": {"unit": "%"}, "mine": {"meaning": "m", "direction": "higher", "needs": ["labels", "tree"]}}
    found = with_own(own)
    assert found["sp_permuted"].unit == "%" and MEASURES["sp_permuted"].unit == ""
    assert found["mine_permuted"].meaning.startswith("expectation of mine when the rows are permuted")
    for changed in ({"direction": None}, {"needs": ["labels"]}, {"blind": 0.0}):
        assert "mine_permuted" not in with_own({"mine": own["mine"] | changed})
    described = with_own(own | {"mine_permuted": {"meaning": "as the paper says"}})
    assert described["mine_permuted"] == Measure("mine_permuted", "as the paper says")
