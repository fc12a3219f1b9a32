"""Who takes the pot and who pays (R40 to R46, R51, R71)."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from bourre_server.rules.house import ANTE, UNLIMITED, HouseRules
from bourre_server.rules.options import fixed_antes
from bourre_server.rules.state import Renege


class Settlement(NamedTuple):
    """The money of one hand, in units, by seat.

    `payments`: what each seat takes (above 0) or pays (below 0). `carried`: the pot for the
    next deal before its antes. `exempt`: the seats that pay no ante for it, in order.
    """

    payments: tuple[int, ...]
    carried: int
    exempt: tuple[int, ...]


def settle(
    pot: int, tricks: Sequence[int | None], house: HouseRules, reneges: Sequence[Renege] = ()
) -> Settlement:
    """Settle a hand that was played.

    `tricks`: the tricks won, by seat, None for a seat that passed. `pot` is what was in it when
    play ended, before anyone is paid (R40). `reneges`: by seat; none for nobody.
    """
    most = max([won for won in tricks if won is not None])
    leaders = [seat for seat, won in enumerate(tricks) if won == most]
    bourres = [seat for seat, won in enumerate(tricks) if won == 0]
    # Who reneged cannot win the pot, nor be exempt as tied for it (R51).
    reneged = any(reneges)
    honest = [seat for seat in leaders if not reneges[seat]] if reneged else leaders
    payments = [0] * len(tricks)
    split = len(leaders) > 1
    if not split or house.tie == "share":  # R41, R42, R46
        for seat in honest:
            payments[seat] = _payout(pot, house) // len(honest)
    exempt = _exempt(honest if split and house.tie == "carry" else [], bourres, tricks, house)
    if bourres or reneged:
        owed = _owed(pot, bourres, reneges, house)
        for seat, units in _within_cap(owed, pot - sum(payments), house).items():
            payments[seat] -= units
        # Who did not put a renege right is exempt as bourré or not at all (R51).
        exempt = [seat for seat in exempt if seat in bourres or seat not in owed]
    return Settlement(tuple(payments), pot - sum(payments), tuple(exempt))


def settle_unplayed(pot: int, winner: int | None, seats: int, house: HouseRules) -> Settlement:
    """Settle a hand that one seat wins without play (R9, R10), or nobody (R61)."""
    payout = _payout(pot, house)
    payments = tuple(payout if seat == winner else 0 for seat in range(seats))
    return Settlement(payments, pot - sum(payments), ())


def end_shares(pot: int, exempt: Collection[int], seats: int, house: HouseRules) -> tuple[int, ...]:
    """What each seat gets of the pot after the last hand (R71); whole by R72."""
    antes = [0] * seats
    if house.end_pot == "equal_after_ante":
        antes = [0 if seat in exempt else ANTE for seat in range(seats)]
    share = (pot + sum(antes)) // seats
    return tuple(share - ante for ante in antes)


def _payout(pot: int, house: HouseRules) -> int:
    """R41, R44: what of the pot is paid to who wins it."""
    return pot if house.limit_scope == "penalty" else min(pot, _limit(house))


def _limit(house: HouseRules) -> int:
    return (house.limit or UNLIMITED) * ANTE


def _owed(pot: int, bourres: Iterable[int], reneges: Sequence[Renege], house: HouseRules) -> dict[int, int]:
    """R43, R44, R46, R51: the units that seats owe the next pot."""
    penalty = fixed_antes(house.bourre_penalty) * ANTE or pot
    owed = dict.fromkeys(bourres, min(penalty, _limit(house)))
    for seat, renege in enumerate(reneges):
        if renege is Renege.NOT_PUT_RIGHT:  # once, and never less than a bourré
            owed[seat] = max(owed.get(seat, 0), min(pot, _limit(house)))
    return owed


def _within_cap(owed: dict[int, int], carried: int, house: HouseRules) -> dict[int, int]:
    """R44: what is charged of what is owed, so that the next pot stays within the cap."""
    if house.pot_cap is None:
        return owed
    room = max(0, house.pot_cap * ANTE - carried)
    charged = {}
    # The least debts first, so that what they leave goes to the others. Pots and debts are whole
    # antes here, so every split is whole.
    for left, seat in zip(range(len(owed), 0, -1), sorted(owed, key=owed.__getitem__), strict=True):
        charged[seat] = min(owed[seat], room // left)
        room -= charged[seat]
    return charged


def _exempt(
    tied: Sequence[int], bourres: Sequence[int], tricks: Sequence[int | None], house: HouseRules
) -> list[int]:
    """R45: who pays no ante for the next deal, reneges left aside."""
    if house.ante_exempt == "none":
        return []
    if house.ante_exempt == "tied_and_bourre":
        return sorted([*tied, *bourres])
    return [seat for seat, won in enumerate(tricks) if won is not None] if bourres else []
