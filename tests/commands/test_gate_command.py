"""The end of a run: what was judged, paper by paper."""

import json

from cladebench.audit import VERDICTS


def test_the_counts_of_verdicts_are_printed_and_kept(copied, capsys):
    assert copied.main("gate") == 0
    line = "examplepaper: 3 claims: 1 reproduced, 1 within noise, 1 contradicted"
    assert line in capsys.readouterr().out.splitlines()
    assert line in (copied.folder / "gate.txt").read_text().splitlines()


def test_each_paper_has_its_line_in_the_order_of_the_verdicts(copied, capsys):
    """As ``audit.json`` counts them: nothing is counted again."""
    audit = json.loads((copied.folder / "audit.json").read_text())
    audit["verdicts"] = {"b": {VERDICTS[0]: 2, VERDICTS[1]: 0, VERDICTS[2]: 1}, "a": {VERDICTS[-1]: 1}}
    (copied.folder / "audit.json").write_text(json.dumps(audit))
    assert copied.main("gate") == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index(f"b: 3 claims: 2 {VERDICTS[0]}, 1 {VERDICTS[2]}")
    assert lines[at + 1] == f"a: 1 claim: 1 {VERDICTS[-1]}"


def test_a_run_that_was_not_judged_has_none(copied, capsys):
    (copied.folder / "audit.json").unlink()
    assert copied.main("gate") == 0
    assert "claims" not in capsys.readouterr().out
