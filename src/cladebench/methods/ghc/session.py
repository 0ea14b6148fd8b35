"""How this package uses JAX: in float64, on one CPU thread."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import jax


@cache
def _cpu() -> Any:
    """Return JAX's CPU device, with one thread if possible.

    It is made with one thread if nothing in the process has made it yet.

    XLA's matrix products split sums by thread, and no setting of a compiled function stops them; the number of
    threads is read from the environment when the device is made.
    """
    name = "PJRT_NPROC"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        return jax.devices("cpu")[0]
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def double_precision() -> Iterator[None]:
    """Run the body in float64 on the CPU.

    Other users of JAX in the process keep their own precision.
    """
    with jax.default_device(_cpu()), jax.enable_x64(True):
        yield
