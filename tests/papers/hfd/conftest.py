import pytest

from hfd_records import golden_context


@pytest.fixture
def golden():
    """Of each test its own: the images count who asked for them."""
    return golden_context()
