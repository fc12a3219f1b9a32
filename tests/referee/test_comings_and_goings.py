"""Bots that die, leave and come back; matches that are resumed; the same records in any order."""

from random import Random

import pytest
from bourre_server.referee.faults import FaultKind
from bourre_server.referee.messages import Happened, Welcomed
from bourre_server.rules.record import RecordError

from tests.referee.bench_of_bots import Bench


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


@pytest.mark.parametrize("seats", range(2, 9))
def test_f22_f67_one_table_at_a_time_or_sixteen_in_any_order(seats: int) -> None:
    alone, together = Bench(seats), Bench(seats)
    for number in range(1, 17):
        alone.open(number, hands=seats)
        alone.play_out()
        together.open(number, hands=seats)
    for _ in range(100_000):
        asks = [t.ask for t in together.referee.tables.values() if t.ask and t.ask.open_list]
        if not asks:
            break
        together.answer(Random(len(together.told)).choice(asks))
    assert bytes_of(alone) == bytes_of(together)
    assert len(together.finished) == 16


@pytest.mark.parametrize("seed", range(5))
def test_f2_a_match_goes_on_from_any_point_of_its_journal(seed: int) -> None:
    whole = Bench(2 + seed)
    whole.open(seed + 1)
    whole.play_out()
    tokens = whole.journal[seed + 1]
    assert tokens == whole.finished[0].tokens
    for cut in range(0, len(tokens), 7):
        again = Bench(2 + seed)
        again.open(seed + 1, tokens[:cut])
        if again.referee.tables:
            assert again.ask(seed + 1).decision_id >= cut + 1
            again.play_out()
        assert bytes_of(again) == bytes_of(whole)


def test_faults_and_forfeits_of_a_journal_count_when_it_is_resumed() -> None:
    bench = Bench(2)
    bench.open(clock={"budget": 1.0, "bank": 0.0}, forfeit_after=3, hands=20)
    for _ in range(3):
        bench.wait(1.0)
    counts, forfeited = list(bench.table().counts), list(bench.table().forfeited)
    assert sum(counts) == 3
    again = Bench(2)
    again.open(1, bench.journal[1], forfeit_after=3, hands=20)
    assert again.table().counts == counts
    assert again.table().forfeited == forfeited


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
