from functools import partial

from cladebench.paper.artifact_types import declare
from cladebench.paper.tables import comparison_table

build = partial(comparison_table, artifact="", metric="ari", datasets=["split-distances"], at={"set": 1})
ARTIFACTS = declare(__package__, ("sets", "table", "The second test set", "", build))
