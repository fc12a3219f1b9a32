"""Decisions per second, in one run: the engine, the referee through gRPC, and bare gRPC beside them.

    python -m tests.benchmarks.decisions [--seconds 3] [--repeat 3] [--tables 1,16,128]

Every figure is the median of interleaved repetitions. All decisions of a match count, a third of
which have one legal answer and are made without asking.
"""

import argparse
import asyncio
import hashlib
import secrets
import time
from collections import defaultdict
from pathlib import Path

import grpc
from bourre_server.arena.ports import BotJoined, MatchFinished
from bourre_server.referee.table import TableSpec
from bourre_server.rpc.desk import Desk
from bourre_server.rpc.server import serving
from bourre_server.rules.cards import cards_in
from bourre_server.rules.decisions import PLAYS, STAND_PAT, Decision
from bourre_server.rules.hand import Kind
from bourre_server.rules.match import Match, Setup

from tests.benchmarks.measured import Command, Meter, Rate, middle, no_idle_cores, processes

SEATS = 4
HANDS = 20
WARM_UP = 1.0
HERE = Path(__file__).parent
BOT = HERE.parents[1] / "sample_bots" / "python" / "random_bot.py"


def matches() -> list[tuple[Setup, list[Decision]]]:
    """Matches and the decisions that play them: everybody plays, the middle legal card each time."""
    played = []
    for number in range(20):
        setup = Setup(SEATS, HANDS, number.to_bytes(32))
        match = Match(setup)
        decisions: list[Decision] = []
        while not match.over:
            legal = cards_in(match.hand.legal)
            decision = PLAYS[legal[len(legal) // 2]] if match.hand.kind is Kind.PLAY else STAND_PAT
            match.apply(decision)
            decisions.append(decision)
        played.append((setup, decisions))
    return played


def engine(seconds: float) -> Rate:
    """The rules alone: each decision checked and applied, events hashed as for a record."""
    made, prepared = 0, matches()
    meter = Meter([], 0)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for setup, decisions in prepared:
            match = Match(setup)
            for decision in decisions:
                match.refuse(decision)
                match.apply(decision)
            match.drain()
            assert match.digest
            made += len(decisions)
    return meter.read(made)


async def ping_pong(seconds: float) -> Rate:
    """Bare grpc.aio that sends back what it gets, and one client with one message in flight."""
    echoed = 0

    async def echo(_requests: object, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
        nonlocal echoed
        while isinstance(message := await context.read(), bytes):
            echoed += 1
            await context.write(message)

    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(echo)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Bare", {"Play": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with processes([([str(HERE / "ping_pong_client.py"), f"127.0.0.1:{port}"], {})]) as clients:
        while not echoed:
            await asyncio.sleep(0.01)
        await asyncio.sleep(WARM_UP)
        meter = Meter(clients, echoed)
        await asyncio.sleep(seconds)
        rate = meter.read(echoed)
    await server.stop(grace=None)
    return rate


class Game:
    """A referee at its desk that keeps a number of tables busy, and counts."""

    def __init__(self, tables: int) -> None:
        self._tables = tables
        self.made = 0
        self.desk = Desk(self._count, _fail)
        self._opened = 0

    def _count(self, lines: bytes) -> None:
        self.made += lines.count(b"\n")

    def open_table(self) -> None:
        """Begin the next match; seats go round among the bots."""
        self._opened += 1
        number = self._opened
        setup = Setup(SEATS, HANDS, number.to_bytes(32))
        bots = tuple(f"bot{(seat + number) % SEATS}" for seat in range(SEATS))
        seeds = tuple(number * SEATS + seat for seat in range(SEATS))
        self.desk.open_table(TableSpec(number, number, setup, bots, seeds), ())

    def expect_bots(self, address: str) -> list[Command]:
        """The commands that start the bots."""
        commands = []
        for seat in range(SEATS):
            token = secrets.token_urlsafe(32)
            self.desk.expect(f"bot{seat}", "random", hashlib.sha256(token.encode()).hexdigest())
            commands.append(([str(BOT)], {"BOURRE_ADDRESS": address, "BOURRE_TOKEN": token}))
        return commands

    async def keep_busy(self) -> None:
        """Open the tables when all bots have joined, and another for each match that ends."""
        joined = 0
        notices = self.desk.notices
        while True:
            if not notices.statistics().current_buffer_used:
                await asyncio.sleep(0.001)
                continue
            match notices.receive_nowait():
                case BotJoined():
                    joined += 1
                    for _ in range(self._tables if joined == SEATS else 0):
                        self.open_table()
                case MatchFinished():
                    self.open_table()


def _fail(error: Exception) -> None:
    raise error


async def referee(tables: int, seconds: float) -> Rate:
    """The whole way: referee, gRPC, SDK and random bots as processes; the rate of decisions made."""
    game = Game(tables)
    async with serving(game.desk, "127.0.0.1:0") as port:
        with processes(game.expect_bots(f"127.0.0.1:{port}")) as bots:
            busy = asyncio.create_task(game.keep_busy())
            while not game.made:
                await asyncio.sleep(0.01)
            await asyncio.sleep(WARM_UP)
            meter = Meter(bots, game.made)
            await asyncio.sleep(seconds)
            rate = meter.read(game.made)
            busy.cancel()
    return rate


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions, interleaved")
    parser.add_argument("--tables", default="1,16,128", help="tables at once")
    options = parser.parse_args()
    table_counts = [int(text) for text in options.tables.split(",")]
    rates: defaultdict[str, list[Rate]] = defaultdict(list)
    with no_idle_cores() as condition:
        for _ in range(options.repeat):
            rates["engine in process"].append(engine(options.seconds))
            rates["bare ping-pong"].append(asyncio.run(ping_pong(options.seconds)))
            for tables in table_counts:
                rates[f"referee, {tables} tables"].append(asyncio.run(referee(tables, options.seconds)))
    report({name: middle(values) for name, values in rates.items()}, condition)


def report(rates: dict[str, Rate], condition: str) -> None:
    """Print the table."""
    bare = rates["bare ping-pong"].per_second
    print(f"{SEATS} seats, random Python bots as processes; {condition}")
    print(f"{'':24} {'per second':>10} {'x ping-pong':>12} {'own CPU µs':>11} {'others CPU µs':>14}")
    for name, rate in rates.items():
        figures = f"{rate.per_second:10,.0f} {rate.per_second / bare:12.2f} {rate.own_cpu:11.1f}"
        print(f"{name:24} {figures} {rate.others_cpu:14.1f}")


if __name__ == "__main__":
    main()
