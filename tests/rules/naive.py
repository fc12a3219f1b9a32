"""Legality a second time: slow, plain, and written from the rule book alone.

Cards are texts such as "Kd", sets of cards are sets of texts. Nothing of the engine is used.
"""

from collections.abc import Sequence, Set
from typing import NamedTuple

RANKS = "23456789TJQKA"


class Position(NamedTuple):
    """The public facts and the cards of one seat; the fields are those of the engine's position."""

    holding: Set[str]
    trump: str
    trick: Sequence[str]
    gone: Set[str]
    in_play: int
    tricks_won: int


def rank(card: str) -> int:
    return RANKS.index(card[0])


def beats(card: str, other: str, trump: str) -> bool:
    """Whether a card laid later beats one laid before."""
    if card[1] == other[1]:
        return rank(card) > rank(other)
    return card[1] == trump


def winner(trick: Sequence[str], trump: str) -> int:
    """R20: the place in the trick of the card that wins it."""
    best = 0
    for place, card in enumerate(trick):
        if beats(card, trick[best], trump):
            best = place
    return best


def sure_tricks(mine: Set[str], threats: Set[str]) -> int:
    """R30, in its own words: mine ascending, the lowest unused higher threat."""
    unused = sorted(threats, key=rank)
    paired = 0
    for card in sorted(mine, key=rank):
        higher = [threat for threat in unused if rank(threat) > rank(card)]
        if higher:
            unused.remove(higher[0])
            paired += 1
    return len(mine) - paired


def has_cinch(at: Position) -> bool:
    """R31."""
    mine = {card for card in at.holding if card[1] == at.trump}
    threats = {r + at.trump for r in RANKS} - mine - at.gone
    return at.tricks_won + sure_tricks(mine, threats) >= 3


def top_equals(at: Position) -> set[str]:
    """R35: the highest trump held, and those held below it with no live rank between."""
    mine = sorted((card for card in at.holding if card[1] == at.trump), key=rank)
    top = mine[-1]
    between = {card: RANKS[rank(card) : rank(top)] for card in mine}
    return {card for card in mine if all(r + at.trump in at.holding | at.gone for r in between[card])}


def legal(at: Position) -> set[str]:
    """R21 to R35: the cards that may be played."""
    cards = set(at.holding)
    trumps = {card for card in cards if card[1] == at.trump}
    if not at.trick:
        return top_equals(at) if trumps and has_cinch(at) else cards  # R32, R21
    answers = without_cinch(at)
    last = len(at.trick) + 1 == at.in_play
    if answers & trumps and not last and has_cinch(at):
        return top_equals(at)  # R33
    return answers  # R34


def without_cinch(at: Position) -> set[str]:
    """R22 to R28."""
    best = at.trick[winner(at.trick, at.trump)]
    trumps = {card for card in at.holding if card[1] == at.trump}
    follows = {card for card in at.holding if card[1] == at.trick[0][1]}
    allowed = follows or trumps or set(at.holding)  # R22, R23, R28
    heading = {card for card in allowed if beats(card, best, at.trump)}
    if heading:
        return heading  # R24, R26
    return follows or set(at.holding)  # R25, R27
