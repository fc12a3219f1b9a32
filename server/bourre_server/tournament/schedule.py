"""The matches of a tournament, in order, computed one at a time.

A block is one composition (who sits together), one seat order and one deck sequence; with duplicates it
is played in all its rotations, so that each entrant gets the cards of every seat. Nothing is stored: match
and block numbers are turned into seatings by arithmetic, so a schedule of any length costs nothing.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import comb, gcd

from bourre_server.tournament.seat_orders import seat_orders

_GOLDEN = 0.618033988749895


class ScheduleError(ValueError):
    """A tournament that cannot be scheduled; the message is one sentence that says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One match to be played."""

    number: int
    """From 1, the same for ever: the match's place in the schedule, and its table id on the wire."""
    block: int
    """From 1."""
    rotation: int
    """0 to seats - 1."""
    deck: int
    """Which of its composition's deck sequences, 0 to decks - 1."""
    seating: tuple[int, ...]
    """Entrants by seat, each an index into the tournament's entrants."""


@dataclass(frozen=True)
class Schedule:
    """A round robin: every composition of `seats` out of `entrants` plays `decks` blocks.

    Order: the first deck of every composition, then the second of every composition, and so on. Within
    a deck, compositions in lexicographic rank are visited with a stride near the golden section of their
    number, so entrants have played about equally often at any moment.

    Seats: the entrant at place i of the block's seat order sits in seat (i + rotation) mod seats. With
    duplicates, the block's rotations are its matches, and deck d of the composition visited c-th has
    seat order (d + c) mod the number of orders. Without, a block is one match: its rotation is d mod
    seats, and its seat order (d // seats + c) mod the number of orders.

    Raises ScheduleError where entrants, seats (2 to 8) and decks (1 or more) do not fit together.
    """

    entrants: int
    seats: int
    decks: int
    duplicates: bool

    def __post_init__(self) -> None:
        if not 2 <= self.seats <= 8:
            raise ScheduleError(f"A table has 2 to 8 seats, not {self.seats}.")
        if self.entrants < self.seats:
            raise ScheduleError(
                f"A table of {self.seats} seats needs {self.seats} entrants, not {self.entrants}."
            )
        if self.decks < 1:
            raise ScheduleError(f"A composition needs at least 1 deck, not {self.decks}.")
        if not self.duplicates and self.decks % self.seats:
            raise ScheduleError(
                f"Without duplicates decks must be a multiple of the {self.seats} seats, not {self.decks}."
            )

    @cached_property
    def compositions(self) -> int:
        """How many ways there are to choose who sits together."""
        return comb(self.entrants, self.seats)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return self.compositions * self.decks

    @property
    def rotations(self) -> int:
        """Matches in a block: as many as seats with duplicates, 1 without."""
        return self.seats if self.duplicates else 1

    @property
    def meetings(self) -> int:
        """Matches in which any one pair of entrants meets."""
        return comb(self.entrants - 2, self.seats - 2) * self.decks * self.rotations

    def __len__(self) -> int:
        return self.blocks * self.rotations

    def block_of(self, number: int) -> int:
        """The block that a match belongs to."""
        return (number - 1) // self.rotations + 1

    def matches(self, block: int) -> range:
        """The numbers of a block's matches."""
        first = (block - 1) * self.rotations + 1
        return range(first, first + self.rotations)

    def composition(self, block: int) -> tuple[int, ...]:
        """The entrants of a block, ascending."""
        visit = (block - 1) % self.compositions
        return _unrank(visit * self._stride % self.compositions, self.entrants, self.seats)

    def plan(self, number: int) -> Plan:
        """The match with that number. Raises IndexError beyond 1 to len(schedule)."""
        if not 1 <= number <= len(self):
            raise IndexError(f"no match {number} in a schedule of {len(self)}")
        block, match = divmod(number - 1, self.rotations)
        deck, visit = divmod(block, self.compositions)
        rotation, turn = (match, deck) if self.duplicates else (deck % self.seats, deck // self.seats)
        orders = seat_orders(self.seats)
        order = orders[(turn + visit) % len(orders)]
        composition = self.composition(block + 1)
        seating = tuple(composition[order[(seat - rotation) % self.seats]] for seat in range(self.seats))
        return Plan(number, block + 1, rotation, deck, seating)

    @cached_property
    def _stride(self) -> int:
        """Coprime to the number of compositions, so that a walk with it meets each of them once."""
        nearest = max(1, round(self.compositions * _GOLDEN))
        return next(stride for stride in count(nearest) if gcd(stride, self.compositions) == 1)


def _unrank(rank: int, entrants: int, seats: int) -> tuple[int, ...]:
    """The composition that has this rank, from 0, when all are sorted."""
    chosen: list[int] = []
    for entrant in range(entrants):
        with_entrant = comb(entrants - entrant - 1, seats - len(chosen) - 1)
        if rank < with_entrant:
            chosen.append(entrant)
            if len(chosen) == seats:
                break
        else:
            rank -= with_entrant
    return tuple(chosen)
