"""Settlement a second time: one seat and one rule after another, in antes, from the rule book alone."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

CLASSIC: Mapping[str, object] = {
    "limit": 20,
    "limit_scope": "penalty",
    "pot_cap": None,
    "ante_exempt": "tied_and_bourre",
    "bourre_penalty": "match_pot",
    "tie": "carry",
    "double_ante": False,
    "end_pot": "equal",
}


class Hand(NamedTuple):
    """By seat: `tricks`, None where it passed; `reneges`: "", "put right" or "not put right"."""

    pot: int
    tricks: Sequence[int | None]
    reneges: Sequence[str]
    options: Mapping[str, object] = {}

    def option(self, name: str) -> object:
        return self.options.get(name, CLASSIC[name])

    def bounded(self, antes: int) -> int:
        limit = self.option("limit")
        return min(antes, limit) if isinstance(limit, int) else antes

    @property
    def playing(self) -> list[int]:
        return [seat for seat, won in enumerate(self.tricks) if won is not None]

    @property
    def with_most(self) -> list[int]:
        most = max(self.tricks[seat] or 0 for seat in self.playing)
        return [seat for seat in self.playing if self.tricks[seat] == most]


def takes(hand: Hand, seat: int) -> Fraction:
    """R41, R42, R44, R46, R51: what a seat takes of the pot."""
    payout = hand.bounded(hand.pot) if hand.option("limit_scope") == "penalty_and_payout" else hand.pot
    if seat not in hand.with_most or hand.reneges[seat]:
        return Fraction(0)
    if len(hand.with_most) == 1:
        return Fraction(payout)
    if hand.option("tie") == "share":
        return Fraction(payout, sum(not hand.reneges[other] for other in hand.with_most))
    return Fraction(0)


def owes(hand: Hand, seat: int) -> int:
    """R43, R44, R46, R51, the cap left aside."""
    owed = 0
    if hand.tricks[seat] == 0:
        penalty = str(hand.option("bourre_penalty"))
        owed = hand.bounded(hand.pot if penalty == "match_pot" else int(penalty.split(":")[1]))
    if hand.reneges[seat] == "not put right":
        owed = max(owed, hand.bounded(hand.pot))
    return owed


def pays(hand: Hand) -> list[Fraction]:
    """R44, `pot_cap`: by seat; everybody's share rises alike until the debt or the room is used up."""
    owed = [Fraction(owes(hand, seat)) for seat in range(len(hand.tricks))]
    cap = hand.option("pot_cap")
    if not isinstance(cap, int):
        return owed
    stays = hand.pot - sum(takes(hand, seat) for seat in range(len(hand.tricks)))
    room = max(Fraction(0), Fraction(cap - stays))
    paid = [Fraction(0)] * len(owed)
    for _ in owed:
        open_seats = [seat for seat, debt in enumerate(owed) if paid[seat] < debt]
        if not open_seats or not room:
            break
        step = min([room / len(open_seats), *(owed[seat] - paid[seat] for seat in open_seats)])
        for seat in open_seats:
            paid[seat] += step
        room -= step * len(open_seats)
    return paid


def is_exempt(hand: Hand, seat: int) -> bool:
    """R45, R46, R51, R60."""
    if hand.tricks[seat] is None or hand.option("double_ante") or hand.option("ante_exempt") == "none":
        return False
    if hand.tricks[seat] == 0:
        return True
    if hand.reneges[seat] == "not put right":
        return False
    if hand.option("ante_exempt") == "any_trick_or_bourre":
        return any(hand.tricks[other] == 0 for other in hand.playing)
    tied = len(hand.with_most) > 1 and seat in hand.with_most
    return tied and hand.option("tie") == "carry" and not hand.reneges[seat]


class Outcome(NamedTuple):
    """Antes by seat, the pot for the next deal, and the seats that pay no ante for it."""

    payments: list[Fraction]
    carried: Fraction
    exempt: list[int]


def settle(hand: Hand) -> Outcome:
    seats = range(len(hand.tricks))
    paid = pays(hand)
    payments = [takes(hand, seat) - paid[seat] for seat in seats]
    return Outcome(
        payments, Fraction(hand.pot - sum(payments)), [seat for seat in seats if is_exempt(hand, seat)]
    )


def shares(pot: int, seats: int, exempt: Sequence[int], end_pot: str) -> list[Fraction]:
    """R71: what each seat gets of the last pot."""
    antes = [int(end_pot == "equal_after_ante" and seat not in exempt) for seat in range(seats)]
    return [Fraction(pot + sum(antes), seats) - ante for ante in antes]
