"""A match: fixed seats, a number of hands, one result (R70 to R73)."""

import hashlib
from dataclasses import dataclass

from bourre_server.rules.decisions import Decision
from bourre_server.rules.events import CardRetracted, DealLost, DealSkipped, Event, MatchSettled, PublicEvent
from bourre_server.rules.hand import Hand, Kind
from bourre_server.rules.house import CLASSIC, MAX_SEATS, MIN_SEATS, HouseRules
from bourre_server.rules.settlement import end_shares
from bourre_server.rules.shuffle import SEED_BYTES, Dealing
from bourre_server.rules.view import View

RULES_VERSION = 1


@dataclass(frozen=True)
class Setup:
    """What a match is played with.

    `seats`: 2 to 8. `hands`: a multiple of `seats`, so that every seat deals equally often
    (R70), or any number where a seat can lose its deal (R51). `seed`: the block's, 32 bytes.
    `rotation`: 0 to seats - 1; it decides the suits. Raises ValueError for anything else.
    """

    seats: int
    hands: int
    seed: bytes
    rotation: int = 0
    house: HouseRules = CLASSIC

    def __post_init__(self) -> None:
        if not MIN_SEATS <= self.seats <= MAX_SEATS:
            raise ValueError(f"{self.seats} seats; allowed: {MIN_SEATS} to {MAX_SEATS}")
        if self.hands < 1 or (self.hands % self.seats and not self.house.loses_deals):
            number = "number" if self.house.loses_deals else f"multiple of {self.seats} seats"
            raise ValueError(f"{self.hands} hands; allowed: a positive {number}")
        if not 0 <= self.rotation < self.seats:
            raise ValueError(f"rotation {self.rotation}; allowed: 0 to {self.seats - 1}")
        if len(self.seed) != SEED_BYTES:
            raise ValueError(f"a seed of {len(self.seed)} bytes; allowed: {SEED_BYTES}")


class Match:
    """A match in progress. `kind`, `to_act`, `legal` and `may_pass` are those of its hand.

    `drain` hands out the events; `view` is their fold and knows all seats.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.view = View(setup.seats, range(setup.seats))
        self.public = self.view.public
        self._unhashed: list[Event] = []
        self._hash = hashlib.sha256()
        dealing = Dealing(setup.seed, setup.rotation)
        self.hand = Hand(self.view, setup.house, dealing)
        self.hand.start(1, 0)

    @property
    def over(self) -> bool:
        """Whether the match is settled."""
        return self.hand.kind is Kind.OVER

    def refuse(self, decision: Decision) -> str | None:
        """Why a decision is not legal now, or None where it is."""
        return self.hand.refuse(decision)

    def apply(self, decision: Decision) -> None:
        """Make a decision that `refuse` has nothing against."""
        self.hand.apply(decision)
        if self.hand.kind is Kind.OVER:
            self._end_hand()

    def retract(self, card: int, *, put_right: bool) -> None:
        """The seat to act took a card back, for which `hand.reneges` holds, before it decides (R51).

        `put_right`: whether the decision that follows is its own, and not the default.
        """
        seat = self.hand.to_act
        self._emit(CardRetracted(seat, card, put_right))
        self._lose_deal(seat)

    def act_out_of_turn(self, seat: int) -> None:
        """A seat that was not to act decided something; by other rules than R51 that has no price."""
        self._lose_deal(seat)

    def _lose_deal(self, seat: int) -> None:
        if self.setup.house.loses_deals and seat not in self.public.lost_deals:
            self._emit(DealLost(seat))

    def _end_hand(self) -> None:
        public, setup = self.public, self.setup
        if public.hand < setup.hands:
            self.hand.start(public.hand + 1, self._next_dealer())
        else:
            self._emit(MatchSettled(end_shares(public.pot, public.exempt, setup.seats, setup.house)))

    def _next_dealer(self) -> int:
        """The seat at the left of the last dealer, those that lost their deal left out (R2, R51)."""
        seats = self.setup.seats
        dealer = (self.public.dealer + 1) % seats
        while dealer in self.public.lost_deals:
            self._emit(DealSkipped(dealer))
            dealer = (dealer + 1) % seats
        return dealer

    def _emit(self, event: PublicEvent) -> None:
        event.apply(self.public)
        self.hand.events.append(event)

    def drain(self) -> list[Event]:
        """The events since the last call, in order."""
        events = self.hand.events
        self.hand.events = []
        self._unhashed += events
        if self.public.declared == 0 or self.over:
            self._hash_events()  # once a hand: many short updates cost more than one
        return events

    def _hash_events(self) -> None:
        self._hash.update("".join([event.line + "\n" for event in self._unhashed]).encode())
        self._unhashed.clear()

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the lines of all events that were drained."""
        self._hash_events()
        return self._hash.hexdigest()

    def holding(self, seat: int) -> int:
        """The mask of the cards that a seat holds (after passing: had)."""
        return self.view.holding(seat)
