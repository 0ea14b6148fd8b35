"""What two reports of comparisons say differently: ranks, verdicts, means, and what is folded."""

import json
import re

import pytest

from audit_records import cells, failed, frame, write_cells
from cladebench.audit.two_runs.compare_runs import compare_runs
from cladebench.cli import main
from cladebench.report.two_comparisons import compare_reports
from cladebench.report.two_runs import headline, sections, text

_RIVALS = "data,method,rival,measure,difference,low,high,p,p_adjusted,verdict\n"
GOOD, OTHER = {"k": 1}, {"k": 2}


def scored(data, method, ari, setting=None, silhouette=0.5, whole=0.3, labels="y"):
    """Rows of five draws around a score, and of the run on all rows; the first labelling is `labels`."""
    noise = (0.0, 0.02, -0.02, 0.01, -0.01)
    at, setting = {"k": 3, "labels": labels}, setting or GOOD
    draws = {
        "ari": [ari + e for e in noise],
        "silhouette": [silhouette] * 5,
        "calinski_harabasz": [ari * 9] * 5,
    }
    if not labels:
        del draws["ari"]
    rows = cells(data, method, draws, setting, at=at, held_out=(50, 50))
    return rows + cells(f"{data}.all", method, {name: [whole] for name in draws}, setting, at=at)


@pytest.fixture
def report(tmp_path):
    """A folder with records and tables of a comparison."""

    def write(name, *rows, rivals=(), seed=1, rope=0.02, mine="A"):
        folder = tmp_path / name
        folder.mkdir()
        table = frame(*rows).assign(paper="comparison", seed=seed, data_sha256="0")
        table["cell_id"] = "comparison/" + table["cell_id"].str.partition("/")[2]
        write_cells(table, folder)
        plan = {"title": "Made up", "path": "c.yaml", "seed": 0, "mine": mine, "rope": rope}
        plan |= {"features": ["zscore"], "methods": {}, "problems": {}, "scope": {}}
        (folder / "plan.json").write_text(json.dumps(plan))
        (folder / "differences.csv").write_text(_RIVALS + "".join(f"{row}\n" for row in rivals))
        return folder

    return write


def said(a, b):
    return sections(compare_runs(a, b), compare_reports(a, b))


def part(parts, key):
    return next(one for one in parts if one.key == key)


def both(best, other="B"):
    """Two data sets on which one method is ahead of another."""
    return [row for data in "de" for row in (scored(data, best, 0.9), scored(data, other, 0.1))]


def test_the_best_mean_rank_is_named_with_the_ranks_that_moved(report):
    third = [scored(data, "C", 0.05) for data in "de"]
    a, b = report("a", *both("A"), *third), report("b", *both("B", "A"), *third)
    parts = said(a, b)
    assert headline(parts) == "No conclusion differs"  # ranks describe
    ranks = part(parts, "best mean rank")
    assert [row[:3] for row in ranks.rows] == [("B", "2.00", "1.00"), ("A", "1.00", "2.00")]
    assert "2 of 3 mean ranks moved" in ranks.lead and ranks.title == "Best mean rank: A in A, B in B"
    assert {"Best mean rank: A in A, B in B", "  A: 1.00 -> 2.00"} < {*text(parts)}
    assert main(["compare", str(a), str(b)]) == 0


def test_a_tie_of_ranks_is_told_and_concludes_nothing(report):
    tied = [row for data in "de" for row in (scored(data, "A", 0.9), scored(data, "B", 0.9))]
    a, b = report("a", *both("A")), report("b", *tied)
    ranks = part(said(a, b), "best mean rank")
    assert ranks.title == "Best mean rank: A in A, A and B in B" and not ranks.conclusion


def test_equal_reports_have_one_best_method_and_no_rank_that_moved(report):
    a = report("a", *both("A"), rivals=["d,A,B,ari,0.8,0.7,0.9,0.01,0.01,ahead"])
    parts = said(a, a)
    assert headline(parts) == "No conclusion differs"
    assert part(parts, "best mean rank").title == "Best mean rank: A, in A and B"
    assert not part(parts, "best mean rank").rows
    assert (
        part(parts, "verdicts on rivals").sentence
        == "Verdicts on rivals that differ: 0 of 1 in both reports."
    )


def test_a_random_method_is_never_the_best(report):
    a = report("a", *both("RandomTree"))
    assert compare_reports(a, a).leaders == ("B", "B")


def test_mean_ranks_are_those_of_the_pages(report):
    """A draw that failed counts as the worst of that draw; a method without any score has no rank."""
    scores = {"A": 0.9, "B": 0.55, "D": 0.5, "E": 0.1}
    rows = [row for name, score in scores.items() for row in scored("d", name, score)]
    rows = [row for row in rows if (row["method"], row["dataset"], row["repetition"]) != ("B", "d", 4)]
    gone = failed("d", "B", "timeout", "slow", [4], GOOD), failed("d", "C", "error", "", range(5), GOOD)
    a = report("a", rows, *gone)
    assert compare_reports(a, a).ranks["a"].to_dict() == {"A": 1.0, "D": 2.0, "B": 3.0, "E": 4.0}


