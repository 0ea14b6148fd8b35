"""The end of the workflow: at once, and with nothing left alive."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import threading
import time

import psutil

#: Seconds that what was interrupted has to end by itself; the whole is to be over within one.
GRACE = 0.6


def let_end() -> None:
    """Let the process of Snakemake end when its work has ended.

    Its scheduler leaves timers behind, the last for 5 seconds. At the end Python would wait for them, and look through
    all that was ever imported for garbage.
    """
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
    gc.freeze()


def end(process: subprocess.Popen[bytes]) -> None:
    """End an interrupted workflow and all that it has started.

    Who presses Ctrl-C interrupts all of them, and they end by themselves. What has not ended after `GRACE` seconds is
    killed: it may never have heard of it. Records are written by renaming, so that none is lost or half there.

    Parameters
    ----------
    process : Popen
        Of Snakemake.
    """
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(process.pid)
        root.suspend()  # it starts nothing more
        started = root.children(recursive=True)
        for member in [root, *started]:
            # A worker has a session of its own, and a guard that kills it and its children when its job has ended.
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                if os.getsid(member.pid) == os.getsid(0):
                    member.kill()
        deadline = time.monotonic() + GRACE
        while not all(map(_has_ended, started)) and time.monotonic() < deadline:
            time.sleep(0.01)
    process.wait()


def _has_ended(process: psutil.Process) -> bool:
    """Whether it has, be it noticed by its parent or not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    return True
