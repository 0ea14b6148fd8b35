import pytest

from hmmc_records import golden_context


@pytest.fixture(scope="session")
def golden():
    return golden_context()
