"""Pages of a run that is not whole: what is missing, and where not all rows were used."""

import pandas as pd

import synthetic_run
from cladebench import datasets
from cladebench.report.pages import write_report
from cladebench.report.views import gather_run
from page_tags import read_page


def recorded(row, settings):
    """Of Grid on glass two of three settings, of Plain one repetition of four, of Oracle and Broken nothing."""
    kept = (
        row.method == "Random" or row.setting_id in settings or (row.method, row.repetition) == ("Plain", 0)
    )
    return kept and row.dataset == "glass" and row.repetition != 3


def test_a_partial_run_says_what_is_missing(copied):
    frame = pd.read_parquet(copied / "cells.parquet")
    settings = sorted(frame.query("method == 'Grid' and dataset == 'glass'").setting_id.unique())[:2]
    synthetic_run.write_cells(frame[[recorded(row, settings) for row in frame.itertuples()]], copied)
    synthetic_run.write_tables(copied, "page_paper")
    paper = gather_run(copied, "smoke", ["page_paper"]).papers[0]
    assert paper.statuses == {"ok": 10, "missing": 46}
    tables = {view.artifact.id: view for view in paper.artifacts}
    cells = {(row[0].text, row[1].text): [entry.text for entry in row] for row in tables["cells"].rows}
    glass, blobs = "Glass identification", "Nested Gaussian blobs"
    in_their_places = [(glass, "Broken method"), (glass, "Gridded method"), (glass, "Oracle")]
    assert list(cells)[:3] == in_their_places
    assert cells[glass, "Gridded method"][2:5] == ["12", "6", "6 missing"]
    assert cells[glass, "Plain method"][2:5] == ["4", "1", "3 missing"]
    assert cells[blobs, "Oracle"][2:] == ["4", "0", "4 missing", "–", "–", "–"]
    table = {
        row[0].text: dict(zip(tables["table-1"].columns, row, strict=True)) for row in tables["table-1"].rows
    }
    assert table["Oracle"]["Glass identification: least cost"].text == "missing"
    assert table["Plain method"]["Nested Gaussian blobs: least cost"].text == "missing"
    assert table["Gridded method"]["Glass identification: least cost"].text.endswith("(3)")
    assert "Settings to choose from: 2 finished of 3 (Gridded method)." in tables["table-1"].notes

    write_report(copied, "smoke", ["page_paper"])
    written = {path.name: read_page(path) for path in (copied / "report").glob("*.html")}
    said = "This run is partial: 46 planned runs have no record (missing); verdicts and numbers rest on the 10 that"
    for page in ("index.html", "page_paper.html"):
        assert said in written[page].words
    assert "10 runs, 46 missing" in written["index.html"].words
    assert "Every run of this paper finished." not in written["page_paper-runs.html"].words
    missing = [
        found
        for name in ("glass", "nested-blobs")
        for tag, found in written[f"page_paper-cells-{name}.html"].attributes
        if tag == "a" and found.get("title") == "missing"
    ]
    assert len(missing) == 46
    overview = written["page_paper-cells.html"].words
    assert "Glass identification 5 7 28 18 Nested Gaussian blobs 5 7 28 28" in overview


def test_a_whole_run_says_nothing_of_missing_cells_or_pages(pages, results):
    assert "make report" not in pages["index.html"].words and "Missing pages" not in pages["index.html"].words
    assert gather_run(results, "smoke", ["page_paper"]).papers[0].partial == ""
    assert "This run is partial" not in pages["index.html"].words + pages["page_paper.html"].words


def test_pages_say_where_a_run_used_fewer_rows_than_there_are(copied, pages):
    whole = datasets.info("nested-blobs").n_samples
    frame = pd.read_parquet(copied / "cells.parquet")
    drawn = (frame.dataset == "nested-blobs") & frame.method.isin(["Plain", "Grid", "Random"])
    frame.loc[drawn, "n_rows"] = 50
    synthetic_run.write_cells(frame, copied)
    synthetic_run.write_tables(copied, "page_paper")
    write_report(copied, "smoke", ["page_paper"])
    said = f"50 of {whole:,} (all for Oracle)"
    page = read_page(copied / "report" / "page_paper.html").words
    assert f"rows used {said}" in page
    title = "Nested Gaussian blobs"
    assert (
        f"Rows used: {title} {said}" in page or f"Rows used: Glass identification all; {title} {said}" in page
    )
    assert f"Not all rows of the data were used: {title} {said}." in page
    assert f"rows used: {said}" in read_page(copied / "report" / "checks.html").words
    assert "rows used" not in (pages["page_paper.html"].words + pages["checks.html"].words).lower()
