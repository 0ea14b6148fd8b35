"""What the page says first: who is ahead, by how much, what cannot be told; on scores of known size."""

import math
import re

import numpy as np
from scipy import stats

from cladebench.bench.statistics.comparison_sentences import sentences
from cladebench.comparison.records import Run, verdicts
from made_up_runs import MEANS, made_up_run, scores


def said(run: Run) -> list[str]:
    return [sentence["text"] for sentence in sentences(verdicts(run))]


def test_of_one_data_set_the_sentences_have_its_scores_and_the_nearest_rival(tmp_path):
    table = scores()
    mine, a = table["d0"]["mine"].mean(), table["d0"]["a"].mean()
    found = verdicts(made_up_run(table, tmp_path, mine="mine"))
    first, second, third = sentences(found)
    assert mine > a
    assert first["text"] == (
        f"On d0, mine has the best score: a mean adjusted RI of {mine:.2f}, where chance has 0."
    )
    row = found.deciding.iloc[0]
    assert (row.rival, row.verdict) == ("a", "undecided")
    assert second["text"] == (
        "mine against its rivals, in 2 comparisons: ahead in 1, behind in 0, level in 0. "
        f"Against a the difference is {mine - a:+.2f} ({row.low:+.2f} to {row.high:+.2f}).".replace("-", "−")
    )
    assert re.fullmatch(
        r"1 comparison is undecided. A true difference of 0\.\d\d would show in 4 of 5 such reports\. "
        r"A smaller one may have been missed\.",
        third["text"],
    )
    assert [one["cells"] for one in sentences(found)] == [[("d0", "mine")], [("d0", "a")], [("d0", "a")]]


def test_a_leader_other_than_mine_is_named_with_both_scores(tmp_path):
    table = scores(MEANS | {"mine": 0.5, "a": 0.9})
    found = verdicts(made_up_run(table, tmp_path, mine="mine"))
    means = {name: values.mean() for name, values in table["d0"].items()}
    assert sentences(found)[0]["text"] == (
        f"On d0, a has the best score: a mean adjusted RI of {means['a']:.2f}, where chance has 0; "
        f"mine has {means['mine']:.2f}."
    )
    assert sentences(found)[0]["cells"] == [("d0", "mine"), ("d0", "a")]
    assert found.undecided == [] and sentences(found)[1]["cells"] == [("d0", "a")]
    assert "ahead in 1, behind in 1, level in 0." in sentences(found)[1]["text"]


def test_of_few_data_sets_each_comparison_counts_and_the_nearest_has_its_data(tmp_path):
    table = scores(n_data=3)
    found = verdicts(made_up_run(table, tmp_path, mine="mine"))
    mean = np.mean([row["mine"].mean() for row in table.values()])
    first, second, _ = (sentence["text"] for sentence in sentences(found))
    assert first.startswith(
        f"On 3 data sets, mine has the best mean rank: a mean adjusted RI of {mean:.2f}, "
    )
    assert second.startswith("mine against its rivals, in 6 comparisons: ahead in 3")
    assert " Against a on d0 the difference is " in second
    assert set(found.deciding["data"]) == {"d0", "d1", "d2"}


def test_of_many_data_sets_one_comparison_a_rival_counts(tmp_path):
    found = verdicts(made_up_run(scores(n_data=12), tmp_path, mine="mine"))
    assert list(found.deciding["data"]) == ["all"] * 3
    second = sentences(found)[1]
    assert second["text"].startswith("mine against its rivals, in 2 comparisons: ")
    assert " Against a the difference is " in second["text"] and second["cells"] == []


def test_where_all_is_decided_nothing_is_said_to_be_open(tmp_path):
    run = made_up_run(scores({"mine": 0.9, "a": 0.2, "RandomTree": 0.0}), tmp_path, mine="mine")
    assert said(run)[2] == "All comparisons are decided."


