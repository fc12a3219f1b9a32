"""What `bourre.run` refuses before it plays, which statuses are final, and how long it tries."""

from concurrent.futures import ThreadPoolExecutor

import bourre
import grpc
import pytest
from bourre.client import LONGEST_DELAY, Retry

from tests.sdk.scripted import DEAF_PORT, PROGRAMS, TOKEN, ScriptedReferee, started

DEAF = f"127.0.0.1:{DEAF_PORT}"
IMPATIENT = PROGRAMS / "impatient.py"


def first_legal(obs: bourre.Observation) -> bourre.Decision:
    return obs.legal_cards[0]


@pytest.mark.parametrize("missing", ["BOURRE_ADDRESS", "BOURRE_TOKEN"])
def test_a_bot_started_by_hand_is_told_how(missing: str) -> None:
    with started(IMPATIENT, DEAF, **{missing: ""}) as bot:
        line = f"bourre: {missing} is not set: start the bot with `bourre run`, or set what it printed\n"
        assert bot.ended() == (1, "", line)


def test_a_bot_without_a_referee_gives_up_with_one_line() -> None:
    with started(IMPATIENT, DEAF) as bot:
        code, out, errors = bot.ended()
        assert (code, out) == (1, "")
        assert errors.startswith(f"bourre: no referee at {DEAF} (UNAVAILABLE: ")
        assert errors.count("\n") == 1


@pytest.mark.parametrize("token", [f"{TOKEN}\n", f"{TOKEN}\x7f", f"{TOKEN}é"])
def test_a_broken_token_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(SystemExit) as refused:
        bourre.run(first_legal, address=DEAF, token=token, patience=0.0)
    assert str(refused.value).startswith("bourre: the token has characters that no token has")
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1:", ":50051", "127.0.0.1:http", "::1"])
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    with pytest.raises(SystemExit) as refused:
        bourre.run(first_legal, address=address, token=TOKEN)
    expected = f"bourre: {address!r} is not an address: write HOST:PORT, such as 127.0.0.1:50051"
    assert str(refused.value) == expected


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNIMPLEMENTED,
    ],
)
def test_a_final_status_is_not_tried_again(code: grpc.StatusCode) -> None:
    with ScriptedReferee() as referee, ThreadPoolExecutor(1) as pool:
        ended = pool.submit(lambda: referee.accept().end(code, "for a reason"))
        with pytest.raises(SystemExit) as refused:
            bourre.run(first_legal, address=referee.address, token=TOKEN)
        ended.result()
    assert str(refused.value) == "bourre: the referee refuses: for a reason"


@pytest.mark.parametrize("trailing", [(), (("retry-after-ms", "soon"),)])
def test_exhausted_without_a_delay_is_like_any_other_loss(trailing: tuple[tuple[str, str], ...]) -> None:
    with ScriptedReferee() as referee, ThreadPoolExecutor(1) as pool:
        exhausted = grpc.StatusCode.RESOURCE_EXHAUSTED
        ended = pool.submit(lambda: referee.accept().end(exhausted, "too much", trailing))
        with pytest.raises(SystemExit) as refused:
            bourre.run(first_legal, address=referee.address, token=TOKEN, patience=0.0)
        ended.result()
    assert str(refused.value).endswith("(RESOURCE_EXHAUSTED: too much)")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def delays(retry: Retry, clock: Clock) -> list[float]:
    """Each delay until it gives up, while the clock runs."""
    made: list[float] = []
    while (delay := retry.next_delay()) is not None and len(made) < 100:
        made.append(delay)
        clock.now += delay
    return made


def test_delays_grow_until_the_patience_is_at_its_end() -> None:
    clock = Clock()
    made = delays(Retry(60.0, clock), clock)
    assert made[:7] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, LONGEST_DELAY])
    assert set(made[7:]) == {LONGEST_DELAY}
    assert 60.0 <= sum(made) < 60.0 + LONGEST_DELAY


def test_patience_is_for_being_away_not_for_a_long_stream() -> None:
    clock = Clock()
    retry = Retry(60.0, clock)
    before = delays(retry, clock)
    retry.welcomed()
    clock.now += 3600.0
    assert delays(retry, clock) == before
