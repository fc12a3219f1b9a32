"""A command at a terminal of its own, with somebody at the keyboard."""

import os
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType

PATIENCE = 60.0
CTRL_C = b"\x03"


class Terminal:
    """A pseudo-terminal; `shown` is all that was written to it, once the block is left."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], columns: int = 120) -> None:
        self._keyboard, screen = os.openpty()
        termios.tcsetwinsize(screen, (24, columns))
        self._written: list[bytes] = []
        self._process = subprocess.Popen(
            command,
            env={**env, "TERM": "xterm-256color"},
            preexec_fn=lambda: os.login_tty(screen),
        )
        os.close(screen)
        self._reader = threading.Thread(target=self._read)

    def _read(self) -> None:
        try:
            while written := os.read(self._keyboard, 1 << 16):
                self._written.append(written)
        except OSError:
            pass  # how Linux says that nobody has the terminal open any more

    def press(self, key: bytes) -> None:
        """Press a key."""
        os.write(self._keyboard, key)

    def wait(self) -> int:
        """Wait for the command to end; its exit code."""
        return self._process.wait(PATIENCE)

    @property
    def shown(self) -> str:
        """What was written."""
        return b"".join(self._written).decode()

    def __enter__(self) -> "Terminal":
        self._reader.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        with self._process as process:
            process.kill()
        self._reader.join(PATIENCE)
        os.close(self._keyboard)
