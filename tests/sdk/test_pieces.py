"""Cards, random numbers, observations, and what may be answered."""

import ast
import doctest
import hashlib
import importlib
import os
import re
import struct
import subprocess
import sys
import venv
from pathlib import Path

import bourre
import pytest
from bourre.bot import write_decision
from bourre.client import Settings
from bourre.observation import ListClock
from bourre.v1 import card_pb2, observation_pb2, play_pb2

ROOT = Path(__file__).parents[2]
SDK = ROOT / "sdk" / "python"
MODULES = sorted(path.stem for path in (SDK / "bourre").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_the_text_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(f"bourre.{module}")).failed == 0


@pytest.mark.parametrize("path", sorted((SDK / "bourre").glob("*.py")), ids=lambda path: path.name)
def test_the_sdk_imports_grpc_protobuf_and_nothing_else(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    assert imported <= {*sys.stdlib_module_names, "grpc", "google", "bourre"}


def test_cards_and_their_numbers_on_the_wire() -> None:
    assert [str(card) for card in bourre.DECK] == [
        name.removeprefix("CARD_")[0] + name[-1].lower() for name in card_pb2.Card.keys()[1:]
    ]
    assert [int(card) for card in bourre.DECK] == list(range(1, 53))
    assert bourre.Card("Kd") is bourre.Card(38) is bourre.DECK[37]
    assert (bourre.Card("Kd").rank, bourre.Card("Kd").suit) == (13, bourre.Suit.DIAMONDS)
    for wrong in ("", "kd", "1h", "10h", "Kx", 0, 53):
        with pytest.raises(ValueError, match="no such card"):
            bourre.Card(wrong)


def words(seed: int, stream: int, count: int) -> list[int]:
    """The generator's words, from its definition in sdk/README.md alone."""
    digests = [
        hashlib.sha256(seed.to_bytes(8) + stream.to_bytes(4) + i.to_bytes(4)).digest()
        for i in range(count // 4 + 1)
    ]
    return list(struct.unpack(f">{count}Q", b"".join(digests)[: 8 * count]))


@pytest.mark.parametrize(("seed", "stream"), [(0, 0), (7, 1), (2**64 - 1, 2**32 - 1)])
def test_random_numbers_are_those_of_the_definition(seed: int, stream: int) -> None:
    expected = words(seed, stream, 40)
    generator = bourre.Generator(seed, stream)
    assert [generator.below(2**64) for _ in range(40)] == expected
    generator = bourre.Generator(seed, stream)
    assert [generator.below(6) for _ in range(40)] == [word % 6 for word in expected]
    generator = bourre.Generator(seed, stream)
    assert [generator.uniform() for _ in range(40)] == [(word >> 11) / 2**53 for word in expected]


def test_the_contract_s_worked_numbers() -> None:
    text = (ROOT / "sdk" / "README.md").read_text()
    worked = re.findall(
        r"bot_seed (\d+) and decision_id (\d+) the first three .* are (\d+), (\d+), (\d+)", text
    )
    (seed, stream, *numbers) = map(int, worked[0])
    assert [word % 1000 for word in words(seed, stream, 3)] == numbers


def test_words_that_would_favour_some_numbers_are_dropped() -> None:
    n = 3 << 62
    kept = [word for word in words(5, 6, 40) if word < n]
    generator = bourre.Generator(5, 6)
    assert [generator.below(n) for _ in range(len(kept))] == kept
    assert len(kept) < 40


def test_samples_and_shuffles() -> None:
    items = list(range(10))
    first, *rest = words(1, 2, 3)
    pool = list(items)
    for i, word in enumerate((first, *rest)):
        j = i + word % (10 - i)
        pool[i], pool[j] = pool[j], pool[i]
    assert bourre.Generator(1, 2).sample(items, 3) == pool[:3]
    assert items == list(range(10))
    bourre.Generator(1, 2).shuffle(items)
    assert sorted(items) == list(range(10))
    for wrong in (-1, 11):
        with pytest.raises(ValueError, match="cannot take"):
            bourre.Generator(1, 2).sample(items, wrong)
    for wrong in (0, 2**64 + 1):
        with pytest.raises(ValueError, match="below"):
            bourre.Generator(1, 2).below(wrong)


def an_observation(**changes: object) -> bourre.Observation:
    """Seat 2 of four in the second trick: seats 0, 2 and 3 play, seat 3 led."""
    seen = observation_pb2.Observation(
        seat=2,
        seats=4,
        bot_seed=9,
        hand=3,
        hands=20,
        dealer=1,
        upcard=card_pb2.CARD_5H,
        trump=card_pb2.SUIT_HEARTS,
        carried_pot=840,
        antes_paid=[840, 840, 0, 840],
        pot=3360,
        chips=[-840, 0, -1680, -840],
        upcard_state=observation_pb2.UPCARD_STATE_FOLDED,
        seat_states=[
            observation_pb2.SEAT_STATE_PLAYING,
            observation_pb2.SEAT_STATE_PASSED,
            observation_pb2.SEAT_STATE_PLAYING,
            observation_pb2.SEAT_STATE_PLAYING,
        ],
        discards_taken=[1, 0, 2, 3],
        past_tricks=[card_pb2.CARD_2C, card_pb2.CARD_9C, card_pb2.CARD_KC],
        leaders=[2, 3],
        tricks_won=[0, 0, 0, 1],
        trick=[card_pb2.CARD_AS, card_pb2.CARD_3S],
        holding=[card_pb2.CARD_7S, card_pb2.CARD_8H],
        own_discards=[card_pb2.CARD_2D],
        own_faults=1,
    )
    fields = {"kind": play_pb2.DECISION_KIND_PLAY, "legal_cards": [card_pb2.CARD_7S]} | changes
    request = play_pb2.DecisionRequest(table_id=8, decision_id=40, attempt=1, observation=seen, **fields)  # type: ignore[arg-type]  # any field
    return bourre.Observation(request)


def test_an_observation_shows_what_the_message_says() -> None:
    obs, card = an_observation(), bourre.Card
    assert (obs.kind, obs.table, obs.decision_id, obs.attempt) == ("play", 8, 40, 1)
    assert (obs.seat, obs.seats, obs.dealer, obs.hand, obs.hands) == (2, 4, 1, 3, 20)
    assert obs.holding == [card("7s"), card("8h")]
    assert obs.legal_cards == [card("7s")]
    assert obs.own_discards == [card("2d")]
    assert (obs.trump, obs.upcard, obs.upcard_held) == (bourre.Suit.HEARTS, card("5h"), False)
    assert (obs.pot, obs.pot_in_antes, obs.carried_pot) == (3360, 4.0, 840)
    assert (obs.playing, obs.passed, obs.to_declare) == ([0, 2, 3], [1], [])
    assert obs.leader == 3
    assert obs.trick == [(3, card("As")), (0, card("3s"))]
    assert obs.past_tricks == [[(2, card("2c")), (3, card("9c")), (0, card("Kc"))]]
    assert (list(obs.tricks_won), obs.own_tricks) == ([0, 0, 0, 1], 0)
    assert obs.gone == [card("2c"), card("9c"), card("Kc"), card("5h")]
    assert (list(obs.chips), list(obs.antes_paid)) == ([-840, 0, -1680, -840], [840, 840, 0, 840])
    assert (list(obs.discards_taken), obs.own_faults) == ([1, 0, 2, 3], 1)
    assert obs.random().below(100) == words(9, 40, 1)[0] % 100
    assert repr(obs).startswith(
        "Observation(hand 3/20, seat 2, play, trump h, holding 7s 8h, trick 3:As 0:3s"
    )


@pytest.mark.parametrize(("limit", "cost"), [(None, 3360), (2, 1680), (0, 3360)])
def test_what_a_bourre_costs(limit: int | None, cost: int) -> None:
    obs = an_observation()
    if limit is not None:
        obs.request.observation.house_rules.limit = limit
    assert obs.bourre_cost == cost


def test_the_time_of_a_list_is_shared_by_what_is_unanswered() -> None:
    now = 100.0
    clock = ListClock(deadline=106.0, unanswered=3, now=lambda: now)
    assert clock.share == 2.0
    clock.unanswered = 1
    assert clock.share == 6.0
    now = 200.0
    assert clock.share == 0.0
    assert an_observation().seconds == float("inf")


@pytest.mark.parametrize(
    ("kind", "answer", "expected"),
    [
        (bourre.Kind.PLAY, bourre.Card("Kd"), {"play": card_pb2.CARD_KD}),
        (bourre.Kind.DECLARE, bourre.Pass(), {"declare": {"plays": False}}),
        (bourre.Kind.DECLARE, bourre.Play(), {"declare": {"plays": True}}),
        (
            bourre.Kind.DECLARE,
            bourre.Play([bourre.Card("2s")]),
            {"declare": {"plays": True, "discards": [card_pb2.CARD_2S]}},
        ),
        (bourre.Kind.DRAW, bourre.Play([bourre.Card("2s")]), {"draw": {"discards": [card_pb2.CARD_2S]}}),
        (bourre.Kind.DRAW, bourre.Play(), {"draw": {}}),
    ],
)
def test_answers_are_written(kind: bourre.Kind, answer: bourre.Decision, expected: dict[str, object]) -> None:
    message = play_pb2.Decision()
    write_decision(answer, kind, message)
    assert message == play_pb2.Decision(**expected)  # type: ignore[arg-type]  # any field


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (bourre.Kind.PLAY, bourre.Pass()),
        (bourre.Kind.PLAY, "Kd"),
        (bourre.Kind.PLAY, 38),
        (bourre.Kind.DECLARE, bourre.Card("Kd")),
        (bourre.Kind.DECLARE, bourre.Play(["Kd"])),  # type: ignore[list-item]  # the mistake
        (bourre.Kind.DRAW, bourre.Pass()),
    ],
)
def test_what_is_no_answer_is_a_type_error(kind: bourre.Kind, answer: object) -> None:
    with pytest.raises(TypeError, match=r"no answer|not a card"):
        write_decision(answer, kind, play_pb2.Decision())


