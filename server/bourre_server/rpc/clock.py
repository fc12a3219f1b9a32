"""The referee's clock."""

from collections.abc import Callable

# Seconds between two beats; a pause no longer than another of these is not noticed.
BEAT = 0.1


class Clock:
    """Time in seconds that stands still while this process cannot run, so that no bot pays for it.

    The machine may be suspended, the process stopped, or its loop held up: what bots sent meanwhile
    is read only afterwards. `time` is the system's monotonic clock.
    """

    def __init__(self, time: Callable[[], float]) -> None:
        self._time = time
        self._due = time() + BEAT
        self.lost = 0.0
        """Seconds by which this clock is behind the system's."""

    def now(self) -> float:
        """The time; it goes on by two beats at most if no beat comes."""
        time = self._time()
        if time > self._due + BEAT:
            self.lost += time - self._due
            self._due = time
        return time - self.lost

    def beat(self) -> None:
        """Show that the process runs. To be called every BEAT seconds."""
        self.now()
        self._due = self._time() + BEAT
