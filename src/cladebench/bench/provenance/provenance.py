"""Where a record comes from: commit, build, versions, machine."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import cladebench
from cladebench.suite_folder import built_from

#: Recorded for every cell; what else a method or paper imports, `import_closure.library_distributions` finds.
PACKAGES = ("numpy", "scipy", "scikit-learn", "jax", "jaxlib", "cladebench")


def package_versions(more: Iterable[str] = ()) -> dict[str, str]:
    """Versions of the packages that results depend on, and of Python.

    ``absent`` where one is not installed.
    """
    versions = {"python": platform.python_version()}
    for name in (*PACKAGES, *more):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "absent"
    return versions


def _git(folder: Path, *arguments: str) -> str | None:
    """Run git and give its output, or None without a repository."""
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def git_state(folder: Path | None = None) -> tuple[str | None, bool | None]:
    """Give commit and dirty flag of the repository that tracks the package.

    An installed package has those that it was built from. (None, None) means that none is known. Dirty means
    that a file under the package's source folder differs from the commit or is not tracked. Results that a
    run rewrites do not count.
    """
    folder = folder or Path(cladebench.__file__).parent
    # A virtual environment may lie inside some other repository; that one does not track the package.
    if _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        built = built_from(folder / "suite")
        return built.get("commit"), built.get("changed")
    commit = _git(folder, "rev-parse", "HEAD")
    status = _git(folder, "status", "--porcelain", "--", "..")
    return commit, None if status is None else bool(status)


def machine_fingerprint() -> dict[str, Any]:
    """Describe what may change timings: CPU, cores, memory (GiB), system, architecture."""
    import psutil

    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 1,
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
    }


def _cpu_model() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def collect(code_digest: str, packages: Iterable[str] = ()) -> dict[str, Any]:
    """Provenance of the records of one estimator in a job.

    Parameters
    ----------
    code_digest : str
        Digest of the sources of its cells.
    packages : iterable of str
        Further distributions whose versions results depend on: those that this method or paper uses.
    """
    from cladebench.bench.provenance.core_build import core_build_id

    (commit, dirty), machine = _surroundings()
    return {
        "git_commit": commit,
        "git_dirty": dirty,
        "core_build": core_build_id(),
        "code_digest": code_digest,
        "versions": package_versions(packages),
        "machine": dict(machine),
    }


@functools.cache
def _surroundings() -> tuple[tuple[str | None, bool | None], dict[str, Any]]:
    """Commit and machine, as this process found them first.

    Git takes a while, and jobs are many.
    """
    return git_state(), machine_fingerprint()
