"""Every command of docs/comparing.md runs as it is written, on a user's files and method, outside of any checkout.

The wheel has what they need: the package is the one that pip would install.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import cladebench._core
import numpy as np
import pandas as pd
import psutil
import pytest

import synthetic_run
from cladebench.comparison.records import collect
from cladebench.comparison.records import scores as scores_of
from cladebench.comparison.spec import read_comparison
from comparison_runs import run_all
from doc_examples import ROOT
from package_build import package_build

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
#: What the file of the page has, with the data sets of its battery.
DATA = ["patients", "notes", "customers", "travel", "shapes-three", "shapes-two", "digits"]
#: The registered one may need a download.
SOONER = {
    **FEW,
    "registered: digits": "registered: nested-blobs",
    "features: [zscore, raw]": "features: [zscore]",
}


#: The wheel by its own rules, but nothing is compiled: the core is the one in use.
BUILD = """
import sys
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[1], {"wheel.cmake": "false", "wheel.py-api": ""})
"""
#: An editable installation would answer first.
NOT_EDITABLE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if not type(finder).__name__.startswith("ScikitBuild")]
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that has the package as pip would install it, where all commands of a test find it."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, check=True, capture_output=True, timeout=120
    )
    (wheel,) = folder.glob("cladebench-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    if (build := package_build()) is not None:
        cmake = [
            str(Path(sys.executable).with_name("cmake")),
            "--install",
            str(build),
            "--component",
            "suite",
        ]
        subprocess.run([*cmake, "--prefix", str(folder / "site")], check=True, capture_output=True)
    shutil.copy(cladebench._core.__file__, folder / "site/cladebench")
    (folder / "site/sitecustomize.py").write_text(NOT_EDITABLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder / "site"))
        yield folder / "site"


def files_of(folder):
    """Names of what is written by hand below a folder."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name for name in names if "__pycache__" not in name and not name.endswith(".so")}


def test_the_wheel_has_all_files_of_the_package(installed):
    ours, there = (files_of(folder) for folder in (ROOT / "src/cladebench", installed / "cladebench"))
    assert {"comparison/templates/page.html", "workflow/comparison.smk", "report/templates/style.css"} < ours
    assert ours <= there


def test_the_audits_workflow_plans_from_what_is_installed(installed, tmp_path):
    if not (installed / "cladebench/suite").exists():
        pytest.skip("the core was not built from this checkout")
    said = run("cladebench reproduce --scope smoke --cores 1 --paper taxonomy --dry-run", tmp_path)
    assert "artifacts_taxonomy" in said and "gate" in said and str(ROOT / "Snakefile") not in said
    assert not (tmp_path / "results").exists()


