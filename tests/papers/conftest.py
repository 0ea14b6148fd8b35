import pytest

from cladebench.plotting import use_style


@pytest.fixture
def style():
    """Draw as artifacts are drawn."""
    with use_style():
        yield
