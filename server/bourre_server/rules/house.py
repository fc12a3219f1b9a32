"""The house rules of a match: one frozen, validated value."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

# R72: the least number divisible by 1 to 8, so that every split of a pot is whole.
ANTE = 840
HAND_SIZE = 5
MIN_SEATS, MAX_SEATS = 2, 8
MAX_LIMIT = 1_000_000
# Antes. Without a limit a pot may double with every hand; this keeps the chips of a match of a
# million hands within the 64 bits that they travel in.
UNLIMITED = 1_000_000_000
# R31: tricks that nobody can overtake.
CINCH_TRICKS = HAND_SIZE // 2 + 1


class HouseRulesError(ValueError):
    """A house rule that does not exist, or a value that it cannot have."""


@dataclass(frozen=True)
class HouseRules:
    """House rules; the defaults are the preset `classic`.

    `limit`: the most that a bourré pays, in antes (R44); None means none but UNLIMITED.
    """

    limit: int | None = 20

    def __post_init__(self) -> None:
        if self.limit is None or (type(self.limit) is int and 1 <= self.limit <= MAX_LIMIT):
            return
        raise HouseRulesError(f"limit is {self.limit}; allowed: 1 to {MAX_LIMIT:,} antes, or none")

    @classmethod
    def from_differences(cls, differences: Mapping[str, Any]) -> "HouseRules":
        """The house rules that differ from `classic` as said.

        Raises HouseRulesError for a key that is not a house rule.
        """
        for key in differences:
            if key not in cls.__dataclass_fields__:
                allowed = ", ".join(cls.__dataclass_fields__)
                raise HouseRulesError(f"{key} is not a house rule; allowed: {allowed}")
        return cls(**differences)

    def differences(self) -> dict[str, object]:
        """The house rules that are not those of `classic`, by name."""
        return {key: value for key, value in asdict(self).items() if value != getattr(CLASSIC, key)}


CLASSIC = HouseRules()
