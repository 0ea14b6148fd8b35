"""The README's example runs, and the files that it leads to exist."""

import re
from pathlib import Path

from cladebench.bench.cells_table import read_cells
from cladebench.report.readme import readme_blocks, renew_readme
from doc_examples import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    purity, first, *_ = capsys.readouterr().out.replace("[", " ").split()
    assert 0.6 < float(purity) <= 1.0
    assert first.isdigit()


def test_tables_and_findings_are_those_of_the_full_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    papers = sorted(read_cells(Path("results/full/cells.parquet")).paper.unique())
    blocks = readme_blocks(Path("results/full"), "full", papers)
    marked = set(re.findall(r"<!-- cladebench readme: (\S+) -->", README))
    assert marked == set(blocks) == {"verdicts", *papers}
    again = "run: cladebench readme --results results/full --scope full"
    assert renew_readme(README, blocks, "README.md") == README, again


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_make_targets_exist():
    targets = set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets == {"reproduce", "test"}
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
