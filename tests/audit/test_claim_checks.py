"""A wrong name in a paper of one's own is an error that names it, not a claim that cannot be tested."""

import dataclasses
import re
from pathlib import Path

import pytest

import cladebench.papers.hfd
import doc_examples
from audit_records import cells, claims_of, frame, write_cells
from cladebench.audit import ClaimsError, load_claims
from cladebench.audit.claim_checks import check_points, check_register, check_selection
from cladebench.audit.claims_file import checked_claims
from cladebench.audit.pipeline.whole_run import audit_run
from cladebench.bench.plan.plan_file import read_plan
from cladebench.bench.plan.setting_selection import Rule
from cladebench.cli import main
from cladebench.input_files import InputFileError
from cladebench.measures import with_own
from cladebench.paper.catalogue import load_plan
from cladebench.paper.choices import OtherChoice, UnstatedChoice
from cladebench.workflow.workplan import Workplan
from claim_texts import PRINTED, SECOND

GRID = """  smoke:
    grid: {Ward: {linkage: [ward, average]}}
"""


@pytest.fixture
def paper(tmp_path, monkeypatch):
    """Write the paper of the documentation with one text replaced in its claims; gives the package."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(old, new):
        package = doc_examples.write_example_paper(tmp_path)
        folder = tmp_path / "mypackage" / "examplepaper"
        plan, claims = folder / "plan.yaml", folder / "claims.yaml"
        plan.write_text(plan.read_text().replace("  smoke:\n", GRID))
        text = claims.read_text()
        assert old in text
        claims.write_text(text.replace(old, new))
        return package

    return write


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "{method: Ward, printed",
            "{method: Wrad, printed",
            "claim 'table1/nested-blobs/ward': method: unknown 'Wrad'; did you mean 'Ward'? allowed: Ward, Random",
        ),
        (
            "left: {method: Ward}",
            "left: {method: Wrd}",
            "claim 'ward-wins': method: unknown 'Wrd'; did you mean 'Ward'",
        ),
        ("than: {method: Random}", "than: {best_of: [Rand]}", "claim 'ward-wins': method: unknown 'Rand'"),
        (
            "nested-blobs: {dataset: nested-blobs,",
            "nested-blobs: {dataset: nested-blob,",
            "claim 'table1/nested-blobs/ward' and 1 more: dataset: unknown 'nested-blob'; did you mean 'nested-blobs'",
        ),
        (
            "measure: {dataset: nested-blobs",
            "measure: {dataset: glass",
            "claim 'ward-wins': dataset: unknown 'glass'",
        ),
        (
            "deterministic: [Ward]",
            "deterministic: [Word]",
            "deterministic: unknown method 'Word'; did you mean 'Ward'",
        ),
        ("paper: examplepaper", "paper: example", "paper: 'example', expected 'examplepaper'"),
        (
            "left: {method: Ward}",
            "left: {method: Ward, where: {linkege: ward}}",
            "claim 'ward-wins': where or same_setting: unknown 'linkege'; did you mean 'linkage'",
        ),
        (
            "left: {method: Ward}",
            "left: {method: Ward, where: {linkage: averag}}",
            "claim 'ward-wins': where.linkage: unknown 'averag'; did you mean 'average'",
        ),
        (
            "than: {method: Random}}",
            "than: {method: Random}, same_setting: [n]}",
            "claim 'ward-wins': where or same_setting: unknown 'n'",
        ),
        (
            "left: {method: Ward}",
            "left: {method: Ward, selection: bset}",
            "claim 'ward-wins': selection: unknown 'bset'; did you mean 'best'",
        ),
        (
            "claims:\n",
            "claims:\n  - {id: size, kind: arithmetic, place: {section: '1'}, quote: q, published: '2',"
            " expects: {fact: n_classes, dataset: glas}}\n",
            "claim 'size': dataset: unknown 'glas'; did you mean 'glass'",
        ),
    ],
)
def test_an_unknown_name_is_an_error(paper, old, new, said):
    with pytest.raises(ClaimsError) as error:
        load_claims(paper(old, new))
    message = str(error.value)
    assert message.startswith("examplepaper/claims.yaml, line ")
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("change_from", "said"),
    [
        ("noisy", ""),
        (
            "nested-blobs",
            "'nested-blobs' and 'nested-blobs' do not meet the same rows and folds; expected another",
        ),
        ("other", "change_from: 'other' and 'nested-blobs' do not meet the same rows and folds"),
        ("noise", "dataset: unknown 'noise'; did you mean 'noisy'"),
    ],
)
def test_a_change_is_from_a_problem_that_shares_draws(paper, change_from, said):
    measure = "measure: {dataset: nested-blobs"
    path = load_plan(paper(measure, f"{measure}, change_from: {change_from}")).path
    problems = (
        "problems:\n  noisy: {dataset: nested-blobs, task: {draws: nested-blobs, label_noise: 0.1}}\n"
        "  other: {dataset: nested-blobs}\nscopes:\n"
    )
    text = path.read_text().replace("scopes:\n", problems)
    path.write_text(text.replace("datasets: [nested-blobs]", "datasets: [nested-blobs, noisy, other]"))
    plan, claims = read_plan(path, "mypackage.examplepaper"), path.with_name("claims.yaml")
    if not said:
        assert checked_claims(claims, plan).claims["ward-wins"].measure["change_from"] == "noisy"
        return
    with pytest.raises(ClaimsError) as error:
        checked_claims(claims, plan)
    assert said in str(error.value)


@pytest.mark.parametrize(("blocks", "alike"), [(100, True), (50, False)])
def test_draws_are_shared_where_blocks_are(tmp_path, blocks, alike):
    plan = Path(cladebench.papers.hfd.__file__).with_name("plan.yaml").read_text()
    task = f"task: {{split: official, blocks: {blocks}, draws: cifar10, constraints: {{pairs: 9}}}}"
    plan = plan.replace("problems:\n", f"problems:\n  again: {{dataset: cifar10, {task}}}\n")
    start, full = plan.split("\n  full:\n")
    path = tmp_path / "plan.yaml"
    full = full.replace("[sonar, ionosphere", "[again, sonar, ionosphere", 1)
    path.write_text(f"{start}\n  full:\n{full}")
    assert read_plan(path, "cladebench.papers.hfd").shares_draws("again", "cifar10") == alike


def test_a_metric_is_held_against_the_measures_of_the_plan(paper):
    plan = load_plan(paper("measure: {metric: dendrogram_purity}", "measure: {metric: purity_of_mine}"))
    path = plan.path.with_name("claims.yaml")
    with pytest.raises(ClaimsError) as error:
        checked_claims(path, plan)
    assert "claim 'table1/nested-blobs/ward' and 1 more: metric: unknown 'purity_of_mine'" in str(error.value)
    own = with_own({"purity_of_mine": {"meaning": "the paper's own"}})
    assert checked_claims(path, dataclasses.replace(plan, measures=own)).claims


def test_wrong_claims_or_registers_stop_a_run_before_it_starts(paper, tmp_path, capsys):
    package = paper("left: {method: Ward}", "left: {method: Wrd}")
    folder = tmp_path / "mypackage" / "examplepaper"
    commands = (
        ["run", "--paper", package, "--scope", "smoke", "--out", str(tmp_path / "out")],
        ["audit", "--paper", package, "--results", str(tmp_path)],
    )
    write_cells(frame(cells("nested-blobs", "Ward", {"dendrogram_purity": [0.5]})), tmp_path)
    for command in commands:
        assert main(command) == 2
        assert "claim 'ward-wins': method: unknown 'Wrd'; did you mean 'Ward'" in capsys.readouterr().err
    with pytest.raises(ClaimsError, match="unknown 'Wrd'"):
        Workplan({"scope": "smoke", "papers": [package]})
    (folder / "claims.yaml").write_text((folder / "claims.yaml").read_text().replace("Wrd", "Ward"))
    register = folder / "choices.yaml"
    register.write_text(register.read_text().replace("[Ward, Random]", "[Ward, Randm]"))
    for command in commands:
        assert main(command) == 2
        assert (
            "entry 'linkage': effects[0].methods: unknown 'Randm'; did you mean 'Random'"
            in capsys.readouterr().err
        )
    with pytest.raises(InputFileError, match="unknown 'Randm'"):
        Workplan({"scope": "smoke", "papers": [package]})
    assert not (tmp_path / "out").exists() and not (tmp_path / "audit.csv").exists()
    register.unlink()
    assert main(["run", "--paper", package, "--scope", "smoke", "--list"]) == 0


def test_names_that_the_plan_has_pass(paper):
    found = load_claims(
        paper("left: {method: Ward}", "left: {method: Ward, where: {linkage: average}, selection: best}")
    )
    assert "ward-wins" in found.claims


def test_every_unknown_name_is_told_in_a_line_of_its_own(paper):
    wrong = (
        "{left: {method: Wrd, where: {linkage: averag}}, is: better,"
        " than: {best_of: [Random, Wrd]}, same_setting: [lnkage]}"
    )
    with pytest.raises(ClaimsError) as error:
        load_claims(paper("{left: {method: Ward}, is: better, than: {method: Random}}", wrong))
    lines = str(error.value).split("\n")
    assert [line.partition(";")[0] for line in lines] == [
        "examplepaper/claims.yaml, line 15: claim 'ward-wins': method: unknown 'Wrd'",
        "examplepaper/claims.yaml, line 15: claim 'ward-wins': where.linkage: unknown 'averag'",
        "examplepaper/claims.yaml, line 15: claim 'ward-wins': where or same_setting: unknown 'lnkage'",
    ]


def test_several_unknown_methods_are_told_in_order(paper):
    with pytest.raises(ClaimsError) as error:
        load_claims(paper("deterministic: [Ward]", "deterministic: [Wrd, Ward, Rndom]"))
    assert [line.split(";")[0] for line in str(error.value).split("\n")] == [
        "examplepaper/claims.yaml, line 4: deterministic: unknown method 'Rndom'",
        "examplepaper/claims.yaml, line 4: deterministic: unknown method 'Wrd'",
    ]


def test_a_paper_without_claims_is_named(paper, tmp_path):
    package = paper("claims:", "claims:")
    (tmp_path / "mypackage/examplepaper/claims.yaml").unlink()
    with pytest.raises(ClaimsError, match=r"^papers: mypackage\.examplepaper has no claims\.yaml$"):
        load_claims(package)


TWO = """
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {metric: purty}
    columns: {d: {dataset: d}, e: {dataset: e}}
    rows:
      A: {method: A, printed: ["0.5", "0.6"]}
      B: {method: B, printed: ["0.5", "-"]}
