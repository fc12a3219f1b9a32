"""Who takes the pot and who pays (R40 to R45)."""

from collections.abc import Sequence
from typing import NamedTuple

from bourre_server.rules.house import ANTE, UNLIMITED, HouseRules


class Settlement(NamedTuple):
    """The money of one hand, in units, by seat.

    `payments`: what each seat takes (above 0) or pays (below 0). `carried`: the pot for the
    next deal before its antes. `exempt`: the seats that pay no ante for it, in order.
    """

    payments: tuple[int, ...]
    carried: int
    exempt: tuple[int, ...]


def settle(pot: int, tricks: Sequence[int | None], house: HouseRules) -> Settlement:
    """Settle a hand that was played.

    `tricks`: the tricks won, by seat, None for a seat that passed. `pot` is what was in it when
    play ended, before anyone is paid (R40).
    """
    most = max(won for won in tricks if won is not None)
    leaders = [seat for seat, won in enumerate(tricks) if won == most]
    bourres = [seat for seat, won in enumerate(tricks) if won == 0]
    penalty = min(pot, (house.limit or UNLIMITED) * ANTE)  # R43, R44
    payments = [0] * len(tricks)
    for seat in bourres:
        payments[seat] = -penalty
    split = len(leaders) > 1
    if not split:
        payments[leaders[0]] = pot  # R41
    exempt = sorted(leaders + bourres) if split else bourres  # R42, R45
    return Settlement(tuple(payments), pot - sum(payments), tuple(exempt))


def settle_unplayed(pot: int, winner: int, seats: int) -> Settlement:
    """Settle a hand that one seat wins without play (R9, R10)."""
    return Settlement(tuple(pot if seat == winner else 0 for seat in range(seats)), 0, ())
