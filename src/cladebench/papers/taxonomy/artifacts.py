"""Tables and figures of the taxonomy paper."""

from cladebench.papers.artifact_types import declare
from cladebench.papers.tables import status_table

ARTIFACTS = declare(__package__, ("cells", "table", "Cells: status, time, memory", "", status_table))
