import math
from types import ModuleType

import pandas as pd
import pytest

from cladebench.cli import main
from cladebench.crosscheck import run as crosschecks
from cladebench.crosscheck.certificate import COLUMNS, Certificate


@pytest.fixture
def one_topic(monkeypatch):
    """Replace the checks by one whose residual the test sets."""

    def install(residual):
        def certificates(scope, seed):
            yield Certificate("toy", scope, str(seed), "holds", "fast", "exact", 1.0, 1.0, residual, 0.5)

        module = ModuleType("toy")
        module.certificates = certificates
        monkeypatch.setattr(crosschecks, "discover", lambda: {"toy": module})

    return install


@pytest.mark.parametrize(
    ("residual", "options", "code"),
    [(0.0, [], 0), (1.0, [], 1), (math.nan, [], 1), (1.0, ["--record-only"], 0)],
)
def test_exit_code(one_topic, tmp_path, capsys, residual, options, code):
    one_topic(residual)
    assert main(["crosscheck", "--scope", "smoke", "--seed", "7", "--out", str(tmp_path), *options]) == code
    frame = pd.read_csv(tmp_path / "certificates.csv")
    assert frame.id.tolist() == ["toy/smoke/7"]
    assert frame.passed.tolist() == [residual == 0.0]
    printed = capsys.readouterr().out
    assert ("FAILED toy/smoke/7" in printed) == (residual != 0.0)
    assert str(tmp_path / "certificates.csv") in printed


@pytest.mark.parametrize("wrong", [["--topic", "alchemy"], ["--scope", "huge"], ["--seed", "-1"]])
def test_wrong_usage(one_topic, tmp_path, capsys, wrong):
    one_topic(0.0)
    assert main(["crosscheck", "--out", str(tmp_path), *wrong]) == 2
    assert wrong[1] in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_said_before_any_check(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(crosschecks, "run", lambda *arguments: pytest.fail("a check was run"))
    out = tmp_path / ("x" * 300)
    assert main(["crosscheck", "--scope", "smoke", "--out", str(out)]) == 1
    assert capsys.readouterr().err.startswith(f"cladebench crosscheck: {out}: File name too long")


def test_the_certificates_of_other_topics_are_not_lost(tmp_path, capsys):
    row = dict.fromkeys(COLUMNS, "") | {"id": "a", "topic": "alchemy", "passed": "True"}
    text = pd.DataFrame([row]).to_csv(index=False)
    (tmp_path / "certificates.csv").write_text(text)
    assert main(["crosscheck", "--scope", "smoke", "--topic", "perch", "--out", str(tmp_path)]) == 2
    assert "it has solver checks of alchemy, which would be lost" in capsys.readouterr().err
    assert (tmp_path / "certificates.csv").read_text() == text


def test_for_real(tmp_path, capsys):
    topic = "dasgupta-balanced"
    assert main(["crosscheck", "--scope", "smoke", "--topic", topic, "--out", str(tmp_path)]) == 0
    assert set(pd.read_csv(tmp_path / "certificates.csv").topic) == {topic}
    assert "2 of 2" in capsys.readouterr().out
