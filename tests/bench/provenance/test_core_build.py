from __future__ import annotations

import hashlib
import re
import shutil

import pytest

from cladebench.bench.provenance import core_build as build
from cladebench.datasets.settings import checkout_root


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A copy of the core's sources, which a test may change."""
    shutil.copytree(checkout_root() / "src/core", tmp_path / "src/core")
    monkeypatch.setattr(build, "checkout_root", lambda: tmp_path)
    return tmp_path


def test_the_digest_follows_the_rule_of_the_build(tmp_path):
    core = tmp_path / "src/core"
    sources = {"b/a.cpp": b"1", "c/z.cpp": b"2", "b/h.hpp": b"3", "bindings/z.cpp": b"4"}
    ignored = {"tests/t.cpp": b"5", "other.hpp": b"6", "CMakeLists.txt": b"7"}
    for name, content in (sources | ignored).items():
        (core / name).parent.mkdir(parents=True, exist_ok=True)
        (core / name).write_bytes(content)
    order = ["b/a.cpp", "b/h.hpp", "c/z.cpp", "bindings/z.cpp"]
    text = "".join(f"{name} {hashlib.sha256(sources[name]).hexdigest()}\n" for name in order)
    assert build.core_sources_digest(tmp_path) == hashlib.sha256(text.encode()).hexdigest()


def test_the_compiled_core_is_that_of_this_checkout():
    assert re.fullmatch("[0-9a-f]{64}", build.core_build_id())
    assert build.core_sources_digest() == build.core_build_id()
    build.check_core_is_fresh()


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_changed_sources_are_noticed(checkout, change):
    header = min((checkout / "src/core/common").glob("*.hpp"))
    if change == "edit":
        header.write_text(header.read_text() + "\n// changed\n")
    elif change == "add":
        header.with_name("zzz.hpp").write_text("// new\n")
    else:
        header.unlink()
    with pytest.raises(
        build.StaleCore, match="the compiled core is older than its sources: run `make build`"
    ):
        build.check_core_is_fresh()


def test_without_a_checkout_there_is_nothing_to_compare(monkeypatch):
    monkeypatch.setattr(build, "checkout_root", lambda: None)
    assert build.core_sources_digest() is None
    build.check_core_is_fresh()
