"""What a paper's protocol has to say of its plan."""

import re
from typing import ClassVar

import pytest

from cladebench.bench.plan.plan import PlanError
from cladebench.bench.plan.plan_file import read_plan
from cladebench.paper.catalogue import built_in_papers, load_plan, resolve_package, validate_protocol
from cladebench.paper.protocol import Protocol


def test_papers_are_found_by_folder_and_by_module_name():
    assert "ghc" in built_in_papers()
    assert resolve_package("ghc") == "cladebench.papers.ghc"
    assert resolve_package("toy_paper") == "toy_paper"


@pytest.mark.parametrize("name", ["gch", "no.such.package", "", "json.decoder"])
def test_unknown_paper_says_what_there_is(name):
    with pytest.raises(PlanError, match=r"no paper .*allowed: .*ghc"):
        load_plan(name)


def test_a_protocol_that_stumbles_over_a_plan_is_one_line(plan, monkeypatch):
    import toy_paper.protocol

    def stumble(plan):
        raise TypeError("run_cell() missing 3 arguments")

    monkeypatch.setattr(toy_paper.protocol.PROTOCOL, "validate", stumble)
    with pytest.raises(PlanError, match=r"plan\.yaml: toy_paper\.protocol: TypeError: run_cell"):
        validate_protocol(plan)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (
            "alpha: [10, 9]",
            "alhpa: [10, 9]",
            r"scopes\.smoke\.grid\.good: good has no parameter 'alhpa'; did you mean",
        ),
        (
            "{estimator: bad}",
            "{estimator: bad, params: {x: 1}}",
            r"methods\.bad\.params: bad has no parameter 'x'",
        ),
        (
            "- {method: hang, ",
            "- {method: good, grid: {gamma: [1]}}\n      - {method: hang, ",
            r"overrides\[0\]\.grid: good has no parameter 'gamma'",
        ),
    ],
)
def test_protocol_refuses_wrong_parameter_names(edited_plan, old, new, where):
    with pytest.raises(PlanError, match=where):
        validate_protocol(read_plan(edited_plan(old, new), "toy_paper"))


CHECKED = """
paper: toy_paper
title: t
citation: c
methods:
  tree: {estimator: Agglomerative, params: {linkage: ward}}
  far: {estimator: sklearn.cluster.KMeans, params: {n_clusters: 2, length: 3}}
  look: {estimator: toy_paper.protocol.good, role: study}
scopes:
  smoke:
    datasets: [nested-blobs]
    repetitions: 1
    limits: {time_s: 30, memory_mb: 600}
    grid: {tree: {n_clusters: [2, 3]}}
"""


class Checked(Protocol):
    own: ClassVar = {"length": 1}

    def measure(self, cell):
        raise AssertionError("nothing runs")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "", ""),
        (
            "Agglomerative",
            "Aglomerative",
            r"methods\.tree\.estimator: .*'Aglomerative'.*did you mean 'Agglomerative'",
        ),
        (
            "cluster.KMeans",
            "cluster.KMean",
            r"methods\.far\.estimator: .*has no KMean; did you mean 'KMeans'",
        ),
        ("cluster.KMeans", "clustr.KMeans", r"methods\.far\.estimator: .*no module sklearn\.clustr"),
        (
            "sklearn.cluster.KMeans",
            "no_such_package.x.Y",
            r"methods\.far\.estimator: .*no module no_such_package",
        ),
        (
            "linkage: ward",
            "linkge: ward",
            r"methods\.tree\.params: tree has no parameter 'linkge'; did you mean",
        ),
        (
            "length: 3",
            "lenght: 3",
            r"methods\.far\.params: far has no parameter 'lenght'; did you mean 'length'",
        ),
        (
            "linkage: ward",
            "linkage: wrad",
            r"plan\.yaml, line 6: methods\.tree\.params: tree: linkage='wrad': expected one of average, ",
        ),
        (
            "n_clusters: 2, length",
            "n_clusters: two, length",
            r"yaml, line 7: methods\.far\.params: far: n_clusters='two': expected an int in the range \[1, inf\)$",
        ),
        (
            "n_clusters: [2, 3]",
            "n_clusters: [2, 0]",
            r"line 14: scopes\.smoke\.grid\.tree: tree: n_clusters=0: expected an integer >= 1$",
        ),
        (
            "n_clusters: [2, 3]",
            "n_clusters: [2, 3], metric: [euclidean, euclid]",
            r"line 14: scopes\.smoke\.grid\.tree: tree: metric='euclid': expected one of ",
        ),
        ("n_clusters", "n_clustrs", r"scopes\.smoke\.grid\.tree: tree has no parameter 'n_clustrs'"),
        (
            "protocol.good",
            "protocol.gud",
            r"methods\.look\.estimator: 'toy_paper\.protocol\.gud' cannot be found",
        ),
        ("protocol.good", "protocol.Toy", r"methods\.look\.estimator: .*expected a function of a cell"),
        ("protocol.good", "protcl.good", r"methods\.look\.estimator: .*No module named 'toy_paper\.protcl'"),
    ],
)
def test_a_protocol_checks_estimators_studies_and_parameters(tmp_path, old, new, message):
    path = tmp_path / "plan.yaml"
    path.write_text(CHECKED.replace(old, new) if old else CHECKED)
    plan = read_plan(path, "toy_paper")
    if not message:
        return Checked().validate(plan)
    with pytest.raises(PlanError, match=message) as caught:
        Checked().validate(plan)
    assert re.match(re.escape(str(path)) + r"(, line \d+)?: ", str(caught.value))


def test_values_of_runs_that_are_not_planned_are_not_checked(tmp_path):
    """Nor those that an override replaces."""
    wrong = CHECKED.replace("n_clusters: [2, 3]", "n_clusters: [0]")
    for override in ("planned: false", "not_applicable: too slow", "grid: {n_clusters: [4]}"):
        path = tmp_path / "plan.yaml"
        path.write_text(wrong + f"    overrides: [{{method: tree, {override}}}]\n")
        Checked().validate(read_plan(path, "toy_paper"))


def test_values_behind_a_run_that_is_not_planned_are_checked(tmp_path):
    path = tmp_path / "plan.yaml"
    wrong = CHECKED.replace("n_clusters: 2, length", "n_clusters: two, length")
    path.write_text(wrong + "    overrides: [{method: tree, planned: false}]\n")
    with pytest.raises(PlanError, match=r"methods\.far\.params: far: n_clusters='two'"):
        Checked().validate(read_plan(path, "toy_paper"))


def test_wrong_values_are_told_together(tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text(CHECKED.replace("ward", "wrad").replace("n_clusters: 2,", "n_clusters: 2.5,"))
    with pytest.raises(PlanError) as caught:
        Checked().validate(read_plan(path, "toy_paper"))
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == [
        f"{path}, line 6",
        f"{path}, line 7",
    ]


class Loose:
    def run(self, cell):
        raise AssertionError("nothing runs")


@pytest.mark.parametrize("found", [None, Loose(), Protocol])
def test_a_protocol_is_an_instance_of_a_subclass(plan, monkeypatch, found):
    import toy_paper.protocol

    validate_protocol(plan)
    monkeypatch.setattr(toy_paper.protocol, "PROTOCOL", found)
    with pytest.raises(
        PlanError, match=r"toy_paper\.protocol: PROTOCOL: .*; expected an instance of a subclass of"
    ):
        validate_protocol(plan)
