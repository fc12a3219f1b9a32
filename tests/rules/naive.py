"""Legality a second time: slow, plain, and written from the rule book alone.

Cards are texts such as "Kd", sets of cards are sets of texts, house rules are a dictionary of
those that differ. Nothing of the engine is used.
"""

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

RANKS = "23456789TJQKA"
CLASSIC: Mapping[str, object] = {
    "hand_size": 5,
    "trump_lead": "free",
    "void_trump": "any",
    "overtrump": "required",
    "undertrump": "optional",
    "head_led_when_trumped": False,
    "cinch": "sure_trumps",
    "cinch_last": "win_only",
    "cinch_equals": "live_run",
}


class Position(NamedTuple):
    """The public facts and the cards of one seat; `options` are the house rules that differ."""

    holding: Set[str]
    trump: str
    trick: Sequence[str]
    gone: Set[str]
    in_play: int
    tricks_won: int
    trumps_broken: bool = False
    options: Mapping[str, object] = {}

    def option(self, name: str) -> object:
        return self.options.get(name, CLASSIC[name])

    @property
    def trumps(self) -> list[str]:
        """Those held, lowest first."""
        return sorted((card for card in self.holding if card[1] == self.trump), key=rank)


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


def above_every_threat(mine: Set[str], threats: Set[str]) -> int:
    """R36, top_block."""
    return sum(all(rank(card) > rank(threat) for threat in threats) for card in mine)


def has_cinch(at: Position) -> bool:
    """R31."""
    mine = set(at.trumps)
    threats = {r + at.trump for r in RANKS} - mine - at.gone
    count = {"sure_trumps": sure_tricks, "top_block": above_every_threat}.get(str(at.option("cinch")))
    size = at.option("hand_size")
    assert isinstance(size, int)
    return count is not None and at.tricks_won + count(mine, threats) >= size // 2 + 1


def top_equals(at: Position) -> set[str]:
    """R35: the highest trump held, and those held below it that count as its equals."""
    mine, option = at.trumps, at.option("cinch_equals")
    top = mine[-1]
    if option == "none":
        return {top}
    if option == "pair":
        return {card for card in mine if rank(top) - rank(card) <= 1}
    passed_over = at.holding | (at.gone if option == "live_run" else set())
    between = {card: RANKS[rank(card) : rank(top)] for card in mine}
    return {card for card in mine if all(r + at.trump in passed_over for r in between[card])}


def legal(at: Position) -> set[str]:
    """R21 to R36: the cards that may be played."""
    return follow(at) if at.trick else lead(at)


def lead(at: Position) -> set[str]:
    trumps, cards = set(at.trumps), set(at.holding)
    if at.option("trump_lead") == "broken" and not at.trumps_broken and cards - trumps:
        return cards - trumps  # R21
    if at.option("cinch") == "bicycle_lead":
        honours = {r + at.trump for r in "AKQ"}
        return {at.trumps[-1]} if trumps & honours else cards  # R36
    return top_equals(at) if trumps and has_cinch(at) else cards  # R32


def follow(at: Position) -> set[str]:
    answers = without_cinch(at)
    if not answers & set(at.trumps) or not has_cinch(at):
        return answers
    last = len(at.trick) + 1 == at.in_play
    if last and at.option("cinch_last") == "win_only":
        best = at.trick[winner(at.trick, at.trump)]
        return {card for card in answers if beats(card, best, at.trump)} or answers  # R34
    return answers & top_equals(at)  # R33


def without_cinch(at: Position) -> set[str]:
    """R22 to R28."""
    follows = {card for card in at.holding if card[1] == at.trick[0][1]}
    if follows:
        return following(at, follows)
    return void(at) if at.trumps else set(at.holding)  # R28


def following(at: Position, follows: set[str]) -> set[str]:
    """R22, R24, R25."""
    led = at.trick[0][1]
    to_head = at.trick
    if at.option("head_led_when_trumped"):
        to_head = [card for card in at.trick if card[1] == led]
    best = to_head[winner(to_head, at.trump)]
    return {card for card in follows if beats(card, best, at.trump)} or follows


def void(at: Position) -> set[str]:
    """R23, R26, R27: no card of the suit led, but a trump."""
    best = at.trick[winner(at.trick, at.trump)]
    trumps = set(at.trumps)
    over = {card for card in trumps if beats(card, best, at.trump)}
    if not over and at.option("undertrump") == "optional":
        return set(at.holding)  # R27
    must = over if over and at.option("overtrump") == "required" else trumps
    return {max(must, key=rank)} if at.option("void_trump") == "highest" else must
