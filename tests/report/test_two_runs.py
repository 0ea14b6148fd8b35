"""What two runs say differently: the text, its length, the page, the exit code."""

import html
import re

import pandas as pd
import pytest

from audit_records import cells, failed, frame, write_cells
from cladebench.audit.two_runs.compare_runs import compare_runs
from cladebench.cli import main
from cladebench.report.two_comparisons import compare_reports
from cladebench.report.two_runs import sections, text

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def write(tmp_path):
    def run(name, *rows, verdicts=(), **columns):
        folder = tmp_path / name
        folder.mkdir()
        table = frame(*rows).assign(**{"seed": 1, "cpu_seconds": 2.0, "data_sha256": "0"} | columns)
        table["cell_id"] = table["paper"] + "/" + table["cell_id"].str.partition("/")[2]
        write_cells(table, folder)
        claims = [("p", f"c{i}", verdict, why) for i, (verdict, why) in enumerate(verdicts)]
        audit = pd.DataFrame(claims, columns=["paper", "claim", "verdict", "reason"])
        audit.to_csv(folder / "audit.csv", index=False)
        return folder

    return run


def lines(a, b):
    return [*text(sections(compare_runs(a, b), compare_reports(a, b)))]


BASE = cells("d", "A", {"ari": [0.5, 0.6]})


def test_equal_runs_need_six_lines(write):
    a, b = write("a", BASE), write("b", BASE)
    assert lines(a, b) == [
        "No conclusion differs",
        "Inputs: the same",
        "Means: 0 of 1 differ in 4 digits",
        "Statuses: the same",
        "CPU time of B over A: 0 of 1 methods differ from 1",
        "Values: 2 in both, 2 bit-equal, 0 within tolerance, 0 beyond",
    ]
    assert main(["compare", str(a), str(b)]) == 0


def test_answers_that_change_stand_before_other_verdicts(write, capsys):
    a = write("a", BASE, verdicts=[("within noise", ""), ("reproduced", "old"), ("depends", "")])
    b = write("b", BASE, verdicts=[("direction only", "why"), ("contradicted", "so it is")])
    assert main(["compare", str(a), str(b)]) == 1
    said = capsys.readouterr().out
    assert "\nConclusions that differ: verdicts 2\n" in said
    assert re.findall(r"^  p .*", said, re.M) == [
        "  p c1: holds, shown -> does not hold, we measure otherwise (so it is)",
        "  p c0: open, too close to call -> open, right direction but not significant (why)",
    ]
    assert "  claims        1 only in A, 0 only in B\n" in said


def test_words_of_another_version_stand_as_they_are(write):
    a, b = write("a", BASE, verdicts=[("maybe", "")]), write("b", BASE, verdicts=[("reproduced", "")])
    assert "  p c0: maybe -> holds, shown" in lines(a, b)


def test_a_mean_counts_as_a_conclusion_where_repetitions_do_not_explain_it(write):
    a = write("a", BASE)
    b = write("b", cells("d", "A", {"ari": [0.6, 0.7]}))
    noise = write("noise", cells("d", "A", {"ari": [0.6, 0.5]}, tasks=["x", "y"]))
    assert "  toy A on d, ari: 0.5500 -> 0.6500 (+0.1; 2 pairs)" in lines(a, b)
    assert main(["compare", str(a), str(b)]) == 1
    assert main(["compare", str(a), str(noise)]) == 0
    assert main(["compare", str(a), str(noise), "--exact"]) == 1


def test_chance_is_told_from_change(write):
    a = write("a", cells("d", "A", {"ari": [0.1, 0.5, 0.9]}))
    b = write("b", cells("d", "A", {"ari": [0.3, 0.4, 0.9]}))
    said = "Means: 1 of 1 differ in 4 digits; 1 repetitions explain it (p < 0.05 in 0 of 1, by chance 0)"
    assert said in lines(a, b)


@pytest.mark.parametrize("n", [3, 200])
def test_the_text_has_at_most_40_lines(write, n):
    rows = [cells("d", f"M{i}", {"ari": [0.5] * 6}) for i in range(n)]
    others = [cells("d", f"M{i}", {"ari": [0.6] * 6}) for i in range(n)]
    timeouts = [failed("e", f"M{i}", "timeout", f"{i} x" + "y" * i, [0]) for i in range(n)]
    fine = [cells("e", f"M{i}", {"ari": [0.6]}) for i in range(n)]
    verdict = [("reproduced", ""), ("contradicted", "why " * 90)]
    inputs = ("data_sha256", "params", "code_digest", "core_build", "git_commit")
    a, b = (
        write(
            name,
            *runs,
            verdicts=[verdict[k]] * n,
            cpu_seconds=k + 1.0,
            **dict.fromkeys(inputs, f'{{"{name}": 1}}'),
        )
        for k, (name, runs) in enumerate((("a", rows + fine), ("b", others + timeouts)))
    )
    said = lines(a, b)
    assert len(said) <= 37 and max(map(len, said)) <= 200  # three lines go to folders and page