def test_what_so_few_draws_could_not_have_shown_is_said(tmp_path):
    table = {"d0": {"mine": [0.9, -0.1], "a": [0.1, 0.6], "RandomTree": [0.0, 0.1]}}
    assert said(made_up_run(table, tmp_path, mine="mine"))[2] == (
        "1 comparison is undecided. So few draws, with such varied scores, could hardly show even the largest "
        "difference."
    )
    # Where something was shown it would be false: mine is 0.5 ahead of b in both draws.
    table["d0"] = {"mine": [0.9, -0.1], "a": [0.1, 0.6], "b": [0.4, -0.6]}
    shown = said(made_up_run(table, tmp_path, mine="mine", n_rows=20_000_000))
    assert "ahead in 1" in shown[1] and shown[2] == "1 comparison is undecided."
    steps = 0.38 * np.array([-1, -0.5, 0, 0.5, 1])  # 1.2 would have been found, of at most 1.5
    some = {"d0": {"mine": 0.3 + steps, "a": [0.3] * 5}}
    assert " difference of 1.2" in said(made_up_run(some, tmp_path, mine="mine"))[2]
    one = {"d0": {"mine": [0.9], "a": [0.1], "b": [0.2]}}  # of one draw nothing is known
    assert said(made_up_run(one, tmp_path, mine="mine"))[2] == "2 comparisons are undecided."


def test_the_detectable_difference_is_the_median_of_what_is_undecided(tmp_path):
    means = {"mine": 0.5, "a": 0.5, "b": 0.5, "c": 0.5, "far": 0.1}
    random = np.random.default_rng(3)
    spreads = {"mine": 0.0, "a": 0.02, "b": 0.03, "c": 0.09, "far": 0.01}
    table = {"d0": {name: mean + random.normal(0, spreads[name], 10) for name, mean in means.items()}}
    found = verdicts(made_up_run(table, tmp_path, mine="mine"))
    text = sentences(found)[2]["text"]
    assert list(found.deciding["verdict"]).count("undecided") == 3
    errors = {name: np.std(table["d0"]["mine"] - table["d0"][name], ddof=1) for name in ("a", "b", "c")}
    middle = sorted(errors.values())[1] * math.sqrt(1 / 10 + 1)
    wide = (stats.t.ppf(1 - 0.05 / 4 / 2, 9) + stats.t.ppf(0.8, 9)) * middle
    assert (
        text == "3 comparisons are undecided. "
        f"A true difference of {wide:.2f} would show in half of them, in 4 of 5 such reports. "
        "A smaller one may have been missed."
    )


def test_the_nearest_rival_is_told_from_data_on_which_it_ran(tmp_path):
    table = scores({"a": 0.67, "mine": 0.7, "b": 0.3}, n_data=2)
    table["d0"]["a"] = [math.nan] * 10
    text = said(made_up_run(table, tmp_path, mine="mine"))[1]
    assert " Against a on d1 the difference is +0.0" in text and "nan" not in text


def test_data_on_which_a_method_has_no_score_are_no_comparison(tmp_path):
    table = scores(MEANS | {"mine": 0.5, "a": 0.9, "part": 0.4}, n_data=4)
    table["d0"]["mine"] = table["d1"]["part"] = [math.nan] * 10
    found = verdicts(made_up_run(table, tmp_path, mine="mine"))
    assert sum(found.counts().values()) == 3 + 3 + 2
    assert {row.data for row in found.rows} == {"d1", "d2", "d3"} and found.deciding[
        "difference"
    ].notna().all()
    assert sum(found.tally("part").values()) == 2
    first, second, _ = (sentence["text"] for sentence in sentences(found))
    mean = np.nanmean([row["mine"] for row in table.values()])
    assert first.endswith(f"mine has {mean:.2f} on the 3 where it has a score.")
    assert "in 8 comparisons" in second
    assert len(found.differences) > len(found.deciding)  # the file says of which there is none


def test_without_labels_nothing_is_called_better(tmp_path):
    found = verdicts(made_up_run(scores(), tmp_path, mine="mine", measures=["silhouette"], labels=""))
    assert (found.measure, found.reference) == ("", "")
    assert found.differences.empty and found.deciding.empty
    (sentence,) = sentences(found)
    assert sentence["cells"] == [] and sentence["text"].startswith("No method has a score against labels")


