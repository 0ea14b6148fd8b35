import json

import numpy as np
import pandas as pd
import pytest

from audit_records import cells, frame, write_cells
from cladebench.audit import Audit, audit_files, audit_run, read_audit, write_audit
from cladebench.audit.audit_files import COLUMNS
from cladebench.audit.pipeline import whole_run
from cladebench.audit.pipeline.whole_run import registry_fact
from cladebench.audit.verdict.verdict_types import VERDICTS
from cladebench.cli import main
from cladebench.crosscheck.certificate import COLUMNS as CERTIFICATES
from cladebench.paper.catalogue import load_plan


def write(folder, paper="ghc"):
    rows = cells("glass", "Perch", {"dendrogram_purity": [0.469, 0.47, 0.471]})
    rows = [row | {"paper": paper, "cell_id": row["cell_id"].replace("toy", paper)} for row in rows]
    write_cells(frame(rows), folder)


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    write(folder)
    return audit_run(folder, ["ghc"])


def test_the_command_writes_both_files(tmp_path, capsys):
    write(tmp_path)
    table = pd.DataFrame({"id": ["a"], "topic": ["dasgupta-binary"], "passed": [True]})
    table.reindex(columns=list(CERTIFICATES)).to_csv(tmp_path / "certificates.csv", index=False)
    assert main(["audit", "--results", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "reproduced" in said
    assert "audit.csv" in said
    audit = pd.read_csv(tmp_path / "audit.csv")
    assert tuple(audit.columns) == COLUMNS
    assert list(audit.columns[:10]) == [
        "claim", "paper", "place", "published", "measured", "low", "high", "n", "verdict", "reason",
    ]  # fmt: skip
    assert audit.claim.is_unique
    by_claim = audit.set_index("claim")
    assert by_claim.verdict["fig3a/glass/perch"] == "within noise"  # 0.47 ± 0.02 and three values
    assert by_claim.verdict["cost/binary"] == "reproduced"
    document = json.loads((tmp_path / "audit.json").read_text())
    assert [c["claim"] for c in document["claims"]] == list(audit.claim)
    assert sum(document["verdicts"]["ghc"].values()) == len(audit)
    assert document["excluded"]["ghc"]
    perch = next(c for c in document["claims"] if c["claim"] == "fig3a/glass/perch")
    assert (perch["n"], perch["cells"], perch["methods"]) == (3, ["ghc/glass/Perch/default/*"], ["Perch"])
    first = (tmp_path / "audit.csv").read_bytes()
    assert (
        main(["audit", "--results", str(tmp_path), "--paper", "ghc", "--out", str(tmp_path / "again")]) == 0
    )
    assert (tmp_path / "again/audit.csv").read_bytes() == first


def test_with_the_scope_planned_cells_without_a_record_count_as_missing(tmp_path, capsys):
    write(tmp_path)
    assert main(["audit", "--results", str(tmp_path), "--scope", "quick"]) == 0
    found = pd.read_csv(tmp_path / "audit.csv").set_index("claim")
    perch, birch = found.loc["fig3a/glass/perch"], found.loc["fig3a/glass/birch"]
    missing = "2 of 5 runs missing: planned, but there is no record of it"
    assert perch.verdict == "within noise" and perch.n == 3 and missing in perch.reason
    assert birch.reason.startswith("BIRCH on glass: 5 of 5 runs missing") and birch.verdict == "not testable"
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "ghc.json").write_text('{"scope": "quick"}')
    assert main(["audit", "--results", str(tmp_path), "--scope", "full"]) == 2
    assert "was run in the scope 'quick', not 'full'" in capsys.readouterr().err


def test_wrong_usage_is_named(tmp_path, capsys):
    write(tmp_path, paper="another")
    assert main(["audit", "--results", str(tmp_path)]) == 2
    assert "records of 'another', which the configuration does not name" in capsys.readouterr().err
    assert main(["audit", "--results", str(tmp_path), "--paper", "nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


def test_the_verdicts_of_other_papers_are_not_thrown_away(tmp_path, capsys):
    write(tmp_path)
    assert main(["audit", "--results", str(tmp_path)]) == 0
    table = pd.read_csv(tmp_path / "audit.csv")
    table.loc[0, "paper"] = "another"
    table.to_csv(tmp_path / "audit.csv", index=False)
    held = [(tmp_path / name).read_bytes() for name in ("audit.csv", "audit.json")]
    capsys.readouterr()
    assert main(["audit", "--results", str(tmp_path), "--paper", "ghc"]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path}/audit.csv: it has verdicts on another, which would be lost" in said
    assert [(tmp_path / name).read_bytes() for name in ("audit.csv", "audit.json")] == held
    assert main(["audit", "--results", str(tmp_path)]) == 0
    assert set(pd.read_csv(tmp_path / "audit.csv").paper) == {"ghc"}
    assert main(["audit", "--results", str(tmp_path), "--paper", "ghc"]) == 0


def test_the_json_is_nested_and_the_csv_says_the_same(tmp_path):
    write(tmp_path)
    assert main(["audit", "--results", str(tmp_path)]) == 0
    claims = json.loads((tmp_path / "audit.json").read_text())["claims"]
    rows = pd.read_csv(tmp_path / "audit.csv").set_index("claim")
    verdicts = {claim["claim"]: claim["verdict"] for claim in claims}
    sentences = [claim for claim in claims if claim["parts"]]
    assert sentences and all(
        part["verdict"] == verdicts[part["claim"]] for c in sentences for part in c["parts"]
    )
    for claim in claims:
        row = rows.loc[claim["claim"]].fillna("")
        for key in ("cells", "cells_beside", "methods", "stand_in_for"):
            assert isinstance(claim[key], list) and "; ".join(claim[key]) == row[key]
        assert "; ".join(f"{part['claim']}: {part['verdict']}" for part in claim["parts"]) == row.parts
        for key in ("measured", "low", "p_value", "n"):
            assert claim[key] is None if row[key] == "" else claim[key] == row[key]
    assert read_audit(tmp_path / "audit.json").claims == claims


def test_what_numpy_gives_is_written_as_plain_numbers(audit, tmp_path):
    claim = audit.claims[0] | {
        "n": np.int64(3),
        "measured": np.float64(0.5),
        "low": np.nan,
        "high": np.float32("nan"),
    }
    write_audit(Audit([claim], {}, {}), tmp_path / "out")
    found = read_audit(tmp_path / "out" / "audit.json").claims[0]
    assert [found[key] for key in ("n", "measured", "low", "high")] == [3, 0.5, None, None]


def test_both_files_are_text_that_people_read_and_diff(audit, tmp_path):
    paths = write_audit(audit, tmp_path)
    assert paths == [tmp_path / "audit.csv", tmp_path / "audit.json"]
    lines = paths[1].read_text(encoding="utf-8").split("\n")
    assert lines[:3] == ["{", ' "verdicts": {', '  "ghc": {'] and lines[-2:] == ["}", ""]
    assert any("0.47 ± 0.02" in line for line in lines)
    assert paths[0].read_bytes().count(b"\n") == len(audit.claims) + 1
    by_claim = pd.read_csv(paths[0], dtype=str).set_index("claim")
    assert (by_claim.n["fig3a/glass/perch"], by_claim.n_published["fig3a/glass/perch"]) == ("3", "5")


def test_a_number_that_json_cannot_hold_is_not_written(audit, tmp_path):
    with pytest.raises(ValueError, match="inf"):
        write_audit(Audit([audit.claims[0] | {"measured": np.inf}], {}, {}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_facts_are_those_of_the_registry():
    facts = ("n_samples", "n_features", "n_classes")
    assert [registry_fact("glass", fact) for fact in facts] == [214, 9, 6]
    with pytest.raises(ValueError, match=r"^unlabelled-blobs has no classes$"):
        registry_fact("unlabelled-blobs", "n_classes")
    with pytest.raises(ValueError, match="nowhere"):
        registry_fact("nowhere", "n_samples")


def test_each_claim_counts_once():
    claims = [{"paper": p, "verdict": v} for p, v in [("a", "depends"), ("b", "depends"), ("a", "depends")]]
    counts = audit_files.summary(claims)
    assert [counts[paper]["depends"] for paper in ("a", "b")] == [2, 1]
    assert sum(counts["a"].values()) == 2 and tuple(counts["a"]) == tuple(VERDICTS)


def test_other_choices_are_listed_with_their_entries(audit):
    assert {"factor": "learning-rate", "name": "learning rate 3"} in audit.other_choices["ghc"]


def test_papers_are_judged_by_what_their_plans_say_of_tasks(tmp_path, monkeypatch):
    """How many rows a task draws from, and which splits are not drawn, decide how far values are independent."""
    told = {}

    def judge(claims, records, **how):
        told.update(how)
        return []

    monkeypatch.setattr(whole_run, "audit_paper", judge)
    write(tmp_path)
    audit_run(tmp_path, ["hfd", "ghc"], "full")
    plan = load_plan("ghc")
    assert told["sizes"] == plan.pools() != {}
    assert told["official"] == plan.official_splits("full")
