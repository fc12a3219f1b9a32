"""The events of a match. Their list is the truth: everything shown is a fold over it.

Every event is for everyone or for one seat, by its type, and knows how it changes what that
audience knows (`state.py`). Redaction is this type and nothing else. Cards in sets are masks, money
is in units.
"""

from dataclasses import dataclass

from bourre_server.rules.cards import BITS, DECK, NAMES, SUIT_OF, show
from bourre_server.rules.house import MAX_SEATS
from bourre_server.rules.state import PASSED, PLAYING, Private, Public, Renege, Upcard


class Event:
    """Something that happened in a match."""

    __slots__ = ()

    @property
    def line(self) -> str:
        """The event as a line of the text that a record's hash is taken of."""
        raise NotImplementedError


class PublicEvent(Event):
    """An event for everyone."""

    __slots__ = ()

    def apply(self, public: Public) -> None:
        """Fold the event into what everyone knows."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class PrivateEvent(Event):
    """An event for one seat alone."""

    seat: int

    def apply(self, private: Private) -> None:
        """Fold the event into what the seat alone knows."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class CardsEvent(PrivateEvent):
    """An event for one seat alone, about some of its cards."""

    cards: int


@dataclass(frozen=True, slots=True)
class HandStarted(PublicEvent):
    """A hand begins and the antes are paid (R2, R3)."""

    hand: int
    dealer: int
    antes: tuple[int, ...]

    def apply(self, public: Public) -> None:
        public.start_hand(self.hand, self.dealer, self.antes)

    @property
    def line(self) -> str:
        return f"hand {self.hand} dealer {self.dealer} antes {_numbers(self.antes)}"


@dataclass(frozen=True, slots=True)
class Dealt(CardsEvent):
    """A seat got its cards, the upcard among the dealer's (R5)."""

    def apply(self, private: Private) -> None:
        private.start_hand(self.cards)

    @property
    def line(self) -> str:
        return f"dealt {self.seat} {show(self.cards)}"


@dataclass(frozen=True, slots=True)
class UpcardTurned(PublicEvent):
    """A card lies face up: the dealer's last, or the next of the stock; its suit is trump (R5, R63)."""

    card: int

    def apply(self, public: Public) -> None:
        public.upcard = self.card
        public.trump = SUIT_OF[self.card]
        public.upcard_state = Upcard.HELD

    @property
    def line(self) -> str:
        return f"upcard {NAMES[self.card]}"


@dataclass(frozen=True, slots=True)
class Declared(PublicEvent):
    """A seat passed, or plays and said how many cards it discards (R6); 0 where that comes later."""

    seat: int
    plays: bool
    discards: int

    def apply(self, public: Public) -> None:
        public.states[self.seat] = PLAYING if self.plays else PASSED
        public.discards_taken[self.seat] = self.discards
        public.declared += 1
        public.hands_played[self.seat] += self.plays

    @property
    def line(self) -> str:
        return f"declared {self.seat} {f'plays {self.discards}' if self.plays else 'passes'}"


@dataclass(frozen=True, slots=True)
class Sealed(PrivateEvent):
    """A seat declared, and nobody else knows what until all have (R61)."""

    plays: bool

    def apply(self, private: Private) -> None:
        private.sealed = self.plays

    @property
    def line(self) -> str:
        return f"sealed {self.seat} {'plays' if self.plays else 'passes'}"


@dataclass(frozen=True, slots=True)
class AnteAdded(PublicEvent):
    """A seat that plays paid a second ante (R60)."""

    seat: int
    units: int

    def apply(self, public: Public) -> None:
        public.chips[self.seat] -= self.units
        public.pot += self.units

    @property
    def line(self) -> str:
        return f"added {self.seat} {self.units}"


@dataclass(frozen=True, slots=True)
class DrawAnnounced(PublicEvent):
    """A seat said how many cards it discards, after all have declared (R61, R63)."""

    seat: int
    discards: int

    def apply(self, public: Public) -> None:
        public.discards_taken[self.seat] = self.discards
        public.draws += 1

    @property
    def line(self) -> str:
        return f"draws {self.seat} {self.discards}"


@dataclass(frozen=True, slots=True)
class Discarded(CardsEvent):
    """A seat discarded these cards (R6)."""

    def apply(self, private: Private) -> None:
        private.received &= ~self.cards
        private.discards |= self.cards

    @property
    def line(self) -> str:
        return f"discarded {self.seat} {show(self.cards)}"


@dataclass(frozen=True, slots=True)
class Drew(CardsEvent):
    """A seat drew these cards (R6)."""

    def apply(self, private: Private) -> None:
        private.received |= self.cards

    @property
    def line(self) -> str:
        return f"drew {self.seat} {show(self.cards)}"


