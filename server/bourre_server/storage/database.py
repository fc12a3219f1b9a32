"""The SQLite file behind a result: made whole, opened with care, left as one file.

While a run writes, the file is in WAL mode: readers and the writer do not wait for each other, and what was
committed outlives the process. A writer that closes switches back, so that one plain file remains.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from sqlite3 import SQLITE_FULL, SQLITE_NOTADB, Connection, Error

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from bourre_server.storage.errors import (
    NewerResultError,
    NotAResultError,
    ResultExistsError,
    ResultMissingError,
    StorageError,
    StorageFullError,
)
from bourre_server.storage.tables import APPLICATION_ID, SCHEMA_VERSION, metadata

_BUSY_TIMEOUT = 30.0
"""Seconds that one writer waits for another."""


def connect(path: Path, mode: str) -> Engine:
    """An engine on an SQLite file, opened in SQLite's mode "ro", "rw" or "rwc"."""
    url = URL.create("sqlite", database=path.resolve().as_uri(), query={"mode": mode, "uri": "true"})
    # Errors would show the secret and the tokens among their parameters.
    engine = create_engine(url, connect_args={"timeout": _BUSY_TIMEOUT}, hide_parameters=True)
    event.listen(engine, "connect", _configure)
    return engine


def _configure(connection: Connection, _: ConnectionPoolEntry) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # A power cut may undo the last commits, never break the file; a killed process loses nothing.
    connection.execute("PRAGMA synchronous = NORMAL")


def begin_writing(engine: Engine) -> None:
    """Let readers and the writer go on beside each other."""
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def end_writing(engine: Engine) -> None:
    """Leave one plain file, unless a reader has it open; then the next writer does."""
    engine.dispose()
    with suppress(OperationalError), engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
        connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
    engine.dispose()


@contextmanager
def new_file(path: Path) -> Iterator[Engine]:
    """An engine on a new file with empty tables, which appears at `path` when the block ends, or not at all.

    Raises ResultExistsError where there is something already, StorageError where it can't be written.
    """
    if path.exists():
        raise ResultExistsError(f"{path}: exists already")
    draft = path.with_name(path.name + ".new")
    with translated(path):
        draft.unlink(missing_ok=True)
        engine = connect(draft, "rwc")
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
            metadata.create_all(engine)
            yield engine
            engine.dispose()
            draft.rename(path)
        finally:
            engine.dispose()
            draft.unlink(missing_ok=True)


def check(path: Path, engine: Engine) -> None:
    """Raise ResultMissingError, NotAResultError or NewerResultError where the file can't be read."""
    if not path.exists():
        raise ResultMissingError(f"{path}: there is no such file")
    if not path.is_file():
        raise NotAResultError(f"{path}: is not a file")
    with translated(path), engine.connect() as connection:
        application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
        version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    if application != APPLICATION_ID:
        raise NotAResultError(f"{path}: is not a result file of bourre")
    if version > SCHEMA_VERSION:
        raise NewerResultError(f"{path}: was made by a newer version of bourre (schema {version})")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite or the file system reports into a StorageError."""
    try:
        yield
    except DatabaseError as error:
        raise _database_error(path, error.orig) from error
    except OSError as error:
        raise _os_error(path, error) from error


def _os_error(path: Path, error: OSError) -> StorageError:
    if error.errno in (ENOSPC, EDQUOT):
        return StorageFullError(f"{path}: the disk is full")
    return StorageError(f"{path}: {error.strerror}")


def _database_error(path: Path, error: BaseException | None) -> StorageError:
    code = error.sqlite_errorcode if isinstance(error, Error) else None
    if code == SQLITE_FULL:
        return StorageFullError(f"{path}: the disk is full")
    if code == SQLITE_NOTADB:
        return NotAResultError(f"{path}: is not a result file of bourre")
    return StorageError(f"{path}: {error}")