class Timid(bourre.Bot):
    def declare(self, obs: bourre.Observation) -> bourre.Pass | bourre.Play:
        return bourre.Pass() if obs.may_pass else bourre.Play([bourre.Card("7s")])

    def play(self, obs: bourre.Observation) -> bourre.Card:
        return obs.legal_cards[-1]


def test_a_bot_is_asked_by_kind() -> None:
    bot = Timid()
    assert bot(an_observation()) == bourre.Card("7s")
    declare = an_observation(kind=play_pb2.DECISION_KIND_DECLARE, may_pass=True)
    assert bot(declare) == bourre.Pass()
    draw = an_observation(kind=play_pb2.DECISION_KIND_DRAW)
    assert bot(draw) == bourre.Play([bourre.Card("7s")])
    shy = an_observation(kind=play_pb2.DECISION_KIND_DRAW, may_pass=True)
    assert bot(shy) == bourre.Play()


def test_the_token_is_not_in_the_repr() -> None:
    assert "secret" not in repr(Settings("a:1", "secret"))


def test_the_sdk_installs_alone(tmp_path: Path) -> None:
    """In a fresh environment: bourre, grpcio, protobuf and their needs, nothing else."""
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([python, "-m", "pip", "install", "-q", str(SDK)], check=True, env=environment)
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=freeze"],
        check=True,
        env=environment,
        capture_output=True,
        text=True,
    ).stdout
    names = {line.split("==")[0].lower() for line in listed.splitlines()}
    assert {"bourre", "grpcio", "protobuf"} <= names
    assert names <= {"bourre", "grpcio", "protobuf", "typing_extensions", "pip", "setuptools"}
    subprocess.run([python, "-c", "import bourre; bourre.DECK"], check=True, env=environment)
