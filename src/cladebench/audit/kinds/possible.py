"""Can the printed number be, under what the paper states?"""

from __future__ import annotations

from cladebench.audit.claim_types import Claim
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.possible import judge_possible


class Possible(Kind):
    """A printed number against proven bounds."""

    name = "possible"
    on_paper = True

    def judge(self, claim: Claim, by: Grounds) -> Judgement:
        """Judge by the bounds and by instances at hand."""
        return Judgement(judge_possible(claim, by.facts))
