"""Real data sets, in the test modules that name them as ``REAL``: one name, or several."""

from __future__ import annotations

import pytest

from cladebench import datasets


@pytest.fixture(scope="module")
def real(request: pytest.FixtureRequest) -> datasets.Dataset | dict[str, datasets.Dataset]:
    """What is ``REAL`` where its files are; asked for before the folders of the tests take their place."""
    wanted = request.module.REAL
    names = (wanted,) if isinstance(wanted, str) else wanted
    missing = [name for name in names if datasets.availability(name) is None]
    if missing:
        pytest.skip(f"the files of {', '.join(missing)} are not on this machine")
    loaded = {name: datasets.load(name) for name in names}
    return loaded[wanted] if isinstance(wanted, str) else loaded
