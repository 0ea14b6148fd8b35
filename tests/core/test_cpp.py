"""The core's own tests, without Python, in a plain and in a sanitized build."""

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


@pytest.mark.parametrize("sanitize", ["", "address,undefined"])
def test_core(sanitize: str, tmp_path: Path) -> None:
    cmake = build_tool("cmake")
    run(
        cmake,
        *("-S", ROOT, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}"),
        *(
            "-DCLADEBENCH_BUILD_BINDING=OFF",
            "-DCLADEBENCH_BUILD_TESTS=ON",
            f"-DCLADEBENCH_SANITIZE={sanitize}",
        ),
        *("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -D_GLIBCXX_ASSERTIONS"),
    )
    run(cmake, "--build", tmp_path)
    output = run(tmp_path / "src/core/core_tests", UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    summary = re.fullmatch(r"(\d+) passed, 0 failed", output.splitlines()[-1])
    assert summary and int(summary[1]) >= 8, output
