"""One hand, from its ante to its settlement: whose decision it is, what is legal, what follows."""

from collections.abc import Sequence
from enum import IntEnum

from bourre_server.rules.cards import BITS, NAMES, SUIT_MASKS, cards_in, mask_of, show
from bourre_server.rules.decisions import PASS, PLAYS, STAND_PAT, Decision, Declare, Draw, Play
from bourre_server.rules.events import (
    PLAYED,
    AnteAdded,
    Dealt,
    Declared,
    Discarded,
    DrawAnnounced,
    Drew,
    Event,
    HandSettled,
    HandStarted,
    PrivateEvent,
    PublicEvent,
    Reshuffled,
    Sealed,
    TrickWon,
    UpcardLaidAside,
    UpcardTurned,
)
from bourre_server.rules.house import ANTE, HouseRules
from bourre_server.rules.legality import legality
from bourre_server.rules.position import Position, best_of
from bourre_server.rules.settlement import Settlement, settle, settle_unplayed
from bourre_server.rules.shuffle import Dealing
from bourre_server.rules.state import PLAYING
from bourre_server.rules.stock import Stock
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
        self._legal_plays = legality(house).legal_plays
        self._hand_size = house.hand_size
        self._most_discards = house.most_discards(view.public.seats)
        self._sealed = house.declare == "simultaneous"
        self._draws_later = house.draws_later
        self._second_ante = ANTE if house.double_ante else 0
        self._pools_holdings = house.reshuffle == "discards_and_passed"
        self._dealer_wins = house.all_pass == "dealer_wins"
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
        self._deal(Stock(self._dealing, hand, public.seats * self._hand_size))
        self._ask_to_declare((dealer + 1) % public.seats)

    def _deal(self, stock: Stock) -> None:
        deck, seats, dealer = stock.deck, self._public.seats, self._public.dealer
        dealt = seats * self._hand_size
        self._stock = stock
        for place in range(seats):
            seat = (dealer + 1 + place) % seats
            self._show(Dealt(seat, mask_of(deck[place:dealt:seats])))
        if self._house.trump_source == "dealer_last":
            self._emit(UpcardTurned(deck[dealt - 1]))
        else:
            self._emit(UpcardTurned(upcard := stock.turn_up()))
            self._emit(UpcardLaidAside(upcard))

    @property
    def max_discards(self) -> int:
        """At a declaration or a draw: the most cards that the seat may discard."""
        return min(self._most_discards, self.legal.bit_count())

    def refuse(self, decision: Decision) -> str | None:
        """Why a decision is not legal now, or None where it is."""
        if isinstance(decision, Play):
            legal = self.kind is Kind.PLAY and self.legal & BITS[decision.card]
            return None if legal else self._refuse_play(decision.card)
        if self.kind is not (Kind.DECLARE if isinstance(decision, Declare) else Kind.DRAW):
            return f"asked to {self.kind.name.lower()}, not to {type(decision).__name__.lower()}"
        if isinstance(decision, Declare) and not decision.plays:
            return self._refuse_pass(decision.discards)
        return self._refuse_discards(decision.discards) if decision.discards else None

    def _refuse_play(self, card: int) -> str | None:
        if self.kind != Kind.PLAY:
            return f"asked to {self.kind.name.lower()}, not to play a card"
        if not BITS[card] & self._view.holding(self.to_act):
            return f"{NAMES[card]} is not held"
        return f"{NAMES[card]} is not legal; legal: {show(self.legal)}"

    def _refuse_pass(self, discards: Sequence[int]) -> str | None:
        if discards:
            return "a seat that passes discards nothing"
        if self.may_pass:
            return None
        reason = "the upcard is an ace: " if self._house.dealer_must_play == "ace" else ""
        return reason + "the dealer must play"

    def _refuse_discards(self, discards: Sequence[int]) -> str | None:
        if len(discards) > self.max_discards:
            later = self.kind is Kind.DECLARE and self._draws_later
            when = ": they follow when all have declared" if later else ""
            return f"{len(discards)} discards; at most {self.max_discards}{when}"
        if len(set(discards)) < len(discards):
            return "the same card is discarded twice"
        missing = mask_of(discards) & ~self.legal
        if missing & self._view.holding(self.to_act):
            return "the upcard may not be discarded"
        return f"not held: {show(missing)}" if missing else None

    def reneges(self, decision: Decision) -> bool:
        """Whether a decision is a renege: a card that is held and breaks R21 to R36 (R51)."""
        return (
            self._house.illegal == "renege"
            and self.kind is Kind.PLAY
            and isinstance(decision, Play)
            and BITS[decision.card] & self._view.holding(self.to_act) & ~self.legal != 0
        )

    def default(self) -> Decision:
        """The decision that is made for a seat that makes none (R50)."""
        if self.kind == Kind.DECLARE:
            return PASS if self.may_pass else STAND_PAT
        if self.kind == Kind.DRAW:
            return Draw()
        plain = self.legal & ~SUIT_MASKS[self._public.trump]
        return PLAYS[min(cards_in(plain or self.legal), key=lambda card: (card % 13, card))]

    def apply(self, decision: Decision) -> None:
        """Make a decision that `refuse` has nothing against."""
        if isinstance(decision, Play):
            self._play(decision.card)
        elif isinstance(decision, Draw):
            self._draw(decision)
        elif self._sealed:
            self._seal(decision)
        else:
            self._declare(decision)

    def _declare(self, decision: Declare) -> None:
        public, seat = self._public, self.to_act
        self._announce(seat, decision.plays, len(decision.discards))
        if decision.discards:
            self._exchange(seat, mask_of(decision.discards))
        following = (seat + 1) % public.seats
        if seat == public.dealer:
            self._end_declaring()
        elif following == public.dealer and not public.playing and self._dealer_wins:
            self._settle(settle_unplayed(public.pot, public.dealer, public.seats, self._house))  # R9
        else:
            self._ask_to_declare(following)

    def _seal(self, decision: Declare) -> None:
        """R61: nobody else sees a declaration before the last is made."""
        public, seat = self._public, self.to_act
        self._show(Sealed(seat, decision.plays))
        if seat != public.dealer:
            self._ask_to_declare((seat + 1) % public.seats)
            return
        for place in range(public.seats):
            seat = (public.dealer + 1 + place) % public.seats
            self._announce(seat, self._view.privates[seat].sealed is True, 0)
        self._end_declaring()

    def _announce(self, seat: int, plays: bool, discards: int) -> None:
        """Everyone hears what a seat declares; it pays or lays its cards down (R6, R7, R60)."""
        self._emit(Declared(seat, plays, discards))
        if not plays:
            cards = self._lay_aside(seat, self._view.holding(seat))
            if self._pools_holdings:
                self._stock.throw(cards)
        elif self._second_ante:
            self._emit(AnteAdded(seat, self._second_ante))

    def _draw(self, decision: Draw) -> None:
        public, seat = self._public, self.to_act
        self._emit(DrawAnnounced(seat, len(decision.discards)))
        if decision.discards:
            self._exchange(seat, mask_of(decision.discards))
        following = public.left_of(seat)
        if public.draws < self._in_play:
            self._ask_to_draw(following)
        else:
            self._ask_to_play(following)  # R20: all drew, so round to the first again

    def _exchange(self, seat: int, discards: int) -> None:
        """Discard and draw (R6, R11, R12)."""
        self._show(Discarded(seat, discards))
        served = self._stock.serve(discards.bit_count())
        if served.reshuffled:
            self._emit(Reshuffled(served.reshuffled))
        # Only now, so that no seat gets a card back that it threw.
        self._stock.throw(self._lay_aside(seat, discards))
        self._show(Drew(seat, served.cards))

    def _lay_aside(self, seat: int, cards: int) -> int:
        """R11: lay the upcard aside if it is among the cards that a seat gives up; the others."""
        upcard = self._public.upcard
        if seat == self._public.dealer and cards & BITS[upcard]:
            self._emit(UpcardLaidAside(upcard))
            return cards ^ BITS[upcard]
        return cards

    def _end_declaring(self) -> None:
        public = self._public
        playing = public.playing
        self._in_play = len(playing)
        if len(playing) < 2:
            winner = playing[0] if playing else None
            self._settle(settle_unplayed(public.pot, winner, public.seats, self._house))  # R10, R61
        elif self._draws_later:
            self._ask_to_draw(public.left_of(public.dealer))
        else:
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
        if len(public.leaders) < self._hand_size:
            self._ask_to_play(winner)
        else:
            tricks = [
                won if state == PLAYING else None
                for won, state in zip(public.tricks_won, public.states, strict=True)
            ]
            self._settle(settle(public.pot, tricks, self._house, public.reneges))

    def _ask_to_declare(self, seat: int) -> None:
        self.kind = Kind.DECLARE
        self.to_act = seat
        self.may_pass = seat != self._public.dealer or not self._dealer_must_play()
        self.legal = 0 if self._draws_later else self._discardable(seat)

    def _dealer_must_play(self) -> bool:
        bound = self._house.dealer_must_play
        return bound == "always" or (bound == "ace" and _is_ace(self._public.upcard))  # R8

    def _ask_to_draw(self, seat: int) -> None:
        self.kind = Kind.DRAW
        self.to_act = seat
        self.may_pass = False
        self.legal = self._discardable(seat)

    def _discardable(self, seat: int) -> int:
        """The cards that a seat may discard (R11)."""
        holding, public = self._view.holding(seat), self._public
        if seat == public.dealer:
            kept = self._house.upcard_discard
            if kept == "never" or (kept == "not_ace" and _is_ace(public.upcard)):
                return holding & ~BITS[public.upcard]
        return holding

    def _ask_to_play(self, seat: int) -> None:
        public = self._public
        self.kind = Kind.PLAY
        self.to_act = seat
        self.legal = self._legal_plays(
            Position(
                self._view.privates[seat].received & ~public.played,
                public.trump,
                public.trick,
                public.gone,
                self._in_play,
                public.tricks_won[seat],
                public.played,
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


def _is_ace(card: int) -> bool:
    return card % 13 == 12
