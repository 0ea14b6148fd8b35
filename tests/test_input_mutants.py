"""Thousands of damaged input files: each is read, or refused in lines that name the file; none crashes or hangs.

A sample by default; ``CLADEBENCH_MUTANTS=1000`` takes a thousand of each file.
"""

import os
import time
import zlib
from pathlib import Path

import pytest

from cladebench.audit.claims_file import checked_claims
from cladebench.bench.plan.config import load_config, parse_config
from cladebench.bench.plan.jobs import expand
from cladebench.bench.plan.plan_file import read_plan
from cladebench.input_files import InputFileError, read_yaml
from cladebench.paper.catalogue import load_plan, validate_protocol
from cladebench.paper.choices import check_choices, read_choices
from doc_examples import ROOT
from input_mutants import Mutator

PAPERS = ("ghc", "hmmc")


def load(kind, path, plan):
    """Do what the commands do with a file before anything runs; gives what was read."""
    if kind == "config":
        config = load_config(path)
        assert parse_config(read_yaml(path) or {}, str(path)) == config
        return config
    if kind == "plan":
        found = read_plan(path, plan.package)
        validate_protocol(found)
        for scope in found.scopes:
            expand(found, scope)
        return found
    if kind == "claims":
        return checked_claims(path, plan)
    register = read_choices(path)
    check_choices(register, plan, f"{path.parent.name}/{path.name}")
    return register


def outcome(kind, path, plan):
    """What comes of a file: an empty text, or the error, each of whose lines must name the file once."""
    try:
        load(kind, path, plan)
    except InputFileError as error:
        lines = str(error).split("\n")
        assert all(line.count(f"{path.parent.name}/{path.name}") == 1 for line in lines), lines
        assert len(lines) <= 21 and max(map(len, lines)) < 3000
        return str(error)
    return ""


CASES = [
    ("config", "", 150),
    *((kind, paper, n) for paper in PAPERS for kind, n in (("plan", 100), ("claims", 60), ("choices", 120))),
]


@pytest.mark.timeout(900)  # a hang
@pytest.mark.parametrize(("kind", "paper", "n"), CASES)
def test_no_mutant_crashes_or_hangs(tmp_path, kind, paper, n):
    plan = load_plan(paper) if paper else None
    source = plan.path.with_name(f"{kind}.yaml") if plan else ROOT / "config" / "config.yaml"
    folder = tmp_path / (paper or "config")
    folder.mkdir()
    path = folder / source.name
    refused, slowest = 0, 0.0
    record = os.environ.get("CLADEBENCH_MUTANTS_LOG")
    n = int(os.environ.get("CLADEBENCH_MUTANTS", n))
    for i, (change, text) in enumerate(
        Mutator(source.read_text()).mutants(n, zlib.crc32(f"{kind}{paper}".encode()))
    ):
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        start = time.monotonic()
        try:
            said = outcome(kind, path, plan)
        except Exception as error:
            raise AssertionError(
                f"mutant {i} ({change}) of {source}: {type(error).__name__}: {error}"
            ) from error
        took = time.monotonic() - start
        refused, slowest = refused + bool(said), max(slowest, took)
        if record:
            Path(record).mkdir(exist_ok=True)
            (Path(record) / f"{kind}-{paper}-{i:04}-{change}.{'refused' if said else 'read'}").write_text(
                said or text
            )
    print(f"{kind} {paper}: {n} mutants, {refused} refused, slowest {slowest:.2f} s")
    assert n / 4 < refused < n
