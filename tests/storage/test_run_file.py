import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest
from bourre_server.storage.errors import (
    NewerResultError,
    NotAResultError,
    ResultExistsError,
    ResultInUseError,
    ResultMissingError,
    StorageError,
    StorageFullError,
)
from bourre_server.storage.journal import Journal
from bourre_server.storage.rows import EntrantRow, FaultRow, FaultTally, Header
from bourre_server.storage.run_file import RunFile
from bourre_server.tournament.results import MatchResult
from sqlalchemy import Engine, event

WRITER = Path(__file__).parent / "programs" / "settle_for_ever.py"
HEADER = Header(
    name="Friday",
    config={"tournament": {"seats": 2, "name": "Friday"}, "bots": [{"name": "ada"}]},
    secret=bytes(range(32)),
    seeded=False,
    listen="127.0.0.1:7000",
    entrants=(EntrantRow("ada", "ab12", "", external=False), EntrantRow("<bob>\n", "", "2.1", external=True)),
    tokens={"ada#0": "cd34", "bob#0": "ef56"},
)
FAULTS = [
    FaultRow(3, 1, 17, "timeout", "no decision in 1 s", "passed", {"elapsed_ms": 1004, "lag": [0.5]}),
    FaultRow(3, 0, 0, "flooding", "2,000 messages a second", "", {}),
]


