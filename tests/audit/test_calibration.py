"""docs/calibration.md is what `make calibrate` writes: its head, its rows, and a few of its rates made anew."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from doc_examples import ROOT

PAGE = ROOT / "docs" / "calibration.md"
#: What normal noise is known to miss, and docs/calibration.md explains.
KNOWN = {"value, mean and spread of 5 runs", "ranking of 7"}


@pytest.fixture(scope="module")
def tool():
    folder = str(ROOT / "tools" / "calibrate")
    sys.path.insert(0, folder)
    try:
        import calibrate
        import judge
        import rates
        import reports
        import scenarios
    finally:
        sys.path.remove(folder)
    found = {module.__name__: module for module in (calibrate, judge, rates, reports, scenarios)}
    yield found
    for name in found:
        assert Path(sys.modules.pop(name).__file__).parent == Path(folder)


def table(text):
    return [line for line in text.splitlines() if line.startswith("| ") and "| in truth |" not in line]


def lines():
    """Rows of the claims by noise, in order."""
    normal, skewed = (
        PAGE.read_text(encoding="utf-8").split("## Comparison reports")[0].split("## Skewed noise")
    )
    return {"normal": table(normal), "skewed": table(skewed)}


def lines_of_reports():
    return table(PAGE.read_text(encoding="utf-8").split("## Comparison reports")[1])


def test_the_page_is_what_the_tool_writes_of_these_rows(tool):
    """Head, parameters and tables; the rates are the page's own."""
    assert PAGE.read_text(encoding="utf-8") == tool["calibrate"].page(lines(), lines_of_reports())


def test_each_scenario_has_its_row_with_the_repetitions_of_today(tool):
    every = tool["scenarios"].scenarios()
    assert len({(s.kind, s.truth) for s in every}) == len(every)
    for found in lines().values():
        told = [tuple(line.split(" | ")[:4]) for line in found]
        assert told == [(f"| {s.kind}", s.truth, str(s.n), s.rate) for s in every]


@pytest.mark.parametrize(
    ("kind", "truth", "noise"),
    [
        ("bound, never above", "violated in a tenth", "normal"),
        ("value, mean of 5 runs", "true, the gap matters", "skewed"),
        ("ratio of at least 1", "false by the gap", "normal"),
    ],
)
def test_rates_are_made_anew(kind, truth, noise, tool):
    """All papers of the row: the audit's code of today gives the page's numbers to the last digit."""
    (scenario,) = [s for s in tool["scenarios"].scenarios() if (s.kind, s.truth) == (kind, truth)]
    (line,) = [line for line in lines()[noise] if line.startswith(f"| {kind} | {truth} |")]
    assert tool["calibrate"].row(scenario, noise) == line


def test_with_normal_noise_only_what_is_known_is_missed():
    missed = {line.split(" | ")[0][2:] for line in lines()["normal"] if line.endswith("| missed |")}
    assert missed <= KNOWN
    met = [line for line in lines()["normal"] if line.endswith("| met |")]
    for asked in ("| contradicts | at most 5%", "| supports | at least 80%", "| contradicts | at least 80%"):
        assert sum(asked in line for line in met) >= 8


def test_a_row_is_missed_where_its_interval_lies_on_the_wrong_side(tool, monkeypatch):
    """Of 2,000, the fewest that are shown to be more than 5% are 127, the most shown to be less than 80% are 1552."""
    scenarios = tool["scenarios"]
    most, least = scenarios.AT_MOST, scenarios.AT_LEAST
    told = {}
    for limit in (most, least):
        for count in (126, 127, 1552, 1553):
            scenario = scenarios.Scenario("kind", "truth", 3, lambda *_: None, "supports", limit)
            monkeypatch.setattr(scenarios.Scenario, "count", lambda *_, count=count: count)
            told[limit[0], count] = tool["calibrate"].row(scenario, "normal").split(" | ")[-1]
    assert told["at most", 126] == "met |" and told["at most", 127] == "missed |"
    assert told["at least", 1552] == "missed |" and told["at least", 1553] == "met |"
    assert told["at most", 1553] == told["at least", 126] == "missed |"