claims: []
"""


def test_a_metric_that_nothing_records_is_no_slip_of_the_claims(tmp_path):
    check_points(claims_of(tmp_path, TWO), frame(cells("d", "A", {"purity": [0.5]})), "toy/claims.yaml")


def with_setting(setting, **columns):
    rows = cells("glass", "BIRCH", {"dasgupta_cost": [1.0]})
    return [row | {"setting_id": setting} | columns for row in rows]


def test_a_metric_of_a_rule_of_selection_is_checked_where_there_is_a_choice():
    plan = load_plan("ghc")
    fixed = Rule("fixed", "in one setting", setting={"k": 1})
    only_fixed = dataclasses.replace(plan, selection={"fixed": fixed})
    both = dataclasses.replace(plan, selection={"fixed": fixed, **plan.selection})
    one, two = with_setting("s1"), with_setting("s2")
    for unmeasured in ({"status": "timeout"}, {"metric": None, "value": None}):
        check_selection(plan, frame(one, with_setting("s2", **unmeasured)))
    check_selection(plan, frame(one))
    check_selection(only_fixed, frame(one, two))
    for rules in (plan, both):
        with pytest.raises(ClaimsError) as error:
            check_selection(rules, frame(one, two))
        assert str(error.value) == (
            f"{plan.path}: selection.oracle.metric: no record of this paper has 'dendrogram_purity'; "
            "allowed: dasgupta_cost"
        )
    # A choice of one method is enough.
    other = [row | {"method": "Perch"} for row in one]
    with pytest.raises(ClaimsError, match="dendrogram_purity"):
        check_selection(plan, frame(other, one, two))


def test_an_evaluation_point_is_checked_against_the_records(tmp_path):
    claims = claims_of(tmp_path, TWO.replace("metric: purty", "metric: purity, at: {k: 3}"))
    read = [cells("d", "A", {"purity": [0.5]}, at={"k": k}) for k in (1, 5)]
    with pytest.raises(ClaimsError) as error:
        check_points(claims, frame(*read), "toy/claims.yaml")
    said = str(error.value)
    assert said.startswith(
        """toy/claims.yaml: claim 't/d/a': at: no record of this paper has 'purity' at {"k":3}; did you mean"""
    )
    assert said.endswith("""allowed: {"k":1}, {"k":5}""")
    check_points(claims, frame(*read, cells("e", "B", {"purity": [0.5]}, at={"k": 3.0})), "")


def test_the_evaluation_point_of_a_rule_is_checked_too():
    plan = load_plan("ghc")
    rule = dataclasses.replace(plan.selection["oracle"], at={"k": 3})
    plan = dataclasses.replace(plan, selection={"oracle": rule})

    def read(at):
        return [
            row | {"setting_id": setting}
            for setting in ("s1", "s2")
            for row in cells("glass", "BIRCH", {"dendrogram_purity": [0.5]}, at=at)
        ]

    with pytest.raises(ClaimsError, match=r"plan\.yaml: selection\.oracle\.at: no record .* at \{\"k\":3\}"):
        check_selection(plan, frame(read({"k": 1})))
    check_selection(plan, frame(read({"k": 3})))
    check_selection(plan, frame(read({})))  # read once: the plan's point is of other metrics


def test_choices_are_kept_to_claims_and_kinds_that_there_are(tmp_path):
    claims = claims_of(tmp_path, PRINTED + SECOND)

    def check(**kept):
        choice = OtherChoice("C = 1", {}, **kept)
        check_register(claims, [UnstatedChoice("C", "1", "p", "c", (), (), (choice,))], "choices.yaml")

    check(claims=("t/*", "t/d/a"), kinds=frozenset({"value", "order"}))
    for kept, said in (
        ({"claims": ("w/*",)}, "claims: unknown 'w/*'; allowed: t/d/a, t/d/b, b"),
        ({"kinds": frozenset({"valu"})}, "kinds: unknown 'valu'; did you mean 'value'"),
    ):
        with pytest.raises(ClaimsError, match=re.escape(f"choices.yaml: entry 'C': {said}")):
            check(**kept)


def test_an_audit_refuses_a_rule_whose_metric_no_record_has(tmp_path):
    rows = [
        row | {"paper": "ghc", "setting_id": setting, "cell_id": f"ghc/glass/BIRCH/{setting}/0"}
        for setting in ("s1", "s2")
        for row in cells("glass", "BIRCH", {"dasgupta_cost": [1.0]})
    ]
    write_cells(frame(rows), tmp_path)
    with pytest.raises(ClaimsError, match=r"selection\.oracle\.metric: no record .* 'dendrogram_purity'"):
        audit_run(tmp_path, ["ghc"])
