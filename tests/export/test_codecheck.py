"""Bundles by the rules of version 2.0, as far as a program can keep them."""

from pathlib import PurePosixPath

import pytest
import yaml

from cladebench.cli import main
from cladebench.export.codecheck import configuration, summary
from cladebench.export.run_folder import PaperRun
from made_up_claims import EVIL, claim, plan


@pytest.fixture
def bundle(results, tmp_path):
    options = ["--results", str(results), "--paper", "page_paper", "--out", str(tmp_path / "out")]
    assert main(["export", "--format", "codecheck", *options]) == 0
    return tmp_path / "out" / "page_paper"


def test_the_file_keeps_the_rules(bundle, results):
    text = (bundle / "codecheck.yml").read_text(encoding="utf-8")
    assert text.startswith("---\n")
    found = yaml.safe_load(text)
    assert found["version"] == "https://codecheck.org.uk/spec/config/2.0/"
    assert found["paper"]["title"] == "A paper about trees"
    assert [author["name"] for author in found["paper"]["authors"]] == ["A. Author"]
    assert not any(word in text for word in ("FIXME", "TODO", "XXX"))
    names = [entry["file"] for entry in found["manifest"]]
    assert len(names) == len(set(names)) > 2
    for name in names:
        path = PurePosixPath(name)
        assert not path.is_absolute() and ".." not in path.parts
        assert (bundle / name).read_bytes() == (
            results / path.parts[0] / "page_paper" / path.name
        ).read_bytes()
    assert all(entry["comment"] for entry in found["manifest"])
    files = {p.relative_to(bundle).as_posix() for p in bundle.rglob("*") if p.is_file()}
    assert files == {"codecheck.yml", *names}


def test_what_a_person_says_is_empty_and_listed(bundle):
    text = (bundle / "codecheck.yml").read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    assert found["codechecker"] == [{"name": None, "ORCID": None}]
    assert found["certificate"] is None and found["report"] is None and found["check_time"] is None
    (line,) = [line for line in text.splitlines() if line.startswith("# A person fills in")]
    for key in ("codechecker", "certificate", "report", "check_time", "paper.reference", "ORCID"):
        assert key in line
    assert "no person has checked" in text


def test_a_known_address_is_no_gap_and_an_odd_citation_leaves_the_authors_open():
    text = configuration(PaperRun(plan(), (claim("a"),)), [])
    found = yaml.safe_load(text)
    assert found["paper"]["reference"] == "https://doi.org/10.1234/trees.5"
    assert [author["name"] for author in found["paper"]["authors"]] == ["A. One", "B.-C. Two"]
    assert "paper.reference" not in text.splitlines()[2] and "the authors" not in text.splitlines()[2]
    text = configuration(PaperRun(plan(citation="Trees, 2001"), (claim("a"),)), [])
    assert yaml.safe_load(text)["paper"]["authors"] == [{"name": None, "ORCID": None}]
    assert "the authors" in text.splitlines()[2]


def test_odd_words_stay_texts():
    paper = PaperRun(plan(title=EVIL), (claim("a", main=True, quote=EVIL),))
    found = yaml.safe_load(configuration(paper, [{"file": "tables/a.csv", "comment": EVIL}]))
    assert found["paper"]["title"] == EVIL and found["manifest"][0]["comment"] == EVIL
    assert " ".join(EVIL.split()) in found["summary"]


def test_the_summary_keeps_stand_ins_apart():
    claims = (
        claim("a", main=True, verdict="analogue holds", evidence="other data", stand_in_for=["V"]),
        claim("b"),
        claim("c", verdict="within noise"),
    )
    assert summary(PaperRun(plan(), claims)) == (
        "Re-run by cladebench. Printed statements: 3. re-run on the paper's data: 1 hold, 1 open; "
        're-run on other data: 1 hold. Main claim: "It says a." Answer: holds (on stand-in data).'
    )
