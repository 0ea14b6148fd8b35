"""Values that rules are tried on, and what scipy makes of them."""

import numpy as np
from hypothesis import strategies as st
from scipy import stats

from cladebench.audit.verdict.verdict_types import Rules

RULES = Rules()


def interval(values):
    """What scipy has for the interval of a mean."""
    return stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))


samples = st.lists(st.floats(-1, 1), min_size=2, max_size=8).map(np.array)
