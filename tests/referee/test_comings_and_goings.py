"""Bots that die, leave and come back; matches that are resumed; the same records in any order."""

from collections.abc import Sequence
from random import Random

import pytest
from bourre_server.referee.faults import FaultKind
from bourre_server.referee.lists import Ask
from bourre_server.referee.messages import Ended, Happened, Reply, Welcomed
from bourre_server.rules.decisions import PASS, Declare
from bourre_server.rules.record import RecordError

from tests.referee.bench_of_bots import Bench, any_legal


def bytes_of(bench: Bench) -> dict[int, bytes]:
    return {table.number: table.record().to_bytes() for table in bench.finished}


def test_f7_a_bot_that_dies_is_asked_the_same_again() -> None:
    bench = Bench(3)
    bench.open()
    ask = bench.ask()
    name = bench.table().bots[ask.seat]
    bench.do(bench.referee.crash, name, "ended with exit code 1")
    bench.take()
    bench.join(name)
    welcome = next(message for _, message in bench.told if isinstance(message, Welcomed))
    assert [(table.number, seat) for table, seat in welcome.seats] == [(1, ask.seat)]
    ((to, asked),) = bench.lists_told()
    assert (to, list(asked.asks)) == (name, [ask])
    assert [fault.kind for fault in bench.table().faults] == [FaultKind.CRASHED]


def test_a_third_death_in_a_match_ends_a_bot_s_play_there_alone() -> None:
    bench = Bench(2)
    bench.open(1)
    name = bench.table().bots[bench.ask().seat]
    for _ in range(2):
        bench.do(bench.referee.crash, name, "died")
        bench.join(name)
    bench.open(2)
    bench.do(bench.referee.crash, name, "died")
    bench.join(name)
    seat = bench.table(2).bots.index(name)
    assert (bench.table(1).forfeited[seat], bench.table(2).forfeited[seat]) == (True, False)
    bench.play_out()
    first = next(table for table in bench.finished if table.number == 1)
    assert any(token.endswith("!crashed") for token in first.tokens)
    assert sum(first.match.public.chips) == 0


def test_a_bot_that_is_gone_for_good_plays_by_default() -> None:
    bench = Bench(2)
    bench.open()
    bench.do(bench.referee.give_up, "bot1", "withdrawn")
    bench.play_out()
    (table,) = bench.finished
    assert table.forfeited == [False, True]
    assert bench.ends_told() == ["bot0", "bot1"]
    bench.do(bench.referee.dismiss, "bot1")
    bench.do(bench.referee.dismiss, "bot0")


def test_f9_a_match_that_ends_while_a_bot_is_away_is_told_once() -> None:
    bench = Bench(2)
    bench.open()
    bench.do(bench.referee.lose, "bot1")
    bench.wait(61.0)
    bench.play_out()
    assert bench.ends_told() == ["bot0"]
    bench.take()
    bench.join("bot1")
    assert bench.ends_told() == ["bot1"]
    bench.take()
    bench.join("bot1")
    assert bench.ends_told() == []


def test_f9_a_match_that_ends_in_the_turn_in_which_a_bot_is_lost_is_told_when_it_is_back() -> None:
    bench = Bench(2)
    bench.open()
    while bench.referee.tables:
        with bench.at_once():
            bench.answer(bench.ask())
            if not bench.referee.tables:
                bench.do(bench.referee.lose, "bot1")
    assert bench.ends_told() == ["bot0"]
    bench.take()
    bench.join("bot1")
    assert [type(message) for message in bench.told_to("bot1")] == [Welcomed, Ended]


def test_the_welcome_comes_first_whatever_happened_just_before() -> None:
    bench = Bench(2)
    bench.open(clock={"budget": 1.0, "bank": 0.0})
    name = bench.table().bots[bench.ask().seat]
    bench.take()
    bench.now = 5.0  # the request has expired, and nobody looked
    with bench.at_once():
        bench.open(2)
        bench.do(bench.referee.disturb, name, FaultKind.MALFORMED, "noise")
        bench.join(name)
    assert isinstance(bench.told_to(name)[0], Welcomed)
    assert [type(message) for message in bench.told_to(name)].count(Welcomed) == 1


