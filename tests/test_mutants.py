"""The tool behind `make mutants`: what it changes, and a run on a project of one module."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools/mutants"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("mutations_of_tool", TOOL / "mutations.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "source, texts",
    [
        ("a < b", ["a <= b", "a >= b"]),
        ("a == b", ["a != b"]),
        ("a is not b", ["a is b"]),
        ("a + b - c", ["a + b + c", "a - b"]),
        ("a and b", ["a or b"]),
        ("not a", ["a"]),
        ("-a", ["a"]),
        ("x[0]", ["x[-1]", "1"]),
        ("x[-1]", ["x[0]", "1", "2", "0"]),
        ("x = 2.5", ["3.5"]),
        ("x = True", ["False"]),
        ("x = any(y)", ["all(y)"]),
        ("x = np.argmax(y)", ["np.argmin(y)"]),
        ("x = sorted(y)", ["sorted(y, reverse=True)"]),
        ("x = f(y, k=z)", ["f(y)"]),
        ("x = a if b else c", ["c if b else a"]),
        ("x = [y for y in z if y]", ["[y for y in z]"]),
        ("f(x)", ["pass"]),
        ("x.a = y", ["pass"]),
        ("x += y", ["pass"]),
        ("def f(a, b=3):\n    return a", ["4", "2", "return"]),
        ("for x in y:\n    continue", ["break"]),
        ("if a:\n    b = c", ["not a"]),
        ("if a:\n    raise ValueError(1 + x)", ["not a", "pass"]),
    ],
)
def test_what_is_changed(tool, source, texts):
    assert sorted(one.text for one in tool.mutations(source.encode(), "m.py", 0)) == sorted(texts)


@pytest.mark.parametrize(
    "source",
    [
        '"""1 < 2"""',
        "x: Literal[1] = y",
        "def f(x: a[0]) -> b[0]:\n    '''not'''",
        "@cache(size=1)\ndef f(): x = y",
        "x = f'{a + 1}'",
        "warnings.warn('a', stacklevel=2)",
        "if TYPE_CHECKING:\n    x = 1",
        "x = a + 'text'",
        "x = open(y, encoding=z)",
        "x = run(y, timeout=20)",
    ],
)
def test_what_is_left_alone(tool, source):
    assert tool.mutations(source.encode(), "m.py", 0) == []


def test_a_mutant_differs_in_its_place_alone(tool):
    source = "größe = 1\nx = (größe <\n     2)  # not 3\n".encode()
    mutants = {one.text: one for one in tool.mutations(source, "m.py", 0)}
    assert mutants["größe >= 2"].apply(source).decode() == "größe = 1\nx = (größe >= 2)  # not 3\n"
    assert mutants["größe >= 2"].line == 2


def test_bytecode_tells_mutants_from_the_same_program(tool):
    source = b"def f(x):\n    return None if x else y\n"
    change, *_ = tool.mutations(source, "m.py", 0)
    assert tool.changes_bytecode(change, source)
    same = tool.Mutation("m.py", "", 1, 0, 0, "# a comment\n\n", "", "", None)
    broken = tool.Mutation("m.py", "", 1, 0, 0, "(", "", "", None)
    assert not tool.changes_bytecode(same, source)
    assert not tool.changes_bytecode(broken, source)


def test_blocks_report_when_they_run(tool):
    source = b"""
from __future__ import annotations
def f(x):
    '''About f.'''
    y = x * 2
    if y > 3:
        y = y - 1
    else:
        y = y % 5
    return y // 7
"""
    text, following = tool.instrumented(source, 10, "ran")
    blocks = {one.text: one.block for one in tool.mutations(source, "m.py", 10)}
    ran = set()
    names = {"ran": ran.add}
    exec(text, names)
    assert names["f"].__doc__ == "About f."
    assert ran == set()
    names["f"](3)
    assert ran == {blocks["x / 2"], blocks["y + 1"], blocks["y / 7"]}
    assert blocks["y // 5"] not in ran
    assert following == 10 + len({*blocks.values()})


def test_each_equivalent_mutant_is_one_of_the_code_as_it_is(tool, monkeypatch):
    monkeypatch.syspath_prepend(str(TOOL))
    run = importlib.import_module("run")
    entries = yaml.safe_load((TOOL / "equivalent.yaml").read_text(encoding="utf-8"))
    named = {entry["file"]: (ROOT / entry["file"]).read_bytes() for entry in entries}
    found = [one for path, source in named.items() for one in tool.mutations(source, path, 0)]
    assert len(run.excuses(found, ROOT)) >= len(entries) > 0


def test_a_mutant_meets_the_tests_of_its_room_before_the_quick_ones_of_others(tool, monkeypatch):
    monkeypatch.syspath_prepend(str(TOOL))
    found = importlib.import_module("baseline")
    baseline = object.__new__(found.Baseline)
    baseline.seconds = {
        "tests/audit/a.py::slow": found.LONGEST - 1,
        "tests/audit/a.py::own": 2.0,
        "tests/b.py::c": 0.1,
    }
    [mutation] = tool.mutations(b"a < 3", "src/cladebench/audit/rules.py", 0)[:1]
    baseline.touching = {mutation.path: set(baseline.seconds)}
    baseline.reaching = {mutation.block: set(baseline.seconds)}
    assert baseline.tests_of(mutation) == ["tests/audit/a.py::own"]
    baseline.seconds["tests/audit/a.py::slow"] = 5.0
    assert baseline.tests_of(mutation) == ["tests/audit/a.py::own", "tests/audit/a.py::slow", "tests/b.py::c"]


MODULE = """
from functools import cache
SIZE = 3
@cache
def larger(a, b):
    return max(a, b)
