"""Every way to play on from some holdings, counted: fixed figures, twice computed.

As in chess, a count of the whole tree finds the one position in a million that is judged wrong.
"""

from collections.abc import Sequence

import pytest
from bourre_server.rules.cards import BITS, SUITS, cards_in, mask_of, parse_card, parse_cards
from bourre_server.rules.legality import legal_plays
from bourre_server.rules.position import Position, best_of

from tests.rules import naive


def perft(holdings: Sequence[int], trump: int, leader: int, tricks: Sequence[int], gone: int) -> int:
    """The number of ways in which the tricks that are left can be played."""
    if not any(holdings):
        return 1
    return _after(list(holdings), (trump, leader, gone), [], tricks)


def _after(
    holdings: list[int], trick_of: tuple[int, int, int], trick: list[int], tricks: Sequence[int]
) -> int:
    trump, leader, gone = trick_of
    seats = len(holdings)
    if len(trick) == seats:
        winner = (leader + best_of(trick, trump)) % seats
        won = [count + (seat == winner) for seat, count in enumerate(tricks)]
        return perft(holdings, trump, winner, won, gone | mask_of(trick))
    seat = (leader + len(trick)) % seats
    at = Position(holdings[seat], trump, trick, gone, seats, tricks[seat])
    total = 0
    for card in cards_in(legal_plays(at)):
        rest = [held ^ BITS[card] if other == seat else held for other, held in enumerate(holdings)]
        total += _after(rest, trick_of, [*trick, card], tricks)
    return total


def naive_perft(
    holdings: list[frozenset[str]], leader: int, trick: list[str], tricks: list[int], gone: frozenset[str]
) -> int:
    """The same by the second implementation; hearts are trump."""
    seats = len(holdings)
    if len(trick) == seats:
        winner = (leader + naive.winner(trick, "h")) % seats
        won = [count + (seat == winner) for seat, count in enumerate(tricks)]
        return naive_perft(holdings, winner, [], won, gone | set(trick))
    if not trick and not any(holdings):
        return 1
    seat = (leader + len(trick)) % seats
    at = naive.Position(holdings[seat], "h", trick, gone, seats, tricks[seat])
    total = 0
    for card in naive.legal(at):
        rest = [held - {card} for held in holdings]
        total += naive_perft(rest, leader, [*trick, card], tricks, gone)
    return total


@pytest.mark.parametrize(
    ("holdings", "gone", "count"),
    [
        (("Ah Kh 9c 4d 2s", "Qh 3h Kc Jd 7s"), "", 228),
        (("Kh Qh Jh Th 2c", "Ah 9h 8h Ac Kc"), "", 288),
        (("9c Kc Ad 3h", "Ac 2c Qd 5h", "Tc 4c Kd 2h"), "", 57),
        (("2h 9s 8s 4d", "Th Kd Kc 3c", "Qh 7s 2d Ac", "9h 6s 5s Jc"), "Ah", 200),
    ],
)
def test_perft(holdings: tuple[str, ...], gone: str, count: int) -> None:
    masks = [mask_of(parse_cards(cards)) for cards in holdings]
    none = [0] * len(holdings)
    assert perft(masks, SUITS.index("h"), 0, none, mask_of(map(parse_card, gone.split()))) == count
    texts = [frozenset(cards.split()) for cards in holdings]
    assert naive_perft(texts, 0, [], none, frozenset(gone.split())) == count
