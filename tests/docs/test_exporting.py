"""The page on exports says what the code does: formats, options and the table of statuses."""

import re

from cladebench.audit.verdict_statuses import STATUSES
from cladebench.cli import build_parser
from cladebench.export import FORMATS
from cladebench.export.forrt import CONFIDENCE
from doc_examples import ROOT

PAGE = (ROOT / "docs" / "exporting.md").read_text(encoding="utf-8")


def test_the_table_of_statuses_is_that_of_the_code():
    part = PAGE.partition("| validation status |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*`) \| (.*?) \|$", part, re.MULTILINE)
    said = {verdict: status for verdicts, status in rows for verdict in re.findall("`(.*?)`", verdicts)}
    assert said == {verdict: status.name for verdict, status in STATUSES.items()}


def test_formats_confidences_and_examples_are_there():
    assert set(re.findall(r"^\| `(\w+)` \| ", PAGE, re.MULTILINE)) >= set(FORMATS)
    assert set(re.findall(r"^\| (\w[\w ]*) \| an? ", PAGE, re.MULTILINE)) == set(CONFIDENCE)
    lines = re.findall(r"^cladebench (export .*)$", PAGE, re.MULTILINE)
    assert {build_parser().parse_args(line.split()).format for line in lines} == set(FORMATS)
