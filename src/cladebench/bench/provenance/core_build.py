"""Check that the compiled core is that of its sources.

Results from a stale build must not happen.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from cladebench.datasets.settings import checkout_root


class StaleCore(RuntimeError):
    """The compiled core was built from other sources.

    They are not those in the checkout.
    """


def core_build_id() -> str:
    """Give the digest of the core's sources that the build recorded."""
    from cladebench import _core

    return str(_core.build_id)


def core_sources_digest(root: Path | None = None) -> str | None:
    """Compute the digest of the core's sources as ``src/core/CMakeLists.txt`` does.

    Each source gives a line ``<path in src/core> <sha256>``: the library's, then the bindings', in the order of paths.
    The digest is the sha256 of these lines.

    Parameters
    ----------
    root : Path, optional
        Root of the checkout; by default the one around the package or the current folder.

    Returns
    -------
    str or None
        None where there is no checkout.
    """
    root = root or checkout_root()
    if root is None:
        return None
    core = root / "src/core"
    sources = {path.relative_to(core).as_posix(): path for path in core.glob("*/*.[ch]pp")}
    lines = [
        f"{name} {hashlib.sha256(sources[name].read_bytes()).hexdigest()}\n"
        for name in sorted(sources, key=lambda name: (name.startswith("bindings/"), name.encode()))
        if not name.startswith("tests/")
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def check_core_is_fresh() -> None:
    """Raise StaleCore if the core differs from its sources.

    They are those of the checkout; without one, all is well.
    """
    digest = core_sources_digest()
    if digest is not None and digest != core_build_id():
        raise StaleCore(
            "the compiled core is older than its sources: run `make build` "
            f"(built from {core_build_id()[:12]}, sources are {digest[:12]})"
        )
