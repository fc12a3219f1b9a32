"""A run as one SQLite file: what was to be played, what came of it, and why."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, Executable, Select, Table, func, insert, select, update
from sqlalchemy.dialects import sqlite

from bourre_server.storage import database, tables
from bourre_server.storage.rows import EntrantRow, FaultRow, FaultTally, Header
from bourre_server.tournament.results import MatchResult


class RunFile:
    """An open result file; a context manager that closes it.

    Several threads may use it at once. Methods that write raise StorageFullError where there is no room, and
    StorageError where the file can't be written; what was settled before is safe.
    """

    def __init__(self, path: Path, engine: Engine, *, read_only: bool) -> None:
        self.path = path
        self._engine = engine
        self._read_only = read_only

    @classmethod
    def create(cls, path: Path, header: Header) -> Self:
        """Make a new file and open it. It is there whole or not at all.

        Raises ResultExistsError where there is something already, StorageError where it can't be made.
        """
        with database.new_file(path) as engine, engine.begin() as connection:
            _write_header(connection, header)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Self:
        """Open a file, which a run may be writing at the same time if `read_only`.

        Raises ResultMissingError, NotAResultError or NewerResultError.
        """
        engine = database.connect(path, "ro" if read_only else "rw")
        try:
            database.check(path, engine)
            if not read_only:
                with database.translated(path):
                    database.begin_writing(engine)
        except BaseException:
            engine.dispose()
            raise
        return cls(path, engine, read_only=read_only)

    def close(self) -> None:
        """Close the file; a writer leaves nothing beside it."""
        if self._read_only:
            self._engine.dispose()
        else:
            database.end_writing(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def header(self) -> Header:
        """What the run is, with the entrants' programs as last set."""
        run = self._read(select(tables.run))[0]
        entrants = self._read(_columns(tables.entrants, EntrantRow).order_by(tables.entrants.c.entrant))
        tokens = self._read(select(tables.tokens))
        return Header(
            name=run.name,
            config=run.config,
            secret=run.secret,
            seeded=run.seeded,
            listen=run.listen,
            entrants=tuple(EntrantRow(*row) for row in entrants),
            tokens={row.instance: row.sha256 for row in tokens},
        )

    @property
    def finished(self) -> bool:
        """Whether the run ended because nothing was left to play."""
        return bool(self._read(select(tables.run.c.finished))[0].finished)

    def finish(self) -> None:
        """Note that nothing is left to play."""
        self._write(update(tables.run).values(finished=True))

    def set_listen(self, address: str) -> None:
        """Note the HOST:PORT where external bots dial in, for when the run is resumed."""
        self._write(update(tables.run).values(listen=address))

    def set_program(self, entrant: int, program_hash: str, version: str) -> None:
        """Note the program that an entrant runs from now on."""
        row = tables.entrants.c.entrant == entrant
        self._write(update(tables.entrants).where(row).values(program_hash=program_hash, version=version))

    def set_version(self, entrant: int, version: str) -> None:
        """Note what an entrant says its version is."""
        row = tables.entrants.c.entrant == entrant
        self._write(update(tables.entrants).where(row).values(version=version))

    def withdraw(self, entrant: int, reason: str) -> None:
        """Note that an entrant was withdrawn; the first reason stays."""
        row = (tables.entrants.c.entrant == entrant) & tables.entrants.c.withdrawn.is_(None)
        self._write(update(tables.entrants).where(row).values(withdrawn=reason))

    def withdrawn(self) -> dict[int, str]:
        """Why entrants were withdrawn, by index."""
        columns = select(tables.entrants.c.entrant, tables.entrants.c.withdrawn)
        rows = self._read(columns.where(tables.entrants.c.withdrawn.is_not(None)))
        return {row.entrant: row.withdrawn for row in rows}

    def settle(self, result: MatchResult, record: bytes, faults: Sequence[FaultRow] = ()) -> bool:
        """Keep a match, in one transaction. False, and nothing kept, where its number is settled already."""
        with database.translated(self.path), self._engine.begin() as connection:
            new = sqlite.insert(tables.matches).on_conflict_do_nothing(index_elements=["number"])
            if not connection.execute(new, _match_row(result, record)).rowcount:
                return False
            connection.execute(insert(tables.seats), _seat_rows(result))
            _insert_all(connection, tables.faults, [asdict(fault) for fault in faults])
        return True

    def settled_numbers(self) -> list[int]:
        """The numbers of all settled matches, ascending."""
        number = tables.matches.c.number
        return [row.number for row in self._read(select(number).order_by(number))]

    def results(self) -> list[MatchResult]:
        """All settled matches, ascending by number."""
        match, seat = tables.matches.c, tables.seats.c
        columns = select(match.number, match.block, match.rotation, match.hands, tables.seats)
        rows = self._read(columns.join_from(tables.matches, tables.seats).order_by(match.number, seat.seat))
        return [_result(list(of_match)) for _, of_match in groupby(rows, key=lambda row: row.number)]

    def record(self, number: int) -> bytes | None:
        """The record of a match; None where it is not settled."""
        rows = self._read(select(tables.matches.c.record).where(tables.matches.c.number == number))
        return rows[0].record if rows else None

    def faults(self, number: int | None = None) -> list[FaultRow]:
        """The faults of a match, or of all, by match and in the order they happened."""
        fault = tables.faults.c
        query = _columns(tables.faults, FaultRow).order_by(fault.match, fault.id)
        rows = self._read(query if number is None else query.where(fault.match == number))
        return [FaultRow(*row) for row in rows]

    def fault_tallies(self) -> list[FaultTally]:
        """How often each entrant made a fault of each kind, the most frequent first."""
        fault, seat = tables.faults.c, tables.seats.c
        count = func.count().label("count")
        columns = select(seat.entrant, fault.kind, count, func.min(fault.reason))
        same_seat = (fault.match == seat.match) & (fault.seat == seat.seat)
        grouped = columns.join_from(tables.faults, tables.seats, same_seat).group_by(seat.entrant, fault.kind)
        rows = self._read(grouped.order_by(seat.entrant, count.desc(), fault.kind))
        return [FaultTally(*row) for row in rows]

    def _read(self, query: Executable) -> Sequence[Any]:
        with database.translated(self.path), self._engine.connect() as connection:
            return connection.execute(query).all()

    def _write(self, statement: Executable) -> None:
        with database.translated(self.path), self._engine.begin() as connection:
            connection.execute(statement)


