"""A referee that says what a test has it say, on a real port, and bots as processes to hear it."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

import grpc
import psutil
from bourre.v1 import card_pb2, observation_pb2, play_pb2

PROGRAMS = Path(__file__).parent / "programs"
FIRST_LEGAL = PROGRAMS / "first_legal.py"
TOKEN = "xC9vTq0k-secret-of-the-test"
# Seconds after which whatever is waited for does not come.
LONGEST = 30.0
DEAF_PORT = 1  # nobody listens there

Message = play_pb2.RefereeMessage
WELCOME = Message(welcome=play_pb2.Welcome(protocol_version=1, lists=1, max_tables=8))


def goodbye(reason: str, **fields: object) -> Message:
    """The goodbye for a reason such as "FINISHED"."""
    value = play_pb2.GoodbyeReason.Value(f"GOODBYE_REASON_{reason}")
    return Message(goodbye=play_pb2.Goodbye(reason=value, **fields))  # type: ignore[arg-type]  # as named


def request(table: int, decision: int, **fields: object) -> Message:
    """A request to play the five or the nine of hearts."""
    return Message(
        decision_request=play_pb2.DecisionRequest(
            table_id=table,
            decision_id=decision,
            kind=play_pb2.DECISION_KIND_PLAY,
            attempt=1,
            legal_cards=[card_pb2.CARD_5H, card_pb2.CARD_9H],
            observation=observation_pb2.Observation(seat=0, seats=2, trump=card_pb2.SUIT_CLUBS),
            **fields,  # type: ignore[arg-type]  # as named
        )
    )


class Stream:
    """One stream of a bot, at the referee's end."""

    def __init__(self, requests: Iterator[play_pb2.PlayRequest], context: grpc.ServicerContext) -> None:
        self._requests = requests
        self._context = context
        self._outgoing: queue.SimpleQueue[play_pb2.PlayResponse | None] = queue.SimpleQueue()
        self._end: tuple[grpc.StatusCode, str] | None = None
        context.add_callback(lambda: self._outgoing.put(None))

    @property
    def metadata(self) -> dict[str, str | bytes]:
        """What came with the call."""
        return dict(self._context.invocation_metadata())

    def receive(self) -> list[play_pb2.BotMessage]:
        """The next list of the bot; fails where the stream ends, as it does at last with the bot."""
        return list(next(self._requests).messages)

    def join(self) -> play_pb2.Join:
        """The first message of the bot, which is welcomed."""
        (message,) = self.receive()
        assert message.WhichOneof("message") == "join"
        self.send(WELCOME)
        return message.join

    def decisions(self) -> list[tuple[int, int, int]]:
        """The next list of the bot: the table, the decision and the card played of each."""
        return [
            (answer.decision.table_id, answer.decision.decision_id, answer.decision.play)
            for answer in self.receive()
        ]

    def send(self, *messages: Message) -> None:
        """Send a list."""
        self._outgoing.put(play_pb2.PlayResponse(messages=messages))

    def end(
        self,
        code: grpc.StatusCode = grpc.StatusCode.OK,
        detail: str = "",
        trailing: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """End the stream after what was sent."""
        self._context.set_trailing_metadata(trailing)
        self._end = (code, detail)
        self._outgoing.put(None)

    def finish(self) -> None:
        """Say that there is nothing more to play."""
        self.send(goodbye("FINISHED"))
        self.end()

    def responses(self) -> Iterator[play_pb2.PlayResponse]:
        """What is to be sent, until the end."""
        while (response := self._outgoing.get()) is not None:
            yield response
        if self._end is not None and self._end[0] is not grpc.StatusCode.OK:
            self._context.abort(*self._end)


class ScriptedReferee:
    """A context manager; see the module."""

    def __init__(self, address: str = "127.0.0.1:0", tls: grpc.ServerCredentials | None = None) -> None:
        self._streams: queue.SimpleQueue[Stream] = queue.SimpleQueue()
        self._server = grpc.server(ThreadPoolExecutor(8), options=(("grpc.so_reuseport", 0),))
        handler = grpc.stream_stream_rpc_method_handler(
            self._play, play_pb2.PlayRequest.FromString, play_pb2.PlayResponse.SerializeToString
        )
        service = grpc.method_handlers_generic_handler("bourre.v1.PlayService", {"Play": handler})
        self._server.add_generic_rpc_handlers((service,))
        host = address.rpartition(":")[0]
        port = self._server.add_secure_port(address, tls) if tls else self._server.add_insecure_port(address)
        self.address = f"{host}:{port}"

    def __enter__(self) -> "ScriptedReferee":
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop(grace=None).wait()

    def _play(
        self, requests: Iterator[play_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[play_pb2.PlayResponse]:
        stream = Stream(requests, context)
        self._streams.put(stream)
        yield from stream.responses()

    def accept(self) -> Stream:
        """The next stream that a bot opens."""
        return self._streams.get(timeout=LONGEST)


class BotProcess:
    """A bot that runs; it is killed in the end, or when it takes too long."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.arguments = " ".join(psutil.Process(process.pid).cmdline())

    def line(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def complaint(self) -> str:
        """The next line that it prints on stderr."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().rstrip("\n")

    def say(self, line: str = "") -> None:
        """A line on its stdin."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def ended(self) -> tuple[int, str, str]:
        """Wait for its end: exit code, and the rest of stdout and stderr. The token is nowhere."""
        out, errors = self.process.communicate(timeout=LONGEST)
        assert TOKEN not in out + errors + self.arguments
        return self.process.returncode, out, errors


@contextlib.contextmanager
def started(program: Path, address: str, *arguments: str, **environment: str) -> Iterator[BotProcess]:
    """Run a bot as `bourre run` would, in an environment without anybody's own settings."""
    kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    places = {
        "BOURRE_ADDRESS": address,
        "BOURRE_TOKEN": TOKEN,
        "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path))),
    }
    with subprocess.Popen(
        [sys.executable, str(program), *arguments],
        env=kept | places | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        watchdog = threading.Timer(LONGEST, process.kill)
        watchdog.start()
        try:
            yield BotProcess(process)
        finally:
            watchdog.cancel()
            process.kill()
