"""What tables and figures read, and how they are declared."""

import dataclasses

import pytest

from cladebench.bench.plan.setting_selection import Rule
from cladebench.input_files import InputFileError
from cladebench.paper.artifact_types import Artifact, Table, declare
from cladebench.papers.ghc.artifacts import ARTIFACTS as GHC
from cladebench.papers.hmmc.artifacts import ARTIFACTS as HMMC
from golden_records import cell_id, cells, context_of

RULES = {name: Rule(name, name, "dasgupta_cost", "lower") for name in ("first", "second", "third")}


@pytest.mark.parametrize(
    ("n_rules", "own", "beside"),
    [(0, "", ""), (1, "first", "first"), (2, "first", "second"), (3, "first", "second")],
)
def test_the_first_rule_is_the_papers_own_and_the_second_stands_beside_it(n_rules, own, beside):
    context = context_of("ghc", datasets=["glass"], selection=dict(list(RULES.items())[:n_rules]))
    assert (context.own_rule, context.beside) == (own, beside)
    assert list(context.rules) == list(RULES)[:n_rules]


def test_data_sets_of_the_paper_come_first_whether_or_not_they_are_there():
    context = context_of("ghc", datasets=["digits", "glass", "nested-blobs"])
    assert context.datasets_after(("spambase", "digits")) == ["spambase", "digits", "glass", "nested-blobs"]


@pytest.mark.parametrize(
    ("metric", "values", "best"),
    [
        ("dasgupta_cost", [3.0, 1.0, 2.0], 1),
        ("dendrogram_purity", [0.1, 0.2, 0.3], 2),
        ("dasgupta_cost", [2.0] * 15 + [1.0] * 30, 15),
        ("dendrogram_purity", [0.2] * 15 + [0.3] * 30, 15),
    ],
)
def test_the_best_arrays_are_those_of_the_first_of_the_best_repetitions(metric, values, best):
    arrays = {cell_id("glass", "HAC-C", None, r): {"which": r} for r in range(len(values))}
    context = context_of("ghc", cells("glass", "HAC-C", {metric: values}), arrays=arrays)
    assert context.best_arrays("glass", "HAC-C", metric, "oracle") == {"which": best}
    assert context.best_arrays("glass", "HAC-Ward", metric, "oracle") is None


def test_an_artifact_is_a_table_or_a_figure():
    with pytest.raises(ValueError, match="artifact 'a': kind is 'poem', expected 'table' or 'figure'"):
        Artifact("a", "poem", "", "", "", Table)
    assert [field.name for field in dataclasses.fields(Artifact)] == [
        *("id", "kind", "title", "caption", "place", "build")
    ]


@pytest.mark.parametrize("artifacts", [GHC, HMMC], ids=["ghc", "hmmc"])
def test_every_artifact_has_a_title_and_a_caption(artifacts):
    assert len({artifact.id for artifact in artifacts}) == len({artifact.title for artifact in artifacts})
    assert len({artifact.id for artifact in artifacts}) == len(artifacts)
    for artifact in artifacts:
        assert len(artifact.title) < len(artifact.caption) and "\n" not in artifact.caption


def test_an_artifact_without_a_caption_is_refused():
    with pytest.raises(
        InputFileError, match=r"captions\.yaml, line \d+: captions: missing key 'no-such'; expected a caption"
    ):
        declare(
            "cladebench.papers.ghc",
            *((a.id, *("",) * 4) for a in GHC),
            ("no-such", "table", "A table", "", Table),
        )


def test_a_caption_without_an_artifact_is_refused():
    with pytest.raises(
        InputFileError, match=r"captions\.yaml, line \d+: captions\.cells: not in ARTIFACTS; allowed: "
    ):
        declare("cladebench.papers.ghc")


def test_a_folder_without_init_is_a_package_too(tmp_path, monkeypatch):
    folder = tmp_path / "papers_of_mine" / "one"
    folder.mkdir(parents=True)
    (folder / "captions.yaml").write_text("captions: {a: What it shows.}\n")
    monkeypatch.syspath_prepend(tmp_path)
    (made,) = declare("papers_of_mine.one", ("a", "table", "A", "", Table))
    assert made.caption == "What it shows."
    with pytest.raises(InputFileError, match=r"one/captions\.yaml, line 1: captions: missing key 'b'"):
        declare("papers_of_mine.one", *((name, "table", "", "", Table) for name in "ab"))
