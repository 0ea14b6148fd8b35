"""A damaged ``audit.json`` is refused in a line that names what is wrong and the command that makes the file."""

import json

import pytest

from cladebench.audit.audit_files import Audit, read_audit, write_audit
from cladebench.input_files import InputFileError
from made_up_claims import claim


def second(**changed):
    """Change the second claim of an audit."""
    return lambda audit: audit["claims"][1].update(changed)


def counted(verdicts):
    return lambda audit: audit.update(verdicts={"made": verdicts})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda audit: audit["claims"][1].pop("verdict"), "claims[1]: missing key 'verdict'"),
        (second(verdict="plausible"), "claims[1].verdict: 'plausible' is unknown; expected one of reproduced, within"),
        (second(measured="0.5"), "claims[1].measured: '0.5' is not allowed"),
        (second(n=2.5), "claims[1].n: 2.5 is not allowed; expected a whole number"),
        (second(low=float("nan")), "nan is no finite number"),
        (second(parts="a: reproduced; b: reproduced"), "claims[1].parts: 'a: reproduced"),
        (second(parts=[{"claim": "a", "verdict": "b"}]), "claims[1].verdict: 'b' is unknown"),
        (second(cells="p/d/m/s/*"), "expected a list"),
        (lambda audit: audit.pop("verdicts"), "missing key 'verdicts'"),
        (counted({"splendid": 1}), "verdicts: 'splendid' is unknown; expected one of reproduced, "),
        (counted({"reproduced": 1.5}), "1.5 is not allowed"),
    ],
)  # fmt: skip
def test_a_damaged_audit_is_refused_in_a_line(tmp_path, damage, message):
    claims = [claim(name, stance="supports", stances={}) for name in "ab"]
    _, path = write_audit(Audit(claims, {}, {}), tmp_path)
    assert [found["claim"] for found in read_audit(path).claims] == ["a", "b"]
    audit = json.loads(path.read_text())
    damage(audit)
    path.write_text(json.dumps(audit))
    with pytest.raises(InputFileError) as error:
        read_audit(path)
    said = str(error.value)
    assert said.startswith(f"{path}: ") and message in said
    assert said.endswith("run cladebench audit, which makes it") and "\n" not in said