def match(number: int) -> MatchResult:
    chips = (840 * number, -840 * number)
    return MatchResult(
        number, (number + 1) // 2, 1 - number % 2, (1, 0), 4, chips, (4, 2), (0, 1), (0, 3), (False, True)
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a result #1?%20.db"


@pytest.fixture
def run(path: Path) -> Iterator[RunFile]:
    with RunFile.create(path, HEADER) as run:
        yield run


def test_the_header_comes_back(run: RunFile, path: Path) -> None:
    assert run.header == HEADER
    with RunFile.open(path, read_only=True) as reader:
        assert reader.header == HEADER
        assert list(reader.header.config) == ["tournament", "bots"]


def test_secrets_are_not_in_the_repr() -> None:
    assert "secret" not in repr(HEADER)
    assert "cd34" not in repr(HEADER)


def test_a_settled_match_comes_back(run: RunFile) -> None:
    assert run.settle(match(3), b"\x00record\xff", FAULTS)
    assert run.settle(match(1), b"first", [])
    assert run.results() == [match(1), match(3)]
    assert run.settled_numbers() == [1, 3]
    assert (run.record(3), run.record(1), run.record(2)) == (b"\x00record\xff", b"first", None)
    assert run.faults() == run.faults(3) == FAULTS
    assert run.faults(1) == []


def test_faults_are_tallied_by_entrant_and_kind(run: RunFile) -> None:
    run.settle(match(3), b"r", [*FAULTS, replace(FAULTS[0], reason="late again")])
    run.settle(match(4), b"r", [replace(FAULTS[0], match=4)])
    # Seat 1 is entrant 0's, seat 0 entrant 1's.
    assert run.fault_tallies() == [
        FaultTally(0, "timeout", 3, "late again"),
        FaultTally(1, "flooding", 1, "2,000 messages a second"),
    ]


def test_a_match_delivered_three_times_in_parallel_counts_once(run: RunFile) -> None:
    matches, deliveries = 20, 3
    start = Barrier(deliveries)

    def deliver(_: int) -> list[bool]:
        start.wait(timeout=10)
        return [run.settle(match(n), b"r", [replace(FAULTS[0], match=n)]) for n in range(1, matches + 1)]

    with ThreadPoolExecutor(deliveries) as pool:
        kept = list(pool.map(deliver, range(deliveries)))
    assert [sum(of_match) for of_match in zip(*kept, strict=True)] == [1] * matches
    assert run.results() == [match(n) for n in range(1, matches + 1)]
    assert len(run.faults()) == matches


def test_a_second_delivery_changes_nothing(run: RunFile) -> None:
    run.settle(match(1), b"first", [])
    assert not run.settle(replace(match(1), hands=8), b"second", [replace(FAULTS[0], match=1)])
    assert (run.results(), run.record(1), run.faults()) == ([match(1)], b"first", [])


def test_a_match_that_cannot_be_kept_whole_is_not_kept(run: RunFile) -> None:
    """The fault belongs to a match that is not there."""
    with pytest.raises(StorageError, match="FOREIGN KEY"):
        run.settle(match(1), b"r", [replace(FAULTS[0], match=2)])
    assert run.settled_numbers() == []
    assert run.settle(match(1), b"r", [])


def test_withdrawals_programs_and_the_end_are_kept(run: RunFile, path: Path) -> None:
    assert (run.withdrawn(), run.finished) == ({}, False)
    run.withdraw(1, "never joined")
    run.withdraw(1, "a later reason")
    run.set_program(0, "ffff", "2.0")
    run.set_version(0, "3.0")
    run.finish()
    with RunFile.open(path, read_only=True) as reader:
        assert (reader.withdrawn(), reader.finished) == ({1: "never joined"}, True)
        assert reader.header.entrants == (
            EntrantRow("ada", "ffff", "3.0", external=False),
            HEADER.entrants[1],
        )


def test_one_file_is_left(path: Path) -> None:
    with RunFile.create(path, HEADER) as run:
        run.settle(match(1), b"r", [])
    assert list(path.parent.iterdir()) == [path]
    path.chmod(0o400)
    path.parent.chmod(0o500)
    with RunFile.open(path, read_only=True) as reader:
        assert reader.settled_numbers() == [1]
    path.parent.chmod(0o700)


def test_a_reader_outlives_the_writer(path: Path) -> None:
    writer = RunFile.create(path, HEADER)
    with RunFile.open(path, read_only=True) as reader:
        assert reader.settled_numbers() == []
        writer.settle(match(1), b"r", [])
        writer.close()
        assert reader.settled_numbers() == [1]
    RunFile.open(path).close()
    assert list(path.parent.iterdir()) == [path]


def test_one_reads_while_the_other_writes(run: RunFile, path: Path) -> None:
    with RunFile.open(path, read_only=True) as reader:
        for number in (1, 2, 3):
            run.settle(match(number), b"r", [])
            assert reader.settled_numbers() == list(range(1, number + 1))
        with pytest.raises(StorageError, match="readonly"):
            reader.settle(match(4), b"r", [])


@pytest.mark.parametrize("settled", [1, 7, 150])
def test_kill_loses_nothing_that_was_settled(path: Path, settled: int) -> None:
    """The writer is killed while it goes on; then each reader and the next run find all it had said."""
    RunFile.create(path, HEADER).close()
    with subprocess.Popen([sys.executable, WRITER, path], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for number in range(1, settled + 1):
            assert writer.stdout.readline() == f"{number}\n"
        with pytest.raises(ResultInUseError):
            Journal(path)
        writer.kill()
        settled += len(writer.stdout.read().split("\n")) - 1
    with RunFile.open(path, read_only=True) as reader:
        numbers = reader.settled_numbers()
    assert numbers in (list(range(1, settled + 1)), list(range(1, settled + 2)))
    journal = Journal(path)
    assert set(numbers) <= set(journal.read())
    journal.delete()
    with RunFile.open(path) as run:
        assert [result.number for result in run.results()] == numbers
        assert [fault.match for fault in run.faults()] == numbers
        assert all(run.record(number) == b"record %d" % number for number in numbers)
        assert not run.settle(match(settled), b"again", [])
    assert list(path.parent.iterdir()) == [path]


def test_what_is_there_is_not_overwritten(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(ResultExistsError, match="exists already"):
        RunFile.create(path, HEADER)
    assert path.read_text() == "precious"


def test_a_file_that_cannot_be_made_leaves_nothing(path: Path) -> None:
    twins = (HEADER.entrants[0], HEADER.entrants[0])
    with pytest.raises(StorageError, match=r"UNIQUE constraint failed: entrants\.name"):
        RunFile.create(path, replace(HEADER, entrants=twins))
    assert list(path.parent.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"missing/r\.db: .*unable to open"):
        RunFile.create(tmp_path / "missing" / "r.db", HEADER)


def text(path: Path) -> None:
    path.write_text("[tournament]\n" * 99)


def other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE run (name)")


def newer(path: Path) -> None:
    RunFile.create(path, HEADER).close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 2")


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (Path.exists, ResultMissingError, "there is no such file"),
        (Path.mkdir, NotAResultError, "is not a file"),
        (Path.touch, NotAResultError, "is not a result file of bourre"),
        (text, NotAResultError, "is not a result file of bourre"),
        (other_database, NotAResultError, "is not a result file of bourre"),
        (newer, NewerResultError, r"was made by a newer version of bourre \(schema 2\)"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(
    path: Path, make: Callable[[Path], object], error: type[StorageError], words: str, read_only: bool
) -> None:
    make(path)
    before = path.is_file() and path.read_bytes()
    with pytest.raises(error, match=words) as refusal:
        RunFile.open(path, read_only=read_only)
    assert type(refusal.value) is error
    assert str(refusal.value).startswith(f"{path}: ")
    assert "\n" not in str(refusal.value)
    assert (path.is_file() and path.read_bytes()) == before


def test_a_full_disk_is_told_and_costs_only_the_match_at_hand(path: Path) -> None:
    def shrink(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 40")

    RunFile.create(path, HEADER).close()
    event.listen(Engine, "connect", shrink)
    try:
        with RunFile.open(path) as run:
            assert run.settle(match(1), b"small", [])
            with pytest.raises(StorageFullError, match="the disk is full"):
                run.settle(match(2), bytes(1_000_000), [])
            assert run.settle(match(3), b"small", [])
            assert run.settled_numbers() == [1, 3]
    finally:
        event.remove(Engine, "connect", shrink)
