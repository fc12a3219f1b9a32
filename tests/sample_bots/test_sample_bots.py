"""The sample bots at real tables, in process: legal, repeatable, and in the order of their strength."""

import ast
import importlib.util
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import bourre
import pytest
from bourre.bot import BotFunction, write_decision
from bourre.v1 import play_pb2
from bourre_server.referee.messages import Asked, Reply
from bourre_server.referee.referee import Referee
from bourre_server.referee.table import Table, TableSpec
from bourre_server.rpc.codec.replies import decode
from bourre_server.rpc.codec.requests import Requests
from bourre_server.rules.match import Setup
from bourre_server.rules.shuffle import block_seed, bot_seed

FOLDER = Path(__file__).parents[2] / "sample_bots" / "python"
BOTS = {"random_bot": "random_bot", "always": "always", "cautious": "Cautious", "steady": "Steady"}
SECRET = bytes(32)


def load(name: str) -> BotFunction:
    """A sample bot, from its file."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bot = getattr(module, BOTS[name])
    made: BotFunction = bot() if isinstance(bot, type) else bot
    return made


def reply_of(bot: BotFunction, request: play_pb2.DecisionRequest) -> Reply:
    """What a bot answers, by way of the wire; asked twice, it answers the same."""
    answers = []
    for _ in range(2):
        message = play_pb2.BotMessage()
        decision = message.decision
        decision.table_id, decision.decision_id = request.table_id, request.decision_id
        observation = bourre.Observation(request)
        write_decision(bot(observation), observation.kind, decision)
        (reply,) = decode(play_pb2.PlayRequest(messages=[message]).SerializeToString()).replies
        answers.append(reply)
    assert answers[0] == answers[1]
    return answers[0]


def play(bots: Sequence[BotFunction], block: int, rotation: int, hands: int) -> Table:
    """A match between bots by seat."""
    seats = len(bots)
    referee, requests = Referee(), Requests()
    names = tuple(f"bot{seat}" for seat in range(seats))
    for name in names:
        referee.join(name, 0.0)
    seeds = tuple(bot_seed(SECRET, block, rotation, seat) for seat in range(seats))
    setup = Setup(seats, hands, block_seed(SECRET, block), rotation)
    referee.open(TableSpec(1, block, setup, names, seeds), 0.0)
    while True:
        effects = referee.drain(0.0)
        if effects.finished:
            return effects.finished[0]
        for name, message in effects.messages:
            if isinstance(message, Asked):
                (sent,) = play_pb2.PlayResponse.FromString(requests.encode(message)).messages
                reply = reply_of(bots[names.index(name)], sent.decision_request)
                referee.apply(name, [reply], 0.0)


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("seats", range(2, 9))
def test_a_bot_decides_legally_at_any_table(name: str, seats: int) -> None:
    others = [load(other) for other in BOTS]
    bots = [load(name), *(others[seat % 4] for seat in range(seats - 1))]
    for block in range(3):
        table = play(bots, block, block % seats, hands=2 * seats)
        assert not table.faults


def test_steady_beats_cautious_beats_always_beats_random() -> None:
    names = list(BOTS)
    bots = [load(name) for name in names]
    chips: Counter[str] = Counter()
    for block in range(10):
        for rotation in range(4):
            seating = [(seat - rotation) % 4 for seat in range(4)]
            table = play([bots[entrant] for entrant in seating], block, rotation, hands=20)
            for seat, entrant in enumerate(seating):
                chips[names[entrant]] += table.match.public.chips[seat]
    assert [name for name, _ in chips.most_common()] == ["steady", "cautious", "always", "random_bot"]


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_can_be_read_in_one_sitting(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text()
    assert len(text.splitlines()) <= 120
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported <= {"bourre", *sys.stdlib_module_names}