def test_a_verdict_has_difference_interval_and_p_on_both_sides(report):
    rivals = ["d,A,B,ari,0.4,0.2,0.6,0.001,0.031,ahead", "e,A,B,ami,0.1,0,0.2,0.5,1,undecided"]
    changed = ["d,A,B,ari,0.43,-0.1,0.9,0.01,0.086,undecided", "e,A,B,ami,0.1,0,0.2,0.5,1,undecided"]
    a, b = report("a", *both("A"), rivals=rivals), report("b", *both("A"), rivals=changed, rope=0.1)
    parts = said(a, b)
    name = "A against B on d, adjusted RI"
    sides = "ahead, +0.40 (+0.20 to +0.60), p 0.031", "undecided, +0.43 (-0.10 to +0.90), p 0.086"
    assert [row[:3] for row in part(parts, "verdicts on rivals").rows] == [(name, *sides)]
    lines = [*text(parts)]
    assert f"  {name}: {sides[0]} -> {sides[1]}" in lines and "  comparison    rope 0.02 -> 0.1" in lines
    assert lines[0] == "Conclusions that differ: 1 verdict on a rival"
    assert "1 of 2 in both reports: 1 ahead -> undecided." in part(parts, "verdicts on rivals").sentence
    assert parts[0].key == "verdicts on rivals"  # what differs comes first


def test_a_verdict_without_score_or_interval_has_none(report):
    a = report("a", *both("A"), rivals=["all,A,B,ari,,,,,,undecided", "d,A,B,ari,0.1,,,,,undecided"])
    b = report("b", *both("A"), rivals=["all,A,B,ari,1,1,1,0,0,ahead", "d,A,B,ari,0.2,,,0.5,0.5,level"])
    assert [row[:3] for row in part(said(a, b), "verdicts on rivals").rows] == [
        (
            "A against B over all data sets, adjusted RI",
            "undecided, no score",
            "ahead, +1.00 (+1.00 to +1.00), p 0",
        ),
        ("A against B on d, adjusted RI", "undecided, +0.10, p –", "level, +0.20, p 0.5"),
    ]


def test_another_method_held_against_rivals_is_told(report):
    a = report("a", *both("A"), rivals=["d,A,B,ari,0.4,0.2,0.6,0.001,0.031,ahead"], mine="")
    b = report("b", *both("A"), rivals=["d,B,A,ari,-0.4,-0.6,-0.2,0.001,0.031,behind"], mine="B")
    parts = said(a, b)
    sentence = part(parts, "verdicts on rivals").sentence
    assert sentence.endswith("0 of 0 in both reports. The method held against its rivals differs: A -> B.")
    assert "  comparison    mine none -> B" in text(parts)
    assert headline(parts) == "Conclusions that differ: the method held against rivals, A -> B"


def test_only_means_of_the_tables_are_conclusions(report):
    """Settings that do not count, other measures, and runs on all rows are folded."""
    idle = {"silhouette": 0.1, "setting": OTHER}
    a = report("a", scored("d", "A", 0.5), scored("d", "B", 0.1), scored("d", "A", 0.2, **idle))
    shifted = scored("d", "A", 0.7, whole=0.35)
    for row in shifted:  # so that the pairs do not all differ by as much
        row["value"] += 0.001 * row["repetition"]
    b = report("b", shifted, scored("d", "B", 0.1), scored("d", "A", 0.8, **idle))
    parts = said(a, b)
    means, others, whole = (part(parts, key) for key in ("means", "other means", "all rows"))
    assert headline(parts) == "Conclusions that differ: 1 mean"
    assert [row[0] for row in means.rows] == ["A on d, adjusted RI, labels y, k 1"] and means.told == 1
    names = {row[0] for row in others.rows}
    assert names >= {"A on d, adjusted RI, labels y, k 2", "A on d, Calinski-Harabasz, labels y, k 1"}
    assert [row[1:3] for row in whole.rows] == [("0.3000", "0.3500")] * 3
    assert {row[4] for row in whole.rows} == {"the same"} and whole.title == "Values on all rows: 3 changed"
    assert others.told == whole.told == 0 and not others.conclusion and not whole.conclusion
    assert [one.key for one in parts][-2:] == ["other means", "all rows"]


def test_runs_on_all_rows_carry_no_p_value(report, tmp_path):
    a = report("a", *both("A"))
    rows = [
        row | {"value": row["value"] * (1.1 if ".all" in row["dataset"] else 1)}
        for group in both("A")
        for row in group
    ]
    for name, seed, title in (("b", 1, "12 changed"), ("c", 2, "12 differ with other seeds or data")):
        b = report(name, rows, seed=seed)
        path = tmp_path / f"{name}.html"
        assert main(["compare", str(a), str(b), "--page", str(path)]) == 0
        page = path.read_text()
        assert "<h1>No conclusion differs</h1>" in page and f"Values on all rows: {title}" in page
        assert "more than repetitions explain</td>" not in page and "too few repetitions" not in page
        shown = page.partition('id="all-rows"')[2].partition("</section>")[0]
        assert re.findall(r'data-column="\d">([^<]*)<', shown) == [
            "Value",
            "A",
            "B",
            "B less A",
            "Seed and data",
        ]
        assert "<table" not in shown.partition("<details>")[0]


