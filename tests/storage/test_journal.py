import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bourre_server.storage.errors import (
    JournalDamagedError,
    ResultInUseError,
    StorageError,
    StorageFullError,
)
from bourre_server.storage.journal import Journal

FULL = Path("/dev/full")
HOLD_THE_LOCK = """
import pathlib, sys
from bourre_server.storage.journal import Journal
journal = Journal(pathlib.Path(sys.argv[1]))
print(flush=True)
input()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.db"


@pytest.fixture
def running(path: Path) -> Path:
    return path.with_name("r.db.running")


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    journal = Journal(path)
    yield journal
    journal.delete()


def test_tokens_come_back_by_match_in_order(journal: Journal, running: Path) -> None:
    journal.append(b"7 +2s9c*2\n3 -\n7 Kd\n")
    journal.append(b"3 5h=\n")
    assert journal.read() == {7: ["+2s9c*2", "Kd"], 3: ["-", "5h="]}
    assert journal.size == running.stat().st_size == len("7 +2s9c*2 3 - 7 Kd 3 5h= ")


def test_the_next_run_goes_on_where_the_last_one_was(path: Path) -> None:
    first = Journal(path)
    first.append(b"1 -\n")
    first.close()
    second = Journal(path)
    second.append(b"1 Kd\n")
    assert second.read() == {1: ["-", "Kd"]}
    second.delete()


@pytest.mark.parametrize("torn", [b"1", b"1 ", b"1 K", b"12 Kd*2"])
def test_a_torn_last_line_is_cut_off(path: Path, running: Path, torn: bytes) -> None:
    running.write_bytes(b"1 -\n" + torn)
    journal = Journal(path)
    journal.append(b"2 Ah\n")
    assert journal.read() == {1: ["-"], 2: ["Ah"]}
    assert journal.size == running.stat().st_size
    journal.delete()


@pytest.mark.parametrize("line", [b"", b"x Kd", b"1", b"1 ", b"1 K d", b"-1 Kd", b"1 \xff", b"\0\0\0"])
def test_any_other_broken_line_is_damage(path: Path, running: Path, line: bytes) -> None:
    running.write_bytes(b"1 -\n" + line + b"\n1 Kd\n")
    journal = Journal(path)
    with pytest.raises(JournalDamagedError, match=r"running: line 2 is not a match number and a token"):
        journal.read()
    journal.delete()


def test_compacting_drops_the_other_matches(journal: Journal, path: Path, running: Path) -> None:
    journal.append(b"1 -\n2 Kd\n3 Ah\n2 5h=\n")
    journal.compact({2, 9})
    journal.append(b"9 Qs\n")
    assert journal.read() == {2: ["Kd", "5h="], 9: ["Qs"]}
    assert journal.size == running.stat().st_size
    assert list(path.parent.iterdir()) == [running]


def test_a_second_run_is_refused(journal: Journal, path: Path) -> None:
    """Also after the journal was replaced."""
    for _ in range(2):
        with pytest.raises(ResultInUseError) as refusal:
            Journal(path)
        assert str(refusal.value) == f"{path}: another process is running this tournament"
        journal.compact(())


@pytest.mark.parametrize("end", [Journal.close, Journal.delete])
def test_the_lock_ends_with_the_run(path: Path, running: Path, end: Callable[[Journal], None]) -> None:
    end(Journal(path))
    assert running.exists() is (end is Journal.close)
    Journal(path).delete()


def test_the_lock_ends_with_a_killed_process(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_LOCK, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"\n"
        with pytest.raises(ResultInUseError):
            Journal(path)
        other.kill()
    Journal(path).delete()


def test_a_folder_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(StorageError, match=f"missing/r.db.running: {os.strerror(errno.ENOENT)}"):
        Journal(path.parent / "missing" / "r.db")


@pytest.mark.skipif(not FULL.exists(), reason="the device that is always full is Linux's")
def test_a_full_disk_is_told(path: Path, running: Path) -> None:
    running.symlink_to(FULL)
    journal = Journal(path)
    with pytest.raises(StorageFullError, match=r"r\.db\.running: the disk is full"):
        journal.append(b"1 Kd\n")
    assert journal.size == 0
    journal.delete()
