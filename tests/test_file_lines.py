"""Errors of YAML files say the line of the key, or of the nearest above it that is in the file."""

import dataclasses
import os
import random
import re

import pytest

from cladebench.audit.claims_file import checked_claims
from cladebench.bench.plan.config import load_config
from cladebench.bench.plan.plan_file import read_plan
from cladebench.comparison.spec import read_comparison
from cladebench.file_lines import lines_of, lines_told
from cladebench.input_files import InputFileError, read_validated
from cladebench.paper.catalogue import built_in_papers, load_plan, validate_protocol
from cladebench.paper.choices import checked_choices
from cladebench.paper.findings import checked_findings
from input_mutants import Mutator


def test_lines_of_keys(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(
        "a: &one {b: 1,\n  c.d: [x, {e: 2}]}\nother: {<<: *one, own: 3}\nlist:\n- f: 4\n- *one\n- 5\n"
    )
    at = lines_of(path)
    found = {
        where: at(where) for where in ("a", "a.b: no", "a.c.d[1].e", "other.own", "list[0].f", "list[2]: no")
    }
    assert found == {
        "a": ", line 1",
        "a.b: no": ", line 1",
        "a.c.d[1].e": ", line 2",
        "other.own": ", line 3",
        "list[0].f": ", line 5",
        "list[2]: no": ", line 7",
    }
    # What an alias brings in, or is not there: the nearest key.
    assert [at(where) for where in ("other.b", "list[1].b", "list[0].g.h", "b", "ab")] == [
        *(", line 3", ", line 4", ", line 5", "", "")
    ]
    path.write_text("{")
    assert lines_of(path)("a") == ""
    path.unlink()
    assert lines_of(path)("a") == ""


def test_lines_of_entries_with_an_id(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("tables:\n- rows: {}\n  id: t\nclaims:\n- id: t/a\n  k: 1\n- id: b\n- id: b\n")
    at = lines_of(path)
    places = (
        "table 't': rows.x",
        "claim 't/x': k",
        "claim 't/a/x'",
        "claim 't/a': k.l",
        "claim 'b' and 1 more",
    )
    assert [at(place) for place in places] == [f", line {n}" for n in (2, 2, 5, 6, 8)]
    assert at("claim 'c'") == at("claim 'ta'") == ""


def load(kind, path, plan):
    """Read a file as the commands do."""
    beside = plan and dataclasses.replace(plan, path=path.with_name("plan.yaml"))
    if kind == "plan":
        validate_protocol(read_plan(path, plan.package))
    elif kind == "claims":
        checked_claims(path, plan)
    elif kind == "choices":
        checked_choices(beside)
    elif kind == "findings":
        checked_findings(beside)
    elif kind == "captions":
        with lines_told(path):
            read_validated(path, "captions")
    else:
        {"config": load_config, "comparison": read_comparison}[kind](path)


#: kind of file, what is changed in it and how, what the error says, and the text at its line where that is another.
WRONG = [
    ("plan", "    repetitions: 5", "    repetitons: 5", "unknown key 'repetitons'", ""),
    ("plan", "    repetitions: 5", "    # none", "missing key 'repetitions'", "  quick:"),
    (
        "plan",
        "{shuffled: true}",
        "{label_noise: 0.1}",
        "label_noise: 0.1 is not read by the paper's protocol",
        "",
    ),
    ("plan", "datasets: [glass", "datasets: [glas", "unknown data set 'glas'", ""),
    ("claims", "kind: order", "kind: ordr", "kind: 'ordr' is not allowed", ""),
    (
        "claims",
        "{fact: n_classes, dataset: sp",
        "{fact: n_classes, dataset: Sp",
        "'Spambase'",
        "  - id: data/spambase/clu",
    ),
    ("claims", "margin: 0.05", "margin: -1", "margin: -1", ""),
    ("claims", "id: competitive/measured/", "id: data/digits/clusters # ", "given twice", ""),
    ("claims", "{method: GHC-N-FT}", "{method: GHC}", "unknown 'GHC'", "  - id: competitive/measured\n"),
    ("claims", "method: Sparsest-Cut", "method: Sparse", "unknown 'Sparse'", "  - id: fig3a"),
    ("choices", "metric: {dasgupta_cost:", "metric: {dasgupta:", "unknown 'dasgupta'", ""),
    ("choices", "- id: pairs", "- id: similarity", "entry 'similarity': id: given twice", ""),
    ("choices", "name: self-pairs too", "name: unordered pairs", "'unordered pairs' is given twice", ""),
    ("findings", "claim: competitive", "clam: competitive", "unknown key 'clam'", ""),
    ("findings", "blind: [Random]", "blind: [Rndom]", "unknown 'Rndom'", ""),
    ("captions", "  cells: All", "  cells: [All] #", "cells: ['All'] is not allowed", ""),
    ("config", "seed: 0", "seed: zero", "seed: 'zero' is not allowed", ""),
    ("comparison", "rope: 1", "rope: x", "rope: 'x' is not allowed", ""),
    ("comparison", "{registered: iris}", "{registered: irs}", "no data set 'irs'", ""),
]


@pytest.mark.parametrize(("kind", "old", "new", "said", "where"), WRONG)
def test_each_kind_of_file(tmp_path, kind, old, new, said, where):
    plan = load_plan("ghc")
    texts = {
        "config": "# mine\nscope: smoke\nseed: 0\n",
        "comparison": "title: mine\ndata:\n  d: {registered: iris}\nrope: 1\n",
    }
    text = texts.get(kind) or plan.path.with_name(f"{kind}.yaml").read_text()
    path = tmp_path / "ghc" / f"{kind}.yaml"
    path.parent.mkdir()
    path.write_text(text.replace(old, new, 1))
    line = text.count("\n", 0, text.index(where or old)) + 1
    with pytest.raises(InputFileError) as caught:
        load(kind, path, plan)
    first = next(one for one in str(caught.value).split("\n") if said in one)
    assert re.match(rf"\S*ghc/{kind}\.yaml, line {line}: ", first), first


@pytest.mark.timeout(900)
@pytest.mark.parametrize("paper", built_in_papers())
@pytest.mark.parametrize("kind", ["plan", "claims", "choices", "findings", "captions"])
def test_a_wrong_value_is_told_at_its_key(tmp_path, paper, kind):
    """A sample of keys by default; ``CLADEBENCH_MUTANTS=1000`` takes a thousand of each file."""
    plan = load_plan(paper)
    path = tmp_path / paper / f"{kind}.yaml"
    path.parent.mkdir()
    mutator = Mutator(plan.path.with_name(path.name).read_text())
    keys = [value for value in mutator.values if value[4] is not None]
    told = 0
    for key in random.Random(0).sample(keys, min(int(os.environ.get("CLADEBENCH_MUTANTS", 6)), len(keys))):
        start, end, _, _, at = key
        path.write_text(mutator.text[:start] + "{zzz: [zzz]}" + mutator.text[end:])
        # Its own line, that of the value, and those of the keys and entries that it is in.
        around = [v[4] for v in mutator.values if v[4] is not None and v[0] <= at and end <= v[1]]
        allowed = {mutator.text.count("\n", 0, place) + 1 for place in (at, start, *around)}
        try:
            load(kind, path, plan)
        except InputFileError as error:
            said = str(error)
            if re.search(r", line \d+, column ", said):  # an anchor went with the value
                continue
            told += 1
            found = {int(n) for n in re.findall(r"\.yaml, line (\d+): ", said)}
            assert found & allowed, (mutator.text[at:start], allowed, said)
    assert told


def test_entries_of_one_id_are_told_apart(tmp_path):
    """Claims may share an id where `for_each` differs."""
    path = tmp_path / "exemplar" / "claims.yaml"
    path.parent.mkdir()
    plan = load_plan("exemplar")
    text = plan.path.with_name(path.name).read_text()
    first, second = (found.end() for found in re.finditer(r"- id: fast/ninety\n    kind: ", text))
    for at in (first, second):
        path.write_text(f"{text[:at]}x{text[at:]}")
        with pytest.raises(
            InputFileError, match=f"^exemplar/claims.yaml, line {text.count(chr(10), 0, at) + 1}: "
        ):
            load("claims", path, plan)