def test_a_run_becomes_a_crate_with_what_is_installed(installed, tmp_path, monkeypatch):
    if not (installed / "cladebench/suite").exists() or not (ROOT / ".git").exists():
        pytest.skip("the core was not built from this checkout")
    metrics = synthetic_run.page_paper_metrics
    synthetic_run.write_run(tmp_path / "run", "page_paper", metrics, fate=synthetic_run.page_paper_fate)
    paths = [str(installed), str(Path(synthetic_run.__file__).parent)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    run("cladebench export --format rocrate --results run --paper page_paper --out crate", tmp_path)
    for name in ("Snakefile", "workflow/rules/cells.smk", "config/config.yaml"):
        assert (tmp_path / "crate" / name).read_bytes() == (ROOT / name).read_bytes()
    graph = json.loads((tmp_path / "crate/ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    by_id = {entity["@id"]: entity for entity in graph}
    git = ["git", "-C", str(ROOT), "show", "-s", "--format=%H %cs", "HEAD"]
    commit, day = subprocess.run(git, check=True, capture_output=True, text=True).stdout.split()
    assert by_id["./"]["datePublished"] == day  # git does not know the commit of the run
    assert f"built from commit {commit}" in by_id["Snakefile"]["description"]
    assert by_id["Snakefile"]["version"] == cladebench.__version__


@pytest.fixture(scope="module")
def files(tmp_path_factory, installed):
    folder = tmp_path_factory.mktemp("user")
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 10)
    X = np.array([[0, 0], [6, 0], [0, 6]])[labels] + rng.normal(size=(30, 2))
    frame = pd.DataFrame(X, columns=["age", "dose"])
    frame.to_parquet(folder / "customers.parquet")
    frame.assign(diagnosis=np.array(["a", "b", "c"])[labels]).to_csv(folder / "patients.csv", index=False)
    np.savetxt(folder / "travel.csv", np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), delimiter=",")
    words = [f"{label} {1 + label}:{1 + abs(x):.3f} 6:0.5\n" for label, (x, _) in zip(labels, X, strict=True)]
    (folder / "notes.svm").write_text("".join(words))
    (folder / "shapes").mkdir()
    for scale, (name, kinds) in enumerate(
        {"three": [labels + 1], "two": [labels + 1, (labels > 0) + 1]}.items(), 2
    ):
        np.savetxt(folder / f"shapes/{name}.data.gz", scale * X)
        for i, kind in enumerate(kinds):
            np.savetxt(folder / f"shapes/{name}.labels{i}.gz", kind, fmt="%d")
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
    """The folder that the page's second command filled, interrupted and resumed, and its last words."""
    first = subprocess.Popen(
        command(WHOLE),
        cwd=files,
        start_new_session=True,
        # Tests that run in the background of a shell ignore it, and a command that was told so goes on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    folder = files / "patients-report"
    deadline = time.monotonic() + 120
    while not [*folder.glob("cells/*/*/*/*.json")] and time.monotonic() < deadline:
        time.sleep(0.1)
    started = psutil.Process(first.pid).children(recursive=True)
    os.killpg(first.pid, signal.SIGINT)
    first.communicate(timeout=240)
    assert first.returncode == 130
    left = [child for child in started if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert started and left == []
    assert not (folder / "index.html").exists()
    return folder, run(WHOLE, files)


def test_the_first_command_says_what_it_took_for_what(files, started):
    assert "patients" in started and "3 classes" in started
    assert set(read_comparison(files / "comparison.yaml").methods) == {
        *("Agglomerative", "MyMethod", "RandomClusters", "RandomTree")
    }


def test_the_commands_are_those_of_what_is_installed(files, installed):
    done = subprocess.run(
        [sys.executable, "-c", "import cladebench; print(cladebench.__file__)"],
        cwd=files,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).parent == installed / "cladebench"


def test_an_interrupted_run_goes_on_with_equal_values(files, whole, tmp_path):
    run_all(files / "comparison.yaml", tmp_path)  # never interrupted
    scores_of(collect(tmp_path)).to_csv(tmp_path / "scores.csv", index=False)
    resumed, expected = (pd.read_csv(folder / "scores.csv") for folder in (whole[0], tmp_path))
    resumed, expected = (
        table[~table["measure"].isin(["fit_seconds", "memory_mb"])] for table in (resumed, expected)
    )
    assert set(resumed["status"]) == {"ok"}
    pd.testing.assert_frame_equal(resumed, expected)


def test_the_commands_of_the_page_give_the_page(files, whole):
    folder, said = whole
    assert said.splitlines()[-1] == str(folder / "index.html") and said.count("index.html") == 1
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "has the best score: a mean adjusted RI of 1.00" in page and "color-scheme" in page
    assert str(ROOT) not in page
    first = (folder / "scores.csv").read_bytes()
    assert {"index.html", "differences.csv", "scores.tex", "cells.parquet", "plan.json"} <= set(
        os.listdir(folder)
    )
    record = next((folder / "cells" / "comparison" / "patients" / "MyMethod").glob("*.json"))
    before = record.stat().st_mtime_ns
    (folder / "index.html").unlink()
    run(AGAIN, files)  # Snakemake goes on from there
    assert (folder / "index.html").is_file()
    assert (folder / "scores.csv").read_bytes() == first and record.stat().st_mtime_ns == before


def test_the_file_of_the_page_with_all_kinds_of_data_gives_a_page_with_one_command(files):
    text = YAML
    for old, few in SOONER.items():
        assert old in text
        text = text.replace(old, few)
    (files / "all-kinds.yaml").write_text(text)
    run("cladebench run-comparison all-kinds.yaml --cores 2 --out all-kinds", files)
    scores = pd.read_csv(files / "all-kinds/scores.csv", keep_default_na=False, na_values=[""])
    best = scores[scores.measure == "ari"].groupby(["data", "method"])["mean"].max().unstack()
    assert set(best.index) == set(DATA) - {"customers", "travel"}
    assert best.loc[["patients", "shapes-three", "shapes-two"], "Agglomerative"].min() > 0.5
    assert best["MyMethod"].min() > 0.2  # it takes absolute values of centred features
    assert best.loc["notes", "HDBSCAN"] > 0.2 and best["RandomClusters"].abs().max() < 0.5
    silhouettes = scores[scores.measure == "silhouette"].groupby(["data", "method"])["mean"].max()
    assert silhouettes["travel", "Agglomerative"] > 0.5 and silhouettes["customers", "Agglomerative"] > 0.5
    refused = scores[scores.status == "not_applicable"].groupby("data").method.unique().map(set).to_dict()
    assert refused == {"notes": {"Agglomerative", "MyMethod"}, "travel": {"MyMethod"}}
    assert set(scores.status) == {"ok", "not_applicable"}
    page = (files / "all-kinds/index.html").read_text(encoding="utf-8")
    assert all(f'<section id="data-{name}">' in page for name in DATA) and "Not at hand" not in page


def test_the_file_of_the_page_is_read(files):
    file = files / "of-the-page.yaml"
    file.write_text(YAML)
    found = read_comparison(file)
    assert found.mine == "MyMethod" and list(found.data) == DATA
    assert [name for name, data in found.data.items() if data.kind == "distances"] == ["travel"]
    assert [name for name, data in found.data.items() if data.sparse] == ["notes"]
    keys = set(re.findall(r"^\| `(\w+)` \|", PAGE.partition("| key |")[2].partition("\n\n")[0], re.MULTILINE))
    assert set(re.findall(r"^(\w+):", YAML, re.MULTILINE)) - {"title"} <= keys