def test_one_method_beside_the_random_ones_leads_them(tmp_path):
    means = {"RandomTree": 0.0, "mine": 0.7, "RandomClusters": 0.0}
    found = verdicts(made_up_run(scores(means), tmp_path, mine="mine"))
    assert (found.rivals, found.undecided) == ((), [])
    first, second = (sentence["text"] for sentence in sentences(found))
    assert first.startswith("On d0, mine has the best score") and second == "mine has no rival but chance."


def test_where_random_methods_are_as_good_it_is_said(tmp_path):
    means = {"RandomTree": 0.02, "RandomClusters": 0.01, "mine": 0.0, "a": -0.05}
    table = scores(means, n_data=3, spread=1e-3) | {"good": scores({**means, "mine": 0.7}, spread=1e-3)["d0"]}
    del table["d2"]
    first, second, _ = said(made_up_run(table, tmp_path, mine="mine"))
    assert first.startswith(
        "On 3 data sets, RandomTree, which reads no data, has the best mean rank. Of the others mine has the best: "
    )
    assert second.endswith(" mine is not shown to be better than chance on d0, d1.")
    only = {name: table[name] for name in ("d0", "d1")}
    assert said(made_up_run(only, tmp_path, mine="mine"))[1].endswith("not shown to be better than chance.")
    good = {"good": table["good"]}
    assert "chance" not in said(made_up_run(good, tmp_path, mine="mine"))[1]


def test_random_methods_alone_are_no_comparison(tmp_path):
    (text,) = said(made_up_run(scores({"RandomTree": 0.0, "RandomClusters": 0.0}), tmp_path))
    assert text.startswith("No method has a score against labels")


def test_among_equals_mine_leads_and_open_comparisons_go_by_their_size(tmp_path):
    draws = np.linspace(0.3, 0.7, 10)
    table = {"d0": {"b": draws[::-1] - 0.01, "a": draws, "c": draws[::-1] - 0.1, "mine": draws}}
    found = verdicts(made_up_run(table, tmp_path, mine="mine"))
    assert sentences(found)[0]["text"].startswith("On d0, mine and a share the best score")
    assert [row.rival for row in found.undecided] == ["c", "b"]


def test_methods_of_equal_mean_ranks_have_their_means_told(tmp_path):
    means = {"d0": {"mine": 0.9, "a": 0.8, "b": 0.7}, "d1": {"mine": 0.5, "a": 0.6, "b": 0.4}}
    table = {name: {method: [mean] * 3 for method, mean in row.items()} for name, row in means.items()}
    text = said(made_up_run(table, tmp_path, mine="mine"))[0]
    assert text == (
        "On 2 data sets, mine and a share the best mean rank: a mean adjusted RI of 0.70, where chance has 0."
    )
    table["d0"]["mine"] = [0.95] * 3
    assert (
        " mine and a share the best mean rank: a mean adjusted RI of 0.70 to 0.72, where"
        in (said(made_up_run(table, tmp_path, mine="mine"))[0])
    )
    table["d2"] = {"mine": [0.2] * 3, "a": [0.1] * 3, "b": [0.9] * 3}
    table["d3"] = {"mine": [0.3] * 3, "a": [0.4] * 3, "b": [0.9] * 3}
    text = said(made_up_run(table, tmp_path, mine="mine"))[0]
    assert text.startswith(
        "On 4 data sets, mine, a and 1 more share the best mean rank: a mean adjusted RI of 0.47 to 0.7"
    )


def test_where_mine_never_scored_the_best_stands_in_and_that_is_said(tmp_path):
    table = scores()
    table["d0"]["broken"] = [math.nan] * 10
    found = verdicts(made_up_run(table, tmp_path, mine="broken"))
    assert (found.reference, found.absent, found.picked) == ("mine", "broken", True)
    assert sentences(found)[0]["text"].startswith("broken has no score. On d0, mine has the best score")
    assert verdicts(made_up_run(table, tmp_path, mine="mine")).absent == ""
    assert verdicts(made_up_run(table, tmp_path)).absent == ""
