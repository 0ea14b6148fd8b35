"""Claims of kind ``possible``: what is read, what is judged, and what the papers' own come to."""

import re
from fractions import Fraction

import numpy as np
import pytest
import yaml

from audit_records import claims_of
from cladebench.audit.claim_types import ClaimsError
from cladebench.audit.claims_file import load_claims
from cladebench.audit.kinds import possible as judge
from cladebench.audit.pipeline.whole_run import registry_fact
from cladebench.datasets.fetch import obtain
from cladebench.datasets.remote_file import DataUnavailable
from cladebench.datasets.sets import awa, awa_classes, cifar100, uci
from cladebench.hierarchy import Hierarchy
from cladebench.input_files import InputFileError, validator_of
from cladebench.paper.catalogue import load_programmes
from cladebench.paper.feasibility import Range, as_printed
from cladebench.papers.ghc.feasibility import PROGRAMMES as of_trees
from cladebench.papers.hmmc import feasibility
from cladebench.papers.hmmc.feasibility import leaves, rand_index
from claim_texts import objects


def judge_possible(claim, facts):
    return judge.judge_possible(claim, feasibility.PROGRAMMES, facts)


BALANCED = {
    "instances": "balanced clusters",
    "classes": {"sizes": [4, 4, 4], "source": "s"},
    "clusters": 3,
    "slack": 0.1,
}


@pytest.fixture
def possible(tmp_path):
    """Gives a function that judges one claim; the metric is a share, printed as such."""

    def claim(expects, published, metric="ri", programmes=feasibility.PROGRAMMES):
        block = {
            "id": "c",
            "kind": "possible",
            "place": {"section": "1"},
            "quote": "q",
            "published": published,
        }
        text = yaml.safe_dump({"claims": [block | {"measure": {"metric": metric}, "expects": expects}]})
        return claims_of(tmp_path, text, programmes=programmes).claims["c"]

    return claim


# 3 clusters of 3 to 5 rows. With so few rows one move changes much, so that a number between two tables is left open.
@pytest.mark.parametrize(
    ("published", "verdict"),
    [("0.2", "inconsistent"), ("1.00", "uninformative"), ("0.82", "not testable"), ("1.2", "inconsistent")],
)
def test_a_number_can_be_or_cannot(possible, published, verdict):
    outcome = judge_possible(possible(BALANCED, published), registry_fact)
    assert outcome.verdict == verdict
    assert "12 rows in 3 classes of known sizes, 3 clusters of 3 to 5 rows" in outcome.reason
    assert outcome.low is not None and outcome.high == 1.0 and 0.5 < outcome.low < 0.6


def test_what_is_assumed_and_not_said_by_the_paper_contradicts_nothing(possible):
    outcome = judge_possible(possible(BALANCED | {"assumed": "nobody said so"}, "0.2"), registry_fact)
    assert outcome.verdict == "not testable"
    assert "is impossible, but nobody said so" in outcome.reason


@pytest.mark.parametrize(
    ("low", "high", "excluded", "taken"),
    [
        ("0.1", "0.2", True, False),
        ("0.2", "0.3", False, False),  # the proven end is allowed, not known to be taken
        ("0.35", "0.4", False, True),
        ("0.41", "0.44", False, False),  # narrower than a step: nothing may lie there
        ("0.41", "0.47", False, True),
        ("0.6", "0.7", False, True),
        ("0.61", "0.7", False, False),
        ("0.91", "1", True, False),
    ],
)
def test_ranges_tell_what_is_proven_from_what_is_taken(low, high, excluded, taken):
    found = Range(
        Fraction(3, 10), Fraction(9, 10), ((Fraction(4, 10), Fraction(6, 10)),), Fraction(1, 20), "", ""
    )
    ends = Fraction(low), Fraction(high)
    assert (found.excludes(*ends), found.takes(*ends)) == (excluded, taken)


@pytest.mark.parametrize(
    ("printed", "verdict"), [("0.70", "uninformative"), ("0.99", "reproduced"), ("0.8", "not testable")]
)
def test_scores_are_held_against_the_best_constant(possible, printed, verdict):
    """Two classes of two under one root: similarities 1 and 0, a third of the pairs alike: variance 2/9."""
    classes = {"sizes": [2, 2], "parents": [2, 2, -1], "source": "s"}
    claim = possible({"instances": "constant", "classes": classes}, printed, "sp")
    outcome = judge_possible(claim, registry_fact)
    assert (outcome.verdict, outcome.low) == (verdict, pytest.approx(7 / 9))


