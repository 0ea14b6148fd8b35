from cladebench.papers.artifact_types import declare
from cladebench.papers.tables import settings_table

ARTIFACTS = declare(
    __package__, ("settings", "table", "Numbers of clusters", "", lambda c: settings_table(c, ["inertia"]))
)
