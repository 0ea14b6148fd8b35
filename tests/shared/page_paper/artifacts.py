"""A table that repeats printed numbers, one that does not, a figure that was made and one that was not."""

import pandas as pd

from cladebench.paper.artifact_types import Artifact, Table
from cladebench.paper.choices_table import choices_table
from cladebench.paper.tables import comparison_table, status_table


def table_1(context):
    return comparison_table(
        context,
        artifact="Table 1",
        metric="purity",
        datasets=list(context.datasets),
        notes=("A note below the table.",),
    )


def overall(context):
    cells = tuple(context.results.records.cell_id.unique())
    return Table(
        pd.DataFrame({"cells": [len(cells)], "again": [len(cells)]}),
        {(0, "cells"): cells, (0, "again"): cells},
    )


def _figure(context):
    raise AssertionError("pages copy figures, they do not draw them")


ARTIFACTS = tuple(
    Artifact(name, kind, title, "What is shown & how it was measured.", place, build)
    for name, kind, title, place, build in (
        ("table-1", "table", "Table 1: purity", "Table 1", table_1),
        ("overall", "table", "All cells together", "", overall),
        ("cells", "table", "Cells by status", "", status_table),
        ("made", "figure", "A figure", "", _figure),
        ("not-made", "figure", "Another figure", "", _figure),
        ("deviations", "table", "Deviations", "", choices_table),
    )
)
