"""The core's own tests, without Python, in a plain and in sanitized builds (see tests/README.md)."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from doc_examples import ROOT
from package_build import package_build


def run(*command: str | Path, **env: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def build_tool(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert found is not None, f"{name} is needed to build the core's tests"
    return found


def compiler_has(sanitize: str, folder: Path) -> bool:
    """Whether the compiler can build and start a program with these sanitizers; some come without their libraries."""
    source, program = folder / "empty.cpp", folder / "empty"
    source.write_text("int main() {}\n")
    compiler = os.environ.get("CXX", "c++")
    try:
        run(*compiler.split(), f"-fsanitize={sanitize}", source, "-o", program)
        run(program)
    except (AssertionError, OSError):
        return False
    return True


def build(source: Path, folder: Path, target: str, *options: str) -> None:
    """Bring the build of a source tree in a folder up to date: only what changed is compiled again."""
    cmake = build_tool("cmake")
    configure = [
        *(cmake, "-S", str(source), "-B", str(folder), "-G", "Ninja"),
        *(f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}", *options),
    ]
    # CMake keeps the compiler and the flags that it found at first, so that with others all begins anew.
    compiler = os.environ.get("CXX", "c++")
    flags = [os.environ.get(name, "") for name in ("CXXFLAGS", "CPPFLAGS", "LDFLAGS")]
    made_with = "\n".join([*configure, compiler, *flags, run(*compiler.split(), "--version")])
    note = folder / "made-with.txt"
    if not note.is_file() or note.read_text() != made_with:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        note.write_text(made_with)
    run(*configure)
    compile_target(folder, target)


def compile_target(folder: Path, target: str) -> None:
    run(
        *(build_tool("cmake"), "--build", folder),
        *("--target", target, "--parallel", str(os.cpu_count() or 1)),
    )


@contextmanager
def built(sanitize: str) -> Iterator[Path]:
    """The folder of a build of the core's tests, brought up to date, for as long as it is kept from others."""
    package = None if sanitize else package_build()
    folder = package or ROOT / "build" / f"core-tests-{sanitize.replace(',', '-') or 'plain'}"
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:  # another run of the tests may be at work here
        fcntl.flock(lock, fcntl.LOCK_EX)
        if package is not None:
            compile_target(package, "core_tests")
        else:
            build(
                *(ROOT, folder, "core_tests", "-DCLADEBENCH_BUILD_BINDING=OFF"),
                *("-DCLADEBENCH_BUILD_TESTS=ON", f"-DCLADEBENCH_SANITIZE={sanitize}"),
            )
        yield folder / "src/core"


@pytest.mark.timeout(900)  # a first build takes minutes, and machines may be busy
@pytest.mark.parametrize("sanitize", ["", "address,undefined", "thread"])
def test_core(sanitize: str, tmp_path: Path) -> None:
    if sanitize and not compiler_has(sanitize, tmp_path):
        pytest.skip(f"the compiler has no working -fsanitize={sanitize}")
    options = "print_stacktrace=1"
    with built(sanitize) as folder:
        output = run(folder / "core_tests", UBSAN_OPTIONS=options, TSAN_OPTIONS="halt_on_error=1")
    summary = re.fullmatch(r"(\d+) passed, 0 failed", output.splitlines()[-1])
    assert summary and int(summary[1]) >= 8, output


def symbols(compiled: Path) -> tuple[set[str], set[str]]:
    """What an object file defines, and what it needs of others."""
    named = [line.split()[:2] for line in run("nm", "-P", compiled).splitlines()]
    return {name for name, kind in named if kind in "TDBRS"}, {name for name, kind in named if kind == "U"}


@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("nm") is None, reason="nm is not on this machine")
def test_what_can_start_threads_is_run_with_thread_sanitizer() -> None:
    """Its build has the tests that include parallel.hpp alone; the linker knows who reaches a parallel loop."""
    sources = ROOT / "src/core"
    library = (path for path in sources.glob("*/*.cpp") if path.parent.name not in ("bindings", "tests"))
    with built("") as folder:
        core, tests = (
            {
                path.name: symbols(folder / f"CMakeFiles/{target}.dir/{path.relative_to(sources)}.o")
                for path in paths
            }
            for target, paths in (
                ("cladebench_core", library),
                ("core_tests", sources.glob("tests/*.cpp")),
            )
        )
    places = {name: file for file, (defined, _) in core.items() for name in defined}
    reaches = set()
    for test, (_, needed) in tests.items():
        reached, wanted = set[str](), needed
        while files := {places[name] for name in wanted if name in places} - reached:
            reached |= files
            wanted = set[str]().union(*(core[file][1] for file in files))
        if "parallel.cpp" in reached:
            reaches.add(test)
    includes = {test for test in tests if "common/parallel.hpp" in (sources / "tests" / test).read_text()}
    assert len(reaches) >= 8 and reaches == includes


TOY = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.26)
project(toy LANGUAGES CXX)
file(GLOB SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/*.cpp)
add_executable(toy ${SOURCES})
target_compile_definitions(toy PRIVATE NAME="${NAME}")
""",
    "part.hpp": '#include <cstdio>\ninline void part() { std::puts("one"); }\n',
    "main.cpp": """
#include "part.hpp"
int main() {
  part();
  std::puts(NAME);
#ifdef LOUD
  std::puts("loud");
#endif
}
""",
}


def test_a_kept_build_follows_its_sources_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, folder = tmp_path / "source", tmp_path / "build"
    source.mkdir()
    for name, text in TOY.items():
        (source / name).write_text(text)

    def said(name: str = "a") -> list[str]:
        build(source, folder, "toy", f"-DNAME={name}")
        return run(folder / "toy").split()

    assert said() == ["one", "a"]
    stamp = (folder / "toy").stat().st_mtime_ns
    assert said() == ["one", "a"] and (folder / "toy").stat().st_mtime_ns == stamp
    (source / "part.hpp").write_text(TOY["part.hpp"].replace("one", "two"))
    assert said() == ["two", "a"]
    assert said("b") == ["two", "b"]
    (source / "more.cpp").write_text('#include <cstdio>\nstatic int early = std::puts("early");\n')
    assert said("b") == ["early", "two", "b"]
    monkeypatch.setenv("CXXFLAGS", "-DLOUD")  # CMake reads it when it first configures, and then no more
    assert said("b") == ["early", "two", "b", "loud"]
