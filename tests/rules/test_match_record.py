"""Records: the same bytes for the same play, and every event comes back from them."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from bourre_server.rules.cards import DECK
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Declare, Draw, parse_decision
from bourre_server.rules.events import Event
from bourre_server.rules.hand import Kind
from bourre_server.rules.house import CLASSIC, HouseRules
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.record import Made, Record, RecordError, replay
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.houses import houses
from tests.rules.table import SEED
from tests.rules.walk import Chance, most_decisions

discards = st.lists(st.sampled_from(DECK), unique=True, max_size=5).map(tuple)
decisions = st.one_of(
    st.sampled_from(PLAYS),
    st.just(PASS),
    discards.map(lambda cards: Declare(True, cards)),
    discards.map(Draw),
)
reasons = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=12)
attempts, no, yes, nothing = st.integers(1, 3), st.just(False), st.just(True), st.just("")
retracted = st.none() | st.sampled_from(DECK)
seats_out_of_turn = st.lists(st.integers(0, 7), unique=True, max_size=8).map(tuple)
by_bots = st.builds(Made, decisions, attempts, no, nothing, retracted, seats_out_of_turn)
forced = st.builds(Made, decisions, st.just(1), yes, nothing, st.none(), seats_out_of_turn)
by_default = st.builds(Made, decisions, attempts, no, reasons, retracted, seats_out_of_turn)

law = settings(max_examples=30, deadline=None, database=None)


def recorded(setup: Setup, seed: int) -> tuple[Record, list[Event]]:
    """A random match in which one decision in four is made by default, and no forced play is asked for."""
    match, chance = Match(setup), Chance(seed)
    events, tokens = match.drain(), []
    for _ in range(most_decisions(setup)):
        if match.over:
            break
        made = chance.make(match)
        if match.hand.kind is Kind.PLAY and match.hand.legal.bit_count() == 1:
            made = Made(match.hand.default(), forced=True)
        elif chance.random.random() < 0.25:
            made = Made(match.hand.default(), reason="timeout")
        elif not made.retracted:
            made = made._replace(attempts=chance.random.randint(1, 3))
        tokens.append(made.token)
        made.apply(match)
        events += match.drain()
    return Record.of(match, 7, tokens), events


@law
@given(st.one_of(by_bots, forced, by_default))
def test_token_round_trip(made: Made) -> None:
    assert Made.parse(made.token) == made
    assert parse_decision(made.decision.token) == made.decision


@pytest.mark.parametrize(
    ("made", "token"),
    [
        (Made(PASS), "-"),
        (Made(PASS, reason="timeout"), "-!timeout"),
        (Made(STAND_PAT), "+"),
        (Made(Declare(True, (0, 46)), attempts=2), "+2s9c*2"),
        (Made(Draw((46,))), "~9c"),
        (Made(PLAYS[16], forced=True), "5h="),
        (Made(PLAYS[37], 3, reason="illegal"), "Kd*3!illegal"),
        (Made(PLAYS[37], 2, retracted=46), "9c>Kd*2"),
        (Made(PLAYS[37], 2, reason="timeout", retracted=46), "9c>Kd*2!timeout"),
        (Made(PLAYS[37], forced=True, out_of_turn=(3, 0)), "@3@0Kd="),
    ],
)
def test_token(made: Made, token: str) -> None:
    assert (made.token, Made.parse(token)) == (token, made)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "K",
        "1d",
        "kd",
        "KdQd",
        "-Kd",
        "+K",
        "--",
        "Kd*1",
        "Kd*4",
        "Kd!",
        "Kd!Late",
        "Kd=!late",
        "Kd\n",
        "@8Kd",
        "Kd@1",
        "9x>Kd",
        "9c>",
    ],
)
def test_no_token(token: str) -> None:
    with pytest.raises(RecordError, match="is not a decision"):
        Made.parse(token)


@law
@given(st.integers(2, 8), st.integers(0, 7), st.integers(0, 2**32), st.just(CLASSIC) | houses)
def test_record_replays(seats: int, rotation: int, seed: int, house: HouseRules) -> None:
    setup = Setup(seats, seats, seed.to_bytes(32), rotation % seats, house)
    record, events = recorded(setup, seed)
    again = Record.from_bytes(record.to_bytes())
    assert again == record
    assert again.to_bytes() == record.to_bytes()
    assert again.setup(setup.seed) == setup
    steps = list(replay(again, setup.seed))
    assert [event for _, step in steps for event in step] == events
    assert " ".join(made.token for made, _ in steps if made) == record.decisions


SETUP = Setup(3, 3, SEED)
RECORD, _ = recorded(SETUP, 8)
TOKENS = RECORD.decisions.split()


def with_tokens(tokens: Sequence[str]) -> Record:
    return replace(RECORD, decisions=" ".join(tokens))


def refusal(record: Record, seed: bytes = SEED) -> str:
    with pytest.raises(RecordError) as caught:
        list(replay(record, seed))
    return str(caught.value)


def test_replay_names_the_first_decision_that_the_rules_refuse() -> None:
    assert refusal(with_tokens(["Kd", *TOKENS[1:]])) == "decision 1, Kd: asked to declare, not to play a card"
    assert refusal(with_tokens([*TOKENS, "Kd"])) == f"decision {len(TOKENS) + 1}, Kd: the match is over"
    assert refusal(with_tokens([*TOKENS[:4], "?", *TOKENS[5:]])) == "'?' is not a decision"


def test_replay_misses_decisions() -> None:
    assert refusal(with_tokens(TOKENS[:-1])) == "the match is not over after its last decision, in hand 3"


def test_replay_names_a_wrong_mark() -> None:
    """What was made by default is the default decision; what was forced was the only legal card."""
    assert (
        refusal(with_tokens(["+!timeout", *TOKENS[1:]])) == "decision 1, +!timeout: the default decision is -"
    )
    assert refusal(with_tokens(["-=", *TOKENS[1:]])) == "decision 1, -=: nothing forces it"


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("@2-", "by these house rules nobody acts out of turn"),
        ("Kd>-", "Kd is no renege"),
    ],
)
def test_replay_names_a_renege_that_has_no_price(token: str, reason: str) -> None:
    assert refusal(with_tokens([token, *TOKENS[1:]])) == f"decision 1, {token}: {reason}"


@pytest.mark.parametrize("before", ["@1", "@3", "@2@2"])
def test_replay_names_seats_that_cannot_be_out_of_turn(before: str) -> None:
    """Seat 1 of three is the first that is asked."""
    record = replace(RECORD, house_rules={"illegal": "renege"}, decisions=f"{before}-")
    assert refusal(record) == f"decision 1, {before}-: these seats cannot have acted out of turn"


def test_replay_names_a_card_that_was_not_illegal() -> None:
    """The leader may lead any card, but not take one back; a forced play was nobody's renege."""
    match = Match(setup := replace(SETUP, house=HouseRules(illegal="renege")))
    tokens = ["+", "+", "+"]
    for token in tokens:
        match.apply(Made.parse(token).decision)
    legal = match.hand.default().token
    record = replace(RECORD, house_rules=setup.house.differences())
    for token in (f"{legal}>{legal}*2", f"{legal}>{legal}="):
        refused = refusal(replace(record, decisions=" ".join([*tokens, token])))
        assert refused == f"decision 4, {token}: {legal} is no renege"


