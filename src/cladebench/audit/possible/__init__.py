"""Printed numbers against proven bounds of their measures.

Least and greatest values follow from what a paper states.
"""

from cladebench.audit.possible.judge import judge_possible
from cladebench.audit.possible.ranges import Range

__all__ = ["Range", "judge_possible"]
