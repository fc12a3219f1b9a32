"""What a bot is: a function of an observation, or a class with one method for each kind of decision.

>>> class Timid(Bot):
...     def declare(self, obs):
...         return Pass() if obs.may_pass else Play()
...     def play(self, obs):
...         return obs.legal_cards[0]
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

from bourre.cards import Card
from bourre.observation import Kind, Observation
from bourre.v1 import card_pb2, play_pb2


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass: stay out of this hand."""


@dataclass(frozen=True, slots=True)
class Play:
    """Play this hand, and discard these cards; none is to stand pat."""

    discards: Iterable[Card] = ()


Decision = Pass | Play | Card
"""What a bot may answer: `Pass` or `Play` when it declares, `Play` when it draws, a card when it plays."""

BotFunction = Callable[[Observation], Decision]
"""A bot as a function: it is asked every kind of decision, and `obs.kind` says which."""


class Hooks:
    """What a bot may want to hear of. Each is given the message of that name in play.proto."""

    def match_started(self, match: play_pb2.MatchStarted) -> None:
        """The bot has a seat at a table. Told again after the stream was lost."""

    def event(self, event: play_pb2.Event) -> None:
        """Something happened at a table; only with `run(..., events=True)`."""

    def fault(self, fault: play_pb2.Fault) -> None:
        """A seat at one of the bot's tables did something wrong, perhaps this bot."""

    def match_ended(self, match: play_pb2.MatchEnded) -> None:
        """A match is over; `match.chips` says who won how much."""

    def block_settled(self, block: play_pb2.BlockSettled) -> None:
        """All matches of a block are over, and the seed of its decks is known."""


class Bot(Hooks, ABC):
    """A bot as a class. One object plays all its tables: what it remembers must be kept by `obs.table`."""

    @abstractmethod
    def declare(self, obs: Observation) -> Pass | Play:
        """Pass, or play and discard up to `obs.max_discards` of `obs.legal_cards`."""

    @abstractmethod
    def play(self, obs: Observation) -> Card:
        """One of `obs.legal_cards`."""

    def draw(self, obs: Observation) -> Play:
        """Discard, where the house rules draw after all have declared: what `declare` would discard."""
        decision = self.declare(obs)
        return decision if isinstance(decision, Play) else Play()

    def __call__(self, obs: Observation) -> Decision:
        """The decision for any kind of observation."""
        kind = obs.kind
        if kind is Kind.PLAY:
            return self.play(obs)
        return self.declare(obs) if kind is Kind.DECLARE else self.draw(obs)


def write_decision(decision: object, kind: Kind, message: play_pb2.Decision) -> None:
    """Put what the bot answered into the message that is sent.

    Whether it is legal is for the referee to say.

    Raises:
        TypeError: it is not an answer to this kind of question.
    """
    if kind is Kind.PLAY and isinstance(decision, Card):
        message.play = cast("card_pb2.Card.ValueType", decision)
    elif kind is Kind.DECLARE and isinstance(decision, Pass):
        message.declare.plays = False
    elif kind is Kind.DECLARE and isinstance(decision, Play):
        message.declare.plays = True
        message.declare.discards.extend(_discards(decision))
    elif kind is Kind.DRAW and isinstance(decision, Play):
        message.draw.SetInParent()
        message.draw.discards.extend(_discards(decision))
    else:
        raise TypeError(f"{decision!r} is no answer to {kind}: {_WANTED[kind]}")


_WANTED = {
    Kind.DECLARE: "return bourre.Pass() or bourre.Play(discards)",
    Kind.DRAW: "return bourre.Play(discards)",
    Kind.PLAY: "return one of obs.legal_cards",
}


def _discards(decision: Play) -> "list[card_pb2.Card.ValueType]":
    if not isinstance(decision.discards, Iterable):
        raise TypeError(f"{decision!r}: the discards are a list of cards")
    cards = list(decision.discards)
    for card in cards:
        if not isinstance(card, Card):
            raise TypeError(f"{card!r} among the discards is not a card")
    return cast("list[card_pb2.Card.ValueType]", cards)
