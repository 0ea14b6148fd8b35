"""The documentation site, as far as it can be tested without Sphinx: what it shows, and its check of built pages."""

import importlib
import re
import tomllib

import pytest

from doc_examples import ROOT, site

SITE = ROOT / "docs" / "site"
LOCK = (ROOT / "docs" / "requirements.lock").read_text(encoding="utf-8")
_TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def files():
    return site("stage").site_files()


def listed(files):
    """What the contents of the pages name, as paths of pages."""
    found = set()
    for name, content in files.items():
        text, folder = content.decode(), name.rpartition("/")[0]
        blocks = _TOCTREE.findall(text) + re.findall(r"^\.\. toctree::\n(.*)", text, re.MULTILINE | re.DOTALL)
        for entry in (line.strip() for block in blocks for line in block.splitlines()):
            if entry and not entry.startswith(":"):
                found.add(entry[1:] if entry.startswith("/") else f"{folder}/{entry}".lstrip("/"))
    return found


def test_every_page_is_in_the_contents_and_every_entry_is_a_page(files):
    pages = {name.rpartition(".")[0] for name in files}
    assert listed(files) == pages - {"index"} | {"gallery/index"}  # which Sphinx-Gallery writes


def test_the_pages_of_the_repository_are_read_as_they_are(files):
    assert {path.name for path in (ROOT / "docs").glob("*.md")} == {
        name.removeprefix("docs/") for name in files if name.startswith("docs/")
    }
    for name in ("docs/running.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        assert files[name] == (ROOT / name).read_bytes()


def test_a_second_staging_touches_only_what_changed_and_removes_what_went(tmp_path, files):
    stage = site("stage").stage
    stage(tmp_path)
    kept, lost, gone = tmp_path / "index.md", tmp_path / "docs" / "running.md", tmp_path / "api" / "old.rst"
    before = kept.stat().st_mtime_ns
    lost.write_text("other")
    gone.write_text("old")
    (tmp_path / "gallery").mkdir()
    (tmp_path / "gallery" / "index.rst").write_text("of Sphinx-Gallery")
    stage(tmp_path)
    assert kept.stat().st_mtime_ns == before and not gone.exists()
    assert lost.read_bytes() == files["docs/running.md"]
    assert (tmp_path / "gallery" / "index.rst").exists()


@pytest.mark.parametrize("package", ["cladebench", "methods", "distances", "metrics", "solvers", "datasets"])
def test_the_reference_lists_what_a_package_exports(package):
    place = package if package == "cladebench" else f"cladebench.{package}"
    listed = {public.name for public in site("api").public_names(ROOT / "src", place)}
    assert listed == set(importlib.import_module(place).__all__) - {"__version__"}


def test_the_reference_has_a_page_for_each_name_of_the_right_kind(files):
    api = site("api")
    for place in api.PLACES:
        module = importlib.import_module(place)
        for public in api.public_names(ROOT / "src", place):
            page = files[f"api/{public.full}.rst"].decode()
            kind = "class" if isinstance(getattr(module, public.name), type) else "function"
            assert f".. auto{kind}:: {public.name}\n" in page
    twins = {path.stem for path in (ROOT / "src/cladebench/reference").glob("[a-z]*.py")}
    assert {f"api/cladebench.reference.{name}.rst" for name in twins} <= set(files)


def test_the_pages_of_papers_count_as_the_readme_does(files):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\|\[\w+\]\(\S+/(\w+)\.html\).*\|(.*?)\|[^|]*\|[^|]*\|((?:\d+\|){4})$", readme, re.MULTILINE
    )
    assert len(rows) == 5
    for paper, answer, counts in rows:
        page = files[f"papers/{paper}.md"].decode()
        assert f"\n|{counts}\n" in page
        word, why = answer.removeprefix("? ").split(": ")
        assert f"**Answer: {word}**, {why}. " in page
        assert f"]({paper}.md)|? {word}|{counts}\n" in files["papers/index.md"].decode()
    sentence = re.search(r"^We re-ran .*?stay open\.", readme, re.MULTILINE)
    assert sentence and sentence[0] in files["papers/index.md"].decode()


def test_a_broken_link_a_lost_place_and_a_foreign_host_are_found(tmp_path):
    (tmp_path / "good.html").write_text(
        '<p id="here"><a href="https://example.org/">out</a><a href="#here"></a>'
    )
    (tmp_path / "bad.html").write_text(
        '<a href="good.html#there"></a><a href="none.html"></a><img src="//example.org/a.png">'
        '<script src="https://example.org/a.js"></script>'
    )
    (tmp_path / "a.css").write_text("@import url('https://example.org/font.css');")
    (tmp_path / "b.css").write_text("a { background: url(data:image/png;base64,AA) }")
    assert site("check").faults(tmp_path) == [
        "a.css: loads from another host",
        "bad.html: good.html#there has no such place",
        "bad.html: loads //example.org/a.png",
        "bad.html: loads https://example.org/a.js",
        "bad.html: none.html leads nowhere",
    ]


def test_no_setting_names_another_host():
    for path in SITE.rglob("*"):
        if path.suffix in (".py", ".css", ".md"):
            assert re.findall(r"https?://\S+", path.read_text(encoding="utf-8")) == [], path


def test_the_lock_has_what_the_extra_asks_for_with_hashes_and_no_address():
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["docs"]
    locked = dict(re.findall(r"^([a-z0-9-]+)==([\w.]+)", LOCK, re.MULTILINE))
    assert {re.split("[<>=]", entry)[0] for entry in extra} <= set(locked)
    assert not re.search(r"://|--(extra-)?index-url|--find-links|^/", LOCK, re.MULTILINE)
    blocks = re.split(r"^(?=[a-z0-9-]+==)", LOCK, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)


def test_both_locks_agree_on_the_packages_that_are_in_both():
    main = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = [dict(re.findall(r"^([a-z0-9-]+)==([\w.]+)", text, re.MULTILINE)) for text in (main, LOCK)]
    both = set(pins[0]) & set(pins[1])
    assert len(both) > 5 and {name: pins[0][name] for name in both} == {name: pins[1][name] for name in both}
