import pytest

from exemplar_records import ARRAYS, NAMES, PRINTED, ROWS, context, pictures


@pytest.fixture(scope="session")
def golden():
    return context(
        *ROWS,
        names=[*NAMES, "uiuc"],
        published=PRINTED,
        arrays=ARRAYS,
        load_data=lambda name, draw: {"outex": pictures(), "scenes-few": pictures()}[name],
    )


@pytest.fixture(scope="session")
def nothing():
    return context(names=["noisy-mixtures-50", "outex", "uiuc", "scenes"])
