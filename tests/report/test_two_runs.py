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


def test_runs_without_times_to_compare_say_so(write):
    a = write("a", BASE, cpu_seconds=0.01)
    assert "CPU time: no run of 0.1 s and more was made twice" in lines(a, a)


def test_answers_that_change_stand_before_other_verdicts(write, capsys):
    a = write("a", BASE, verdicts=[("within noise", ""), ("reproduced", "old"), ("depends", "")])
    b = write("b", BASE, verdicts=[("direction only", "why"), ("contradicted", "so it is")])
    assert main(["compare", str(a), str(b)]) == 1
    said = capsys.readouterr().out
    assert "\nConclusions that differ: 2 verdicts\n" in said
    assert re.findall(r"^  p .*", said, re.M) == [
        "  p c1: holds, shown -> does not hold, we measure otherwise (so it is)",
        "  p c0: open, too close to call -> open, on the claimed side, not significant (why)",
    ]
    assert "  claims        1 only in A, 0 only in B\n" in said


def test_words_of_another_version_stand_as_they_are(write):
    a, b = write("a", BASE, verdicts=[("maybe", "")]), write("b", BASE, verdicts=[("reproduced", "")])
    assert "  p c0: maybe -> holds, shown" in lines(a, b)


def test_a_mean_counts_as_a_conclusion_where_repetitions_do_not_explain_it(write):
    a = write("a", BASE)
    b = write("b", cells("d", "A", {"ari": [0.6, 0.7]}))
    noise = write("noise", cells("d", "A", {"ari": [0.6, 0.5]}, tasks=["x", "y"]))
    assert "  toy A on d, ari: 0.5500 -> 0.6500 (+0.100; 2 pairs)" in lines(a, b)
    assert main(["compare", str(a), str(b)]) == 1
    assert main(["compare", str(a), str(noise)]) == 0
    assert main(["compare", str(a), str(noise), "--exact"]) == 1


def test_chance_is_told_from_change(write):
    a = write("a", cells("d", "A", {"ari": [0.1, 0.5, 0.9]}))
    b = write("b", cells("d", "A", {"ari": [0.3, 0.4, 0.9]}))
    said = "Means: 1 of 1 differ in 4 digits; 1 no more than repetitions explain (p < 0.05 in 0 of 1, by chance 0.050)"
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


def test_one_pair_has_no_p_value(write, tmp_path):
    """With the same seed and data it changed; with another seed nobody can tell."""
    a = write("a", cells("d", "A", {"ari": [0.5]}), cells("e", "A", {"ari": [0.5, 0.7]}))
    b = write("b", cells("d", "A", {"ari": [0.6]}), cells("e", "A", {"ari": [0.6, 0.8]}))
    other = write("other", cells("d", "A", {"ari": [0.6]}), seed=2)
    same = compare_runs(a, b).means
    assert same["p"].isna().all() and same["p_adjusted"].isna().all()
    assert [*same["says"]] == ["changed, with the same seed and data"] * 2
    assert main(["compare", str(a), str(b), "--page", str(tmp_path / "two.html")]) == 1
    page = (tmp_path / "two.html").read_text()
    assert "more than repetitions explain" not in page and "<td>–</td>" in page
    untold = compare_runs(a, other).means
    assert [*untold["says"]] == ["too few repetitions to tell"] and untold["p"].isna().all()
    assert main(["compare", str(a), str(other)]) == 0


def test_what_differs_stands_open_and_the_rest_is_folded(write, tmp_path):
    a = write("a", BASE, cells("e", "A", {"ari": [0.1, 0.5, 0.9]}))
    b = write("b", cells("d", "A", {"ari": [0.6, 0.7]}), cells("e", "A", {"ari": [0.3, 0.4, 0.9]}))
    main(["compare", str(a), str(b), "--page", str(tmp_path / "two.html")])
    means = (tmp_path / "two.html").read_text().partition('id="means"')[2].partition("</section>")[0]
    open_part, folded = means.split("<details>")
    assert "toy A on d" in open_part and "toy A on e" not in open_part
    assert "<summary>1 more</summary>" in folded and "toy A on e" in folded


def test_runs_without_a_common_value_are_not_called_equal(write):
    a, b = write("a", BASE), write("b", cells("e", "A", {"ari": [0.5, 0.6]}))
    assert lines(a, b)[0] == "A and B have no value in common"
