"""Values of the rules as values of the wire."""

from collections.abc import Iterable

from bourre.v1 import card_pb2, observation_pb2

from bourre_server.rules.cards import cards_in
from bourre_server.rules.house import HouseRules

# The wire's numbers start at 1.
_TO_WIRE = bytes([*range(1, 256), 0])


def wire_card(card: int) -> card_pb2.Card.ValueType:
    """A card as the wire's enum, which starts at 1."""
    return card + 1  # type: ignore[return-value]  # enum values are plain ints to the runtime


def wire_cards(mask: int) -> list[card_pb2.Card.ValueType]:
    """The cards of a mask, in order."""
    return wire_row(cards_in(mask))


def card_row(mask: int) -> bytes:
    """The cards of a mask as a packed list: each number of the wire is below 128, so one byte."""
    return bytes(cards_in(mask)).translate(_TO_WIRE)


def wire_row(cards: Iterable[int]) -> list[card_pb2.Card.ValueType]:
    """Cards in the order given."""
    return [card + 1 for card in cards]  # type: ignore[misc]  # as above


def wire_suit(suit: int) -> card_pb2.Suit.ValueType:
    """A suit as the wire's enum, which starts at 1."""
    return suit + 1  # type: ignore[return-value]  # as above


def wire_house_rules(house: HouseRules) -> observation_pb2.HouseRules | None:
    """House rules where they differ from `classic`; None where they do not."""
    if not house.differences():
        return None
    return observation_pb2.HouseRules(limit=house.limit or 0)


def wire_milliseconds(seconds: float) -> int:
    """Seconds as whole milliseconds, rounded down, at least 0."""
    return max(0, int(seconds * 1000))
