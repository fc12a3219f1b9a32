"""What a seat can decide, and the short token that stands for it in records and journals.

`-` passes, `+` plays and stands pat, `+2s9c` plays and discards two cards, `~9c` discards at
a draw of its own, `Kd` plays a card.
"""

from typing import NamedTuple

from bourre_server.rules.cards import DECK, NAMES, parse_card, parse_cards


class Declare(NamedTuple):
    """Pass, or play and discard some cards."""

    plays: bool
    discards: tuple[int, ...] = ()

    @property
    def token(self) -> str:
        """See the module."""
        return "+" + _names(self.discards) if self.plays else "-"


class Draw(NamedTuple):
    """Discard some cards, where the draw comes after all declarations."""

    discards: tuple[int, ...] = ()

    @property
    def token(self) -> str:
        """See the module."""
        return "~" + _names(self.discards)


class Play(NamedTuple):
    """Play a card."""

    card: int

    @property
    def token(self) -> str:
        """See the module."""
        return NAMES[self.card]


Decision = Declare | Draw | Play

PASS = Declare(plays=False)
STAND_PAT = Declare(plays=True)
# One value per card, made once: most decisions are one of these.
PLAYS = tuple(Play(card) for card in DECK)


def _names(cards: tuple[int, ...]) -> str:
    return "".join(NAMES[card] for card in cards)


def parse_decision(token: str) -> Decision:
    """The decision that a token stands for.

    Raises ValueError where it stands for none.
    """
    if token == "-":
        return PASS
    if token.startswith("+"):
        return Declare(True, tuple(parse_cards(token[1:])))
    if token.startswith("~"):
        return Draw(tuple(parse_cards(token[1:])))
    return PLAYS[parse_card(token)]
