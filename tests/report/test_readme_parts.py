"""The README's parts are renewed between their markers, and nothing else is."""

import pytest

from cladebench.cli import main
from cladebench.input_files import InputFileError
from cladebench.report.readme import renew_readme
from cladebench.report.templating import three_digits

TEXT = """# A

<!-- cladebench readme: one -->
old
<!-- end -->
kept
<!-- cladebench readme: two -->
<!-- end -->
"""


def test_parts_are_put_between_their_markers():
    new = renew_readme(TEXT, {"one": r"1 \1" + "\n", "two": "2\n", "three": "3\n"}, "README.md")
    assert new == TEXT.replace("old\n", "1 \\1\n").replace("two -->\n", "two -->\n2\n")
    assert renew_readme(new, {"one": "1 \\1\n", "two": "2\n"}, "README.md") == new


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n", "mine.md: no part between <!-- cladebench readme: NAME --> and <!-- end -->"),
        (TEXT, "mine.md: cladebench readme: unknown part 'two'; allowed: one"),
    ],
)
def test_what_cannot_be_renewed_is_said(text, said):
    with pytest.raises(InputFileError) as caught:
        renew_readme(text, {"one": ""}, "mine.md")
    assert said in str(caught.value)


def test_a_finding_that_does_not_hold_is_not_written(results, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text("<!-- cladebench readme: page_paper -->\n<!-- end -->\n")
    options = ["--results", str(results), "--scope", "smoke", "--paper", "page_paper", "--file", str(readme)]
    assert main(["readme", *options]) == 2
    said = capsys.readouterr().err
    assert (
        "page_paper/findings.yaml: finding 'oracle': found instead: purity of Oracle on nested-blobs is 1.099"
        in said
    )
    assert readme.read_text().count("\n") == 2


def test_the_command_renews_a_file_and_then_leaves_it(results, tmp_path, capsys, monkeypatch):
    from cladebench.report import readme as parts

    monkeypatch.setattr(parts, "check_findings", lambda *_: {"theorem": ()})
    path = tmp_path / "README.md"
    path.write_text(
        "<!-- cladebench readme: page_paper -->\n<!-- end -->\n<!-- cladebench readme: verdicts -->\n<!-- end -->\n"
    )
    options = ["--results", str(results), "--scope", "smoke", "--paper", "page_paper", "--file", str(path)]
    assert main(["readme", *options]) == 0
    assert "renewed" in capsys.readouterr().out
    text = path.read_text()
    assert "Scope smoke: 56 cells" in text and "- The gridded method is ahead.\n" in text
    lacking = "1 finding of the full run cannot be checked in this run:\n  - The theorem was reproduced."
    assert f"- The tree of the labels has a purity of 1.2 on blobs.\n- {lacking}\n\n![" in text
    assert "| Gridded | 0.50 ± 0.02 → " in text and "| *Random* | " in text
    assert main(["readme", *options]) == 0
    assert "as the run has it" in capsys.readouterr().out and path.read_text() == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(79.04, "79.0"), (0.4678, "0.468"), (5.0, "5.00"), (1.139e6, "1.14e6"), (120.4, "120")],
)
def test_three_digits(value, text):
    assert three_digits(value) == text
