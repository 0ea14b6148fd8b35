"""Own data among the registered ones: their labellings."""

from types import SimpleNamespace

import numpy as np
import pytest

from cladebench.datasets.own.own_data import labellings_of


def test_registered_data_have_as_many_clusters_as_classes():
    labels = np.array([0, 2, 1])
    assert labellings_of(SimpleNamespace(labels=labels, name="d")) == {"labels": (labels, 3)}
    with pytest.raises(ValueError, match="d has no labels; expected data with labels"):
        labellings_of(SimpleNamespace(labels=None, name="d"))
