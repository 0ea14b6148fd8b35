"""Printed numbers against the possible: least and greatest values of a measure under what a paper states, proven."""

from cladebench.audit.possible.judge import judge_possible
from cladebench.audit.possible.ranges import Range

__all__ = ["Range", "judge_possible"]
