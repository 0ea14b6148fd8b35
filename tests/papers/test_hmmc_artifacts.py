"""The tables and figures of the HMMC paper say, from the records, what they rest on."""

import dataclasses

import pandas as pd
import pytest

from cladebench.bench.cell_spec import canonical_json, setting_id
from cladebench.bench.selection import select_settings
from cladebench.papers.artifact_types import ArtifactContext
from cladebench.papers.catalogue import load_plan
from cladebench.papers.hmmc.artifacts import ARTIFACTS, figure_2, table_1

N_SAMPLES = {"awa-attr": 30475, "vehicle": 12000}


def context_of(n_samples):
    """HKM, HMMC at two alphas and HMMC at K = 3 and 4 (one repetition), on `n_samples` rows (None: all)."""
    plan = load_plan("hmmc")
    drawn = {} if n_samples is None else {"n_samples": n_samples}
    grids = {
        "HKM": ([{}], 3),
        "HMMC": ([{"alpha": a, "beta": 1.0} for a in (0.1, 1.0)], 3),
        "HMMC-K": ([{"n_splits": k, "alpha": a} for k in (3, 4) for a in (0.1, 1.0)], 1),
    }
    rows = []
    for dataset in N_SAMPLES:
        for method, (settings, repetitions) in grids.items():
            for k, setting in enumerate({**one, **drawn} for one in settings):
                for repetition in range(repetitions):
                    name = f"hmmc/{dataset}/{method}/{setting_id(setting)}/{repetition}"
                    row = {
                        **dict(paper="hmmc", dataset=dataset, method=method, cell_id=name, status="ok"),
                        **dict(setting=canonical_json(setting), setting_id=setting_id(setting)),
                        **dict(
                            repetition=repetition,
                            params=canonical_json(plan.methods[method].parameters(setting)),
                        ),
                    }
                    metrics = {"sp": 0.8 + 0.01 * k, "sp_1.5": 0.8, "sp_2": 0.8, "leaf_inertia": 1.0 + k}
                    rows += [row | {"metric": metric, "value": value} for metric, value in metrics.items()]
    records = pd.DataFrame(rows)
    return ArtifactContext(
        paper="hmmc",
        package=plan.package,
        scope="quick",
        records=records,
        published=pd.DataFrame(
            columns=["claim", "artifact", "dataset", "method", "metric", "value", "printed"]
        ),
        choices=select_settings(records, plan.selection),
        methods={name: method.as_dict() for name, method in plan.methods.items()},
        datasets={
            name: {"title": name, "stand_in_for": None, "n_samples": n} for name, n in N_SAMPLES.items()
        },
        load_arrays=lambda cell: {},
    )


def test_table_1_says_what_it_rests_on():
    notes = table_1(context_of(1000), "sp").notes
    assert "Rows used: awa-attr 1,000 of 30,475; vehicle 1,000 of 12,000." in notes
    assert "Repetitions: 3 (1 for HMMC, K > 2)." in notes
    assert "Settings to choose from: 2 (HMMC), 4 (HMMC, K > 2)." in notes


@pytest.mark.parametrize("n_samples", [None, 40000], ids=["all by default", "more asked for than there are"])
def test_table_1_says_nothing_of_rows_where_all_were_used(n_samples):
    assert not any("Rows used" in note for note in table_1(context_of(n_samples), "sp").notes)


def test_table_1_says_how_the_number_of_splits_was_chosen():
    table = table_1(context_of(1000), "sp")
    row = table.frame[table.frame.method == "HMMC, K > 2"].iloc[0]
    # The fourth setting, K = 4 at alpha = 1, is the best by SP, the first the most compact.
    assert (row["vehicle: oracle"], row["vehicle: label-free"]) == ("83.00 (1)", "80.00 (1)")
    assert any("called K > 2: their K is chosen with the rest of the setting" in note for note in table.notes)


def test_figure_2_says_what_it_rests_on():
    text = figure_2(context_of(1000)).get_supxlabel()
    assert "Rows used: awa-attr 1,000 of 30,475; vehicle 1,000 of 12,000." in text
    assert "Repetitions: 3 (1 for HMMC with K = 3; HMMC with K = 4)." in text
    assert "Settings to choose from: 2 (HMMC; HMMC with K = 3; HMMC with K = 4)." in text
    assert "Rows used" not in figure_2(context_of(None)).get_supxlabel()


@pytest.mark.parametrize(
    ("status", "said"),
    [("unavailable", ""), ("missing", "Missing: 26 of the 26 cells that are planned for this.")],
)
def test_a_figure_without_curves_says_which_cells_are_missing(status, said):
    context = context_of(1000)
    nothing = context.records.assign(status=status, metric=None)
    empty = dataclasses.replace(context, records=nothing, choices=context.choices.iloc[:0])
    assert figure_2(empty).get_supxlabel() == said


def test_the_settings_chosen_name_the_number_of_splits():
    build = next(artifact.build for artifact in ARTIFACTS if artifact.id == "selected-settings")
    frame = build(context_of(1000)).frame
    chosen = frame[(frame.method == "HMMC-K") & (frame.rule == "oracle")].setting
    assert all("n_splits: 4" in text for text in chosen) and len(chosen) == len(N_SAMPLES)
