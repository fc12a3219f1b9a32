"""A replayed match, hand by hand: the events of each hand sorted into what a reader looks for."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from bourre_server.rules.events import (
    CardPlayed,
    Dealt,
    Declared,
    Discarded,
    Drew,
    Event,
    HandSettled,
    HandStarted,
    MatchSettled,
    TrickWon,
    UpcardTurned,
)
from bourre_server.rules.record import Made, Record, replay


@dataclass
class Declaration:
    """What a seat declared. `discards` and `drawn` are masks, `decision_id` counts from 1 in the match."""

    seat: int
    plays: bool
    made: Made
    decision_id: int
    discards: int = 0
    drawn: int = 0


@dataclass(frozen=True)
class PlayedCard:
    """A card in a trick."""

    seat: int
    card: int
    made: Made
    decision_id: int


@dataclass
class Trick:
    """Cards in the order they were played, and who won them."""

    cards: list[PlayedCard] = field(default_factory=list)
    winner: int = -1


@dataclass
class HandLog:
    """One hand. Cards are integers, sets of them masks, money is in units.

    `shares`: what each seat got of the last pot of the match; None in every hand but the last.
    """

    started: HandStarted
    dealt: dict[int, int] = field(default_factory=dict)
    upcard: int = -1
    declarations: list[Declaration] = field(default_factory=list)
    tricks: list[Trick] = field(default_factory=list)
    settled: HandSettled | None = None
    shares: tuple[int, ...] | None = None

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return len(self.started.antes)

    @property
    def decision_ids(self) -> list[int]:
        """The decisions of this hand, in order."""
        played = [card.decision_id for trick in self.tricks for card in trick.cards]
        return [declaration.decision_id for declaration in self.declarations] + played

    def tricks_won(self, seat: int) -> int:
        """How many tricks a seat won."""
        return sum(trick.winner == seat for trick in self.tricks)

    def plays(self, seat: int) -> bool:
        """Whether a seat declared that it plays."""
        return any(declared.plays for declared in self.declarations if declared.seat == seat)

    def net(self, seat: int) -> int:
        """Units that a seat won or lost in this hand, its ante included."""
        payments = self.settled.payments[seat] if self.settled else 0
        return payments - self.started.antes[seat]

    def see(self, event: Event, made: Made | None, decision_id: int) -> None:
        """Put an event of this hand, which followed a decision, where it belongs."""
        match event:
            case Dealt():
                self.dealt[event.seat] = event.cards
            case UpcardTurned():
                self.upcard = event.card
            case HandSettled():
                self.settled = event
            case MatchSettled():
                self.shares = event.shares
            case _ if made is not None:
                self._see_decision(event, made, decision_id)

    def _see_decision(self, event: Event, made: Made, decision_id: int) -> None:
        match event:
            case Declared():
                self.declarations.append(Declaration(event.seat, event.plays, made, decision_id))
            case Discarded():
                self.declarations[-1].discards = event.cards
            case Drew():
                self.declarations[-1].drawn = event.cards
            case CardPlayed():
                self._open_trick().cards.append(PlayedCard(event.seat, event.card, made, decision_id))
            case TrickWon():
                self.tricks[-1].winner = event.seat

    def _open_trick(self) -> Trick:
        if not self.tricks or self.tricks[-1].winner >= 0:
            self.tricks.append(Trick())
        return self.tricks[-1]


def hand_logs(record: Record, seed: bytes) -> Iterator[HandLog]:
    """The hands of a match, in order; `seed` is its block's.

    Raises RecordError where the record does not replay.
    """
    log: HandLog | None = None
    for decision_id, (made, events) in enumerate(replay(record, seed)):
        for event in events:
            if isinstance(event, HandStarted):
                if log is not None:
                    yield log
                log = HandLog(event)
            assert log is not None, "a match begins with a hand"
            log.see(event, made, decision_id)
    if log is not None:
        yield log
