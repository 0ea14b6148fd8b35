"""Pages say where the code is: a link where the package names a repository, else a folder in words."""

from email.message import Message

import pytest

from cladebench.report import source_code
from cladebench.report.pages import write_report
from cladebench.report.source_code import commit_address, folder_address, folder_of, repository

URL = "https://example.org/someone/cladebench"


@pytest.fixture
def named(monkeypatch):
    """Have the package's metadata name a repository, or what a test gives."""

    def name(*entries):
        message = Message()
        for entry in entries:
            message["Project-URL"] = entry
        monkeypatch.setattr(source_code, "metadata", lambda _: message)
        repository.cache_clear()

    yield name
    repository.cache_clear()


def test_the_repository_comes_from_the_metadata(named):
    named("Documentation, https://example.org/docs", f"Repository, {URL}/")
    assert repository() == URL
    assert commit_address("0123abc") == f"{URL}/commit/0123abc"
    assert commit_address("not in a repository") == commit_address("") == ""
    assert folder_address("cladebench.papers.hmmc") == f"{URL}/tree/HEAD/src/cladebench/papers/hmmc"
    assert folder_address("my_papers.trees") == ""


@pytest.mark.parametrize("entries", [(), ("Documentation, https://example.org",), ("Source, javascript:x",)])
def test_without_one_nothing_is_linked(named, entries):
    named(*entries)
    assert repository() == commit_address("0123abc") == folder_address("cladebench.papers.hmmc") == ""
    assert folder_of("cladebench.papers.hmmc") == "src/cladebench/papers/hmmc"
    assert folder_of("page_paper") == "page_paper"


def test_pages_link_commits_only_where_the_repository_is_known(named, copied):
    names = ("index.html", "page_paper-certificate.html")
    for entries, linked in (((), False), ((f"Source, {URL}",), True)):
        named(*entries)
        write_report(copied, "smoke", ["page_paper"])
        for name in names:
            text = (copied / "report" / name).read_text(encoding="utf-8")
            assert (f'href="{URL}/commit/0123456789abcdef' in text) == linked, name
            assert "<code>page_paper</code>" in text and "<code>0123456789ab" in text
    assert f'<a href="{URL}">' in (copied / "report" / "index.html").read_text(encoding="utf-8")


def test_a_paper_is_asked_for_as_commands_take_it(monkeypatch, copied):
    assert source_code.asked_as("cladebench.papers.hmmc") == "hmmc"
    monkeypatch.setattr(source_code, "folder_of", lambda package: "papers")
    for package, said in (
        ("page_paper", "page_paper    # one"),
        ("my_papers.page_paper", "my_papers.page_paper # one"),
    ):
        monkeypatch.setattr(source_code, "asked_as", lambda _, package=package: package)
        write_report(copied, "smoke", ["page_paper"])
        assert f"reproduce --paper {said}" in (copied / "report" / "index.html").read_text(encoding="utf-8")