def test_prints_are_read_exactly():
    assert as_printed("83.71", Fraction(100)) == (Fraction(83705, 100000), Fraction(83715, 100000))
    assert as_printed("6.97e5") == (696500, 697500)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"instances": "anything"}, "anything"),
        ({"slack": 1}, "slack"),
        ({"clusters": 1}, "clusters"),
        ({"classes": {"sizes": [4, 4]}}, "classes"),
        ({"classes": {"dataset": "glass"}}, "dataset"),
        ({"extra": 1}, "extra"),
        ({"classes": {"n_samples": 9, "n_clases": 3}}, "classes"),
        ({"classes": {"n_samples": 9, "n_classes": 2, "largest": 0.4}}, "n_classes: 2"),
        ({"classes": {"n_samples": 9, "n_classes": 3}}, "largest"),
    ],
)
def test_a_wrong_file_is_refused(possible, wrong, told):
    with pytest.raises(ClaimsError, match=told):
        possible(BALANCED | wrong, "0.5")


def test_three_classes_of_unknown_sizes_are_the_fewest(possible):
    classes = {"n_samples": 9, "n_classes": 3, "largest": 0.4}
    assert possible(BALANCED | {"classes": classes}, "0.5").expects["classes"] == classes


def test_what_a_file_may_say_of_its_instances_is_up_to_the_paper(possible):
    """The message is that of any key of a claims file: file, claim, key, value and what was expected."""
    with pytest.raises(ClaimsError) as error:
        possible(BALANCED | {"slack": 1}, "0.5")
    assert re.fullmatch(
        r".*/claims.yaml, line \d+: claim 'c': expects.slack: 1 is not allowed; expected 0.1 for sizes between 0.9 "
        "and 1.1 of the mean",
        str(error.value),
    )
    with pytest.raises(ClaimsError, match=r"expects.extra: unknown key 'extra'; allowed: instances, classes"):
        possible(BALANCED | {"extra": 1}, "0.5")
    trees = {"instances": "trees", "classes": {"sizes": [4, 4], "source": "s"}}
    assert possible(trees, "0.5", "dendrogram_purity", of_trees).expects == trees
    with pytest.raises(
        ClaimsError, match=r"expects\.classes\.n_samples: unknown key 'n_samples'; allowed: sizes, s"
    ):
        possible(trees | {"classes": {"n_samples": 8}}, "0.5", "dendrogram_purity", of_trees)


@pytest.mark.parametrize("programmes", [feasibility.PROGRAMMES, of_trees], ids=["hmmc", "ghc"])
def test_forms_of_papers_are_schemas_and_take_no_key_that_they_do_not_name(programmes):
    for programme in programmes.values():
        validator_of({}).check_schema(dict(programme.form))
        for part in (part for key in programme.form["properties"].values() for part in objects(key)):
            assert part["additionalProperties"] is False


def test_a_programme_without_a_form_is_refused(tmp_path, monkeypatch):
    (tmp_path / "formless").mkdir()
    (tmp_path / "formless/__init__.py").touch()
    (tmp_path / "formless/feasibility.py").write_text('PROGRAMMES = {("ri", "trees"): max}', encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputFileError, match=r"formless\.feasibility: PROGRAMMES: expected .*Programme"):
        load_programmes("formless")


def test_a_metric_without_a_programme_is_refused(possible):
    told = "no programme for ari of 'balanced clusters'; did you mean 'ri of balanced clusters'[?] allowed: ri of"
    with pytest.raises(ClaimsError, match=told):
        possible(BALANCED, "0.5", "ari")
    with pytest.raises(
        ClaimsError, match=r"claim 'c': .*no programme for ri of .*; expected a feasibility\.py of the paper"
    ):
        possible(BALANCED, "0.5", programmes={})


def test_class_sizes_come_from_the_data_set_that_is_named():
    assert sum(feasibility.class_sizes({"dataset": "awa-attr"}, registry_fact)) == registry_fact(
        "awa-attr", "n_samples"
    )
    with pytest.raises(ValueError, match="expected awa-attr"):
        feasibility.class_sizes({"dataset": "awa-attr"}, lambda *_: 7)


