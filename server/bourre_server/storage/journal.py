"""The journal of running matches, `PATH.running` beside the result file `PATH`.

A line is `MATCHNUMBER TOKEN`: one decision of one match. Each append is one write, before anything that
follows from it is told to anyone, so that a killed run goes on at the very decision it had reached. The file
is locked for as long as the run lives, which also keeps a second run off the result file.
"""

import fcntl
import os
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from bourre_server.storage.database import translated
from bourre_server.storage.errors import JournalDamagedError, ResultInUseError, StorageFullError

_ATTEMPTS = 10
"""How often the lock is tried where the file is replaced or deleted at the same moment."""


class Journal:
    """The journal of the result file at `path`, made where there is none, and locked.

    A torn last line, left by a run that was killed, is cut off. Raises ResultInUseError where another process
    has it, StorageError where it can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".running")
        self._result = path
        with translated(self.path):
            self._file = self._open_locked()
            self._cut_torn_line()

    @property
    def size(self) -> int:
        """Bytes written; when it is large, `compact` gives back what settled matches take."""
        return self._size

    def append(self, lines: bytes) -> None:
        """Write whole lines, in one write. Raises StorageFullError, and nothing is written, without room."""
        with translated(self.path):
            written = os.write(self._file, lines)
        if written < len(lines):
            os.ftruncate(self._file, self._size)
            raise StorageFullError(f"{self.path}: the disk is full")
        self._size += written

    def read(self) -> dict[int, list[str]]:
        """The tokens of each match, in the order written. Raises JournalDamagedError."""
        tokens: dict[int, list[str]] = defaultdict(list)
        for number, line in self._lines():
            tokens[number].append(line.split()[1].decode())
        return dict(tokens)

    def compact(self, keep: Collection[int]) -> None:
        """Drop the lines of all matches but these. A kill at any moment leaves the old journal or the new."""
        kept = b"".join(line for number, line in self._lines() if number in keep)
        with translated(self.path):
            self._replace(kept)

    def close(self) -> None:
        """Give up the lock; the journal stays, for the run to be resumed."""
        os.close(self._file)

    def delete(self) -> None:
        """Remove the journal and give up the lock: nothing is running any more."""
        with translated(self.path):
            self.path.unlink(missing_ok=True)
        self.close()

    def _open_locked(self) -> int:
        for _ in range(_ATTEMPTS):
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            if self._lock(file):
                return file
            os.close(file)
        raise ResultInUseError(f"{self._result}: another process is running this tournament")

    def _lock(self, file: int) -> bool:
        """Lock the file if nobody else has, and it was not deleted or replaced since it was opened."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return os.path.samestat(os.fstat(file), self.path.stat())
        except (BlockingIOError, FileNotFoundError):
            return False

    def _replace(self, content: bytes) -> None:
        draft = self.path.with_name(self.path.name + ".new")
        file = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.write(file, content) < len(content):
                raise StorageFullError(f"{draft}: the disk is full")
            draft.rename(self.path)
        except BaseException:
            os.close(file)
            draft.unlink(missing_ok=True)
            raise
        os.close(self._file)
        self._file, self._size = file, len(content)

    def _cut_torn_line(self) -> None:
        content = self._content()
        self._size = content.rfind(b"\n") + 1
        if self._size < len(content):
            os.ftruncate(self._file, self._size)

    def _content(self) -> bytes:
        return os.pread(self._file, os.fstat(self._file).st_size, 0)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line, with its end, and the match it belongs to."""
        with translated(self.path):
            content = self._content()
        for place, line in enumerate(content.splitlines(keepends=True), 1):
            number, _, token = line.partition(b" ")
            if not (number.isdigit() and len(token.split()) == 1 and token.isascii()):
                raise JournalDamagedError(f"{self.path}: line {place} is not a match number and a token")
            yield int(number), line
