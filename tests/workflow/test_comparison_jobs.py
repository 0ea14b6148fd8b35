"""Jobs of a comparison: few, each of one library, and quick to start."""

import subprocess
import sys
from pathlib import Path

import pytest

from cladebench.comparison import CONTROLS
from cladebench.workflow.comparison_jobs import ComparisonJobs, jobs_of, plan

METHODS = 'methods: [Agglomerative, FlatKMeans, sklearn.cluster.KMeans, sklearn.cluster.Birch, "users_methods.py:Mine"]'


def plans(inputs, repetitions):
    """Jobs by number of cores."""
    file = inputs / "comparison.yaml"
    file.write_text(
        "data:\n"
        "  patients: {file: patients.csv, label: diagnosis}\n"
        "  plain: {file: patients.csv, ignore: [diagnosis], clusters: 3}\n"
        f"{METHODS}\nrepetitions: {repetitions}\n"
    )
    return {cores: jobs_of(plan(file, inputs / str(cores), cores)) for cores in (None, 1, 2, 16)}


@pytest.fixture
def planned(inputs):
    return plans(inputs, 2)


def names(jobs):
    return [[method.name for method in job.methods] for job in jobs]


@pytest.mark.parametrize("repetitions", [2, 10])
def test_methods_of_one_library_share_a_job_where_cores_are_few(inputs, repetitions):
    planned = plans(inputs, repetitions)
    apart = [["Agglomerative", "FlatKMeans"], [*CONTROLS], ["KMeans", "Birch"], ["Mine"]]
    if repetitions == 2:  # so few runs that the starts of processes would take most of the time
        ours = ["Agglomerative", "FlatKMeans", *CONTROLS]
        assert names(planned[1]) == [ours[:3], ours[3:], ["KMeans", "Birch"], ["Mine"]]
        assert names(planned[2]) == apart
    else:
        assert names(planned[1]) == apart
        assert names(planned[2]) == [[name] for jobs in apart for name in jobs]
    for cores in (None, 16):
        assert [len(job.methods) for job in planned[cores]] == [1] * 7


def test_jobs_have_all_runs_once_data_set_by_data_set(planned):
    runs = {
        cores: [cell.spec.cell_id for job in jobs for cell in job.cells] for cores, jobs in planned.items()
    }
    assert sorted(runs[1]) == sorted(runs[16]) == sorted(runs[None])
    assert len({*runs[1]}) == len(runs[1]) == 7 * 2 * 3
    for job in planned[1]:
        met = [cell.spec.dataset for cell in job.cells]
        assert met == sorted(met, key=job.datasets.index)
        assert {cell.spec.method for cell in job.cells} == {method.name for method in job.methods}


def test_a_job_starts_without_what_only_its_runs_need():
    code = (
        "import sys, cladebench.bench.run.run_job, cladebench.workflow.comparison_jobs\n"
        "print(*{'sklearn', 'pandas', 'matplotlib', 'scipy.stats'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_page_rests_on_its_templates_too():
    read = {Path(path).name for path in ComparisonJobs.page_sources(None)}
    assert {"page.html", "page.py", "html_templates.py", "pictures.py"} <= read
    assert {"frame.html", "score-tables.html", "style.css"} <= read
