"""Files that fit in a head."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "tools", "benchmarks", "docs", "examples", "recipes", "workflow")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_python_file_is_longer_than_400_lines(folder):
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in (ROOT / folder).rglob("*.py")}
    assert {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > 400} == {}
