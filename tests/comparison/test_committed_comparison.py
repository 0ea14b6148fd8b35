"""The committed example: its files agree with each other, and its findings are what they say."""

import re
import runpy
import subprocess

import numpy as np
import pandas as pd
import pytest
import yaml

from cladebench import datasets, methods
from cladebench.comparison.spec import fitting
from cladebench.methods._flat import FlatClusterer
from cladebench.methods.base import HierarchicalClusterer
from cladebench.published.agreement import SAME
from cladebench.published.tables import PUBLISHED
from cladebench.solvers import linkages
from doc_examples import ROOT
from page_sizes import BROWSER, measure_pages, too_large
from page_tags import Page

FOLDER = ROOT / "comparisons" / "hierarchical"
TEXT = (FOLDER / "comparison.yaml").read_text(encoding="utf-8")
PLAN = yaml.safe_load(TEXT)
PAGE = (FOLDER / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def scores():
    return pd.read_csv(FOLDER / "scores.csv", keep_default_na=False, na_values=[""])


@pytest.fixture(scope="module")
def published():
    return pd.read_csv(FOLDER / "published.csv", keep_default_na=False)


@pytest.fixture(scope="module")
def best(scores):
    """Mean adjusted Rand index by data set and method of ours, of the best labelling.

    Of several settings the one of most and best silhouettes counts.
    """
    keys = ["data", "labels", "method", "setting"]
    own = scores[~scores.method.str.endswith(PUBLISHED)].set_index(keys)
    by = own[own.measure == "silhouette"].sort_values(["n", "mean"], ascending=False, kind="stable")
    counted = by.reset_index().drop_duplicates(keys[:3])[keys]
    counted = counted.merge(own[own.measure == "ari"].rename(columns={"mean": "ari"}), on=keys)
    return counted.pivot_table(index="data", columns="method", values="ari", aggfunc="max", sort=False)


@pytest.fixture(scope="module")
def differences():
    """Over all data sets, by rival; Genie is the method held against each."""
    rows = pd.read_csv(FOLDER / "differences.csv")
    rows = rows[(rows.measure == "ari") & (rows.data == "all")]
    assert set(rows.method) == {"Genie"}
    return rows.set_index("rival")


def test_each_method_of_the_file_has_a_score_or_a_reason_on_each_data_set(scores):
    own = scores[~scores.method.str.endswith(PUBLISHED)]
    named = {re.split(r"[.:]", text)[-1] for text in PLAN["methods"]["run"]}
    assert set(own.method) == named | {"RandomClusters", "RandomTree"}
    pairs = own[["data", "method"]].drop_duplicates()
    assert len(pairs) == own.data.nunique() * own.method.nunique()
    assert (own.n[own.status == "ok"] > 0).all() and (own.reason[own.status != "ok"].notna()).all()
    for name in PLAN["data"]:
        assert own.data.str.startswith(name).any()


def test_differences_are_those_of_the_scores(best, differences):
    for rival, row in differences.iterrows():
        gaps = (best["Genie"] - best[rival]).to_numpy()
        pairs = np.add.outer(gaps, gaps)[np.triu_indices(len(gaps))] / 2
        assert row.difference == pytest.approx(np.median(pairs), abs=1e-6)
    assert ((differences.p_adjusted < 0.05) == differences.verdict.isin(["ahead", "behind"])).all()


def test_a_reason_stands_where_labels_differ(scores, published):
    assert ((published.agreement < SAME) == (published.reason != "")).all()
    theirs = scores[scores.method.str.endswith(PUBLISHED)].groupby(["data", "method"])["mean"].max()
    for row in published.groupby(["data", "published"])["theirs"].max().items():
        assert row[1] <= theirs[row[0][0], row[0][1] + PUBLISHED] + 1e-9


@pytest.fixture(scope="module")
def kept():
    """What git keeps of the example."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    listed = subprocess.run(["git", "ls-files", "-z", FOLDER], cwd=ROOT, capture_output=True, check=True)
    return {
        (ROOT / name).relative_to(FOLDER).as_posix() for name in listed.stdout.decode().split("\0") if name
    }


def test_the_page_needs_no_other_machine():
    assert 'id="unlabelled"' not in PAGE  # all data have labels
    assert not re.search(r"/(tmp|work|home|root)/", PAGE)


def test_all_that_the_page_leads_to_and_shows_is_kept(kept):
    tags = Page(PAGE)
    assert tags.lost() == [] and {"scores.tex", "scores.csv", "published.csv"} <= tags.files() <= kept
    pictures = {name for name in kept if name.startswith("figures/data-")}
    assert pictures == {name for name in tags.files() if name.startswith("figures/")}
    assert f"{len(pictures)} data sets: " in PAGE and "stand in <code>figures/</code>" in PAGE
    assert all((FOLDER / name).stat().st_size < 2_000_000 for name in kept)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_the_page_keeps_the_limits_and_fits_a_phone():
    assert too_large(measure_pages(FOLDER)) == []


def test_all_hierarchical_methods_and_linkages_are_run_or_left_out_with_a_reason():
    run = {re.split(r"[.:]", text)[-1] for text in PLAN["methods"]["run"]}
    (reason,) = re.findall(r"# Left out for time: (.*?)\n    - ", TEXT, re.DOTALL)
    ours = {name: getattr(methods, name) for name in fitting() if name != "Agglomerative"}
    trees = {name for name, cls in ours.items() if issubclass(cls, HierarchicalClusterer)}
    trees -= {name for name in trees if issubclass(ours[name], FlatClusterer)}
    assert "BalancedKMeans" in trees and {name for name in trees - run if name not in reason} == set()
    own = runpy.run_path(str(FOLDER / "linkages.py"))
    linked = {cls for cls in own.values() if isinstance(cls, type) and cls.__module__ == "<run_path>"}
    assert {cls.__name__ for cls in linked} <= run
    assert {cls().linkage for cls in linked} == set(linkages.METHODS)


def test_labelled_tables_of_the_registry_are_run_or_left_out_as_the_file_says():
    run = {entry["registered"] for entry in PLAN["data"].values() if "registered" in entry}
    said = " ".join(re.sub(r"\n *# ", " ", TEXT).split())
    (sentence,) = re.findall(r"Of the registry: (.*?)\. Left out", said)
    among_uci = {name for name in datasets.names() if name in re.split(r"\W+", sentence)}
    assert "over 10,000 rows, sparse ones, stand-ins and planted-*" in said
    for name in datasets.names():
        info = datasets.info(name)
        table = info.n_features is not None and not info.parts and info.n_classes is not None
        left = info.sparse or info.kind == "stand-in" or name.startswith("planted-") or name in among_uci
        if table and not left and info.n_samples <= 10_000:
            assert name in run
        else:
            assert name not in run


def test_the_findings_are_those_of_the_files(best, differences, published):
    text = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    own = best.drop(columns=["RandomClusters", "RandomTree"])
    assert own.mean().idxmax() == "Genie"
    assert f"compares {own.shape[1]} methods on {len(own)} data sets" in text
    front = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    first, rivals, real, labels = findings(best, differences, published)
    assert all(sentence in text for sentence in (first, rivals, real, labels))
    assert first in front and real in front


def findings(best, differences, published):
    """The three findings of README.md, from the files."""
    means, real = best.mean(), best[best.index.str.startswith("uci-")]
    yield (
        f"On {len(best)} data sets Genie has a mean adjusted Rand index of {means.Genie:.2f}, "
        f"K-means {means.KMeans:.2f}, Ward {means.Ward:.2f}."
    )
    rivals = differences.drop(index=["RandomClusters", "RandomTree"])
    open_ = [
        {"KMeans": "K-means", "Birch": "BIRCH"}.get(name, name)
        for name in rivals.index[rivals.verdict == "undecided"]
    ]
    yield (
        f"It is ahead of {(rivals.verdict == 'ahead').sum()} of {len(rivals)} rivals; undecided are "
        f"{', '.join(open_[:-1])} and {open_[-1]}."
    )
    yield (
        f"On the {len(real)} sets of uci, which are measurements, Genie has {real.mean().Genie:.2f}, "
        f"K-means {real.mean().KMeans:.2f}."
    )
    same = published.agreement >= SAME
    linked = published.published.str.startswith("fastcluster") & (published.method != "FastWard")
    flat = published.method == "KMeans"
    known = (published.reason != "not explained")[~same].sum()
    yield (
        f"Linkages give the published labels in {same[linked].sum()} of {linked.sum()} pairs of data and k, "
        f"K-means in {same[flat].sum()} of {flat.sum()}. Further runs explain {known} of all {(~same).sum()} "
        "differences."
    )


def test_an_interval_without_0_beside_an_undecided_rival_is_explained(differences):
    nearest = differences.loc["Birch"]
    assert nearest.verdict == "undecided" and nearest.low > 0
    assert "(+0.01 to +0.16), undecided once all rivals are counted." in PAGE
