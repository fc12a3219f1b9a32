"""Bots as processes, and a referee that does to them what a real one may."""

import contextlib
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from bourre.v1 import card_pb2, play_pb2
from bourre.version import VERSION

from tests.sdk.scripted import (
    FIRST_LEGAL,
    PROGRAMS,
    TOKEN,
    BotProcess,
    Message,
    ScriptedReferee,
    Stream,
    goodbye,
    request,
    started,
)

THINKS = PROGRAMS / "thinks.py"
TELLS = PROGRAMS / "tells.py"
ANSWERS = PROGRAMS / "answers.py"
FIVE, NINE = card_pb2.CARD_5H, card_pb2.CARD_9H


@pytest.fixture
def referee() -> Iterator[ScriptedReferee]:
    with ScriptedReferee() as referee:
        yield referee


def test_a_bot_joins_with_what_it_says_of_itself(referee: ScriptedReferee) -> None:
    with started(FIRST_LEGAL, referee.address) as bot:
        stream = referee.accept()
        assert stream.metadata["authorization"] == f"Bearer {TOKEN}"
        assert stream.join() == play_pb2.Join(
            protocol_version=1,
            bot_name="first",
            bot_version="1.2",
            sdk_name="python",
            sdk_version=VERSION,
            max_tables=3,
            lists=2,
        )
        stream.finish()
        assert bot.ended() == (0, "", "")


def test_a_bot_without_a_name_is_called_by_its_program(referee: ScriptedReferee) -> None:
    with started(THINKS, referee.address) as bot:
        stream = referee.accept()
        assert stream.join().bot_name == "thinks.py"
        stream.finish()
        assert bot.ended() == (0, "", "")


def test_200_requests_are_answered_as_one_list(referee: ScriptedReferee) -> None:
    with started(FIRST_LEGAL, referee.address) as bot:
        stream = referee.accept()
        stream.join()
        stream.send(*(request(table, 10 * table) for table in range(1, 201)))
        assert stream.decisions() == [(table, 10 * table, FIVE) for table in range(1, 201)]
        stream.finish()
        assert bot.ended() == (0, "", "")


@pytest.mark.parametrize("before", [(), (request(2, 1),)], ids=["alone", "behind a request"])
def test_a_ping_is_answered_while_the_bot_thinks(referee: ScriptedReferee, before: tuple[Message]) -> None:
    with started(THINKS, referee.address) as bot:
        stream = referee.accept()
        stream.join()
        stream.send(request(1, 7))
        assert bot.line() == "asked 1 7"
        stream.send(*before, Message(ping=play_pb2.Ping(id=99)))
        (pong,) = stream.receive()
        assert pong.pong.id == 99
        bot.say()
        assert stream.decisions() == [(1, 7, FIVE)]


def end_unavailable(stream: Stream) -> None:
    stream.end(grpc.StatusCode.UNAVAILABLE, "gone")


def end_internal(stream: Stream) -> None:
    stream.end(grpc.StatusCode.INTERNAL, "a bug")


def end_without_goodbye(stream: Stream) -> None:
    stream.end()


def stop(stream: Stream) -> None:
    stream.send(goodbye("STOPPING", retry_after_ms=1))
    stream.end()


@pytest.mark.parametrize("cut", [end_unavailable, end_internal, end_without_goodbye, stop])
def test_a_lost_stream_is_opened_again_and_the_same_is_asked(
    referee: ScriptedReferee, cut: Callable[[Stream], None]
) -> None:
    with started(THINKS, referee.address) as bot:
        first = referee.accept()
        join = first.join()
        first.send(request(1, 7))
        assert bot.line() == "asked 1 7"
        cut(first)
        bot.say()
        second = referee.accept()
        assert second.join() == join
        second.send(request(1, 7))
        assert bot.line() == "asked 1 7"
        bot.say()
        # The answer that was made for the lost stream does not come here.
        assert second.decisions() == [(1, 7, FIVE)]
        second.finish()
        code, out, _ = bot.ended()
        assert (code, out) == (0, "")


