"""What a signal means while something runs, and after it."""

import signal

import pytest

from cladebench.bench.run.signals import Interrupted, signals_raise


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_interrupt_and_mean_what_they_meant_after_it(number):
    met = []
    before = signal.signal(number, lambda *_: met.append(number))
    try:
        with pytest.raises(Interrupted, match=f"stopped by {number.name}") as caught, signals_raise():
            signal.raise_signal(number)
        assert caught.value.signum == number and met == []
        signal.raise_signal(number)
        assert met == [number]
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_is_ignored_stays_ignored(number):
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with signals_raise():
            signal.raise_signal(number)
            assert signal.getsignal(number) == signal.SIG_IGN
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)