@pytest.fixture(scope="module")
def judged():
    """Outcome of each possible claim of both papers."""
    papers = [load_claims(paper) for paper in ("hmmc", "ghc")]
    for function in (rand_index.balanced_range, leaves.tree_range, leaves.tree_squares):
        function.cache_clear()
    return {
        claim.id: judge.judge_possible(claim, paper.programmes, registry_fact)
        for paper in papers
        for claim in paper.claims.values()
        if claim.kind == "possible"
    }


def test_mmc_is_not_balanced_as_its_own_paper_says(judged):
    outcomes = judged
    least = {"awa-attr": 95.73, "awa-pca": 95.73, "vehicle": 90.17, "imagenet": 90.23}
    for dataset, low in least.items():
        outcome = outcomes[f"possible/mmc-balanced/{dataset}"]
        # Not in the paper: that MMC was run with these bounds, and that none of twenty classes has more than 30%.
        assert outcome.verdict == "not testable" and "is impossible, but" in outcome.reason
        assert low <= outcome.low < low + 0.01


def test_no_printed_sp_is_above_the_best_constant(judged):
    outcomes = judged
    best = {"awa-attr": 96.46, "awa-pca": 96.08, "vehicle": 93.98, "imagenet": 94.23}
    for dataset, score in best.items():
        outcome = outcomes[f"possible/constant/{dataset}"]
        assert (outcome.verdict, outcome.low) == ("uninformative", pytest.approx(score, abs=0.005))
        by_print = outcomes[f"possible/constant-by-print/{dataset}"]
        assert by_print.verdict == "not testable" and "below the best constant, but" in by_print.reason


def test_where_nearly_all_numbers_can_be_passing_says_nothing(judged):
    outcomes = judged
    can = [
        name
        for name in outcomes
        if name.startswith(("possible/balanced-splits", "possible/purity", "possible/cost"))
    ]
    assert len(can) == 19
    assert {outcomes[name].verdict for name in can} == {"uninformative"}
    assert "and so are 40% of all numbers" in outcomes["possible/balanced-splits/awa-attr/hmmc"].reason
    assert "and the bounds exclude no number" in outcomes["possible/cost/glass"].reason
    assert outcomes["possible/single-linkage/ri/awa-attr"].verdict == "reproduced"
    said = outcomes["possible/balanced-splits/awa-attr/hmmc"].reason
    assert (
        "with equally balanced leaves between 0.046 and 0.053, with balanced splits between 0.046 and 0.521"
        in said
    )


def registered(entry):
    try:
        return entry.loader({file.name: obtain(file).content for file in entry.files}, 0)
    except DataUnavailable as error:
        pytest.skip(str(error))


def test_facts_in_the_claims_are_those_of_the_data():
    """Trees and sizes that the claims repeat, so that they can be judged without the data."""
    constants = {
        claim.id.removeprefix("possible/constant/"): claim.expects["classes"]
        for claim in load_claims("hmmc").claims.values()
        if claim.id.startswith("possible/constant/")
    }
    judged = [entry for entry in cifar100.DATASETS if entry.name in constants]
    assert {entry.name for entry in judged} == constants.keys() - {"awa-attr"}
    for entry in judged:
        content = registered(entry)
        given = constants[entry.name]
        tree = Hierarchy(content.class_parents, np.arange(len(content.label_names))).pruned()
        assert given["parents"] == tree.parents.tolist()
        assert tree.leaf_of.tolist() == list(range(len(given["sizes"])))
        assert given["sizes"] == np.bincount(content.labels).tolist()
    sizes = {
        name: claim.expects["classes"]["sizes"]
        for name, claim in load_claims("ghc").claims.items()
        if "purity/" in name and claim.kind == "possible"
    }
    for entry in uci.DATASETS:
        content = registered(entry)
        for name in sizes:
            if f"/{entry.name}/" in name:
                assert sorted(sizes[name]) == sorted(np.bincount(content.labels).tolist())


def test_sizes_of_awa_are_those_of_the_registered_data():
    content = registered(awa.DATASETS[0])
    sizes = [awa_classes.CLASSES[name.replace(" ", "+")][1] for name in content.label_names]
    assert np.bincount(content.labels).tolist() == sizes


def test_a_range_of_one_value_is_told_as_that_value():
    one, two = (Range(Fraction(1, 2), Fraction(high), (), Fraction(0), "", "") for high in ("1/2", "3/4"))
    assert judge._between(one, Fraction(100)) == "exactly 50"
    assert judge._between(two, Fraction(100)) == "between 50 and 75"