def test_a_bot_outlives_a_restart_of_the_referee() -> None:
    before = ScriptedReferee()
    with started(FIRST_LEGAL, before.address) as bot:
        with before:
            stream = before.accept()
            stream.join()
            stream.send(request(1, 7))
            assert stream.decisions() == [(1, 7, FIVE)]
        # gRPC may have its own word about it first.
        complaints = iter(bot.complaint, "")
        assert any(line.startswith("bourre: ") and line.endswith("again in 0.1 s") for line in complaints)
        with ScriptedReferee(before.address) as after:
            stream = after.accept()
            stream.join()
            stream.send(request(1, 8))
            assert stream.decisions() == [(1, 8, FIVE)]
            stream.finish()
            assert bot.ended()[0] == 0


@pytest.mark.parametrize("reason", ["FINISHED", "LEFT", "WITHDRAWN"])
def test_a_bot_ends_when_there_is_nothing_more_to_play(referee: ScriptedReferee, reason: str) -> None:
    with started(FIRST_LEGAL, referee.address) as bot:
        stream = referee.accept()
        stream.join()
        stream.send(goodbye(reason))
        stream.end()
        assert bot.ended() == (0, "", "")


def test_a_replaced_bot_does_not_come_back(referee: ScriptedReferee) -> None:
    with started(FIRST_LEGAL, referee.address) as bot:
        stream = referee.accept()
        stream.join()
        stream.send(goodbye("REPLACED"))
        stream.end()
        assert bot.ended() == (1, "", "bourre: another process with this token took over\n")


def test_a_refused_bot_says_why_in_one_line(referee: ScriptedReferee) -> None:
    with started(FIRST_LEGAL, referee.address) as bot:
        referee.accept().end(grpc.StatusCode.UNAUTHENTICATED, "no bot has\nthis token")
        assert bot.ended() == (1, "", "bourre: the referee refuses: no bot has this token\n")


def test_a_bot_waits_as_long_as_the_referee_says(referee: ScriptedReferee) -> None:
    with started(FIRST_LEGAL, referee.address) as bot:
        stream = referee.accept()
        began = time.monotonic()
        stream.end(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", (("retry-after-ms", "400"),))
        stream = referee.accept()
        assert time.monotonic() - began >= 0.4
        stream.join()
        stream.finish()
        waits = "bourre: the referee says to wait: full; again in 0.4 s\n"
        assert bot.ended() == (0, "", waits)


NEWER_MESSAGE = Message.FromString(b"\xa2\x06\x03new")  # field 100
NEWER_EVENT = play_pb2.Event(table_id=4, number=2)
NEWER_EVENT.MergeFromString(b"\xa2\x06\x03new")


def test_what_is_newer_than_the_sdk_is_skipped(referee: ScriptedReferee) -> None:
    newer_request = request(4, 1)
    newer_request.decision_request.MergeFromString(b"\xa2\x06\x03new")
    newer_request.decision_request.observation.MergeFromString(b"\xa2\x06\x03new")
    with started(TELLS, referee.address) as bot:
        stream = referee.accept()
        stream.join()
        stream.send(NEWER_MESSAGE, Message(event=NEWER_EVENT), newer_request, Message())
        assert bot.line() == "event 4 2 None"
        assert stream.decisions() == [(4, 1, FIVE)]
        stream.finish()
        assert bot.ended() == (0, "", "")


def test_a_bot_hears_what_happens_in_order(referee: ScriptedReferee) -> None:
    with started(TELLS, referee.address) as bot:
        stream = referee.accept()
        assert stream.join().events
        stream.send(
            Message(match_started=play_pb2.MatchStarted(table_id=4)),
            Message(event=play_pb2.Event(table_id=4, number=1, trick_won=play_pb2.TrickWon(seat=1))),
            Message(fault=play_pb2.Fault(table_id=4, reason="late")),
            Message(match_ended=play_pb2.MatchEnded(table_id=4, chips=[840, -840])),
            Message(block_settled=play_pb2.BlockSettled(block="9")),
        )
        stream.finish()
        code, out, errors = bot.ended()
        assert (code, errors) == (0, "")
        assert out.splitlines() == [
            "match_started 4",
            "event 4 1 trick_won",
            "fault 4 late",
            "match_ended 4 840 -840",
            "block_settled 9",
        ]


def test_a_bot_that_comes_back_says_which_events_it_has(referee: ScriptedReferee) -> None:
    def event(table: int, number: int) -> Message:
        return Message(event=play_pb2.Event(table_id=table, number=number))

    with started(TELLS, referee.address) as bot:
        stream = referee.accept()
        assert list(stream.join().remembered) == []
        ended = Message(match_ended=play_pb2.MatchEnded(table_id=5))
        stream.send(event(4, 1), event(5, 1), event(4, 2), event(6, 1), ended)
        stream.end()
        stream = referee.accept()
        remembered = stream.receive()[0].join.remembered
        assert {memory.table_id: memory.last_event for memory in remembered} == {4: 2, 6: 1}
        running = [play_pb2.MatchStarted(table_id=4), play_pb2.MatchStarted(table_id=6)]
        stream.send(Message(welcome=play_pb2.Welcome(running=running)))
        stream.finish()
        code, out, _ = bot.ended()
        assert code == 0
        assert out.splitlines()[-2:] == ["match_started 4", "match_started 6"]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("None", "TypeError: None is no answer to play: return one of obs.legal_cards"),
    ],
)
def test_a_bot_that_fails_ends_with_its_traceback(
    referee: ScriptedReferee, answer: str, complaint: str
) -> None:
    with started(ANSWERS, referee.address, answer) as bot:
        stream = referee.accept()
        stream.join()
        stream.send(request(1, 7))
        code, out, errors = bot.ended()
        assert (code, out) == (1, "")
        assert "Traceback" in errors
        assert errors.splitlines()[-1] == complaint
        with pytest.raises(grpc.RpcError):  # the stream is gone
            stream.receive()


