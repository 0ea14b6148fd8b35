"""The core's own tests, without Python, in a plain and in sanitized builds (see tests/README.md)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


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


@pytest.mark.timeout(900)  # two of the builds are slow, and machines may be busy
@pytest.mark.parametrize("sanitize", ["", "address,undefined", "thread"])
def test_core(sanitize: str, tmp_path: Path) -> None:
    if sanitize and not compiler_has(sanitize, tmp_path):
        pytest.skip(f"the compiler has no working -fsanitize={sanitize}")
    cmake = build_tool("cmake")
    build = tmp_path / "build"
    run(
        cmake,
        *("-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}"),
        *(
            "-DCLADEBENCH_BUILD_BINDING=OFF",
            "-DCLADEBENCH_BUILD_TESTS=ON",
            f"-DCLADEBENCH_SANITIZE={sanitize}",
        ),
        *("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -D_GLIBCXX_ASSERTIONS"),
    )
    run(cmake, "--build", build)
    options = "halt_on_error=1:print_stacktrace=1"
    output = run(build / "src/core/core_tests", UBSAN_OPTIONS=options, TSAN_OPTIONS="halt_on_error=1")
    summary = re.fullmatch(r"(\d+) passed, 0 failed", output.splitlines()[-1])
    assert summary and int(summary[1]) >= 8, output
