import pytest

import synthetic_run
from cladebench.report.pages import write_report


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """A run of the tests' paper, with its pages written."""
    folder = tmp_path_factory.mktemp("run") / "results" / "smoke"
    synthetic_run.write_run(
        folder, "page_paper", synthetic_run.page_paper_metrics, fate=synthetic_run.page_paper_fate
    )
    write_report(folder, "smoke", ["page_paper"])
    return folder


@pytest.fixture(scope="session")
def report(results):
    return results / "report"
