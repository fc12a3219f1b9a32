"""Seat orders: who sits left of whom.

Rotating one order is not enough: a seat always acts just before its left neighbour, so identical
bots at one table end up with different results. Over all the orders of a table size, each entrant has
each other as its left neighbour equally often.
"""

from itertools import permutations


def seat_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """The orders of a table of 2 to 8 seats: each lists places in a composition, seat by seat."""
    return _ORDERS[seats]


def _multiples(seats: int) -> tuple[tuple[int, ...], ...]:
    """Balanced where `seats` is prime: order i is 0, i, 2i, … modulo seats."""
    return tuple(tuple(i * step % seats for i in range(seats)) for step in range(1, seats))


def _listed(*orders: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, order)) for order in orders)


_ORDERS: dict[int, tuple[tuple[int, ...], ...]] = {
    2: _multiples(2),
    3: _multiples(3),
    4: tuple((0, *rest) for rest in permutations((1, 2, 3))),
    5: _multiples(5),
    6: _listed(
        *("013542", "015324", "023415", "025143", "031245"),
        *("032541", "043512", "045213", "052314", "053421"),
    ),
    7: _multiples(7),
    8: _listed("01724536", "02573461", "03276514", "04716235", "05642137", "06743152", "07541263"),
}
