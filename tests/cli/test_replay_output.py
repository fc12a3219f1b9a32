"""Matches and hands for reading, from records of real play."""

import io
import random
from collections.abc import Iterator

import pytest
from bourre_server.cli.console import console_on
from bourre_server.cli.hand_log import HandLog, hand_logs
from bourre_server.cli.replay import FaultLine, MatchLine, Replay, antes, show_matches
from bourre_server.rules.cards import NAMES, cards_in
from bourre_server.rules.decisions import PASS, Decision, Declare, Play
from bourre_server.rules.hand import Kind
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.record import Made, Record, RecordError

SEED = bytes(range(32))
NAMES_BY_SEAT = ["ann", "[b]ob", "ce\x1bd", "dee", "eve", "fay", "gus", "hal"]


def decide(match: Match, generator: random.Random) -> Decision:
    hand = match.hand
    if hand.kind is not Kind.DECLARE:
        return Play(generator.choice(cards_in(hand.legal)))
    if hand.may_pass and generator.random() < 0.4:
        return PASS
    return Declare(plays=True, discards=tuple(generator.sample(cards_in(hand.legal), generator.randrange(6))))


def play(seats: int) -> Record:
    """A match of as many hands as make every case likely, decided at random."""
    generator, match, tokens = random.Random(seats), Match(Setup(seats, 8 * seats, SEED)), []
    match.drain()
    while not match.over:
        forced = match.hand.kind is Kind.PLAY and match.hand.legal.bit_count() == 1
        made = Made(decide(match, generator), forced=forced)
        match.apply(made.decision)
        match.drain()
        tokens.append(made.token)
    return Record.of(match, 1, tokens)


@pytest.fixture(scope="module", params=range(2, 9))
def record(request: pytest.FixtureRequest) -> Record:
    return play(request.param)


@pytest.fixture
def logs(record: Record) -> list[HandLog]:
    return list(hand_logs(record, SEED))


def printer(stream: io.StringIO, seats: int, *faults: FaultLine) -> Replay:
    return Replay(console_on(stream), NAMES_BY_SEAT[:seats], faults)


def test_every_decision_has_its_place(record: Record, logs: list[HandLog]) -> None:
    found: Iterator[int] = (number for log in logs for number in log.decision_ids)
    assert list(found) == list(range(1, len(record.decisions.split()) + 1))


def test_what_the_hands_brought_is_what_the_match_brought(record: Record, logs: list[HandLog]) -> None:
    match = Match(record.setup(SEED))
    for token in record.decisions.split():
        match.apply(Made.parse(token).decision)
    shares = logs[-1].shares
    assert shares is not None
    nets = [sum(log.net(seat) for log in logs) + shares[seat] for seat in range(record.seats)]
    assert nets == match.public.chips
    assert len(logs) == record.hands


def test_every_card_of_a_hand_is_shown(record: Record, logs: list[HandLog]) -> None:
    for log in logs[:8]:
        stream = io.StringIO()
        printer(stream, record.seats).show_hand(log, record.hands)
        text = stream.getvalue()
        cards = [NAMES[card] for mask in log.dealt.values() for card in cards_in(mask)]
        assert all(card in text for card in [*cards, NAMES[log.upcard]])
        assert all(line.isprintable() for line in text.splitlines())


def test_a_match_has_a_line_for_each_hand(record: Record, logs: list[HandLog]) -> None:
    stream = io.StringIO()
    printer(stream, record.seats).show_match(logs)
    numbers = [line.split()[0] for line in stream.getvalue().splitlines()]
    assert numbers[1 : record.hands + 1] == [str(hand) for hand in range(1, record.hands + 1)]


def test_a_trick_reads_as_it_was_played() -> None:
    logs = list(hand_logs(play(3), SEED))
    log = next(log for log in logs if len(log.tricks) == 5 and all(log.plays(seat) for seat in range(3)))
    stream = io.StringIO()
    printer(stream, 3).show_hand(log, 24)
    lines = stream.getvalue().splitlines()
    first = lines[next(i for i, line in enumerate(lines) if line.startswith("trick")) + 1].split()
    trick = log.tricks[0]
    lead = trick.cards[0]
    assert first[1 + lead.seat].startswith(f">{NAMES[lead.card]}")
    winning = next(card for card in trick.cards if card.seat == trick.winner)
    assert f"{NAMES[winning.card]}*" in first[1 + winning.seat]


def test_a_fault_stands_where_it_happened() -> None:
    logs = list(hand_logs(play(4), SEED))
    log = next(log for log in logs if log.tricks)
    declared, played = log.declarations[0], log.tricks[0].cards[1]
    faults = [
        FaultLine(declared.seat, declared.decision_id, "illegal", "2s is not held", "asked again"),
        FaultLine(played.seat, played.decision_id, "timeout", "late\x1b", ""),
        FaultLine(0, 0, "flooding", "elsewhere", ""),
    ]
    stream = io.StringIO()
    printer(stream, 4, *faults).show_hand(log, 32)
    lines = stream.getvalue().splitlines()
    places = [i for i, line in enumerate(lines) if line.startswith("FAULT")]
    tricks = next(i for i, line in enumerate(lines) if line.startswith("trick"))
    assert len(places) == 2
    assert places[0] < tricks < places[1]
    assert lines[places[0]].endswith("illegal: 2s is not held; asked again")
    assert lines[places[1]].endswith(": timeout: late\\x1b")


def test_a_record_that_does_not_replay() -> None:
    record = play(2)
    with pytest.raises(RecordError):
        list(hand_logs(record, bytes(32)))


def test_the_list_of_matches() -> None:
    stream = io.StringIO()
    line = MatchLine(17, 5, 0, ["a", "b\n"], [840, -840], [0, 2], [False, True])
    show_matches(console_on(stream), [line], {17: ["timeout", "illegal", "timeout"]})
    row = stream.getvalue().splitlines()[1].split()
    assert row == ["17", "5", "0", "a", "+1,", "b\\n", "-1", "(forfeited)", "illegal,", "timeout"]


@pytest.mark.parametrize(
    ("units", "signed", "text"),
    [
        (840, False, "1"),
        (8400, False, "10"),
        (-420, True, "-0.5"),
        (280, True, "+0.333"),
        (0, True, "0"),
    ],
)
def test_antes(units: int, signed: bool, text: str) -> None:
    assert antes(units, signed) == text
