"""Which candidate's costs lie closest to the paper's printed ones (Figure 3b)?

The rule reads no label and no purity: a candidate's score is the sum over data sets of
``|log10(cost / nearest end of the printed range)|`` (0 within the range). The cost is that of the tree of recursive
sparsest cuts under the candidate itself, where the paper prints one (glass, digits), else of average-linkage HAC
(spambase).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cladebench.papers.ghc.similarity_study import BOUNDS, CANDIDATE, PRINTS_SPARSEST_CUT

FloatArray = NDArray[np.float64]


#: Section 4, Datasets: the number of points that the paper prints for each data set, and that the data have.
SIZES: Mapping[str, tuple[int, int]] = {"glass": (214, 214), "digits": (200, 200), "spambase": (7000, 4601)}

NOTES = (
    "score: sum over data sets of |log10(cost / nearest end of the printed range)|, 0 within the range; the cost is"
    " that of the sparsest-cut tree where the paper prints one (glass, digits), else of average-linkage HAC. No label"
    " enters the score; that the paper used raw features is inferred from its purities, which need labels.",
    "score at printed size: the same with spambase's cost times (7000 / 4601)^3, as if it had the 7000 points that"
    " the paper prints (costs grow with the cube of the number of points).",
    "within: number of data sets whose cost lies in the printed range; impossible on: data sets where no tree whatever"
    " can cost the lowest or the highest that the paper prints (from bounds that hold for every tree of the points used"
    " here; the paper's digits are another draw).",
    "self-pairs: each point also with itself, at the number of points that share its leaf.",
    "d is the Euclidean distance, median that of d², features the number of features.",
    "raw features are as they are, z-scored ones have mean 0 and variance 1 each; largest entry 1: all are divided by"
    " the largest absolute entry of the data set.",
)

#: What a candidate is made of, which its name in the table says.
PARTS = list(CANDIDATE[:4])


def judged(frame: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Compare costs with the printed range.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns dataset, `CANDIDATE`, cost; further ones are kept.
    published : pandas.DataFrame
        The printed numbers, as in `ArtifactContext.published`: of each data set the lowest and the highest of Figure 3b
        are read.

    Returns
    -------
    pandas.DataFrame
        With published_low, published_high; log_ratio (log10 of the cost over the nearest end of the range, 0
        within it), log_ratio_printed_size (the same for the cost at the printed number of points), inside;
        candidate (a name without the tree); scored (whether the rule reads this row).
    """
    printed = published[published.artifact == "Figure 3b"].groupby("dataset").value
    low, high = (frame.dataset.map(ends).to_numpy(dtype=float) for ends in (printed.min(), printed.max()))
    growth = np.array([(n_printed / n) ** 3 for n_printed, n in map(SIZES.__getitem__, frame.dataset)])
    cost = frame.cost.to_numpy(dtype=float)
    log_ratio = _log_ratio(cost, low, high)
    own_tree = np.where(frame.dataset.map(PRINTS_SPARSEST_CUT), "sparsest cut", "HAC average")
    gamma = frame.gamma.where(frame.gamma == "", " " + frame.gamma.astype(str))
    return frame.assign(
        published_low=low,
        published_high=high,
        log_ratio=log_ratio,
        log_ratio_printed_size=_log_ratio(cost * growth, low, high),
        inside=log_ratio == 0,
        candidate=frame.kind.astype(str) + gamma + ", " + frame.features + ", " + frame.pairs,
        scored=frame.tree.to_numpy() == own_tree,
    )


def rank(frame: pd.DataFrame) -> pd.DataFrame:
    """Order the candidates by the rule, best first.

    Equal scores keep the order of the frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `judged` gives it.

    Returns
    -------
    pandas.DataFrame
        Columns candidate, kind, gamma, features, pairs, score, "score at printed size", "within", "data sets"; for
        each data set its cost and log10 ratio; "impossible on" (data sets, by the bounds).
    """
    key = ["candidate", *PARTS]
    scored = frame[frame.scored]
    sizes = scored.groupby(key, sort=False)
    ranked = sizes.agg(
        score=("log_ratio", lambda r: float(r.abs().sum(skipna=False))),
        printed=("log_ratio_printed_size", lambda r: float(r.abs().sum(skipna=False))),
        within=("inside", "sum"),
        n_datasets=("dataset", "nunique"),
    )
    for name in dict.fromkeys(frame.dataset):
        of_dataset = scored[scored.dataset == name].set_index(key)
        ranked[f"{name} cost"] = of_dataset.cost
        ranked[f"{name} log10 ratio"] = of_dataset.log_ratio
    least, most = (frame[frame.tree == bound].set_index([*key, "dataset"]) for bound in BOUNDS)
    # The paper prints trees of the lowest and the highest cost of its range, to three digits.
    impossible = (least.cost > 1.005 * least.published_low) | (most.cost < 0.995 * most.published_high)
    names = impossible.index.get_level_values("dataset").to_series(index=impossible.index)
    ranked["impossible on"] = names.where(impossible, "").groupby(key).agg(_listed)
    ranked = ranked.rename(
        columns={"printed": "score at printed size", "n_datasets": "data sets"}
    ).reset_index()
    return ranked.sort_values("score", kind="stable", ignore_index=True)


def _listed(names: pd.Series) -> str:
    return ", ".join(name for name in names if name)


def _log_ratio(cost: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """log10 of the cost over the nearest end of the range.

    Nan for a cost that is not positive.
    """
    logs = np.log10(np.where(cost > 0, cost, np.nan))
    return np.maximum(logs - np.log10(high), 0.0) + np.minimum(logs - np.log10(low), 0.0)
