"""Several inputs before what follows is taken, as where frames arrive together.

What is told shows tables as they are when it is taken, so it must be told to those who may know.
"""

import pytest
from bourre_server.referee.messages import Asked, Reply
from bourre_server.rules.decisions import STAND_PAT, Decision, Declare

from tests.referee.bench_of_bots import Bench

TWICE = Declare(True, (0, 0))


@pytest.mark.parametrize("refused", [1, 2, 3])
@pytest.mark.parametrize("then", [(), (STAND_PAT,)], ids=["", "then a legal one"])
def test_f31_an_answer_that_was_refused_and_put_right_at_once_shows_no_other_holding(
    refused: int, then: tuple[Decision, ...]
) -> None:
    """A request says what is legal for the seat to act: nobody else may be sent it."""
    bench = Bench(3)
    bench.open()
    ask = bench.ask()
    name = bench.table().bots[ask.seat]
    bench.take()
    bench.reply(name, *[Reply(1, ask.decision_id, decision) for decision in (TWICE,) * refused + then])
    ((to, asked),) = bench.lists_told()
    assert list(asked.asks) == [bench.ask()]
    assert to == bench.table().bots[bench.ask().seat]
    made = refused == 3 or bool(then)
    assert (bench.ask() is not ask) == made
    assert made or bench.ask().attempt == refused + 1


def test_a_request_that_is_asked_again_is_not_asked_of_a_bot_that_left() -> None:
    bench = Bench(2)
    bench.open()
    ask = bench.ask()
    name = bench.table().bots[ask.seat]
    bench.take()
    bench.referee.apply(name, [Reply(1, ask.decision_id, TWICE)], 0.0)
    bench.do(bench.referee.lose, name)
    assert not bench.lists_told()
    bench.join(name)
    asked = [message for _, message in bench.told if isinstance(message, Asked)]
    assert [(list(message.asks), message.size) for message in asked] == [([ask], 1)]
    assert ask.attempt == 2
