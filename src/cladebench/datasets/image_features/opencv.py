"""Import OpenCV, an optional extra that only image data sets need."""

from __future__ import annotations

import importlib
from typing import Any

from cladebench import extras
from cladebench.datasets.base import DataUnavailable

#: Distribution whose version enters the names of kept copies (``libraries`` of a registry entry).
LIBRARY = "opencv-python-headless"


def opencv() -> Any:
    """Import OpenCV and hold it at one thread.

    Jobs run side by side.

    Raises
    ------
    DataUnavailable
        It cannot be imported.
    """
    # By name: it is no dependency of the package.
    try:
        cv2 = importlib.import_module("cv2")
    except ImportError as error:
        raise DataUnavailable(extras.advice(error) or f"OpenCV cannot be imported: {error}") from error
    cv2.setNumThreads(1)
    return cv2
