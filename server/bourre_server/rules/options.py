"""What a house rule may be: its values, its default and its meaning, as one value."""

from collections.abc import Callable
from dataclasses import Field, dataclass, field
from typing import Any, get_args

_MEANS = "option"


@dataclass(frozen=True)
class Option:
    """A house rule.

    `default`: as in the preset `classic`, None where `default_text` says in words what it is.
    `allowed`: the values, in words. `meaning`: one line, with rule numbers. `accepts`: whether a
    value is one of them.
    """

    name: str
    default: object
    default_text: str
    allowed: str
    meaning: str
    accepts: Callable[[object], bool]


@dataclass(frozen=True)
class Values:
    """The values of an option that is no choice among a few."""

    accepts: Callable[[object], bool]
    allowed: str
    none: str


def option(default: object, meaning: str, values: Values | None = None) -> Any:
    """A field of the house rules; without `values` its type names them: a Literal or bool."""
    return field(default=default, metadata={_MEANS: (meaning, values)})


def option_of(of: Field[Any]) -> Option:
    """The option that a field made by `option` stands for."""
    meaning, values = of.metadata[_MEANS]
    if values is None:
        values = _choice(of.type)
    text = values.none if of.default is None else show(of.default)
    return Option(of.name, of.default, text, values.allowed, meaning, values.accepts)


def antes(most: int) -> Values:
    """A number of antes, or none."""
    return Values(
        lambda value: value is None or is_whole(value, 1, most), f"1 to {most:,} antes, or none", "none"
    )


def match_pot_or_fixed(most: int) -> Values:
    """`match_pot`, or `fixed:k` with a number of antes."""

    def accepts(value: object) -> bool:
        return value == "match_pot" or (isinstance(value, str) and 1 <= fixed_antes(value) <= most)

    return Values(accepts, f"match_pot, or fixed:k with k from 1 to {most:,} antes", "none")


def fixed_antes(value: str) -> int:
    """The k of `fixed:k`, written without leading zeros; 0 where the value is another."""
    digits = value.removeprefix("fixed:")
    is_number = digits != value and digits.isascii() and digits.isdigit() and digits[0] != "0"
    return int(digits) if is_number and len(digits) < 10 else 0


def by_seats(least: int, most: int, counts: int) -> Values:
    """A number, or a row of so many numbers: one for each count of seats."""

    def accepts(value: object) -> bool:
        if isinstance(value, list | tuple):
            return len(value) == counts and all(is_whole(each, least, most) for each in value)
        return value is None or is_whole(value, least, most)

    allowed = f"{least} to {most}, or a list of {counts} such numbers, for 2 to {counts + 1} seats"
    return Values(accepts, allowed, "hand_size")


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether a value is a whole number (not a bool) in a range."""
    return type(value) is int and least <= value <= most


def show(value: object) -> str:
    """A value as it is written in sentences: `true` and `none` as in tournament files."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(list(value)) if isinstance(value, tuple) else str(value)


def _choice(kind: object) -> Values:
    allowed = (False, True) if kind is bool else get_args(kind)
    # By type as well: True is no 1.
    return Values(
        lambda value: any(type(value) is type(each) and value == each for each in allowed),
        ", ".join(map(show, allowed)),
        "none",
    )
