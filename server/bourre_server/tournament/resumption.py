"""Where an interrupted tournament stands, in little memory however many matches are settled."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from bourre_server.tournament.schedule import Schedule

Void = Callable[[int], bool]


class Resumption:
    """The settled matches of a schedule: all below `first_open` but the void ones, and a few beyond.

    `settled`: their numbers, ascending. `void`: whether a block has an entrant that was withdrawn; void
    matches do not end the prefix. Raises ValueError where `settled` does not ascend.
    """

    def __init__(self, schedule: Schedule, settled: Iterable[int], void: Void) -> None:
        self._schedule = schedule
        self._beyond: set[int] = set()
        self.first_open = 1
        """No match with a lower number is still to be played."""
        self.settled = 0
        """How many matches are settled."""
        for number in _ascending(settled):
            self.settled += 1
            self._beyond.add(number)
            self._extend_prefix(number, void)

    def __contains__(self, number: int) -> bool:
        return number < self.first_open or number in self._beyond

    @property
    def next_block(self) -> int:
        """The first block that may have matches to play."""
        return self._schedule.block_of(self.first_open)

    def issued(self) -> Counter[int]:
        """Matches by entrant, without complete passes over all compositions: they add the same to each."""
        per_pass = self._schedule.compositions * self._schedule.rotations
        pass_begins = (self.first_open - 1) // per_pass * per_pass + 1
        numbers = [*range(pass_begins, self.first_open), *self._beyond]
        return Counter(entrant for number in numbers for entrant in self._schedule.plan(number).seating)

    def from_block(self, block: int) -> Iterator[int]:
        """The settled numbers of this block (`next_block` or later) and all after it."""
        first = self._schedule.matches(block)[0]
        yield from range(first, self.first_open)
        yield from (number for number in self._beyond if number >= first)

    def _extend_prefix(self, reached: int, void: Void) -> None:
        while self.first_open <= reached and self._is_over(self.first_open, void):
            self._beyond.discard(self.first_open)
            self.first_open += 1

    def _is_over(self, number: int, void: Void) -> bool:
        return number in self._beyond or void(self._schedule.block_of(number))


def _ascending(numbers: Iterable[int]) -> Iterator[int]:
    previous = 0
    for number in numbers:
        if number <= previous:
            raise ValueError(f"settled numbers must ascend, but {number} comes after {previous}")
        yield number
        previous = number