def while_it_waits_for_requests(referee: ScriptedReferee, _bot: BotProcess) -> None:
    stream = referee.accept()
    stream.join()
    stream.send(Message(ping=play_pb2.Ping(id=1)))
    stream.receive()


def while_it_thinks(referee: ScriptedReferee, bot: BotProcess) -> None:
    stream = referee.accept()
    stream.join()
    stream.send(request(1, 7))
    bot.line()


def while_it_waits_to_come_back(referee: ScriptedReferee, bot: BotProcess) -> None:
    trailing = (("retry-after-ms", "3600000"),)
    referee.accept().end(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", trailing)
    bot.complaint()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
@pytest.mark.parametrize("reach", [while_it_waits_for_requests, while_it_thinks, while_it_waits_to_come_back])
def test_a_signal_ends_a_bot_without_a_word(
    referee: ScriptedReferee,
    reach: Callable[[ScriptedReferee, BotProcess], None],
    number: signal.Signals,
    code: int,
) -> None:
    with started(THINKS, referee.address) as bot:
        reach(referee, bot)
        # Python drops an interrupt that comes while a destructor of gRPC's runs; people press again.
        for _ in range(20):
            bot.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                bot.process.wait(timeout=1.0)
                break
        assert bot.ended() == (code, "", "")


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "grpc_proxy"])
def test_no_proxy_stands_between_processes_of_one_machine(referee: ScriptedReferee, name: str) -> None:
    proxy = {name: "http://127.0.0.1:1"}
    with started(FIRST_LEGAL, referee.address, **proxy) as bot:
        stream = referee.accept()
        stream.join()
        stream.finish()
        assert bot.ended() == (0, "", "")


def test_the_ten_line_bot_of_the_readme_plays(referee: ScriptedReferee, tmp_path: Path) -> None:
    readme = Path(__file__).parents[2] / "sdk" / "python" / "README.md"
    program = tmp_path / "mybot.py"
    program.write_text(readme.read_text().partition("```python\n")[2].partition("```")[0])
    assert len(program.read_text().splitlines()) <= 12
    with started(program, referee.address) as bot:
        stream = referee.accept()
        stream.join()
        declare = request(2, 1)
        declare.decision_request.kind = play_pb2.DECISION_KIND_DECLARE
        declare.decision_request.may_pass = True
        stream.send(request(1, 7), declare)
        play, passed = stream.receive()
        assert play.decision.play == NINE
        assert passed.decision.HasField("declare")
        assert not passed.decision.declare.plays
        stream.finish()
        assert bot.ended() == (0, "", "")
