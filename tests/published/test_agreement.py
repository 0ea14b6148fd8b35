"""Our clusters held against published ones: how far they agree, and why they differ."""

import numpy as np
import pytest

from cladebench.published.agreement import agreement, reason


def test_other_runs_are_made_only_where_the_labels_differ():
    X, true = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    calls = []

    def refit(features, seed):
        calls.append(seed)
        return true if seed == 3 else np.arange(8) % 2

    same = agreement(true, 1 - true, X, refit, seeded=True)
    assert (
        same == {"published_agreement": 1.0, "published_within": 1.0, "published_seeded": 1.0} and not calls
    )
    other = agreement(true, np.arange(8) % 2, X, refit, seeded=True)
    assert calls == [None, 0, 1, 2, 3, 4] and other["published_best_other"] == 1.0
    assert reason(other, "") == "another start" and other["published_within"] > 1
    with pytest.raises(ValueError, match="8 labels are published; expected 7"):
        agreement(true, true[:7], X[:7], refit, seeded=True)


@pytest.mark.parametrize(
    ("agrees", "scale", "best", "between", "seeded", "said"),
    [
        (0.99, np.nan, np.nan, np.nan, 0, ""),
        (0.5, 0.99, 1.0, 0.99, 0, "scale and rounding of the data"),
        (0.5, 0.99, 0.5, 0.5, 0, "ties, which noise breaks"),
        (0.5, 0.5, 1.0, 0.5, 0, "ties, which noise breaks"),
        (0.5, 0.5, 1.0, 0.5, 1, "another start"),
        (0.5, 0.5, 0.6, 0.5, 0, "near ties: ours differ as much under such noise"),
        (0.5, 0.5, 0.6, 0.4, 1, "starts: ours differ as much"),
        (0.5, 0.5, 0.6, 0.9, 1, "not explained"),
    ],
)
def test_reasons_come_from_other_runs(agrees, scale, best, between, seeded, said):
    names = ("agreement", "same_scale", "best_other", "least_between", "seeded")
    row = dict(zip([f"published_{n}" for n in names], (agrees, scale, best, between, seeded), strict=True))
    assert reason(row, "fastcluster_ward") == said
    row["published_within"] = 1.01
    if said == "not explained":
        said = "two optima: theirs has fewer squares"
    assert reason(row, "sklearn_kmeans") == said
