"""How many messages a bot may send that answer nothing."""

# Messages a second in the long run, and at once: enough for pongs, and for a list answered late.
RATE = 100.0
BURST = 2048


class Allowance:
    """A bucket that fills with time."""

    def __init__(self, now: float) -> None:
        self._left = float(BURST)
        self._at = now

    def take(self, messages: int, now: float) -> bool:
        """Count messages; False where they are too many."""
        self._left = min(float(BURST), self._left + (now - self._at) * RATE) - messages
        self._at = now
        return self._left >= 0
