"""Every verdict has a validation status, and a stand-in validates nothing."""

from hypothesis import given
from hypothesis import strategies as st

from cladebench.audit.verdict.verdict_types import NOT_TESTABLE, ON_STAND_INS, VERDICTS
from cladebench.audit.verdict_statuses import INCONCLUSIVE, STATUSES, UNTESTED, VALIDATED, status_of

EXPECTED = {
    "reproduced": "validated",
    "within noise": "validated",
    "direction only": "partially supported",
    "depends": "partially supported",
    "contradicted": "contradicted",
    "inconsistent": "contradicted",
    "uninformative": "inconclusive",
    "analogue holds": "inconclusive",
    "analogue undecided": "inconclusive",
    "analogue fails": "inconclusive",
    "not testable": "not tested",
}


def test_each_verdict_has_a_status():
    assert {name: status.name for name, status in STATUSES.items()} == EXPECTED
    assert list(EXPECTED.keys() ^ VERDICTS.keys()) == []


def test_a_difference_that_is_not_shown_is_not_validated():
    for kind in ("order", "ranking", "ratio", "sentence", "arithmetic"):
        found = status_of({"verdict": "within noise", "kind": kind, "stand_in_for": []})
        assert found is INCONCLUSIVE


@given(st.sampled_from(list(VERDICTS)), st.lists(st.text(min_size=1), max_size=3))
def test_a_stand_in_never_validates_nor_contradicts(verdict, stand_ins):
    found = status_of({"verdict": verdict, "kind": "value", "stand_in_for": stand_ins})
    if stand_ins or verdict in ON_STAND_INS.values():
        assert found is not VALIDATED
        assert found is (UNTESTED if verdict == NOT_TESTABLE else INCONCLUSIVE)
    else:
        assert found.name == EXPECTED[verdict]
    assert (found is UNTESTED) == (verdict == NOT_TESTABLE)
