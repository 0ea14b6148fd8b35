"""Claims of known truth, as ``audit.csv`` has them, and a plan of a paper around them."""

from types import SimpleNamespace

from cladebench.audit.audit_files import COLUMNS

EVIL = "</script><script>alert(1)</script> 'a': \"b\" # c\n- d: {e} & é\u2028"


def claim(name, **changed):
    lists = ("methods", "cells", "cells_beside", "stand_in_for", "depends_on", "not_run", "parts")
    found = dict.fromkeys(COLUMNS, "") | {key: [] for key in lists} | {"main": False}
    numbers = ("measured", "low", "high", "n", "difference", "detectable", "p_value", "p_exact", "p_adjusted")
    published = ("published_value", "published_spread", "n_published", "precision", "measured_beside")
    found |= dict.fromkeys((*numbers, *published))
    found |= {"paper": "made", "claim": name, "kind": "sentence", "quote": f"It says {name}."}
    return (
        found
        | {"place": "section 1", "reason": "because", "verdict": "reproduced", "evidence": "paper data"}
        | changed
    )


def plan(
    title="A paper about trees", citation="A. One, B.-C. Two. A paper about trees. 2001. doi:10.1234/trees.5"
):
    return SimpleNamespace(paper="made", title=title, citation=citation, package="made")
