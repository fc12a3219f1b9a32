"""One hand, from its ante to its settlement: whose decision it is, what is legal, what follows."""

from collections.abc import Sequence
from enum import IntEnum

from bourre_server.rules.cards import BITS, NAMES, SUIT_MASKS, cards_in, mask_of, show
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Decision, Declare, Play
from bourre_server.rules.events import (
    PLAYED,
    Dealt,
    Declared,
    Discarded,
    Drew,
    Event,
    HandSettled,
    HandStarted,
    PrivateEvent,
    PublicEvent,
    Reshuffled,
    TrickWon,
    UpcardLaidAside,
    UpcardTurned,
)
from bourre_server.rules.house import ANTE, HAND_SIZE, HouseRules
from bourre_server.rules.legality import Position, best_of, legal_plays
from bourre_server.rules.settlement import Settlement, settle, settle_unplayed
from bourre_server.rules.shuffle import Dealing
from bourre_server.rules.state import PLAYING
from bourre_server.rules.view import View


class Kind(IntEnum):
    """What is to be decided next; the numbers are those of the wire."""

    OVER = 0
    DECLARE = 1
    DRAW = 2
    PLAY = 3


class Hand:
    """A hand in progress.

    `kind`: what is to be decided; `to_act`: by which seat; `legal`: the mask of the cards that
    may be played, or discarded; `may_pass`: whether the seat may pass. What happens is folded
    into `view`, which knows all seats, and appended to `events`.
    """

    def __init__(self, view: View, house: HouseRules, dealing: Dealing) -> None:
        self._view = view
        self._public = view.public
        self._house = house
        self._dealing = dealing
        self.events: list[Event] = []
        self.kind = Kind.OVER
        self.to_act = 0
        self.legal = 0
        self.may_pass = True

    def start(self, hand: int, dealer: int) -> None:
        """Collect the antes, deal, and ask the dealer's left (R3, R5, R6)."""
        public = self._public
        antes = tuple(0 if seat in public.exempt else ANTE for seat in range(public.seats))
        self._emit(HandStarted(hand, dealer, antes))
        self._deal(self._dealing.deck(hand))
        self._ask_to_declare((dealer + 1) % public.seats)

    def _deal(self, deck: list[int]) -> None:
        public = self._public
        seats, dealt = public.seats, public.seats * HAND_SIZE
        for place in range(seats):
            seat = (public.dealer + 1 + place) % seats
            self._show(Dealt(seat, mask_of(deck[place:dealt:seats])))
        self._emit(UpcardTurned(deck[dealt - 1]))
        self._deck = deck
        self._stock = deck[: dealt - 1 : -1]  # the next card to deal is last
        self._pool = 0
        self._reshuffles = 0

    def refuse(self, decision: Decision) -> str | None:
        """Why a decision is not legal now, or None where it is."""
        if isinstance(decision, Play):
            legal = self.kind is Kind.PLAY and self.legal & BITS[decision.card]
            return None if legal else self._refuse_play(decision.card)
        if self.kind != Kind.DECLARE or not isinstance(decision, Declare):
            return f"asked to {self.kind.name.lower()}, not to {type(decision).__name__.lower()}"
        if not decision.plays:
            return self._refuse_pass(decision.discards)
        return self._refuse_discards(decision.discards)

    def _refuse_play(self, card: int) -> str | None:
        if self.kind != Kind.PLAY:
            return f"asked to {self.kind.name.lower()}, not to play a card"
        if not BITS[card] & self._view.holding(self.to_act):
            return f"{NAMES[card]} is not held"
        return f"{NAMES[card]} is not legal; legal: {show(self.legal)}"

    def _refuse_pass(self, discards: Sequence[int]) -> str | None:
        if discards:
            return "a seat that passes discards nothing"
        return None if self.may_pass else "the upcard is an ace: the dealer must play"

    def _refuse_discards(self, discards: Sequence[int]) -> str | None:
        if len(discards) > HAND_SIZE:
            return f"{len(discards)} discards; at most {HAND_SIZE}"
        if len(set(discards)) < len(discards):
            return "the same card is discarded twice"
        missing = mask_of(discards) & ~self.legal
        return f"not held: {show(missing)}" if missing else None

    def default(self) -> Decision:
        """The decision that is made for a seat that makes none (R50)."""
        if self.kind == Kind.DECLARE:
            return PASS if self.may_pass else STAND_PAT
        plain = self.legal & ~SUIT_MASKS[self._public.trump]
        return PLAYS[min(cards_in(plain or self.legal), key=lambda card: (card % 13, card))]

    def apply(self, decision: Decision) -> None:
        """Make a decision that `refuse` has nothing against."""
        if isinstance(decision, Play):
            self._play(decision.card)
        elif isinstance(decision, Declare):
            self._declare(decision)

    def _declare(self, decision: Declare) -> None:
        public, seat = self._public, self.to_act
        self._emit(Declared(seat, decision.plays, len(decision.discards)))
        if decision.plays:
            self._exchange(seat, mask_of(decision.discards))
        else:
            self._retire(seat, self._view.holding(seat))
        following = (seat + 1) % public.seats
        if seat == public.dealer:
            self._end_declaring()
        elif following == public.dealer and not public.playing:
            self._settle(settle_unplayed(public.pot, public.dealer, public.seats))  # R9
        else:
            self._ask_to_declare(following)

    def _exchange(self, seat: int, discards: int) -> None:
        """Discard and draw (R6, R11, R12)."""
        if not discards:
            return
        self._show(Discarded(seat, discards))
        drawn = 0
        for _ in range(discards.bit_count()):
            if not self._stock:
                self._reshuffle()
            drawn |= BITS[self._stock.pop()]
        # Only now, so that no seat gets a card back that it threw.
        self._retire(seat, discards)
        self._show(Drew(seat, drawn))

    def _retire(self, seat: int, cards: int) -> None:
        """Put cards into the discard pool; the upcard is laid aside instead."""
        upcard = self._public.upcard
        if seat == self._public.dealer and cards & BITS[upcard]:
            cards ^= BITS[upcard]
            self._emit(UpcardLaidAside(upcard))
        self._pool |= cards

    def _reshuffle(self) -> None:
        pool = [card for card in self._deck if self._pool & BITS[card]]
        assert pool, "R13: stock and pool never run out together"
        self._reshuffles += 1
        stock = self._dealing.reshuffled(pool, self._public.hand, self._reshuffles)
        self._stock = stock[::-1]
        self._pool = 0
        self._emit(Reshuffled(len(pool)))

    def _end_declaring(self) -> None:
        public = self._public
        playing = public.playing
        if len(playing) == 1:
            self._settle(settle_unplayed(public.pot, playing[0], public.seats))  # R10
        else:
            self._in_play = len(playing)
            self._ask_to_play(public.left_of(public.dealer))  # R20

    def _play(self, card: int) -> None:
        public, seat = self._public, self.to_act
        played = PLAYED[seat][card]
        played.apply(public)
        self.events.append(played)
        if len(public.trick) < self._in_play:
            self._ask_to_play(public.left_of(seat))
            return
        winner = public.seat_of_trick(best_of(public.trick, public.trump))
        self._emit(TrickWon(winner))
        if len(public.leaders) < HAND_SIZE:
            self._ask_to_play(winner)
        else:
            tricks = [
                won if state == PLAYING else None
                for won, state in zip(public.tricks_won, public.states, strict=True)
            ]
            self._settle(settle(public.pot, tricks, self._house))

    def _ask_to_declare(self, seat: int) -> None:
        public = self._public
        self.kind = Kind.DECLARE
        self.to_act = seat
        self.legal = self._view.holding(seat)
        self.may_pass = seat != public.dealer or public.upcard % 13 != 12  # R8

    def _ask_to_play(self, seat: int) -> None:
        public = self._public
        self.kind = Kind.PLAY
        self.to_act = seat
        self.legal = legal_plays(
            Position(
                self._view.privates[seat].received & ~public.played,
                public.trump,
                public.trick,
                public.gone,
                self._in_play,
                public.tricks_won[seat],
            )
        )

    def _settle(self, settlement: Settlement) -> None:
        self._emit(HandSettled(self._public.pot, *settlement))
        self.kind = Kind.OVER

    def _emit(self, event: PublicEvent) -> None:
        """Everyone sees this."""
        event.apply(self._public)
        self.events.append(event)

    def _show(self, event: PrivateEvent) -> None:
        """Its seat alone sees this."""
        event.apply(self._view.privates[event.seat])
        self.events.append(event)