def _write_header(connection: Connection, header: Header) -> None:
    run = {name: getattr(header, name) for name in ("name", "config", "secret", "seeded", "listen")}
    connection.execute(insert(tables.run), run)
    entrants = [{"entrant": index, **asdict(row)} for index, row in enumerate(header.entrants)]
    _insert_all(connection, tables.entrants, entrants)
    tokens = [{"instance": instance, "sha256": digest} for instance, digest in header.tokens.items()]
    _insert_all(connection, tables.tokens, tokens)


def _columns(table: Table, row: type[EntrantRow] | type[FaultRow]) -> Select[Any]:
    """A query of the columns that make up such a row, in order."""
    return select(*(table.c[field.name] for field in fields(row)))


def _insert_all(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _match_row(result: MatchResult, record: bytes) -> dict[str, Any]:
    own = ("number", "block", "rotation", "hands")
    return {name: getattr(result, name) for name in own} | {"record": record}


def _seat_rows(result: MatchResult) -> list[dict[str, Any]]:
    own = ("chips", "played", "bourres", "faults", "forfeited")
    return [
        {"match": result.number, "seat": seat, "entrant": entrant}
        | {name: getattr(result, name)[seat] for name in own}
        for seat, entrant in enumerate(result.seating)
    ]


def _result(seats: list[Any]) -> MatchResult:
    first = seats[0]
    return MatchResult(
        number=first.number,
        block=first.block,
        rotation=first.rotation,
        seating=tuple(row.entrant for row in seats),
        hands=first.hands,
        chips=tuple(row.chips for row in seats),
        played=tuple(row.played for row in seats),
        bourres=tuple(row.bourres for row in seats),
        faults=tuple(row.faults for row in seats),
        forfeited=tuple(row.forfeited for row in seats),
    )
