"""One method against each rival: which rows count, in which order, and how they are counted."""

import numpy as np

from cladebench.bench.statistics.method_scores import Settings
from cladebench.bench.statistics.method_verdicts import Verdicts, judged
from made_up_values import values_of

MEANS = {"mine": 0.7, "a": 0.67, "b": 0.3, "chance": 0.0}


def scores(means=MEANS, n_data=1, spread=0.02):
    random = np.random.default_rng(0)
    return {
        f"d{i}": {name: mean + random.normal(0, spread, 10) for name, mean in means.items()}
        for i in range(n_data)
    }


def found(table, mine="mine", measure="ari"):
    return judged(values_of(table, measure), mine, Settings(), random=("chance", "more chance"))


def test_without_a_method_the_best_is_the_reference_and_corrected_for():
    table = scores({"a": 0.6, "b": 0.61, "c": 0.3, "chance": 0.9}, spread=0.002)
    best, named = found(table, ""), found(table, "b")
    assert best.reference == named.reference == "b" and best.picked and not named.picked
    assert list(best.deciding["rival"]) == ["a", "c", "chance"] and best.rivals == ("a", "c")
    assert (best.differences["p"] == named.differences["p"]).all()
    assert (best.differences["p_adjusted"] > named.differences["p_adjusted"]).any()


def test_of_several_data_sets_each_counts_and_all_have_rows_of_their_own():
    few, large = (found(scores(n_data=n)) for n in (4, 10))
    assert [row.data for row in few.rows if row.rival == "b"] == ["d0", "d1", "d2", "d3"]
    assert {row.data for row in large.rows} == {row.data for row in few.on_all} == {"all"}
    assert few.counts("b") == {"ahead": 4, "behind": 0, "level": 0, "undecided": 0}
    assert few.counts("chance")["ahead"] == 4 and sum(few.counts().values()) == 8
    assert found(scores()).on_all == []


def test_verdicts_are_counted_or_where_no_data_set_is_judged_alone_signs():
    table = scores({"mine": 0.5, "a": 0.3, "b": 0.5}, n_data=12, spread=0.001)
    for i, rows in enumerate(table.values()):
        rows["b"] = rows["mine"] + (0.1 if i < 3 else -0.1 if i < 10 else 0.0)
    large = found(table)
    assert large.tally("a") == {"Better on": 12, "Worse on": 0, "Equal on": 0}
    assert large.tally("b") == {"Better on": 7, "Worse on": 3, "Equal on": 2}
    few = found(dict([*table.items()][:4]))
    assert few.tally("a") == {"Ahead": 4, "Behind": 0, "Level": 0, "Undecided": 0}
    lower = found(table, measure="dasgupta_cost")
    assert lower.tally("b") == {"Better on": 3, "Worse on": 7, "Equal on": 2}


def test_of_open_comparisons_the_largest_difference_of_either_sign_is_first():
    draws = np.linspace(0.3, 0.7, 10)
    table = {"d0": {"b": draws[::-1] - 0.05, "a": draws[::-1] + 0.1, "mine": draws}}
    undecided = found(table).undecided
    assert [(row.rival, round(row.difference, 2)) for row in undecided] == [("a", -0.1), ("b", 0.05)]


def test_rivals_go_by_their_mean_ranks_and_random_methods_last():
    table = scores({"more chance": 0.8, "b": 0.3, "mine": 0.5, "chance": 0.7, "a": 0.6})
    assert list(found(table).deciding["rival"]) == ["a", "b", "chance", "more chance"]


def test_where_nothing_is_judged_there_are_no_rows():
    nothing = Verdicts()
    assert (nothing.rows, nothing.on_all, nothing.undecided) == ([], [], [])
    assert nothing.differences.empty and nothing.deciding.empty
