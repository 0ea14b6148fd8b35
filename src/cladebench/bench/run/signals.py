"""Signals that ask this process to end, as an exception."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Interrupted(BaseException):
    """A signal asked this process to end; `signum` says which."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"stopped by {signal.Signals(signum).name}")
        self.signum = signum


@contextlib.contextmanager
def signals_raise() -> Iterator[None]:
    """Turn SIGINT and SIGTERM into `Interrupted`, to end what was started.

    One that is ignored stays ignored, as SIGINT is where a shell runs a command in the background.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(signum: int, frame: FrameType | None) -> None:
        raise Interrupted(signum)

    heard = [
        number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN
    ]
    previous = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, action in previous.items():
            signal.signal(number, action)