def test_deaths_count_towards_a_forfeit() -> None:
    bench = Bench(2)
    bench.open(forfeit_after=2)
    name = bench.table().bots[0]
    bench.do(bench.referee.crash, name, "died")
    assert not bench.table().forfeited[0]
    bench.do(bench.referee.crash, name, "died")
    assert bench.table().forfeited[0]


def test_the_first_reason_of_a_forfeit_stays() -> None:
    bench = Bench(2)
    bench.open(forfeit_after=3)
    for _ in range(3):
        bench.do(bench.referee.crash, "bot0", "died")
    bench.do(bench.referee.give_up, "bot0", "withdrawn")
    assert bench.table().by_default == ["crashed", ""]


def test_f13_the_others_finish_when_one_stops_answering() -> None:
    bench = Bench(6)
    bench.open(clock={"budget": 1.0, "bank": 0.0}, forfeit_after=5)
    for _ in range(10_000):
        if not bench.referee.tables:
            break
        ask = bench.ask()
        if ask.seat == 3:
            bench.wait(1.0)
        else:
            bench.answer(ask)
    (table,) = bench.finished
    assert table.forfeited == [seat == 3 for seat in range(6)]
    assert sum(table.match.public.chips) == 0


def test_f16_no_seat_is_left_when_a_match_is_over() -> None:
    bench = Bench(2)
    bench.open()
    bench.play_out()
    bench.do(bench.referee.lose, "bot0")
    bench.open(2)
    assert bench.ask(2).open_list is None or bench.table(2).bots[bench.ask(2).seat] == "bot1"


def of_its_own(ask: Ask) -> Random:
    """Random numbers that depend on the decision alone, as those of a bot that repeats."""
    return Random(f"{ask.table.number} {ask.decision_id}")


def decide(bench: Bench, ask: Ask) -> None:
    bench.answer(ask, any_legal(ask.table.match.hand, of_its_own(ask)))


def decide_badly(bench: Bench, ask: Ask) -> None:
    """Decide as one should, or break the rules up to three times, or send nonsense, or fall silent."""
    random = of_its_own(ask)
    mood = random.randrange(24)
    if mood == 0:
        bench.wait(1.0)
    elif mood <= 4:
        illegal = Declare(True, (0, 0)) if mood < 4 else None
        name = ask.table.bots[ask.seat]
        for _ in range(mood):
            bench.reply(name, Reply(ask.table.number, ask.decision_id, illegal, "nonsense"))
    if ask.table.ask is ask and ask.table.by_default[ask.seat] == "":
        bench.answer(ask, any_legal(ask.table.match.hand, random))


@pytest.mark.parametrize("seats", range(2, 9))
def test_f22_f67_one_table_at_a_time_or_sixteen_in_any_order(seats: int) -> None:
    alone, together = Bench(seats), Bench(seats, lists=3)
    for number in range(1, 17):
        alone.open(number, hands=seats)
        while alone.referee.tables:
            decide(alone, alone.ask(number))
        together.open(number, hands=seats)
    order = Random(seats)
    while together.referee.tables:
        tables = together.referee.tables.values()
        decide(together, order.choice([t.ask for t in tables if t.ask and t.ask.open_list]))
    assert bytes_of(alone) == bytes_of(together)
    assert len(together.finished) == 16


def interrupted(seats: int, seed: int, cut: int, tokens: Sequence[str]) -> Bench:
    """A match that goes on after the first `cut` decisions of its journal, to its end."""
    bench = Bench(seats)
    bench.open(seed, tokens[:cut], hands=seats, clock={"budget": 1.0, "bank": 0.0}, forfeit_after=8)
    while bench.referee.tables:
        decide_badly(bench, bench.ask(seed))
    return bench


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 3), (3, 4), (5, 5), (8, 6)])
def test_f2_a_match_goes_on_from_any_point_of_its_journal(seats: int, seed: int) -> None:
    """Faults and forfeits that its tokens tell included: they decide what is asked later."""
    whole = interrupted(seats, seed, 0, [])
    tokens = whole.journal[seed]
    assert tokens == whole.finished[0].tokens
    for cut in range(1, len(tokens) + 1):
        again = interrupted(seats, seed, cut, tokens)
        assert bytes_of(again) == bytes_of(whole), cut
        assert [*tokens[:cut], *again.journal.get(seed, [])] == tokens


