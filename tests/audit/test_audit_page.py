import doctest

import doc_examples
from cladebench.audit import read_claims


def test_the_worked_examples_of_the_page_hold():
    results = doctest.testfile(str(doc_examples.ROOT / "docs/verdicts.md"), module_relative=False)
    assert results.attempted > 20
    assert results.failed == 0


def test_the_example_file_is_valid(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(doc_examples.titled_blocks("verdicts.md")["claims.yaml"], encoding="utf-8")
    found = read_claims(path)
    assert list(found.claims) == [
        "table1/blobs/perch",
        "table1/blobs/hac-c",
        "table1/bold/blobs",
        "table1/best/blobs",
        "table1/ranking/blobs",
        "perch-beats-random/nested-blobs",
        "perch-everywhere",
    ]
