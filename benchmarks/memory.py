"""Peak memory of the process itself."""

import resource
from pathlib import Path


def peak_mebibytes() -> float:
    """Peak resident memory since the program was started, in MiB.

    ``ru_maxrss`` would not do on Linux: it outlives exec, so a child shows the peak of the process that started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
