"""The folders of the C++ core: each includes itself and what stands above it."""

from __future__ import annotations

import re
from pathlib import Path

CORE = Path(__file__).parents[2] / "src/core"

# A folder may include any folder of an earlier line.
LAYERS = (
    {"common"},
    {"trees", "linkage", "margin", "splits", "dependence", "exemplars"},
    {"forest", "distances"},
    {"bindings", "tests"},
)
LAYER = {folder: k for k, folders in enumerate(LAYERS) for folder in folders}


def test_every_folder_has_a_layer() -> None:
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(LAYER)


def test_includes_run_one_way() -> None:
    wrong = []
    for path in CORE.glob("*/*.[ch]pp"):
        own = path.parent.name
        for other in re.findall(r'^#include "(\w+)/', path.read_text(), re.MULTILINE):
            if other != own and LAYER[other] >= LAYER[own]:
                wrong.append(f"{own}/{path.name} includes {other}/")
    assert not wrong