def unused(a):
    return a + SIZE
def forever(a):
    while a > 0:
        a -= 1
    return a
"""
TESTS = """
import subprocess, sys
import pytest
from cladebench.metrics.numbers import forever, larger

@pytest.fixture(scope="module")
def shared():
    return larger(1, 2)

def test_first(shared):
    assert isinstance(shared, int)

def test_second(shared):
    assert shared == 2

def test_cached():
    assert larger(1, 2) > 0

def test_in_a_child():
    code = "import cladebench.metrics.numbers as n; assert n.forever(2) == 0, n.__file__"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)

def test_fails_always():
    assert forever(0) is forever
"""


#: What the worker would load beforehand and passes over where it is missing: seconds of each start, used by no test.
ABSENT = ("jax", "matplotlib", "pandas", "pulp", "pyarrow", "sklearn")


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    for name, text in {
        "src/cladebench/__init__.py": "",
        "src/cladebench/metrics/__init__.py": "",
        "src/cladebench/metrics/numbers.py": MODULE,
        "tests/metrics/test_numbers.py": TESTS,
        **{f"src/{name}.py": "raise ImportError\n" for name in ABSENT},
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    # A stranger's settings above the copies: tests are not to be named from there.
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (tmp_path / "tmp").mkdir()
    return root


def command(root: Path, *options: str) -> dict:
    environment = {
        **os.environ,
        "TMPDIR": str(root.parent / "tmp"),
        "XDG_CACHE_HOME": str(root.parent / "cache"),
    }
    arguments = [sys.executable, str(TOOL / "run.py"), "--root", str(root), "--cores", "1", *options]
    return {
        "args": arguments,
        "env": environment,
        "cwd": root.parent,
        "stdout": subprocess.PIPE,
        "text": True,
    }


def is_soon_empty(folder: Path) -> bool:
    for _ in range(200):
        if not any(folder.iterdir()):
            return True
        time.sleep(0.1)
    return False


def test_a_run_tells_what_is_caught_from_what_is_not(project):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = subprocess.run(**command(project, "--sample", "5", "--floor", "10"), check=False)
    out = done.stdout
    assert done.returncode == 0, out
    assert "fails without mutants: tests/metrics/test_numbers.py::test_fails_always" in out
    assert "4 tests used" in out
    assert "not reached: src/cladebench/metrics/numbers.py:8 (unused)" in out
    assert "numbers.py:6" not in out  # max for min: the second user of a shared fixture sees it
    assert re.search(r"^all +[2-4] ", out, re.MULTILINE), out
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    assert is_soon_empty(project.parent / "tmp")
    # A share below the floor is an exit code: without mutants, whose tests would take their time again, it is 100 %.
    done = subprocess.run(**command(project, "--sample", "0", "--floor", "101"), check=False)
    assert done.returncode == 1 and "at least 101 % must be caught" in done.stdout


def test_an_entry_that_fits_nothing_stops_the_run_before_its_tests(project):
    entry = {"file": "src/cladebench/metrics/numbers.py", "line": "SIZE = 3", "before": "3", "after": "4"}
    gone = {**entry, "file": "src/cladebench/metrics/gone.py"}
    listed = [{**one, "reason": "none"} for one in (entry, {**entry, "line": "SIZE = 2"}, gone)]
    (project / "tools/mutants").mkdir(parents=True)
    (project / "tools/mutants/equivalent.yaml").write_text(yaml.safe_dump(listed))
    done = subprocess.run(**command(project), stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    problems = done.stderr.splitlines()
    assert len(problems) == 2
    assert "no mutant fits" in problems[0] and "SIZE = 2" in problems[0] and "gone.py" in problems[1]
    assert is_soon_empty(project.parent / "tmp")


def test_a_killed_run_leaves_nothing_behind(project):
    run = subprocess.Popen(**command(project, "--sample", "5"))
    try:
        assert run.stdout.readline()
        assert any((project.parent / "tmp").iterdir())
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
    assert is_soon_empty(project.parent / "tmp")
