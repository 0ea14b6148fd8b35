"""Build the site into build/docs/html, with warnings as errors, and check its links."""

import os
import sys

from check import faults
from stage import ROOT, SITE, stage

BUILD = ROOT / "build" / "docs"


def main() -> int:
    """Stage, build, check; gives the exit code."""
    os.environ.setdefault("MPLBACKEND", "agg")
    os.environ["MPLCONFIGDIR"] = str(BUILD / "matplotlib")
    from sphinx.cmd.build import main as sphinx

    stage(BUILD / "source")
    options = ["-b", "html", "-a", "-W", "--keep-going", "-q", "-c", str(SITE), "-d", str(BUILD / "doctrees")]
    if code := sphinx([*options, str(BUILD / "source"), str(BUILD / "html")]):
        return code
    found = faults(BUILD / "html")
    print("\n".join(found) or "build/docs/html/index.html: all local links lead somewhere")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
