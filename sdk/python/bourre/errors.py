"""What ends a bot."""


class PlayError(Exception):
    """The bot cannot play on; the message is one line that says why."""
