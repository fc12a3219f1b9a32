"""Settles match after match in the result file PATH, saying each number when it is kept."""

import sys
from itertools import count
from pathlib import Path

from bourre_server.storage.journal import Journal
from bourre_server.storage.rows import FaultRow
from bourre_server.storage.run_file import RunFile
from bourre_server.tournament.results import MatchResult


def main(path: Path) -> None:
    journal = Journal(path)
    with RunFile.open(path) as run:
        for number in count(1):
            journal.append(b"%d play\n" % number)
            result = MatchResult(
                number, number, 0, (0, 1), 4, (number, -number), (4, 3), (0, 1), (0, 1), (False, False)
            )
            fault = FaultRow(number, 1, 5, "timeout", "late", "passed", {"elapsed_ms": 1_001})
            run.settle(result, b"record %d" % number, [fault])
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


main(Path(sys.argv[1]))
