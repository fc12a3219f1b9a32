"""Every way to play on from some holdings, counted: fixed figures, twice computed.

As in chess, a count of the whole tree finds the one position in a million that is judged wrong.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest
from bourre_server.rules.cards import BITS, SUITS, cards_in, mask_of, parse_card, parse_cards
from bourre_server.rules.house import HouseRules
from bourre_server.rules.legality import Legality
from bourre_server.rules.position import Position, best_of

from tests.rules import naive
from tests.rules.houses import PLAY


class Table(NamedTuple):
    """What does not change while the tricks are played; `gone` is so before the first."""

    trump: int
    legality: Legality
    gone: int


def perft(table: Table, holdings: Sequence[int], leader: int, tricks: Sequence[int], played: int) -> int:
    """The number of ways in which the tricks that are left can be played."""
    return _after(table, list(holdings), leader, ([], tricks, played)) if any(holdings) else 1


def _after(
    table: Table, holdings: list[int], leader: int, so_far: tuple[list[int], Sequence[int], int]
) -> int:
    trick, tricks, played = so_far
    seats = len(holdings)
    if len(trick) == seats:
        winner = (leader + best_of(trick, table.trump)) % seats
        won = [count + (seat == winner) for seat, count in enumerate(tricks)]
        return perft(table, holdings, winner, won, played | mask_of(trick))
    seat = (leader + len(trick)) % seats
    gone = table.gone | played
    at = Position(holdings[seat], table.trump, trick, gone, seats, tricks[seat], played | mask_of(trick))
    total = 0
    for card in cards_in(table.legality.legal_plays(at)):
        rest = [held ^ BITS[card] if other == seat else held for other, held in enumerate(holdings)]
        total += _after(table, rest, leader, ([*trick, card], tricks, played))
    return total


class Naive(NamedTuple):
    """The same for the second implementation; hearts are trump."""

    gone: frozenset[str]
    options: Mapping[str, object]


def naive_perft(
    table: Naive, holdings: list[frozenset[str]], leader: int, trick: list[str], tricks: Sequence[int]
) -> int:
    """The same by the second implementation; the cards of finished tricks are those that nobody holds."""
    seats = len(holdings)
    if len(trick) == seats:
        winner = (leader + naive.winner(trick, "h")) % seats
        won = [count + (seat == winner) for seat, count in enumerate(tricks)]
        gone = table._replace(gone=table.gone | set(trick))
        return naive_perft(gone, holdings, winner, [], won)
    if not trick and not any(holdings):
        return 1
    seat = (leader + len(trick)) % seats
    broken = any(card[1] == "h" for card in table.gone - {UPCARD})
    at = naive.Position(holdings[seat], "h", trick, table.gone, seats, tricks[seat], broken, table.options)
    total = 0
    for card in naive.legal(at):
        rest = [held - {card} for held in holdings]
        total += naive_perft(table, rest, leader, [*trick, card], tricks)
    return total


# Rich in trumps, and with every suit; `gone` is an upcard laid aside.
UPCARD = "Ah"
HOLDINGS = [
    (("Ah Kh 9c 4d 2s", "Qh 3h Kc Jd 7s"), ""),
    (("Kh Qh Jh Th 2c", "Ah 9h 8h Ac Kc"), ""),
    (("9c Kc Ad 3h", "Ac 2c Qd 5h", "Tc 4c Kd 2h"), ""),
    (("2h 9s 8s 4d", "Th Kd Kc 3c", "Qh 7s 2d Ac", "9h 6s 5s Jc"), UPCARD),
    (("Kh Jh 9s", "Qh 9h Ks", "Th 8h 7d"), UPCARD),
    (("9c 2c 3c", "Qh 4d 5d", "2h Jh Ad"), ""),
    (("5h 3c 2d 7s", "Ah Kh Qh 9h"), ""),
]
COUNTS: list[tuple[dict[str, object], tuple[int, ...]]] = [
    ({}, (228, 288, 57, 200, 24, 48, 144)),
    ({"trump_lead": "broken"}, (12, 96, 12, 56, 12, 48, 72)),
    ({"void_trump": "highest"}, (228, 224, 57, 200, 17, 36, 84)),
    ({"overtrump": "optional"}, (228, 288, 57, 200, 26, 48, 144)),
    ({"undertrump": "required"}, (228, 288, 57, 200, 24, 24, 144)),
    ({"head_led_when_trumped": True}, (228, 288, 57, 192, 24, 48, 144)),
    ({"cinch": "top_block"}, (228, 768, 57, 200, 24, 48, 144)),
    ({"cinch": "bicycle_lead"}, (12, 80, 57, 200, 8, 48, 48)),
    ({"cinch": "off"}, (240, 1056, 57, 200, 24, 48, 288)),
    ({"cinch_last": "highest"}, (228, 288, 57, 200, 24, 48, 72)),
    ({"cinch_equals": "rank_run"}, (228, 216, 57, 200, 24, 48, 120)),
    ({"cinch_equals": "pair"}, (228, 108, 57, 200, 24, 48, 96)),
    ({"cinch_equals": "none"}, (228, 36, 57, 200, 24, 48, 48)),
    ({"hand_size": 4}, (228, 288, 57, 200, 24, 48, 144)),
    ({"hand_size": 3}, (24, 192, 57, 200, 22, 48, 144)),
    (
        {"trump_lead": "broken", "void_trump": "highest", "overtrump": "optional", "undertrump": "required"},
        (12, 24, 12, 56, 4, 12, 12),
    ),
]


@pytest.mark.parametrize(
    ("options", "counts"),
    [pytest.param(*row, id="-".join(map(str, row[0].values())) or "classic") for row in COUNTS],
)
def test_perft(options: dict[str, object], counts: tuple[int, ...]) -> None:
    legality = Legality(HouseRules.from_differences(options))
    for (holdings, gone), count in zip(HOLDINGS, counts, strict=True):
        none = [0] * len(holdings)
        masks = [mask_of(parse_cards(cards)) for cards in holdings]
        table = Table(SUITS.index("h"), legality, mask_of(map(parse_card, gone.split())))
        assert perft(table, masks, 0, none, 0) == count
        texts = [frozenset(cards.split()) for cards in holdings]
        assert naive_perft(Naive(frozenset(gone.split()), options), texts, 0, [], none) == count


def test_every_option_of_play_changes_a_count() -> None:
    """Otherwise the figures would not tell whether it is heard."""
    assert {name for options, _ in COUNTS for name in options} == set(PLAY)
    for options, counts in COUNTS[1:]:
        # Of four tricks as of five, three are the majority (R31).
        assert (counts == COUNTS[0][1]) == (options == {"hand_size": 4})