def test_a_mean_without_spread_changed_and_is_no_conclusion(report):
    """All pairs differ by as much with the same seeds; both values are told, and no p-value."""
    a = report("a", scored("d", "A", 0.5), scored("d", "B", 0.1))
    b = report("b", scored("d", "A", 0.7), scored("d", "B", 0.1))
    parts = said(a, b)
    means = part(parts, "means")
    changed = ("A on d, adjusted RI, labels y, k 1", "0.5000", "0.7000", "+0.200; 5 pairs", "–")
    assert means.rows == [(*changed, "changed, with the same seed and data")] and means.told == 0
    assert headline(parts) == "No conclusion differs"
    assert means.sentence.endswith(
        "explain: 0, of 1 that differ in 4 digits; 1 of them changed without a test."
    )


def test_a_setting_that_counts_in_one_report_alone_is_told(report):
    a = report("a", scored("d", "A", 0.5), scored("d", "A", 0.2, OTHER, 0.1), scored("d", "B", 0.5))
    b = report("b", scored("d", "A", 0.5), scored("d", "A", 0.2, OTHER, 0.9), scored("d", "B", 0.5))
    found = compare_reports(a, b)
    assert found.chosen_otherwise == [("A", "d")] and compare_reports(a, a).chosen_otherwise == []
    assert "Another setting counts in B for A on d." in part(said(a, b), "means").lead


def test_the_first_lines_of_the_page_say_what_changed(report, tmp_path):
    rivals = "{},A,M{},ari,0.4,0.2,0.6,0.001,0.031,{}"
    a, b = (
        report(name, *both(best, worst), rivals=[rivals.format("d", i, verdict) for i in range(20)])
        for name, best, worst, verdict in (("a", "A", "B", "ahead"), ("b", "B", "A", "level"))
    )
    path = tmp_path / "two.html"
    assert main(["compare", str(a), str(b), "--page", str(path)]) == 1
    page = path.read_text()
    first = re.sub(r"<[^>]*>", "", page.partition("<h1>")[2].partition("<section")[0])
    assert first.startswith("Conclusions that differ: 20 verdicts on rivals")
    assert "Best mean rank: A in A, B in B." in first
    assert "Verdicts on rivals that differ: 20 of 20 in both reports: 20 ahead → level." in first
    assert "Inputs: the same." in first
    verdicts_part = page.partition('id="verdicts-on-rivals"')[2].partition("</section>")[0]
    open_rows, folded = verdicts_part.split("<details>")
    assert open_rows.count('<th scope="row">') == 8 and folded.count('<th scope="row">') == 12


def test_reports_without_labels_have_no_ranks(report):
    rows = [scored("d", name, 0.5, silhouette=value, labels="") for name, value in (("A", 0.2), ("B", 0.3))]
    a = report("a", *rows)
    b = report("b", scored("d", "A", 0.5, silhouette=0.6, labels=""), rows[1])
    found = compare_reports(a, b)
    assert found.ranks.empty and found.measures == ("silhouette",)
    assert "best mean rank" not in [one.key for one in said(a, b)]
    assert [row[0] for row in part(said(a, b), "means").rows] == ["A on d, silhouette, k 1"]
    assert main(["compare", str(a), str(a)]) == 0


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("differences.csv", "data\n", "differences.csv: "),
        ("plan.json", "{}", "plan.json: lacks or misstates "),
        ("plan.json", "{", "plan.json: "),
    ],
)
def test_a_damaged_report_is_refused_in_a_line(report, capsys, name, content, why):
    a = report("a", *both("A"))
    (a / name).write_text(content)
    assert main(["compare", str(a), str(a)]) == 2
    error = capsys.readouterr().err
    assert f"{a}/{why}" in error and "run-comparison" in error and error.count("\n") == 1


def test_a_folder_that_is_neither_kind_names_both(report, tmp_path, capsys):
    a, empty = report("a", *both("A")), tmp_path / "empty"
    empty.mkdir()
    for other, why in ((tmp_path / "nope", "no such folder"), (empty, "no such file")):
        assert main(["compare", str(a), str(other)]) == 2
        error = capsys.readouterr().err
        assert why in error and "cladebench collect or run-comparison" in error


def test_a_comparison_is_not_held_against_a_run_of_papers(report, capsys):
    a, b = report("a", *both("A")), report("b", *both("A"))
    (b / "plan.json").unlink()
    for pair in ((a, b), (b, a)):
        assert main(["compare", *map(str, pair)]) == 2
        assert f"{b}: a run of papers; expected a comparison, as {a} is" in capsys.readouterr().err
