"""What bots send, read into values of the referee."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bourre.v1 import play_pb2
from google.protobuf.message import DecodeError

from bourre_server.referee.messages import Reply
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Decision, Declare, Draw

# A list answers at most 256 requests; some slack is for pongs and for what is stale.
MAX_MESSAGES = 1024


class FrameError(Exception):
    """A frame that is no list of messages, or one that is too long; the message says which."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A bot's first message; see `Join` in the proto."""

    protocol_version: int
    name: str
    version: str
    sdk: str
    max_tables: int
    lists: int
    events: bool
    remembered: dict[int, int]


@dataclass(slots=True)
class Frame:
    """A list that a bot sent, by kind; `leave` is 1 for after its matches, 2 for now."""

    join: Joined | None = None
    replies: list[Reply] = field(default_factory=list)
    pongs: list[int] = field(default_factory=list)
    leave: int = 0
    unknown: int = 0


def decode(data: bytes) -> Frame:
    """Read a frame. Raises FrameError where it is none."""
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError as error:
        raise FrameError("not a PlayRequest") from error
    messages = request.messages
    if len(messages) > MAX_MESSAGES:
        raise FrameError(f"{len(messages)} messages in one list; at most {MAX_MESSAGES}")
    frame = Frame()
    for message in messages:
        if message.HasField("decision"):
            frame.replies.append(_reply(message.decision))
        else:
            _read_rest(message, frame)
    return frame


def _read_rest(message: play_pb2.BotMessage, frame: Frame) -> None:
    kind = message.WhichOneof("message")
    if kind == "join":
        frame.join = _joined(message.join)
    elif kind == "pong":
        frame.pongs.append(message.pong.id)
    elif kind == "leave":
        frame.leave = 2 if message.leave.now else 1
    else:
        frame.unknown += 1


def _joined(join: play_pb2.Join) -> Joined:
    return Joined(
        join.protocol_version,
        join.bot_name,
        join.bot_version,
        f"{join.sdk_name} {join.sdk_version}".strip(),
        join.max_tables,
        join.lists,
        join.events,
        {memory.table_id: memory.last_event for memory in join.remembered},
    )


def _reply(decision: play_pb2.Decision) -> Reply:
    action = decision.WhichOneof("action")
    try:
        made = _decision(action, decision)
    except ValueError as error:
        return Reply(decision.table_id, decision.decision_id, None, str(error))
    return Reply(decision.table_id, decision.decision_id, made)


def _decision(action: str | None, decision: play_pb2.Decision) -> Decision:
    if action == "play":
        return PLAYS[_card(decision.play)]
    if action == "declare":
        declare = decision.declare
        if not declare.discards:
            return STAND_PAT if declare.plays else PASS
        return Declare(declare.plays, _cards(declare.discards))
    if action == "draw":
        return Draw(_cards(decision.draw.discards))
    raise ValueError("a decision without an action")


def _card(number: int) -> int:
    if not 1 <= number <= len(PLAYS):
        raise ValueError(f"{number} is not a card")
    return number - 1


def _cards(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple([_card(number) for number in numbers])
