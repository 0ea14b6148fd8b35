"""The README's example runs, and the files that it leads to exist."""

import re

import pandas as pd

from doc_examples import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    purity, first, *_ = capsys.readouterr().out.replace("[", " ").split()
    assert 0.6 < float(purity) <= 1.0
    assert first.isdigit()


def test_the_counts_of_verdicts_are_those_of_the_full_run():
    audit = pd.read_csv(ROOT / "results/full/audit.csv")
    for paper, pattern, order in (
        (
            "ghc",
            r"(\d+) claims, .*?(\d+) are reproduced, (\d+) lie within noise, (\d+) show .*?, (\d+) are contradicted"
            r" and (\d+)\s+cannot",
            ["reproduced", "within noise", "direction only", "contradicted", "not testable"],
        ),
        (
            "hmmc",
            r"Of its (\d+) claims, (\d+) hold on the stand-ins, (\d+) fail there and (\d+) cannot .*?, (\d+) are"
            r" reproduced and (\d+) contradicted",
            ["analogue holds", "analogue fails", "not testable", "reproduced", "contradicted"],
        ),
    ):
        verdicts = audit[audit.paper == paper].verdict.value_counts()
        said = re.search(pattern, README, re.DOTALL)
        assert [int(text) for text in said.groups()] == [verdicts.sum(), *(verdicts[name] for name in order)]


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_make_targets_exist():
    targets = set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets == {"reproduce", "test"}
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
