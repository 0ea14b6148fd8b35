"""The page of runs that nobody made: what it holds where much or nothing is scored."""

import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from cladebench import datasets
from cladebench.comparison import page
from comparison_runs import run_all
from made_up_runs import made_up_run
from page_sizes import BROWSER
from page_tags import Page

NAN = float("nan")


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the page of a made-up run, whose data are away, and read it."""

    def away(name):
        raise datasets.DatasetError(f"{name} is away")

    monkeypatch.setattr(datasets, "load", away)

    def write(scores, measures=("ari", "silhouette", "fit_seconds", "memory_mb"), **how):
        run = made_up_run(scores, tmp_path, measures=measures, **how)
        monkeypatch.setattr(page, "collect", lambda folder: run)
        return page.write_page(tmp_path).read_text(encoding="utf-8")

    return write


def heads(text, title):
    """Heads and first row of the table below a title."""
    table = text.partition(title)[2].partition("</table>")[0]
    first = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table.partition("<tbody>")[2].partition("</tr>")[0])
    return re.findall(r"<th[^>]*>(.*?)</th>", table.partition("</thead>")[0]), first


def test_a_long_reason_is_cut_on_the_page(written, monkeypatch):
    long = {"status": "error", "reason": "far too long " * 99, "cell": "comparison/d/mine/s/0", "n": 1}
    monkeypatch.setattr(page, "causes", lambda cells: [long | {"methods": "mine", "data": "d"}])
    text = written({"d": {"mine": [NAN, NAN], "RandomClusters": [0.0, 0.1]}}, mine="mine")
    assert " [...]<" in text and 20 < text.count("far too long") < 50  # first, and in the table


def test_where_nothing_has_a_score_the_page_says_how_runs_ended(written, tmp_path):
    text = written({"d": {"mine": [NAN, NAN], "RandomClusters": [NAN, NAN]}}, mine="mine")
    assert "it broke" in text and "No method has a score against labels" in text
    assert 'id="costs"' not in text and 'id="differences"' not in text
    assert "tabular" in (tmp_path / "scores.tex").read_text()


def test_where_something_has_a_score_its_costs_are_drawn(written, tmp_path):
    text = written({"d": {"mine": [0.5, 0.6], "a": [0.1, 0.2], "gone": [NAN, NAN]}}, mine="mine")
    assert 'id="costs"' in text and (tmp_path / "figures" / "costs.svg").exists()


@pytest.mark.parametrize(
    ("n_data", "names", "counts"),
    [(3, ["Ahead", "Behind", "Level", "Undecided"], 3), (11, ["Better on", "Worse on", "Equal on"], 11)],
)
def test_over_all_data_sets_are_counted(written, n_data, names, counts):
    draws = {"mine": [0.8, 0.81, 0.8, 0.81], "a": [0.1, 0.11, 0.11, 0.1]}
    text = written({f"d{i}": draws for i in range(n_data)}, mine="mine", n_rows=20_000)
    head, first = heads(text, "Over all data sets")
    assert head[1 : len(names) + 1] == names and len(head) == len(first)
    assert first[1 : len(names) + 1] == [str(counts), *["0"] * (len(names) - 1)]


@pytest.mark.parametrize(("n_data", "beside"), [(12, False), (13, True)])
def test_the_footer_says_where_the_pictures_are(written, n_data, beside):
    text = written({f"d{i}": {"mine": [0.5, 0.6], "a": [0.1, 0.2]} for i in range(n_data)})
    footer = text.partition("Made by cladebench.")[2]
    assert ("This file holds all that it shows" in footer) != beside
    assert ("stand in <code>figures/</code>" in footer) == beside


@pytest.mark.parametrize(("n_data", "folded"), [(12, False), (13, True)])
def test_many_data_sets_are_folded_and_their_runs_are_in_a_file(written, tmp_path, n_data, folded):
    text = written({f"d{i}": {"mine": [0.5, 0.6], "ä&b": [0.1, NAN]} for i in range(n_data)})
    assert ('<details id="data-d1">' in text) == folded and ('<section id="data-d1">' in text) != folded
    links = {name for name in Page(text).files() if name.startswith("cells/")}
    assert ("cells/comparison/d1/%C3%A4%26b/" in links) != folded and bool(links) != folded
    runs = pd.read_csv(tmp_path / "runs.csv")
    assert len(runs) == n_data * 6 and list(runs.status).count("error") == n_data * 2
    assert runs.draw.astype(str).value_counts().to_dict() == dict.fromkeys(["0", "1", "all"], n_data * 2)


OVERFLOW = """<script>
const boxes = Array.from(document.querySelectorAll("#partitions, #trees")).map((table) => table.parentElement);
const ends = Array.from(document.querySelectorAll("th.upright[data-column]"), (head) => {
  const name = document.createRange();
  name.selectNodeContents(head);
  return head.getBoundingClientRect().bottom - name.getBoundingClientRect().bottom;
});
document.title = "overflow " + boxes.map((box) => box.scrollWidth - box.clientWidth) + " " + Math.max(...ends);
</script></body>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
@pytest.mark.parametrize(("width", "media"), [(1440, "@media print"), (688, "@media all")])
def test_the_scores_of_twenty_methods_fit_into_a_window_and_on_paper(written, tmp_path, width, media):
    """A4 has 688 pixels between its margins; rules for paper are made rules for all to measure there."""
    rows = {f"{'LongNamed' * (i > 0)}{i}": [0.5, 0.61] for i in range(20)}
    text = written({f"collection-data{i}": rows for i in range(13)})
    (tmp_path / "measured.html").write_text(
        text.replace("@media print", media).replace("</body>", OVERFLOW), encoding="utf-8"
    )
    done = subprocess.run(
        [
            *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},900"),
            *(f"--user-data-dir={tmp_path}/profile", "--dump-dom", f"file://{tmp_path}/measured.html"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    ((overflow, above),) = re.findall(r"<title>overflow ([-\d,]+) ([-\d.e]+)</title>", done.stdout)
    assert max(map(int, overflow.split(","))) <= 0
    assert float(above) < 16, "the name of a column ends at its numbers"


def test_latex_is_escaped(written, tmp_path):
    written({"50%_of": {"mine": [-0.5, -0.5], "a&b": [NAN, NAN]}}, mine="mine")
    text = (tmp_path / "scores.tex").read_text(encoding="utf-8")
    assert r"50\%\_of" in text and "$-$0.50" in text and r"\toprule" in text


def test_over_all_data_sets_rivals_go_by_their_mean_ranks(written):
    means = {"RandomTree": 0.9, "b": 0.3, "mine": 0.5, "a": 0.6}
    rows = {name: [mean, mean + 0.01] for name, mean in means.items()}
    text = written({f"d{i}": rows for i in range(3)}, mine="mine").partition("Over all data sets")[2]
    names = re.findall(r'<th scope="row">(.*?)</th>', text.partition("</table>")[0])
    assert names == ["a", "b", "RandomTree"]


def test_a_picture_shows_the_labelling_that_counts_and_clusters_as_many(inputs, monkeypatch):
    corners = np.repeat([[0, 0], [9, 0], [0, 9], [9, 9]], 6, axis=0)
    np.savetxt(inputs / "d.data.gz", corners + np.arange(24)[:, None] % 6 * [[0.01, 0.02]])
    for name, labels in (("labels0", np.arange(24) % 3), ("labels1", np.repeat([0, 1, 2, 3], 6))):
        np.savetxt(inputs / f"d.{name}.gz", labels + 1, fmt="%d")
    (inputs / "comparison.yaml").write_text(
        "data: {b: {battery: clustbench, from: .}}\nmethods: [Agglomerative]\nrepetitions: 2\n"
    )
    run_all(inputs / "comparison.yaml", inputs / "out")
    shown = []
    drawn = page.pictures.groups
    monkeypatch.setattr(
        page.pictures, "groups", lambda points, panels: shown.append(panels) or drawn(points, panels)
    )
    text = page.write_page(inputs / "out").read_text(encoding="utf-8")
    assert [*shown[0]] == ["classes (labels1)", "Agglomerative"]
    assert [len(np.unique(labels)) for labels in shown[0].values()] == [4, 4]
    head, first = heads(text, "Runs on all rows")
    row = dict(zip(head, first, strict=True))
    assert row["Clusters"] in ("3", "4") and float(row["Seconds"]) > 0


def test_the_table_of_trees_leaves_out_what_never_gave_one(written):
    scores = {"mine": [0.5, 0.6], "some": [0.4, NAN], "flat": [0.4, 0.5], "gone": [NAN, NAN]}
    measures = ("ari", "silhouette", "dendrogram_purity")
    text = written({"d": scores}, measures, without={"dendrogram_purity": ["flat"]})
    trees = text.partition('id="trees"')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="row">(\w+)', trees) == ["mine", "some"]
    assert "gone" in text.partition('id="partitions"')[2].partition("</table>")[0]


def test_methods_that_gave_other_numbers_of_clusters_are_listed(written):
    numbers = {"d": {"asked": [3.0, 3.0], "odd": [3.0, 5.0]}, "e": {"asked": [3.0, 3.0], "odd": [2.0, 2.0]}}
    text = written(numbers, measures=("ari", "n_clusters"))
    assert '1 gave <a href="#numbers">other numbers</a>' in text
    assert heads(text, 'id="numbers"')[1] == ["odd", "d (3 to 5 for 3), e (2 for 3)"]
    assert (
        "numbers"
        not in written({"d": {"asked": [3.0, 3.0]}}, measures=("ari", "n_clusters")).partition("<h1")[2]
    )


def test_a_mean_over_fewer_data_sets_says_over_how_many(written):
    text = written({"d": {"mine": [0.5, 0.6], "a": [0.5, 0.6]}, "e": {"mine": [0.5, 0.6], "a": [NAN, NAN]}})
    assert text.count("<small>on 1</small>") == 1


def test_failed_draws_are_counted_in_their_cell(written):
    text = written({"d": {"mine": [0.5, 0.6, 0.7], "a": [0.5, NAN, 0.6]}})
    assert "<small>error in 1 of 3</small>" in text


def test_mine_without_any_score_is_said_first(written):
    text = written({"d": {"mine": [NAN, NAN], "a": [0.5, 0.6], "b": [0.1, 0.2]}}, mine="mine")
    first = re.sub(r"<[^>]*>", "", text.partition("<h1>")[2].partition("<ol")[0])
    assert (
        "mine, which the file names as mine, gave no score in any run. It ended with error: it broke."
        in first
    )
    assert "has what it printed, and the traceback, under log_tail. a stands in for it below." in first
    for scores, mine in (
        ({"mine": [NAN, 0.5], "a": [0.5, 0.6]}, "mine"),
        ({"mine": [NAN, NAN], "a": [0.5, 0.6]}, ""),
    ):
        assert "gave no score in any run" not in written({"d": scores}, mine=mine)


def test_rows_of_random_methods_are_told_apart_from_rivals(written):
    scores = {"mine": [0.5, 0.6], "a": [0.5, 0.7], "RandomTree": [0.0, 0.1], "RandomClusters": [0.1, 0.0]}
    text = written({"d": scores}, mine="mine")
    assert "in 1 comparison: " in text and " runs of 2 methods and 2 random ones on 1 data set: " in text
    assert "The table has 3 comparisons: 2 with random methods are corrected for too, but not counted" in text
    del scores["RandomTree"], scores["RandomClusters"]
    without = written({"d": scores}, mine="mine")
    assert (
        "with random methods are corrected" not in without and " runs of 2 methods on 1 data set: " in without
    )


def test_features_of_a_file_are_named(inputs):
    rows = np.random.default_rng(0).normal(size=(24, 15))
    names = [f"m{i}" for i in range(15)]
    pd.DataFrame(rows, columns=names).to_csv(inputs / "wide.csv", index=False)
    pd.DataFrame(rows).to_csv(inputs / "plain.csv", index=False, header=False)
    (inputs / "comparison.yaml").write_text(
        "data: {wide: {file: wide.csv, ignore: [m0], clusters: 2}, plain: {file: plain.csv, clusters: 3}}"
        "\nmethods: [FlatKMeans]\nrepetitions: 2\n"
    )
    run_all(inputs / "comparison.yaml", inputs / "out")
    text = page.write_page(inputs / "out").read_text(encoding="utf-8")
    assert f"<p>Features: {', '.join(names[1:13])} and 2 more.</p>" in text
    assert text.count("<p>Features: ") == 1
