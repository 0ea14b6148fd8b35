"""Jobs of a comparison: few, each of one library, and quick to start."""

import subprocess
import sys
from pathlib import Path

import pytest

from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import jobs_of, write_plan
from cladebench.comparison.spec import read_comparison
from cladebench.workflow.comparison_jobs import ComparisonJobs

METHODS = 'methods: [Agglomerative, FlatKMeans, sklearn.cluster.KMeans, sklearn.cluster.Birch, "users_methods.py:Mine"]'


@pytest.fixture
def planned(inputs):
    """Jobs by number of cores."""
    file = inputs / "comparison.yaml"
    file.write_text(
        "data:\n"
        "  patients: {file: patients.csv, label: diagnosis}\n"
        "  plain: {file: patients.csv, ignore: [diagnosis], clusters: 3}\n"
        f"{METHODS}\nrepetitions: 2\n"
    )
    comparison = read_comparison(file)
    return {cores: jobs_of(write_plan(comparison, inputs / str(cores), cores)) for cores in (None, 1, 16)}


def test_methods_of_one_library_share_a_job_where_cores_are_few(planned):
    names = [[method.name for method in job.methods] for job in planned[1]]
    assert names == [["Agglomerative", "FlatKMeans"], [*CONTROLS], ["KMeans", "Birch"], ["Mine"]]
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
