"""How this package uses JAX: in float64, on one CPU thread, without touching the settings of the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax

# Until 0.8 the context manager lived in jax.experimental.
_enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64  # type: ignore[attr-defined]


#: ``jax.jit`` for code whose results must not depend on the number of threads: XLA's threaded matrix products split
#: long sums by thread.
jit: Any = partial(jax.jit, compiler_options={"xla_cpu_multi_thread_eigen": False})


@contextmanager
def double_precision() -> Iterator[None]:
    """Run the body in float64 on the CPU; other users of JAX in the process keep their own settings."""
    with _enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
        yield
