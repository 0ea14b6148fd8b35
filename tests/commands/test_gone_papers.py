"""Pages of a paper that has left a run go with it; everything else in the report's folder stays."""

import pandas as pd

PAGES = ["gone.html", "gone-cells.html", "gone-certificate.html", "gone-choices.html"]
OTHERS = ["notes.html", "figures/f.svg"]


def test_pages_of_papers_that_are_gone_are_removed(copied, capsys):
    report = copied.folder / "report"
    before = {path.relative_to(report).as_posix() for path in report.rglob("*.*")}
    for name in (*PAGES, *OTHERS):
        (report / name).parent.mkdir(parents=True, exist_ok=True)
        (report / name).write_text("")
    assert copied.main("report") == 0
    assert capsys.readouterr().out.startswith(f"{report}/index.html: {len(before)} files, ")
    assert {p.relative_to(report).as_posix() for p in report.rglob("*.*")} == before | set(OTHERS)


def test_pages_of_a_paper_that_has_cells_but_is_not_asked_for_stay(copied):
    cells = pd.read_parquet(path := copied.folder / "cells.parquet")
    other = cells.head(1)["cell_id"].str.replace("examplepaper/", "other/")
    pd.concat([cells, cells.head(1).assign(paper="other", cell_id=other)]).to_parquet(path)
    pages = [copied.folder / "report" / name for name in ("other.html", "other-cells.html")]
    for page in pages:
        page.write_text("")
    assert copied.main("report") == 0
    assert all(page.exists() for page in pages)
