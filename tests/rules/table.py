"""Hands that end as a worked case says, found among random decisions on real decks."""

from collections.abc import Mapping, Sequence

from bourre_server.rules.cards import DECK, parse_card
from bourre_server.rules.decisions import PASS, Decision, Declare
from bourre_server.rules.events import CardRetracted, Event, HandSettled
from bourre_server.rules.hand import Hand, Kind
from bourre_server.rules.house import ANTE, CLASSIC, HouseRules
from bourre_server.rules.shuffle import Dealing
from bourre_server.rules.view import View

from tests.rules.walk import Chance

# Turns up no ace in the hands of small tables, so that every dealer may pass.
SEED = bytes([11]) * 32
# By seat; None passes.
Tricks = Sequence[int | None]


class FixedDealing(Dealing):
    """One deck for every hand: the given cards on top, the others in their order below."""

    def __init__(self, top: Sequence[int]) -> None:
        super().__init__(SEED, 0)
        self._top = list(top)

    def deck(self, hand: int) -> list[int]:
        """The deck."""
        return self._top + [card for card in super().deck(hand) if card not in self._top]


def with_upcard(seats: int, name: str, hand_size: int = 5) -> FixedDealing:
    """A deck that turns this card up."""
    upcard = parse_card(name)
    others = [card for card in DECK if card != upcard]
    return FixedDealing([*others[: hand_size * seats - 1], upcard])


class Table:
    """A table where one hand follows another; `events` holds all of them in order."""

    def __init__(self, seats: int, house: HouseRules = CLASSIC, dealing: Dealing | None = None) -> None:
        self.view = View(seats, range(seats))
        self.events: list[Event] = []
        self.house = house
        self.dealing = dealing or Dealing(SEED, 0)
        self.hand = Hand(self.view, house, self.dealing)
        self.hand.events = self.events

    @property
    def ledgers(self) -> list[float]:
        """The chips of each seat, in antes."""
        return [units / ANTE for units in self.view.public.chips]

    @property
    def pot(self) -> float:
        """The pot, in antes."""
        return self.view.public.pot / ANTE

    def deal(self) -> None:
        """Start the next hand."""
        number = self.view.public.hand + 1
        self.hand.start(number, (number - 1) % self.view.public.seats)

    def decide(self, *decisions: Decision) -> None:
        """Make some decisions, all of them legal."""
        for decision in decisions:
            assert self.hand.refuse(decision) is None
            self.hand.apply(decision)

    def carry(self, antes: int) -> None:
        """Put a pot on the table, from all seats alike, for the next deal to find."""
        public = self.view.public
        share = antes * ANTE // public.seats
        self.view.see(HandSettled(public.pot, (-share,) * public.seats, antes * ANTE, ()))

    def play(self, tricks: Tricks, reneges: Mapping[int, bool] | None = None) -> None:
        """Play the next hand to these tricks; `reneges`: the seats that renege, and put it right or not."""
        self.deal()
        public = self.view.public
        for seat, put_right in (reneges or {}).items():
            self.view.see(CardRetracted(seat, 0, put_right))
        self.decide(*decisions_for(tricks, self.dealing, public.hand, public.dealer, self.house))


def decisions_for(
    tricks: Tricks, dealing: Dealing, number: int, dealer: int, house: HouseRules = CLASSIC
) -> list[Decision]:
    """Decisions that end a hand with these tricks."""
    for seed in range(5_000):
        view = View(len(tricks), range(len(tricks)))
        hand = Hand(view, house, dealing)
        hand.start(number, dealer)
        decisions = _attempt(hand, tricks, Chance(seed))
        if view.public.tricks_won == [won or 0 for won in tricks]:
            return decisions
    raise AssertionError(f"no way found to {tricks}")


def _attempt(hand: Hand, tricks: Tricks, chance: Chance) -> list[Decision]:
    decisions: list[Decision] = []
    while hand.kind is not Kind.OVER:
        decision = chance.decide(hand)
        if isinstance(decision, Declare):
            decision = PASS if tricks[hand.to_act] is None else Declare(True, decision.discards)
        assert hand.refuse(decision) is None
        hand.apply(decision)
        decisions.append(decision)
    return decisions
