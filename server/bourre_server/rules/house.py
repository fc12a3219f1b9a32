"""The house rules of a match: one frozen, validated value, and the presets."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from bourre_server.rules.options import Option, antes, by_seats, match_pot_or_fixed, option, option_of, show

# R72: the least number divisible by 1 to 8, so that every split of a pot is whole.
ANTE = 840
HAND_SIZE = 5
MIN_SEATS, MAX_SEATS = 2, 8
MAX_LIMIT = 1_000_000
# Antes. Without a limit a pot may double with every hand; this keeps the chips of a match of a
# million hands within the 64 bits that they travel in.
UNLIMITED = 1_000_000_000

_ANTES = antes(MAX_LIMIT)
_PENALTY = match_pot_or_fixed(MAX_LIMIT)
_DISCARDS = by_seats(3, HAND_SIZE, MAX_SEATS - MIN_SEATS + 1)


class HouseRulesError(ValueError):
    """A house rule that does not exist, a value that it cannot have, or rules that contradict."""


@dataclass(frozen=True, kw_only=True)
class HouseRules:
    """House rules; the defaults are the preset `classic`. `OPTIONS` tells what each one means.

    Money is in antes. `max_discards` is None where all cards may be discarded; a tuple has one
    number for each count of seats, 2 first. Under `double_ante`, `ante_exempt` is none.
    Raises HouseRulesError for a value that is not allowed and for rules that contradict.
    """

    hand_size: Literal[5, 4, 3] = option(5, "Cards dealt to each seat (R5, R62).")
    trump_source: Literal["dealer_last", "next_card"] = option(
        "dealer_last", "The upcard: the dealer's last card, or the next of the stock, laid aside (R5, R63)."
    )
    upcard_discard: Literal["any", "not_ace", "never"] = option(
        "any", "Which upcards the dealer may discard (R11)."
    )
    reshuffle: Literal["discards_and_passed", "discards"] = option(
        "discards_and_passed", "What becomes the new stock: holdings of seats that passed, too, or not (R12)."
    )
    declare: Literal["sequential", "simultaneous"] = option(
        "sequential", "Declare one after another, or sealed and revealed together (R6, R61)."
    )
    all_pass: Literal["dealer_wins", "carry"] = option(
        "dealer_wins", "All others passed: the dealer wins unasked, or is asked, too (R9, R61)."
    )
    dealer_must_play: Literal["ace", "never", "always"] = option(
        "ace", "When the dealer may not pass: where the upcard is an ace, never or always (R8, R63)."
    )
    draw_timing: Literal["inline", "after_declarations"] = option(
        "inline", "Draw with one's declaration, or when all have declared (R6, R63)."
    )
    max_discards: int | tuple[int, ...] | None = option(
        None, "The most cards that a seat may discard, at most hand_size (R6, R63).", _DISCARDS
    )
    double_ante: bool = option(False, "Whoever plays adds a second ante; nobody is exempt (R60).")
    trump_lead: Literal["free", "broken"] = option(
        "free", "Lead trumps at any time, or once one has been played in the hand (R21)."
    )
    void_trump: Literal["any", "highest"] = option(
        "any", "Which trump is played by who must play one (R23, R26, R27)."
    )
    overtrump: Literal["required", "optional"] = option(
        "required", "Void and able to overtrump: overtrump, or play any trump (R26)."
    )
    undertrump: Literal["optional", "required"] = option(
        "optional", "Void and unable to overtrump: play any card, or a trump (R27)."
    )
    head_led_when_trumped: bool = option(
        False, "In a trick that was trumped, still head the suit led when following (R25)."
    )
    cinch: Literal["sure_trumps", "top_block", "bicycle_lead", "off"] = option(
        "sure_trumps", "How a cinch is judged (R30, R36)."
    )
    cinch_last: Literal["win_only", "highest"] = option(
        "win_only", "With a cinch and last to play: only win, or play the highest trump (R34)."
    )
    cinch_equals: Literal["live_run", "rank_run", "pair", "none"] = option(
        "live_run", "Which trumps count as equals of the highest (R35)."
    )
    limit: int | None = option(20, "The most that a bourré pays, in antes (R44).", _ANTES)
    limit_scope: Literal["penalty", "penalty_and_payout"] = option(
        "penalty", "What the limit bounds: what a bourré pays, or what a winner takes, too (R44)."
    )
    pot_cap: int | None = option(
        None, "Bourrés pay only as far as the next pot stays within so many antes (R44).", _ANTES
    )
    ante_exempt: Literal["tied_and_bourre", "none", "any_trick_or_bourre"] = option(
        "tied_and_bourre", "Who pays no ante for the next deal (R45)."
    )
    bourre_penalty: str = option(
        "match_pot", "What a bourré pays, within the limit: the pot, or k antes (R43, R46).", _PENALTY
    )
    tie: Literal["carry", "share"] = option(
        "carry", "A tie for most tricks: the pot is carried, or shared by the tied (R42, R46)."
    )
    illegal: Literal["reject", "renege"] = option(
        "reject", "An illegal card: refused without a price, or a renege that has one (R50, R51)."
    )
    renege_loses_deal: bool = option(
        True, "Whether a renege, and acting out of turn, loses the seat's next deal (R51)."
    )
    end_pot: Literal["equal", "equal_after_ante"] = option(
        "equal", "The last pot is divided equally: as it is, or with the antes of one more deal (R71)."
    )

    def __post_init__(self) -> None:
        for name, each in OPTIONS.items():
            if not each.accepts(value := getattr(self, name)):
                raise HouseRulesError(f"{name} is {show(value)}; allowed: {each.allowed}")
        _refuse_contradictions(vars(self), {name for name in OPTIONS if self._differs(name)})
        self._unify()

    def _differs(self, name: str) -> bool:
        value: object = getattr(self, name)
        return value != OPTIONS[name].default

    def _unify(self) -> None:
        """Give one value to what means the same."""
        discards = self.max_discards
        if isinstance(discards, Sequence):
            discards = discards[0] if len(set(discards)) == 1 else tuple(discards)
        object.__setattr__(self, "max_discards", None if discards == self.hand_size else discards)
        if self.double_ante:
            object.__setattr__(self, "ante_exempt", "none")

    @classmethod
    def from_differences(cls, differences: Mapping[str, Any]) -> "HouseRules":
        """The house rules that differ from `classic` as said.

        Raises HouseRulesError for a key that is not a house rule, and as `HouseRules` does; what
        has no meaning beside another rule is refused even where it is said to be as in `classic`.
        """
        for key in differences:
            if key not in OPTIONS:
                raise HouseRulesError(f"{key} is not a house rule; allowed: {', '.join(OPTIONS)}")
        house = cls(**differences)
        _refuse_contradictions({**vars(CLASSIC), **differences}, differences.keys())
        return house

    def differences(self) -> dict[str, object]:
        """The house rules that are not those of `classic`, by name, as JSON has them."""
        values = asdict(self).items()
        different = {name: value for name, value in values if self._differs(name)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in different.items()}

    @property
    def draws_later(self) -> bool:
        """Whether the draw comes when all have declared."""
        return self.declare == "simultaneous" or self.draw_timing == "after_declarations"

    @property
    def loses_deals(self) -> bool:
        """Whether a seat can lose its deal, so that seats may deal unequally often (R51)."""
        return self.illegal == "renege" and self.renege_loses_deal

    @property
    def majority(self) -> int:
        """Tricks that nobody can overtake (R31)."""
        return self.hand_size // 2 + 1

    def most_discards(self, seats: int) -> int:
        """How many cards a seat may discard at a table of so many seats."""
        if isinstance(self.max_discards, tuple):
            return self.max_discards[seats - MIN_SEATS]
        return self.hand_size if self.max_discards is None else self.max_discards


# Where an option has a value, another has no meaning.
_EXCLUDED: tuple[tuple[str, object, str], ...] = (
    ("declare", "simultaneous", "draw_timing"),
    ("declare", "simultaneous", "all_pass"),
    ("trump_source", "next_card", "upcard_discard"),
    ("illegal", "reject", "renege_loses_deal"),
)


def _refuse_contradictions(values: Mapping[str, Any], said: Collection[str]) -> None:
    """Raise HouseRulesError where valid values contradict; `said`: the rules that were named."""
    for name, value, excluded in _EXCLUDED:
        if values[name] == value and excluded in said:
            raise HouseRulesError(f"{name}={value} has no {excluded}: leave it out")
    discards, size = values["max_discards"], values["hand_size"]
    if discards and (most := discards if isinstance(discards, int) else max(discards)) > size:
        raise HouseRulesError(f"max_discards is {most}; allowed: at most hand_size, {size}")
    if values["limit_scope"] == "penalty_and_payout" and values["limit"] is None:
        allowed = OPTIONS["limit"].allowed.removesuffix(", or none")
        raise HouseRulesError(f"limit_scope=penalty_and_payout needs a limit; allowed: {allowed}")
    if values["trump_source"] == "next_card" and values["dealer_must_play"] == "ace":
        raise HouseRulesError("trump_source=next_card has no dealer_must_play=ace; allowed: never, always")
    if values["double_ante"] and "ante_exempt" in said and values["ante_exempt"] != "none":
        raise HouseRulesError("double_ante=true exempts nobody; ante_exempt allowed: none")


# Every house rule by name: what help texts are made of.
OPTIONS: dict[str, Option] = {each.name: option_of(each) for each in fields(HouseRules)}

CLASSIC = HouseRules()
PRESETS: dict[str, HouseRules] = {
    "classic": CLASSIC,
    "pagat": HouseRules(undertrump="required"),
    "hoyle": HouseRules(
        trump_source="next_card",
        dealer_must_play="never",
        max_discards=4,
        overtrump="optional",
        cinch="bicycle_lead",
    ),
}
