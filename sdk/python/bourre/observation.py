"""What a bot knows when it decides.

An observation is a thin view of the message that arrived: a property is worked out when it is read, so what a
bot does not look at costs nothing. Read a property once into a name rather than in a loop.
"""

import math
import time
from collections.abc import Callable, Sequence
from enum import StrEnum

from bourre.cards import Card, Suit, from_wire
from bourre.generator import Generator
from bourre.v1 import observation_pb2, play_pb2

ANTE = 840
"""Units in one ante. All money is counted in units."""

CLASSIC_LIMIT = 20 * ANTE
"""The most that a bourré pays where the house rules say nothing else, in units."""

_SUITS: tuple[Suit, ...] = (Suit.SPADES, *Suit)  # from the number on the wire
_OUT_OF_HAND = (observation_pb2.UPCARD_STATE_LAID_ASIDE, observation_pb2.UPCARD_STATE_FOLDED)


class Kind(StrEnum):
    """What is asked: a declaration, a draw (where the house rules draw later), or a card."""

    DECLARE = "declare"
    DRAW = "draw"
    PLAY = "play"


_KINDS: tuple[Kind, ...] = (Kind.DECLARE, *Kind)  # from the number on the wire


class ListClock:
    """The time that the requests of one list share."""

    def __init__(self, deadline: float, unanswered: int, now: Callable[[], float] = time.monotonic) -> None:
        self.deadline = deadline
        self.unanswered = unanswered
        self._now = now

    @property
    def share(self) -> float:
        """Seconds for the next answer, at least 0: what is left, divided by the requests unanswered."""
        return max(0.0, self.deadline - self._now()) / max(1, self.unanswered)


NO_CLOCK = ListClock(deadline=math.inf, unanswered=1)