def test_a_resumed_match_asks_for_the_decision_that_was_open() -> None:
    bench = Bench(4)
    bench.open()
    for _ in range(9):
        bench.answer(bench.ask())
    again = Bench(4)
    again.open(1, bench.journal[1])
    assert again.ask().decision_id == bench.ask().decision_id
    assert again.ask().open_list is not None


def faulty(bench: Bench, seat: int, what: str) -> None:
    """Let a seat do it, until it decided (or was decided for) a few times."""
    name = bench.table().bots[seat]
    if what == "away":
        bench.do(bench.referee.lose, name)
    for _ in range(what.count("dies ")):
        bench.do(bench.referee.crash, name, "died")
    if what == "gone":
        bench.do(bench.referee.give_up, name, "withdrawn")
    for _ in range(60):
        ask = bench.ask()
        if ask.seat != seat:
            bench.answer(ask, PASS if ask.table.match.hand.refuse(PASS) is None else None)
        elif what == "silent":
            bench.wait(1.0)
        elif what == "away":
            bench.wait(60.0)
        else:
            bench.answer(ask, Declare(True, (0, 0)))


@pytest.mark.parametrize(
    ("what", "counts", "forfeited"),
    [
        ("silent", True, True),
        ("illegal", False, True),
        ("away", True, False),
        ("dies dies dies ", False, True),
        ("gone", False, True),
    ],
)
def test_what_the_journal_tells_of_faults_is_so_after_a_restart(
    what: str, counts: bool, forfeited: bool
) -> None:
    bench = Bench(3)
    bench.open(clock={"budget": 1.0, "bank": 0.0}, forfeit_after=5, hands=300)
    faulty(bench, 1, what)
    again = Bench(3)
    again.open(1, bench.journal[1], forfeit_after=5, hands=300)
    assert bench.table().forfeited == again.table().forfeited == [False, forfeited, False]
    if counts:
        assert again.table().counts == bench.table().counts


def test_a_journal_of_another_match_is_refused() -> None:
    bench = Bench(2)
    with pytest.raises(RecordError, match="does not continue its journal"):
        bench.open(1, ["Kd"])
    assert not bench.referee.tables


def test_events_come_in_order_and_those_missed_come_again() -> None:
    bench = Bench(2, joined=False)
    bench.join("bot0", events=True)
    bench.join("bot1", events=True)
    bench.open()
    for _ in range(12):
        bench.answer(bench.ask())
    seen = [m for name, m in bench.told if name == "bot0" and isinstance(m, Happened)]
    assert [happened.number for happened in seen] == list(range(1, len(seen) + 1))
    bench.take()
    bench.join("bot0", events=True, remembered={1: 4})
    again = [m for name, m in bench.told if name == "bot0" and isinstance(m, Happened)]
    assert [(m.number, m.event) for m in again] == [(m.number, m.event) for m in seen[4:]]
    bench.take()
    bench.answer(bench.ask())
    after = [m for name, m in bench.told if name == "bot0" and isinstance(m, Happened)]
    assert after[0].number == len(seen) + 1


@pytest.mark.parametrize("remembered", [0, 7])
def test_events_of_a_resumed_match_are_numbered_from_its_beginning(remembered: int) -> None:
    bench = Bench(2)
    bench.open(hands=4)
    while bench.table().match.public.hand < 3:
        bench.answer(bench.ask())
    again = Bench(2, joined=False)
    again.join("bot0", events=True, remembered={1: remembered})
    again.open(1, bench.journal[1], hands=4)
    seen = [m for m in again.told_to("bot0") if isinstance(m, Happened)]
    visible = bench.table().visible_events(0)
    assert [m.number for m in seen] == list(range(remembered + 1, len(visible) + 1))
    assert [m.event for m in seen] == visible[remembered:]
