"""Start Snakemake in a folder, and wait for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from cladebench.bench.run.signals import Interrupted, signals_raise
from cladebench.workflow import ending, folder_lock

#: BLAS and OpenMP on one thread where processes share the cores: threads that wait for each other spin.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def snakemake(
    folder: Path, snakefile: Path, cores: int, config: Sequence[str], options: Sequence[str]
) -> int:
    """Run Snakemake in a folder of which no other run makes use.

    Ctrl-C and SIGTERM end all that was started, within a second. Settings of threads in the environment stand; others
    are one.

    Parameters
    ----------
    folder : Path
        Becomes the current folder.
    snakefile : Path
    cores : int
        Jobs at a time.
    config : sequence of str
        ``name=value``.
    options : sequence of str
        Further options of Snakemake.

    Returns
    -------
    int
        0; 1 if something failed; 128 more than the number of the signal that ended it.
    """
    os.chdir(folder)
    where = ["--snakefile", str(snakefile), "--config", *config]
    if folder_lock.main(where):
        return 1
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), *options, *where]
    with signals_raise():
        process = subprocess.Popen(command, env={**dict.fromkeys(_ONE_THREAD, "1"), **os.environ})
        try:
            return int(process.wait() != 0)
        except Interrupted as stop:
            # A second Ctrl-C would interrupt the ending.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            ending.end(process)
            print(
                f"cladebench: stopped; finished runs are in {folder}: the same command goes on",
                file=sys.stderr,
            )
            return 128 + stop.signum