def test_the_page_shows_all_and_escapes_it(write, tmp_path):
    evil = failed("e", "A", "timeout", EVIL, [0])
    a = write("a", BASE, cells("e", "A", {"ari": [0.5]}), verdicts=[("reproduced", EVIL)] * 9)
    b = write("b", cells("d", "A", {"ari": [0.6, 0.7]}), evil, verdicts=[("contradicted", EVIL)] * 9)
    path = tmp_path / "pages" / "two.html"
    assert main(["compare", str(a), str(b), "--page", str(path)]) == 1
    page = path.read_text()
    assert EVIL not in page and page.count(html.escape(EVIL)) >= 10
    assert page.count('<span class="chip">') == 18
    assert not re.search(r'(?:src|href)="(?!#)', page)
    for heading in ("inputs", "verdicts", "means", "statuses", "times", "bits"):
        assert f'id="{heading}"' in page


def test_a_page_of_equal_runs(write, tmp_path):
    a, path = write("a", BASE), tmp_path / "two.html"
    assert main(["compare", str(a), str(a), "--page", str(path)]) == 0
    assert "<h1>No conclusion differs</h1>" in path.read_text()


# ------------------------------------------------------------------ folders of run-comparison

_RIVALS = "data,method,rival,measure,difference,low,high,p,p_adjusted,verdict\n"
_SCORES = "data,labels,method,setting,measure,mean,low,high,n,chance,status,reason\n"


def report(folder, scores, verdicts, rope=0.02):
    """Tables of a comparison; each method has a good setting, and one that the silhouette does not choose."""
    rows = [
        f"{data},y,{method},{setting},{measure},{value},,,5,0,ok,\n"
        for (data, method), score in scores.items()
        for setting, silhouette, ari in (("s", 0.5, score), ("t", 0.4, 1.0))
        for measure, value in (("silhouette", silhouette), ("ari", ari))
    ]
    (folder / "scores.csv").write_text(_SCORES + "".join(rows))
    found = [f"{data},A,B,ari,0.1,0,0.2,0.01,0.01,{verdict}\n" for data, verdict in verdicts.items()]
    (folder / "differences.csv").write_text(_RIVALS + "".join(found))
    (folder / "plan.json").write_text(f'{{"rope": {rope}}}')
    return folder


def test_reports_of_comparisons_are_compared_by_ranks_and_verdicts(write):
    a, b = (write(name, BASE, paper="comparison") for name in "ab")
    report(
        a, {("d", "A"): 0.9, ("d", "B"): 0.1, ("e", "A"): 0.9, ("e", "B"): 0.1}, {"d": "ahead", "e": "level"}
    )
    report(
        b,
        {("d", "A"): 0.1, ("d", "B"): 0.9, ("e", "A"): "", ("e", "B"): 0.1},
        {"d": "behind", "e": "level"},
        0.1,
    )
    found = compare_reports(a, b)
    assert found.ranks.to_dict() == {"a": {"A": 1.0, "B": 2.0}, "b": {"A": 2.0, "B": 1.0}}
    said = lines(a, b)
    assert "  comparison    rope 0.02 -> 0.1" in said
    assert "Best mean rank: A -> B" in said
    assert "  A against B on d, ari: ahead -> behind (+0.1 -> +0.1)" in said
    assert not any(" on e, " in line for line in said)
    assert [*compare_reports(a, a).verdicts["data"]] == [] and not compare_reports(a, a).plan


def test_a_report_without_its_tables_is_refused_in_a_line(write, capsys):
    a = report(write("a", BASE), {("d", "A"): 0.9}, {})
    (a / "scores.csv").write_text("data\n")
    assert main(["compare", str(a), str(a)]) == 2
    error = capsys.readouterr().err
    assert f"{a}/scores.csv: " in error and error.count("\n") == 1


def test_a_comparison_without_labels_has_no_ranks(write):
    a = report(write("a", BASE), {}, {})
    assert compare_reports(a, a).ranks.empty and pd.isna(compare_reports(a, a).ranks["a"]).all()
    assert main(["compare", str(a), str(a)]) == 0
