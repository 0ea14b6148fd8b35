"""Verdicts and kinds of evidence in words and signs, in the order of tables."""

from __future__ import annotations

#: What each verdict says, in a line.
MEANINGS = {
    "reproduced": "our number is shown to agree with the printed one; or the order holds, significantly",
    "within noise": "undecided: neither agreement nor difference can be shown; or a tie",
    "direction only": "undecided: the right side is ahead, but not significantly",
    "contradicted": "the difference is more than noise and rounding explain; or the opposite holds, significantly",
    "depends": "what the paper leaves unsaid decides: registered alternatives disagree, or in one of them what learns "
    "nothing from the data passes as well",
    "uninformative": "it holds, and a rival that learns nothing from the data passes as well: it supports nothing",
    "inconsistent": "the paper contradicts itself, or errs",
    "analogue holds": "judged on data that stand in for the paper's own: the claim holds there",
    "analogue undecided": "judged on data that stand in for the paper's own: undecided there",
    "analogue fails": "judged on data that stand in for the paper's own: the claim does not hold there",
    "not testable": "could not be judged; the reason says why",
}
#: A sign beside the word, so that no verdict rests on colour alone.
SIGNS = {
    "reproduced": "✓",
    "within noise": "≈",
    "direction only": "↗",
    "contradicted": "✗",
    "depends": "±",
    "uninformative": "∅",
    "inconsistent": "≠",
    "analogue holds": "◇✓",
    "analogue undecided": "◇?",
    "analogue fails": "◇✗",
    "not testable": "–",
}
#: What each kind of evidence is.
EVIDENCE = {
    "paper data": "measured on the paper's own data",
    "other data": "measured on data that stand in for the paper's, or beyond it",
    "printed numbers": "the paper's own numbers, held against each other and against what is possible",
    "by construction": "so by how the method or the measure is made: no data could say otherwise",
    "own code": "a property of our own code, such as its time",
}
