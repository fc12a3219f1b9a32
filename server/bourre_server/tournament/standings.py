"""The standings: chips per hand with an interval, and who can't be told apart.

The unit is the block, never the hand: the hands of a match share a pot, and the matches of a block share
their decks. Only complete blocks count for chips, intervals, groups and ratings; matches, hands, bourrés,
faults and forfeits are counted over every settled match, so that nothing that happened at a table is lost.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from bourre_server.tournament.estimates import Estimate, estimate
from bourre_server.tournament.results import MatchResult, in_complete_blocks

Rate = Callable[[int, Sequence[MatchResult]], Sequence[tuple[float, float]]]
"""Takes the number of entrants and results in the order of their numbers; gives mu and sigma by entrant."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. Money is in antes; rates are from 0 to 1."""

    rank: int
    """From 1; entrants in equal order rank by index."""
    group: int
    """From 1. Entrants of one group can't be told apart from the first of it."""
    entrant: int
    """Index into the tournament's entrants."""
    name: str
    chips_per_hand: float | None
    """Antes: the mean over complete blocks of the block's mean. None before the first of them."""
    half_width: float | None
    """Antes: half the 95 % interval, Student's t over blocks. None below two complete blocks."""
    mu: float
    sigma: float
    blocks: int
    """Complete blocks."""
    matches: int
    hands: int
    bourre_rate: float | None
    """Bourrés in the hands that the entrant played, that is, did not pass. None where there is none."""
    play_rate: float | None
    """Hands played in the hands dealt. None where there is none."""
    faults: int
    forfeits: int
    """Matches that the entrant forfeited."""
    withdrawn: str | None
    """Why the entrant was withdrawn; None where it was not."""


def standings(
    names: Sequence[str],
    results: Iterable[MatchResult],
    withdrawn: Mapping[int, str],
    *,
    rotations: int,
    rate: Rate,
) -> list[Standing]:
    """The standings, best first, the same in whatever order the results come.

    `names`: of all entrants, by index. `withdrawn`: reasons by entrant. `rotations`: matches that complete a
    block. `rate`: rates the entrants from the results of complete blocks.

    Order: entrants that forfeited no match, those that did, those withdrawn; then by chips per hand.
    """
    settled = list(results)
    complete = in_complete_blocks(settled, rotations)
    tallies = _tally(len(names), settled)
    lines = [
        _Line(entrant, *line, withdrawn.get(entrant))
        for entrant, line in enumerate(
            zip(names, estimate(len(names), complete), rate(len(names), complete), tallies, strict=True)
        )
    ]
    lines.sort(key=lambda line: line.order)
    return [
        line.standing(rank, group)
        for rank, (line, group) in enumerate(zip(lines, _groups(lines), strict=True), 1)
    ]


@dataclass(slots=True)
class _Tally:
    """What an entrant did in all its settled matches."""

    matches: int = 0
    hands: int = 0
    played: int = 0
    bourres: int = 0
    faults: int = 0
    forfeits: int = 0

    def add(self, result: MatchResult, seat: int) -> None:
        self.matches += 1
        self.hands += result.hands
        self.played += result.played[seat]
        self.bourres += result.bourres[seat]
        self.faults += result.faults[seat]
        self.forfeits += result.forfeited[seat]


@dataclass(frozen=True, slots=True)
class _Line:
    """All that is known of an entrant before it has a rank."""

    entrant: int
    name: str
    estimate: Estimate
    rating: tuple[float, float]
    tally: _Tally
    withdrawn: str | None

    @property
    def tier(self) -> tuple[bool, bool]:
        """Crashing must not pay: no chips lift an entrant out of a lower tier."""
        return self.withdrawn is not None, self.tally.forfeits > 0

    @property
    def order(self) -> tuple[tuple[bool, bool], float, int]:
        mean = self.estimate.mean
        return self.tier, inf if mean is None else -mean, self.entrant

    def standing(self, rank: int, group: int) -> Standing:
        tally = self.tally
        return Standing(
            rank=rank,
            group=group,
            entrant=self.entrant,
            name=self.name,
            chips_per_hand=self.estimate.mean,
            half_width=self.estimate.half_width,
            mu=self.rating[0],
            sigma=self.rating[1],
            blocks=len(self.estimate.by_block),
            matches=tally.matches,
            hands=tally.hands,
            bourre_rate=tally.bourres / tally.played if tally.played else None,
            play_rate=tally.played / tally.hands if tally.hands else None,
            faults=tally.faults,
            forfeits=tally.forfeits,
            withdrawn=self.withdrawn,
        )


def _tally(entrants: int, settled: Iterable[MatchResult]) -> list[_Tally]:
    tallies = [_Tally() for _ in range(entrants)]
    for result in settled:
        for seat, entrant in enumerate(result.seating):
            tallies[entrant].add(result, seat)
    return tallies


def _groups(lines: Sequence[_Line]) -> list[int]:
    """The group of each line, in order. A line opens one where it is apart from the first of the last."""
    groups: list[int] = []
    first = lines[0]
    for line in lines:
        if line.tier != first.tier or line.estimate.is_apart_from(first.estimate):
            first = line
            groups.append(groups[-1] + 1)
        else:
            groups.append(groups[-1] if groups else 1)
    return groups