def test_the_judge_is_the_audit_s(tool):
    """One simulated paper with a claim of each kind, whose truth is beyond doubt."""
    judge = tool["judge"]
    high, low = np.array([9.0, 9.1, 9.2, 9.1, 9.0]), np.array([3.0, 3.1, 3.3, 3.0, 3.1])
    values = {"A": high, "B": low} | {f"M{k}": low + k for k in range(6)}
    column = [judge.printed(f"entry{k}", f"M{k}", f"{3.1 + k:.2f}", 5, 0.5) for k in range(6)]
    claims = [
        judge.order("order", "A", "better", "B"),
        judge.order("opposite", "B", "better", "A"),
        judge.order("within", "B", "no_worse", "A", margin=7.0),
        judge.order("same", "A", "same", "B", margin=0.1),
        judge.order("bound", "B", "never_above", "A"),
        judge.ratio("ratio", "A", "B", at_least=2.0, at_most=4.0),
        judge.trend("trend", {0.0: "B", 1.0: "A"}, 5.0),
        *column,
        judge.ranking("ranking", "entry*"),
        judge.sentence("both", all_of=["order", "opposite"]),
        judge.sentence("either", any_of=["order", "opposite"]),
    ]
    assert judge.stances((claims, judge.Draws(values))) == {
        "order": "supports",
        "opposite": "contradicts",
        "within": "supports",
        "same": "contradicts",
        "bound": "supports",
        "ratio": "supports",
        "trend": "supports",
        **{f"entry{k}": "supports" for k in range(6)},
        "ranking": "supports",
        "both": "contradicts",
        "either": "supports",
    }


def test_rows_that_are_held_out_widen_the_test(tool):
    judge = tool["judge"]
    left, right = np.array([1.0, 1.3, 1.1, 1.4, 1.2]), np.array([0.9, 1.1, 1.1, 1.2, 1.1])
    claims = [judge.order("claim", "A", "better", "B")]
    found = [judge.stances((claims, judge.Draws({"A": left, "B": right}, o)))["claim"] for o in (0.0, 1.0)]
    assert found == ["supports", "undecided"]


@pytest.mark.parametrize("noise", ["normal", "skewed"])
def test_noise_has_mean_0_and_spread_1(noise, tool):
    drawn = tool["scenarios"].NOISES[noise](np.random.default_rng(0), 200_000)
    assert drawn.mean() == pytest.approx(0, abs=0.01)
    assert drawn.std() == pytest.approx(1, abs=0.01)
    assert (drawn**3).mean() == pytest.approx({"normal": 0, "skewed": 2}[noise], abs=0.15)


def test_each_kind_of_report_has_its_row_and_none_is_missed(tool):
    every = tool["reports"].reports()
    names = [(f"| {r.n_data}", str(r.n_methods), r.truth, r.counted) for r in every]
    assert len({*names}) == len(every)
    found = lines_of_reports()
    assert [tuple(line.split(" | ")[:4]) for line in found] == names
    assert not [line for line in found if line.endswith("| missed |")]
    limited = [line.split(" | ")[:2] for line in found if " | at most 5% | " in line]
    assert all([f"| {n}", str(methods)] in limited for n in (1, 5, 20) for methods in (10, 20))


def test_a_rate_of_reports_is_made_anew(tool):
    """All reports of the row: the code of today gives the page's numbers to the last digit."""
    reports = tool["reports"]
    assert reports.row(reports.reports()[0]) == lines_of_reports()[0]


def test_simulated_scores_are_two_means_and_adjusted_rand(tool):
    random = np.random.default_rng(3)
    x, y = random.normal(size=(6, 25)), random.integers(0, 2, (6, 25))
    y[5] = 1
    found = tool["reports"].two_means_scores(x, y)
    for values, classes, score in zip(x, y, found, strict=True):
        best = KMeans(2, n_init=50, random_state=0).fit_predict(values[:, None])
        assert score == pytest.approx(adjusted_rand_score(classes, best))


def test_methods_are_alike_and_draws_are_halves_of_the_same_rows(tool):
    random = np.random.default_rng(0)
    runs = tool["reports"].draw_runs(random, 40, 4)
    assert len(runs) == 40 * 4 * tool["reports"].DRAWS and set(runs.share) == {0.5}
    means = runs.groupby("method")["value"].mean()
    assert np.ptp(means) < 0.06 and means.min() > 0.4
    better = tool["reports"].draw_runs(random, 40, 4, better=1.0).groupby("method")["value"].mean()
    assert better["m0"] > better.drop("m0").max() + 0.08
    by_data = runs.groupby(["data", "method"])["value"]
    assert by_data.std().mean() < by_data.mean().std()
