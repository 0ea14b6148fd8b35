from cladebench.paper.artifact_types import declare
from cladebench.paper.tables import settings_table

ARTIFACTS = declare(
    __package__, ("settings", "table", "Numbers of clusters", "", lambda c: settings_table(c, ["inertia"]))
)
