"""The desk behind a real port, spoken to by raw gRPC clients."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import grpc
import pytest
from bourre.v1 import play_pb2
from bourre_server.arena.ports import BotJoined, BotLost, MatchFinished, Notice
from bourre_server.referee.lists import TimeControl
from bourre_server.referee.table import TableSpec
from bourre_server.rpc.codec.replies import decode
from bourre_server.rpc.desk import Desk
from bourre_server.rpc.server import serving
from bourre_server.rpc.stream import LARGEST_FRAME, MOST_UNREAD, Stream
from bourre_server.rules.match import Setup

TOKENS = {"a": "token-of-a", "b": "token-of-b"}
PATIENCE = 10.0


class Client:
    """One stream to the referee."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        play: Any = channel.stream_stream("/bourre.v1.PlayService/Play")
        self.call = play(metadata=(("authorization", f"Bearer {token}"),))
        self._waiting: list[play_pb2.RefereeMessage] = []

    async def send(self, *messages: play_pb2.BotMessage) -> None:
        await self.call.write(play_pb2.PlayRequest(messages=messages).SerializeToString())

    async def join(self, **fields: Any) -> play_pb2.Welcome:
        """Say Join; the welcome."""
        await self.send(join_message(**fields))
        return (await self.next("welcome")).welcome

    async def next(self, kind: str) -> play_pb2.RefereeMessage:
        """The next message of a kind; others before it are dropped."""
        while True:
            while self._waiting:
                message = self._waiting.pop(0)
                if message.WhichOneof("message") == kind:
                    return message
            data = await asyncio.wait_for(self.call.read(), PATIENCE)
            assert data, f"the stream ended before {kind}"
            self._waiting += play_pb2.PlayResponse.FromString(data).messages

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the stream ended, whatever was said before."""
        with suppress(grpc.aio.AioRpcError):
            while await asyncio.wait_for(self.call.read(), PATIENCE) is not grpc.aio.EOF:
                pass
        return await self.call.code(), await self.call.details()


class House:
    """A desk that serves, the decisions it journalled, and what it had to say to the director."""

    def __init__(self, desk: Desk, channel: grpc.aio.Channel) -> None:
        self.desk = desk
        self._channel = channel
        self.journal: list[str] = []

    def client(self, bot: str = "a", token: str | None = None) -> Client:
        return Client(self._channel, TOKENS[bot] if token is None else token)

    async def notice(self, kind: type[Notice]) -> Any:
        """The next notice of a kind."""
        for _ in range(int(PATIENCE * 1000)):
            while self.desk.notices.statistics().current_buffer_used:
                if isinstance(notice := self.desk.notices.receive_nowait(), kind):
                    return notice
            await asyncio.sleep(0.001)
        raise AssertionError(f"no {kind.__name__}")

    def open_table(self, number: int = 1, **changes: Any) -> None:
        clock = changes.pop("clock", TimeControl())
        spec = TableSpec(number, 1, Setup(2, 2, bytes(32)), ("a", "b"), (1, 2), clock=clock, **changes)
        self.desk.open_table(spec, ())


@asynccontextmanager
async def a_house() -> AsyncIterator[House]:
    errors: list[Exception] = []
    lines: list[bytes] = []
    desk = Desk(lines.append, errors.append)
    for bot, token in TOKENS.items():
        desk.expect(bot, f"entrant {bot}", hashlib.sha256(token.encode()).hexdigest())
    async with (
        serving(desk, "127.0.0.1:0") as port,
        grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        yield House(desk, channel)
    assert not errors


def join_message(**fields: Any) -> play_pb2.BotMessage:
    return play_pb2.BotMessage(join=play_pb2.Join(**({"protocol_version": 1} | fields)))


def answer(request: play_pb2.DecisionRequest) -> play_pb2.BotMessage:
    """Any legal answer."""
    decision = play_pb2.Decision(table_id=request.table_id, decision_id=request.decision_id)
    if request.kind == play_pb2.DECISION_KIND_PLAY:
        decision.play = request.legal_cards[0]
    else:
        decision.declare.plays = True
    return play_pb2.BotMessage(decision=decision)


def in_a_house(test: Callable[[House], Awaitable[None]]) -> Callable[[], None]:
    """A test that is given a house, in an asyncio loop of its own."""

    async def run() -> None:
        async with a_house() as house:
            await test(house)

    def wrapped() -> None:
        asyncio.run(run())

    wrapped.__name__, wrapped.__doc__ = test.__name__, test.__doc__
    return wrapped


@in_a_house
async def test_a_bot_is_welcomed_under_its_entrant_s_name(house: House) -> None:
    welcome = await house.client().join(bot_name="somebody else", lists=99, max_tables=3)
    assert (welcome.entrant, welcome.lists, welcome.max_tables) == ("entrant a", 16, 3)
    joined = await house.notice(BotJoined)
    assert (joined.bot, joined.max_tables) == ("a", 3)


@in_a_house
async def test_f6_a_token_that_nobody_has(house: House) -> None:
    for token in ("", "guess", TOKENS["a"] + "x"):
        client = house.client(token=token)
        code, details = await client.status()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert "BOURRE_TOKEN" in details
        assert not token or token not in details


@in_a_house
async def test_f6_another_protocol_version(house: House) -> None:
    client = house.client()
    await client.send(join_message(protocol_version=7))
    code, details = await client.status()
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "protocol version 7; the referee speaks 1" in details


@in_a_house
async def test_f6_a_first_message_that_is_no_join(house: House) -> None:
    client = house.client()
    await client.send(play_pb2.BotMessage(pong=play_pb2.Pong(id=1)))
    assert await client.status() == (grpc.StatusCode.INVALID_ARGUMENT, "the first message must be a Join")
    garbage = house.client("b")
    await garbage.call.write(b"\xff\xff")
    assert (await garbage.status())[0] is grpc.StatusCode.INVALID_ARGUMENT


@in_a_house
async def test_f11_the_newest_connection_wins(house: House) -> None:
    older, newer = house.client(), house.client()
    await older.join()
    await newer.join()
    goodbye = (await older.next("goodbye")).goodbye
    assert goodbye.reason == play_pb2.GOODBYE_REASON_REPLACED
    assert (await older.status())[0] is grpc.StatusCode.OK
    house.open_table()
    assert (await newer.next("match_started")).match_started.table_id == 1


@in_a_house
async def test_f1_f10_a_lost_stream_is_asked_the_same_again(house: House) -> None:
    first, other = house.client("b"), house.client("a")
    await first.join()
    await other.join()
    house.open_table()
    asked = (await first.next("decision_request")).decision_request
    first.call.cancel()
    await house.notice(BotLost)
    second = house.client("b")
    welcome = await second.join()
    assert [match.table_id for match in welcome.running] == [1]
    again = (await second.next("decision_request")).decision_request
    assert (again.decision_id, again.observation) == (asked.decision_id, asked.observation)
    await second.send(answer(again))
    assert (await other.next("decision_request")).decision_request.decision_id == asked.decision_id + 1


@in_a_house
async def test_f7_what_a_dead_process_still_sends_is_ignored(house: House) -> None:
    """A frame that was on its way when the process was killed is read after its end was heard of."""
    await house.client("a").join()
    join = decode(play_pb2.PlayRequest(messages=[join_message()]).SerializeToString()).join
    assert join is not None
    house.desk.connect("b", join, dying := Stream())
    house.open_table()
    sent = play_pb2.PlayResponse.FromString(await dying.next_frame() or b"").messages
    (asked,) = (message.decision_request for message in sent if message.HasField("decision_request"))
    house.desk.crash("b", "was killed by SIGKILL")
    house.desk.receive("b", dying, play_pb2.PlayRequest(messages=[answer(asked)]).SerializeToString())
    again = house.client("b")
    await again.join()
    assert (await again.next("decision_request")).decision_request.decision_id == asked.decision_id
    house.desk.give_up("a", "left")
    house.desk.give_up("b", "left")
    faults = (await house.notice(MatchFinished)).table.faults
    assert [fault.kind.value for fault in faults] == ["crashed", "disconnected", "disconnected"]


@in_a_house
async def test_a_match_to_its_end(house: House) -> None:
    clients = {bot: house.client(bot) for bot in TOKENS}
    for client in clients.values():
        await client.join(events=True)
    house.open_table()

    async def play(client: Client) -> play_pb2.MatchEnded:
        while True:
            data = await asyncio.wait_for(client.call.read(), PATIENCE)
            messages = play_pb2.PlayResponse.FromString(data).messages
            for message in messages:
                if message.HasField("decision_request"):
                    await client.send(answer(message.decision_request))
                if message.HasField("match_ended"):
                    return message.match_ended

    ended = await asyncio.gather(*(play(client) for client in clients.values()))
    finished = await house.notice(MatchFinished)
    assert ended[0] == ended[1]
    assert list(ended[0].chips) == finished.table.match.public.chips
    house.desk.settle_block(1, bytes(32), TOKENS)
    assert (await clients["a"].next("block_settled")).block_settled.seed == bytes(32)
    for bot, client in clients.items():
        house.desk.dismiss(bot, "FINISHED", "")
        assert (await client.next("goodbye")).goodbye.reason == play_pb2.GOODBYE_REASON_FINISHED
        assert (await client.status())[0] is grpc.StatusCode.OK
        assert (await house.client(bot).status())[0] is grpc.StatusCode.UNAUTHENTICATED


@in_a_house
async def test_f56_time_runs_out_whatever_is_sent(house: House) -> None:
    clients = {bot: house.client(bot) for bot in TOKENS}
    for client in clients.values():
        await client.join()
    house.open_table(clock=TimeControl(budget=0.05, bank=0.0))
    await clients["b"].next("decision_request")
    stale = play_pb2.BotMessage(decision=play_pb2.Decision(table_id=1, decision_id=9))
    for _ in range(3):
        await clients["b"].send(stale)
    kinds = [(await clients["b"].next("fault")).fault.kind for _ in range(4)]
    assert kinds[-1] == play_pb2.FAULT_KIND_TIMEOUT
    assert set(kinds[:-1]) == {play_pb2.FAULT_KIND_MALFORMED}


@in_a_house
async def test_f14_a_flood_ends_with_its_limit_and_a_delay(house: House) -> None:
    client = house.client()
    await client.join()
    stray = play_pb2.BotMessage(decision=play_pb2.Decision(table_id=5, decision_id=1))
    for _ in range(4):
        await client.send(*[stray] * 1000)
    code, details = await client.status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "at most 100 a second" in details
    trailing = dict(await client.call.trailing_metadata())
    assert trailing["retry-after-ms"] == "1000"
    assert trailing["limit"] == "idle_messages_per_second"


@in_a_house
async def test_a_frame_that_is_too_large_ends_the_stream(house: House) -> None:
    client = house.client()
    await client.join()
    await client.call.write(bytes(LARGEST_FRAME + 1))
    assert (await client.status())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await house.notice(BotLost)).bot == "a"


def test_a_bot_that_stops_reading_costs_bounded_memory() -> None:
    async def fill() -> Stream:
        stream = Stream()
        chunk = bytes(64 << 10)
        for _ in range(2 * MOST_UNREAD // len(chunk)):
            stream.send(chunk)
        return stream

    stream = asyncio.run(fill())
    assert stream.ending is not None
    assert stream.ending.code is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("size", [1, 1000, LARGEST_FRAME - 1, LARGEST_FRAME])
def test_frames_hold_what_waits_as_far_as_it_fits(size: int) -> None:
    async def frames() -> list[int]:
        stream = Stream()
        for _ in range(3):
            stream.send(bytes(size))
        sizes: list[int] = []
        while sum(sizes) < 3 * size:
            frame = await stream.next_frame()
            assert frame is not None
            sizes.append(len(frame))
        return sizes

    assert max(asyncio.run(frames())) <= LARGEST_FRAME


@in_a_house
async def test_a_bot_that_stops_reading_is_cut_off(house: House) -> None:
    client = house.client()
    await client.join()
    for number in range(3 * MOST_UNREAD // 40):
        house.desk.settle_block(1, bytes(32), ["a"])
        if number % 1000 == 0:
            await asyncio.sleep(0.001)  # let the writer run into what is not read
    assert (await house.notice(BotLost)).bot == "a"
    code, details = await client.status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "wait to be read" in details
