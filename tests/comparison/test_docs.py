"""Every command of docs/comparing.md runs as it is written, on a user's files and method."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from cladebench.comparison.spec import read_comparison
from doc_examples import ROOT

#: Each test starts the whole workflow several times.
pytestmark = pytest.mark.timeout(900)

PAGE = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
(NEW, WHOLE), (AGAIN,) = [
    block.strip().splitlines() for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
]
(YAML,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
(PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
#: So that the commands end soon; the file is edited between them, as the page says.
FEW = {"methods: [fitting, ": "methods: [Agglomerative, ", "repetitions: 10": "repetitions: 2"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user")
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 10)
    X = np.array([[0, 0], [6, 0], [0, 6]])[labels] + rng.normal(size=(30, 2))
    frame = pd.DataFrame(X, columns=["age", "dose"])
    frame.to_csv(folder / "customers.tsv", sep="\t", index=False)
    frame.assign(diagnosis=np.array(["a", "b", "c"])[labels]).to_csv(folder / "patients.csv", index=False)
    np.savetxt(folder / "travel.csv", np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), delimiter=",")
    (folder / "my_method.py").write_text(PYTHON)
    yield folder
    sys.path[:] = [path for path in sys.path if path != str(folder)]
    sys.modules.pop("my_method", None)


def command(line):
    """The words of a line of the page, with this interpreter's cladebench or Snakemake."""
    program, *words = shlex.split(line)
    if program == "cladebench":
        return [sys.executable, "-m", "cladebench.cli", *words]
    assert program == "snakemake"
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
        "--workflow-profile",
        "none",
        *words,
    ]


def run(line, folder):
    done = subprocess.run(command(line), cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def started(files):
    """The file that the first command of the page wrote, with few methods and draws, and what it said."""
    said = run(NEW, files)
    text = (files / "comparison.yaml").read_text()
    for old, few in FEW.items():
        text = text.replace(old, few)
    (files / "comparison.yaml").write_text(text)
    return said


@pytest.fixture(scope="module")
def whole(files, started):
    """The folder that the second command of the page filled."""
    run(WHOLE, files)
    return files / "patients-report"


def test_the_first_command_says_what_it_took_for_what(files, started):
    assert "patients" in started and "3 classes" in started
    assert set(read_comparison(files / "comparison.yaml").methods) == {
        *("Agglomerative", "MyMethod", "RandomClusters", "RandomTree")
    }


def test_the_commands_of_the_page_give_the_page(files, whole):
    first = (whole / "scores.csv").read_bytes()
    assert {"index.html", "differences.csv", "scores.tex", "cells.parquet", "plan.json"} <= set(
        os.listdir(whole)
    )
    record = next((whole / "cells" / "comparison" / "patients" / "MyMethod").glob("*.json"))
    before = record.stat().st_mtime_ns
    (whole / "index.html").unlink()
    run(AGAIN, files)  # Snakemake goes on from there
    assert (whole / "index.html").is_file()
    assert (whole / "scores.csv").read_bytes() == first and record.stat().st_mtime_ns == before


def test_an_interrupted_run_goes_on_with_equal_values(files, whole):
    line = "cladebench run-comparison comparison.yaml --cores 1 --out cut"
    started = subprocess.Popen(
        command(line),
        cwd=files,
        start_new_session=True,
        # Tests that run in the background of a shell ignore it, and a command that was told so goes on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    deadline = time.monotonic() + 120
    while not [*files.glob("cut/cells/*/*/*/*.json")] and time.monotonic() < deadline:
        time.sleep(0.1)
    os.killpg(started.pid, signal.SIGINT)
    started.communicate(timeout=240)
    assert started.returncode == 130
    run(line, files)
    resumed, expected = (pd.read_csv(folder / "scores.csv") for folder in (files / "cut", whole))
    timed = resumed["measure"].isin(["fit_seconds", "memory_mb"])
    pd.testing.assert_frame_equal(resumed[~timed], expected[~timed])


def test_the_file_of_the_page_is_read(files):
    file = files / "of-the-page.yaml"
    file.write_text(YAML)
    found = read_comparison(file)
    assert found.mine == "MyMethod"
    assert [data.kind for data in found.data.values()] == ["features", "features", "distances", "features"]
    keys = set(re.findall(r"^\| `(\w+)` \|", PAGE.partition("| key |")[2].partition("\n\n")[0], re.MULTILINE))
    assert set(re.findall(r"^(\w+):", YAML, re.MULTILINE)) - {"title"} <= keys
