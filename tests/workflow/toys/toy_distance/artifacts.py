from functools import partial

from cladebench.paper.artifact_types import declare
from cladebench.paper.tables import comparison_table

build = partial(comparison_table, artifact="", metric="accuracy", datasets=["nested-blobs"], at={"k": 9})
ARTIFACTS = declare(__package__, ("accuracy", "table", "Nine neighbours", "", build))
