"""How this package uses JAX: in float64, on the CPU, without touching the settings of the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import jax

# Until 0.8 the context manager lived in jax.experimental.
_enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64  # type: ignore[attr-defined]


@contextmanager
def double_precision() -> Iterator[None]:
    """Run the body in float64 on the CPU; other users of JAX in the process keep their own settings."""
    with _enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
        yield
