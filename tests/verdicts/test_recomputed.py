"""Every verdict of the committed run, and of a made-up paper with claims of all kinds, against a recomputation.

The code beside this file was written from docs/verdicts.md alone; the audit is only met as a command and by its table.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import cladebench
from verdicts.claims import claims_of
from verdicts.made_up_records import packages, results
from verdicts.records import COLUMNS
from verdicts.verdicts import Verdicts, read

FULL = Path(__file__).parents[2] / "results" / "full"
PAPERS = Path(cladebench.__file__).parent / "papers"
TEXTS = [
    "verdict",
    "answer",
    "verdict_beside",
    "evidence",
    "blind",
    "universes",
    "depends_on",
    "main",
    "not_run",
    "parts",
]
NUMBERS = ["measured", "p_value", "p_adjusted"]
#: The seed meets every verdict.
MADE_UP = ["made_up_7"]


def both(results, folders, scope):
    """What the audit says and what is recomputed, by paper and claim."""
    said = pd.read_csv(results / "audit.csv", dtype={"main": str}).set_index(["paper", "claim"])
    said = said.assign(**{column: said[column].astype(object).fillna("") for column in TEXTS})
    cells = pd.read_parquet(results / "cells.parquet", columns=["paper", *COLUMNS])
    certificates = pd.read_csv(results / "certificates.csv")
    # What is proven of possible numbers is met in tests/audit; what follows from it is recomputed.
    proven = said.assign(open_=said.reason.astype(str).str.match("[Nn]othing excludes"))
    found = {
        folder.name: Verdicts(
            folder,
            cells,
            certificates,
            {at: tuple(row) for at, *row in proven.loc[folder.name][["low", "high", "open_"]].itertuples()},
            scope,
        ).table()
        for folder in folders
    }
    return said, pd.concat(found, names=["paper", "claim"])


def differing(said, found, column):
    """Claims whose answers differ, with the audit's and ours."""
    assert sorted(said.index) == sorted(found.index)
    ours, theirs = found[column].reindex(said.index), said[column]
    if column in NUMBERS:
        ours = ours.astype(float)
        near = (ours - theirs).abs() <= 1e-7 * theirs.abs() + 1e-12
        equal = near | (ours.isna() & theirs.isna())
    else:
        equal = ours == theirs
    return {"/".join(at): (theirs[at], ours[at]) for at in said.index[~equal]}


@pytest.fixture(scope="module")
def committed():
    said = pd.read_csv(FULL / "audit.csv")
    names = said.paper.unique()
    claims = {(name, c.id) for name in names for c in claims_of(read(PAPERS / name / "claims.yaml"))}
    assert claims == set(zip(said.paper, said.claim, strict=True)), (
        "judge the committed run by today's claims"
    )
    # The run is whole: it passed the gate, so that nothing planned is missing.
    return both(FULL, [PAPERS / name for name in names], None)


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made_up")
    packages(folder, MADE_UP)
    results(folder / "smoke", MADE_UP)
    asked = [argument for name in MADE_UP for argument in ("--paper", name)]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "cladebench.cli",
            "audit",
            "--results",
            folder / "smoke",
            "--scope",
            "smoke",
            *asked,
        ],
        env={**os.environ, "PYTHONPATH": str(folder)},
        check=True,
        capture_output=True,
    )
    return both(folder / "smoke", [folder / name for name in MADE_UP], "smoke")


@pytest.mark.parametrize("column", TEXTS + NUMBERS)
def test_the_committed_run_is_recomputed(committed, column):
    assert differing(*committed, column) == {}


@pytest.mark.parametrize("column", TEXTS + NUMBERS)
def test_a_made_up_paper_is_recomputed(made_up, column):
    assert differing(*made_up, column) == {}


def test_the_made_up_paper_meets_every_verdict(made_up):
    verdicts = set(made_up[0].verdict)
    assert verdicts >= {
        "reproduced",
        "within noise",
        "direction only",
        "contradicted",
        "depends",
        "uninformative",
        "inconsistent",
        "analogue holds",
        "analogue undecided",
        "analogue fails",
        "not testable",
    }


def test_nothing_of_the_audit_is_imported():
    code = "import json, sys, verdicts.verdicts; print(json.dumps(list(sys.modules)))"
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True
    )
    assert not [
        name
        for name in json.loads(run.stdout)
        if name.startswith(("cladebench.audit", "cladebench.bench", "cladebench.paper"))
    ]