def test_replay_of_other_events() -> None:
    """Another hash, another seed, another legal decision: none gives the events of the record."""
    assert refusal(replace(RECORD, events="0" * 64)).endswith(f"the record says {'0' * 64}")
    assert refusal(RECORD, bytes(32))
    for number, token in enumerate(TOKENS):
        other = "+" if token.startswith("-") else "-"
        assert refusal(with_tokens([*TOKENS[:number], other, *TOKENS[number + 1 :]]))


def damaged(**changes: object) -> bytes:
    return json.dumps(json.loads(RECORD.to_bytes()) | changes).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        damaged(surprise=1),
        damaged(decisions=None),
        damaged(seats="3"),
        damaged(house_rules=[]),
        damaged(rules_version=0),
        damaged(rules_version="1"),
    ],
)
def test_no_record(data: bytes) -> None:
    with pytest.raises(RecordError):
        Record.from_bytes(data)


@pytest.mark.parametrize(
    "changes",
    [{"seats": 9}, {"hands": 4}, {"rotation": 3}, {"house_rules": {"limit": "x"}}, {"house_rules": {"x": 1}}],
)
def test_record_of_no_match(changes: dict[str, object]) -> None:
    assert refusal(Record.from_bytes(damaged(**changes))).startswith("the record of no match: ")
    with pytest.raises(RecordError, match="seed of 2 bytes"):
        RECORD.setup(b"ab")