class Observation:
    """What one seat may know at one decision, and what it may do.

    Seats are numbers from 0; the seat on your left is `(seat + 1) % seats`. Lists "by seat" have one entry
    per seat. Money is in units, of which `bourre.ANTE` make one ante.
    """

    __slots__ = ("_clock", "_seen", "request")

    def __init__(self, request: play_pb2.DecisionRequest, clock: ListClock = NO_CLOCK) -> None:
        self.request = request
        """The message itself; see proto/bourre/v1/play.proto."""
        self._seen = request.observation
        self._clock = clock

    # What is asked.

    @property
    def kind(self) -> Kind:
        """What is asked; `obs.kind == "play"` works as well as `obs.kind is Kind.PLAY`."""
        return _KINDS[self.request.kind]

    @property
    def legal_cards(self) -> list[Card]:
        """The cards that may be played; for a declaration or a draw, those that may be discarded."""
        return from_wire(self.request.legal_cards)

    @property
    def may_pass(self) -> bool:
        """Whether this is a declaration and passing is allowed."""
        return self.request.may_pass

    @property
    def max_discards(self) -> int:
        """The most cards that may be discarded now, 0 to 5."""
        return self.request.max_discards

    @property
    def table(self) -> int:
        """The table's number."""
        return self.request.table_id

    @property
    def decision_id(self) -> int:
        """The number of this decision in the match, counting every seat's."""
        return self.request.decision_id

    @property
    def attempt(self) -> int:
        """1; 2 or 3 where the answer before was refused, for the reason in `refused`."""
        return self.request.attempt

    @property
    def refused(self) -> str:
        """Why the answer before was refused; empty on the first attempt."""
        return self.request.refused

    @property
    def seconds(self) -> float:
        """Seconds for this answer if all in the list get the same; infinite where there is no clock."""
        return self._clock.share

    def random(self) -> Generator:
        """Random numbers that are the same whenever this decision is asked again. Call it once a decision."""
        return Generator(self._seen.bot_seed, self.request.decision_id)

    # Your cards.

    @property
    def holding(self) -> list[Card]:
        """Your cards, in order."""
        return from_wire(self._seen.holding)

    @property
    def own_discards(self) -> list[Card]:
        """The cards that you discarded in this hand. Others may draw them after a reshuffle."""
        return from_wire(self._seen.own_discards)

    # The table.

    @property
    def seat(self) -> int:
        """Your seat."""
        return self._seen.seat

    @property
    def seats(self) -> int:
        """Seats at the table, 2 to 8."""
        return self._seen.seats

    @property
    def dealer(self) -> int:
        """The dealer's seat."""
        return self._seen.dealer

    @property
    def hand(self) -> int:
        """The number of this hand in the match, from 1."""
        return self._seen.hand

    @property
    def hands(self) -> int:
        """Hands in the match."""
        return self._seen.hands

    @property
    def trump(self) -> Suit:
        """The trump suit."""
        return _SUITS[self._seen.trump]

    @property
    def upcard(self) -> Card:
        """The dealer's last card, dealt face up. Its suit is trump."""
        return Card(self._seen.upcard)

    @property
    def upcard_held(self) -> bool:
        """Whether the dealer still holds the upcard."""
        return self._seen.upcard_state == observation_pb2.UPCARD_STATE_HELD

    # Money.

    @property
    def pot(self) -> int:
        """The pot that this hand is played for, in units."""
        return self._seen.pot

    @property
    def pot_in_antes(self) -> float:
        """The pot in antes."""
        return self._seen.pot / ANTE

    @property
    def bourre_cost(self) -> int:
        """What a seat that plays and takes no trick pays, in units: the pot, up to the limit."""
        rules = self._seen.house_rules
        limit = rules.limit * ANTE if rules.HasField("limit") else CLASSIC_LIMIT
        return min(self.pot, limit) if limit else self.pot

    @property
    def carried_pot(self) -> int:
        """What of the pot was carried over from the hand before, in units."""
        return self._seen.carried_pot

    @property
    def antes_paid(self) -> Sequence[int]:
        """The antes paid for this hand, by seat, in units."""
        return self._seen.antes_paid

    @property
    def chips(self) -> Sequence[int]:
        """Chips won and lost in this match so far, by seat, in units."""
        return self._seen.chips

    # Who does what.

    @property
    def playing(self) -> list[int]:
        """The seats that have said that they play this hand."""
        return self._in_state(observation_pb2.SEAT_STATE_PLAYING)

    @property
    def passed(self) -> list[int]:
        """The seats that have passed."""
        return self._in_state(observation_pb2.SEAT_STATE_PASSED)

    @property
    def to_declare(self) -> list[int]:
        """The seats that have not declared yet, you among them when it is your declaration."""
        return self._in_state(observation_pb2.SEAT_STATE_TO_ACT)

    def _in_state(self, state: observation_pb2.SeatState.ValueType) -> list[int]:
        return [seat for seat, has in enumerate(self._seen.seat_states) if has == state]

    @property
    def discards_taken(self) -> Sequence[int]:
        """How many cards each seat has discarded and drawn again, by seat."""
        return self._seen.discards_taken

    @property
    def own_faults(self) -> int:
        """Faults charged to you in this match so far."""
        return self._seen.own_faults

    # Tricks.

    @property
    def leader(self) -> int:
        """The seat that leads, or led, the current trick. Only once play has begun."""
        return self._seen.leaders[-1]

    @property
    def trick(self) -> list[tuple[int, Card]]:
        """The current trick so far: seats and cards, its leader's first. Empty when you lead."""
        cards = from_wire(self._seen.trick)
        return list(zip(self._round(self.leader), cards, strict=False)) if cards else []

    @property
    def past_tricks(self) -> list[list[tuple[int, Card]]]:
        """The finished tricks of this hand, each as seats and cards, its leader's first."""
        cards = iter(from_wire(self._seen.past_tricks))
        finished = self._seen.leaders[:-1]  # the last one leads the current trick
        return [list(zip(self._round(leader), cards, strict=False)) for leader in finished]

    def _round(self, leader: int) -> list[int]:
        """The playing seats, the leader first, then round to the left."""
        return sorted(self.playing, key=lambda seat: (seat - leader) % self.seats)

    @property
    def tricks_won(self) -> Sequence[int]:
        """Tricks won in this hand, by seat."""
        return self._seen.tricks_won

    @property
    def own_tricks(self) -> int:
        """Tricks that you have won in this hand."""
        return self._seen.tricks_won[self._seen.seat]

    @property
    def gone(self) -> list[Card]:
        """The cards that all have seen go out of this hand: finished tricks, and an upcard laid aside."""
        cards = from_wire(self._seen.past_tricks)
        if self._seen.upcard_state in _OUT_OF_HAND:
            cards.append(self.upcard)
        return cards

    def __repr__(self) -> str:
        parts = [f"hand {self.hand}/{self.hands}", f"seat {self.seat}", f"{self.kind}", f"trump {self.trump}"]
        parts.append(f"holding {_names(self.holding)}")
        if self.trick:
            parts.append(f"trick {' '.join(f'{seat}:{card}' for seat, card in self.trick)}")
        return f"Observation({', '.join([*parts, f'legal {_names(self.legal_cards)}'])})"


def _names(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards)) or "-"