@dataclass(frozen=True, slots=True)
class UpcardLaidAside(PublicEvent):
    """The dealer passed or discarded the upcard, or never held it: it is out of the hand (R11, R63)."""

    card: int

    def apply(self, public: Public) -> None:
        passed = public.states[public.dealer] == PASSED
        public.upcard_state = Upcard.FOLDED if passed else Upcard.LAID_ASIDE
        public.gone |= BITS[self.card]

    @property
    def line(self) -> str:
        return f"laid aside {NAMES[self.card]}"


@dataclass(frozen=True, slots=True)
class Reshuffled(PublicEvent):
    """The stock ran out, and the discard pool became the new stock (R12)."""

    cards: int

    def apply(self, public: Public) -> None:
        """Changes nothing that is kept: how many cards are in stock follows from the draws."""

    @property
    def line(self) -> str:
        return f"reshuffled {self.cards}"


@dataclass(frozen=True, slots=True)
class CardPlayed(PublicEvent):
    """A seat played a card."""

    seat: int
    card: int

    def apply(self, public: Public) -> None:
        if not public.trick:
            public.leaders.append(self.seat)
        public.trick.append(self.card)
        public.played |= BITS[self.card]
        if self.card == public.upcard:
            public.upcard_state = Upcard.PLAYED

    @property
    def line(self) -> str:
        return f"played {self.seat} {NAMES[self.card]}"


# One value per seat and card, made once: most events are one of these.
PLAYED = tuple(tuple(CardPlayed(seat, card) for card in DECK) for seat in range(MAX_SEATS))


@dataclass(frozen=True, slots=True)
class CardRetracted(PublicEvent):
    """A seat played a card that it must not, and took it back; everyone has seen it (R51).

    `put_right`: whether it then played a legal one; else the default was played for it.
    """

    seat: int
    card: int
    put_right: bool

    def apply(self, public: Public) -> None:
        public.retracted[self.seat] |= BITS[self.card]
        renege = Renege.PUT_RIGHT if self.put_right else Renege.NOT_PUT_RIGHT
        public.reneges[self.seat] = max(public.reneges[self.seat], renege)

    @property
    def line(self) -> str:
        ended = "put right" if self.put_right else "not put right"
        return f"retracted {self.seat} {NAMES[self.card]} {ended}"


@dataclass(frozen=True, slots=True)
class DealLost(PublicEvent):
    """A seat will not deal when it is its turn next (R51)."""

    seat: int

    def apply(self, public: Public) -> None:
        public.lost_deals.add(self.seat)

    @property
    def line(self) -> str:
        return f"lost deal {self.seat}"


@dataclass(frozen=True, slots=True)
class DealSkipped(PublicEvent):
    """A seat that had lost its deal does not deal; it owes nothing more (R51)."""

    seat: int

    def apply(self, public: Public) -> None:
        public.lost_deals.remove(self.seat)

    @property
    def line(self) -> str:
        return f"skipped {self.seat}"


@dataclass(frozen=True, slots=True)
class TrickWon(PublicEvent):
    """A seat won the trick and leads the next (R20)."""

    seat: int

    def apply(self, public: Public) -> None:
        public.end_trick(self.seat)

    @property
    def line(self) -> str:
        return f"won {self.seat}"


@dataclass(frozen=True, slots=True)
class HandSettled(PublicEvent):
    """The pot of a hand was settled (R40 to R45); see `Settlement` for the fields."""

    pot: int
    payments: tuple[int, ...]
    carried: int
    exempt: tuple[int, ...]

    def apply(self, public: Public) -> None:
        public.pay(self.payments)
        public.exempt = self.exempt
        if len(playing := public.playing) > 1:
            for seat in playing:
                public.bourres[seat] += not public.tricks_won[seat]

    @property
    def line(self) -> str:
        return (
            f"settled {self.pot} payments {_numbers(self.payments)}"
            f" carried {self.carried} exempt {_numbers(self.exempt)}"
        )


@dataclass(frozen=True, slots=True)
class MatchSettled(PublicEvent):
    """What was left in the pot after the last hand was divided; below 0 where an ante was due (R71)."""

    shares: tuple[int, ...]

    def apply(self, public: Public) -> None:
        public.pay(self.shares)

    @property
    def line(self) -> str:
        return f"shares {_numbers(self.shares)}"


def is_visible(event: Event, seat: int) -> bool:
    """Whether a seat may see an event."""
    return not isinstance(event, PrivateEvent) or event.seat == seat


def _numbers(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))
