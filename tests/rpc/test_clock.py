"""The referee's clock stands still while the referee cannot run."""

import pytest
from bourre_server.rpc.clock import BEAT, Clock


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_time_passes() -> None:
    clock = Clock(time := Time())
    for _ in range(100):
        time.now += BEAT
        clock.beat()
    assert clock.now() == pytest.approx(100.0 + 100 * BEAT)
    assert clock.lost == 0


@pytest.mark.parametrize("first", ["beat", "now"])
def test_f57_a_pause_is_on_nobody_s_clock(first: str) -> None:
    clock = Clock(time := Time())
    before = clock.now()
    time.now += 3600.0
    getattr(clock, first)()
    assert clock.now() == pytest.approx(before + BEAT)
    time.now += BEAT
    clock.beat()
    assert clock.now() == pytest.approx(before + 2 * BEAT)
    assert clock.lost == pytest.approx(3600.0 - BEAT)


def test_time_goes_on_however_slow_the_referee_is() -> None:
    """Whoever does not answer runs out of time in the end, and time never runs backwards."""
    clock = Clock(time := Time())
    times = []
    for _ in range(50):
        time.now += 10 * BEAT
        times.append(clock.now())
        clock.beat()
    assert times == sorted(times)
    assert times[-1] - times[0] == pytest.approx(49 * BEAT)
