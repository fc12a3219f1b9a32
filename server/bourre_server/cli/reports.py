"""What is read from a result file: the standings, the matches, one match, one hand."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from bourre_server.cli.config import Configuration
from bourre_server.cli.console import console_on
from bourre_server.cli.exits import BadInputError, ResultRefusedError
from bourre_server.cli.hand_log import HandLog, hand_logs
from bourre_server.cli.replay import FaultLine, MatchLine, Replay, show_matches
from bourre_server.cli.standings_report import StandingsReport
from bourre_server.ratings.online import fold
from bourre_server.rules.record import Record, RecordError
from bourre_server.rules.shuffle import block_seed
from bourre_server.storage.run_file import RunFile
from bourre_server.tournament.results import MatchResult
from bourre_server.tournament.standings import Standing, standings


def show_standings(path: Path, json: bool) -> int:
    """Print the standings of a result file."""
    with RunFile.open(path, read_only=True) as file:
        write_standings(Configuration.model_validate(file.header.config), file, json)
    return 0


def write_standings(configuration: Configuration, file: RunFile, json: bool) -> None:
    """Print the standings of an open result file."""
    report = StandingsReport(
        configuration,
        len(file.settled_numbers()),
        len(configuration.schedule),
        compute_standings(configuration, file),
        file.fault_tallies(),
    )
    if json:
        sys.stdout.write(report.to_json() + "\n")
    else:
        report.write(console_on(sys.stdout))


def compute_standings(configuration: Configuration, file: RunFile) -> Sequence[Standing]:
    """The standings of what is settled so far."""
    names = [entrant.name for entrant in file.header.entrants]
    rotations = configuration.schedule.rotations
    return standings(names, file.results(), file.withdrawn(), rotations=rotations, rate=fold)


def show_replay(path: Path, match: int | None, hand: int | None) -> int:
    """Print the matches of a result file, one match of it, or one hand."""
    with RunFile.open(path, read_only=True) as file:
        if match is None:
            _show_matches(file)
        else:
            _show_match(file, match, hand)
    return 0


def _show_matches(file: RunFile) -> None:
    kinds: dict[int, list[str]] = defaultdict(list)
    for fault in file.faults():
        kinds[fault.match].append(fault.kind)
    lines = (
        MatchLine(
            result.number,
            result.block,
            result.rotation,
            _names(file, result),
            result.chips,
            result.faults,
            result.forfeited,
        )
        for result in file.results()
    )
    show_matches(console_on(sys.stdout), lines, kinds)


def _show_match(file: RunFile, match: int, hand: int | None) -> None:
    result = next((result for result in file.results() if result.number == match), None)
    data = file.record(match)
    if result is None or data is None:
        raise BadInputError(
            f"{file.path}: match {match} is not settled; bourre replay {file.path} lists those that are"
        )
    faults = [
        FaultLine(fault.seat, fault.decision_id, fault.kind, fault.reason, fault.action)
        for fault in file.faults(match)
    ]
    replay = Replay(console_on(sys.stdout), _names(file, result), faults)
    try:
        record = Record.from_bytes(data)
        logs = hand_logs(record, block_seed(file.header.secret, result.block))
        if hand is None:
            replay.show_match(logs)
        else:
            replay.show_hand(_pick(logs, hand, record.hands), record.hands)
    except RecordError as error:
        raise ResultRefusedError(f"{file.path}: match {match}: {error}") from None


def _pick(logs: Iterator[HandLog], hand: int, hands: int) -> HandLog:
    for log in logs:
        if log.started.hand == hand:
            return log
    raise BadInputError(f"--hand {hand}: the match has hands 1 to {hands}")


def _names(file: RunFile, result: MatchResult) -> list[str]:
    entrants = file.header.entrants
    return [entrants[entrant].name for entrant in result.seating]
