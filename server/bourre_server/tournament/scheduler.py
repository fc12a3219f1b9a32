"""Which match is next: `issue` hands out a plan, `settle` counts it, `rollback` takes it back.

The scheduler decides when a match is played, never what: a plan's seating, rotation and deck come from its
number alone. It keeps a window of blocks and the numbers in flight, however long the schedule is.
"""

from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import comb

from bourre_server.tournament.resumption import Resumption
from bourre_server.tournament.schedule import Plan, Schedule

WINDOW = 256
"""Blocks the scheduler looks at: enough to find work for entrants with a free place while others are full."""


@dataclass(slots=True)
class _Block:
    """A block in the window, with those of its matches that wait to be issued, by number."""

    composition: tuple[int, ...]
    waiting: list[Plan]


class Scheduler:
    """Issues the matches of a schedule so that entrants have played about equally often at any moment.

    `settled`: the numbers settled earlier, ascending, where a run is resumed. `withdrawn`: the entrants
    withdrawn earlier. Raises ValueError where `settled` does not ascend.
    """

    def __init__(
        self,
        schedule: Schedule,
        settled: Iterable[int] = (),
        withdrawn: Iterable[int] = (),
        window: int = WINDOW,
    ) -> None:
        self._schedule = schedule
        self._withdrawn = set(withdrawn)
        self._earlier = Resumption(schedule, settled, self._is_void)
        self._settled = self._earlier.settled
        self._issued = self._earlier.issued()
        self._width = window
        self._window: dict[int, _Block] = {}
        self._in_flight: set[int] = set()
        self._next_block = self._earlier.next_block
        self._beyond_window = self._count_beyond_window()

    @property
    def settled(self) -> int:
        """Matches settled so far, those of earlier runs included."""
        return self._settled

    @property
    def left(self) -> int:
        """Matches still to be settled, those in flight included and void ones not."""
        waiting = sum(len(block.waiting) for block in self._window.values())
        return self._beyond_window + waiting + len(self._in_flight)

    @property
    def void(self) -> int:
        """Matches that will never be played, because an entrant of theirs was withdrawn."""
        return len(self._schedule) - self._settled - self.left

    @property
    def finished(self) -> bool:
        """Whether nothing is left: every match is settled or void."""
        return self.left == 0

    def issue(self, free: Callable[[Plan], bool]) -> Plan | None:
        """The next match for which `free` says that its entrants all have a place; None if there is none now.

        Blocks that have begun go first, so that they are soon complete; then those whose entrants have
        the fewest matches issued; then by number.
        """
        self._fill()
        for block in sorted(self._window.values(), key=self._urgency):
            for plan in block.waiting:
                if free(plan):
                    return self._take(block, plan)
        return None

    def settle(self, number: int) -> None:
        """Count a match as played. Raises KeyError where it is not in flight."""
        self._in_flight.remove(number)
        self._settled += 1

    def rollback(self, number: int) -> None:
        """Take a match back: it will be issued again, or is void where an entrant of its was withdrawn.

        Raises KeyError where it is not in flight.
        """
        self._in_flight.remove(number)
        plan = self._schedule.plan(number)
        self._issued.subtract(plan.seating)
        if not self._is_void(plan.block):
            block = self._window.setdefault(plan.block, _Block(self._schedule.composition(plan.block), []))
            insort(block.waiting, plan, key=lambda waiting: waiting.number)

    def is_settled(self, block: int) -> bool:
        """Whether no match of a block that was begun is waiting or in flight."""
        return block not in self._window and self._in_flight.isdisjoint(self._schedule.matches(block))

    def withdraw(self, entrant: int) -> None:
        """Make void every match of this entrant that is neither in flight nor settled.

        Those in flight are still to be settled or rolled back. Takes a few microseconds per composition.
        """
        self._withdrawn.add(entrant)
        self._window = {n: block for n, block in self._window.items() if entrant not in block.composition}
        self._beyond_window = self._count_beyond_window()

    def _is_void(self, block: int) -> bool:
        return not self._withdrawn.isdisjoint(self._schedule.composition(block))

    def _urgency(self, block: _Block) -> tuple[bool, int, int]:
        has_begun = len(block.waiting) < self._schedule.rotations
        issued = sum(self._issued[entrant] for entrant in block.composition)
        return not has_begun, issued, block.waiting[0].number

    def _take(self, block: _Block, plan: Plan) -> Plan:
        block.waiting.remove(plan)
        if not block.waiting:
            del self._window[plan.block]
        self._in_flight.add(plan.number)
        self._issued.update(plan.seating)
        return plan

    def _fill(self) -> None:
        """Pull blocks into the window until it is full or the schedule is at its end."""
        while len(self._window) < self._width and self._next_block <= self._schedule.blocks:
            self._pull(self._next_block)
            self._next_block += 1

    def _pull(self, number: int) -> None:
        if self._is_void(number):
            return
        matches = self._schedule.matches(number)
        waiting = [self._schedule.plan(match) for match in matches if match not in self._earlier]
        self._beyond_window -= len(waiting)
        if waiting:
            self._window[number] = _Block(self._schedule.composition(number), waiting)

    def _count_beyond_window(self) -> int:
        """Matches of blocks not yet pulled that are neither settled nor void."""
        if self._next_block > self._schedule.blocks:
            return 0
        settled = sum(
            not self._is_void(self._schedule.block_of(number))
            for number in self._earlier.from_block(self._next_block)
        )
        return self._live_blocks() * self._schedule.rotations - settled

    def _live_blocks(self) -> int:
        """Blocks not yet pulled that are not void: by looking in the current pass, by arithmetic after it."""
        schedule = self._schedule
        passes, visited = divmod(self._next_block - 1, schedule.compositions)
        in_pass = range(self._next_block, self._next_block + schedule.compositions - visited)
        live = sum(not self._is_void(block) for block in in_pass) if self._withdrawn else len(in_pass)
        per_pass = comb(schedule.entrants - len(self._withdrawn), schedule.seats)
        return live + (schedule.decks - passes - 1) * per_pass
