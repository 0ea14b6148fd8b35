"""The committed example: its files agree with each other, and its findings are what they say."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml

from cladebench.comparison.agreements import MARK
from cladebench.comparison.published import SAME
from doc_examples import ROOT

FOLDER = ROOT / "comparisons" / "hierarchical"
PLAN = yaml.safe_load((FOLDER / "comparison.yaml").read_text(encoding="utf-8"))
PAGE = (FOLDER / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def scores():
    return pd.read_csv(FOLDER / "scores.csv", keep_default_na=False, na_values=[""])


@pytest.fixture(scope="module")
def published():
    return pd.read_csv(FOLDER / "published.csv", keep_default_na=False)


@pytest.fixture(scope="module")
def best(scores):
    """Mean adjusted Rand index by data set and method of ours, of the best labelling."""
    own = scores[(scores.measure == "ari") & ~scores.method.str.endswith(MARK)]
    return own.pivot_table(index="data", columns="method", values="mean", aggfunc="max", sort=False)


@pytest.fixture(scope="module")
def differences():
    """Over all data sets, by rival; Genie is the method held against each."""
    rows = pd.read_csv(FOLDER / "differences.csv")
    rows = rows[(rows.measure == "ari") & (rows.data == "all")]
    assert set(rows.method) == {"Genie"}
    return rows.set_index("rival")


def test_each_method_of_the_file_has_a_score_or_a_reason_on_each_data_set(scores):
    own = scores[~scores.method.str.endswith(MARK)]
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
    theirs = scores[scores.method.str.endswith(MARK)].groupby(["data", "method"])["mean"].max()
    for row in published.groupby(["data", "published"])["theirs"].max().items():
        assert row[1] <= theirs[row[0][0], row[0][1] + MARK] + 1e-9


def test_the_page_needs_no_other_machine_and_its_pictures_are_there():
    assert 'id="unlabelled"' not in PAGE  # all data have labels
    assert not re.search(r"/(tmp|work|home|root)/", PAGE)
    for picture in re.findall(r'src="(figures/[^"]+)"', PAGE):
        assert (FOLDER / picture).is_file()
    assert all(path.stat().st_size < 2_000_000 for path in FOLDER.rglob("*") if path.is_file())


def test_the_findings_are_those_of_the_files(best, differences, published):
    text = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    own = best.drop(columns=["RandomClusters", "RandomTree"])
    assert own.mean().idxmax() == "Genie"
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
    open_ = [{"KMeans": "K-means"}.get(name, name) for name in rivals.index[rivals.verdict == "undecided"]]
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
