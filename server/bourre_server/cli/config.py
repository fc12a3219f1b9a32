"""The checked model of a tournament file as a whole.

A `Configuration` that exists is valid, apart from what only the file system can tell (see
`programs`).
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import model_validator

from bourre_server.cli.sections import (
    BotSection,
    HouseRulesSection,
    Section,
    TimeSection,
    TournamentSection,
    key,
    refused,
)
from bourre_server.cli.text import same_name
from bourre_server.tournament.schedule import Schedule

# A table's number travels as 32 bits.
MAX_MATCHES = 2**32 - 1
SECTIONS: dict[str, type[Section]] = {
    "tournament": TournamentSection,
    "time": TimeSection,
    "house_rules": HouseRulesSection,
    "bots": BotSection,
}


class Configuration(Section):
    """A checked tournament file."""

    later: ClassVar[frozenset[str]] = frozenset({"compare", "gauntlet", "ladder", "cluster"})

    tournament: TournamentSection = key("Who meets whom, and how often.", "a table [tournament]")
    time: TimeSection = key("How long bots may think.", "a table [time]", default=TimeSection())
    house_rules: HouseRulesSection = key(
        "Where the rules differ.", "a table [house_rules]", default=HouseRulesSection()
    )
    bots: tuple[BotSection, ...] = key("The entrants.", "a table [[bots]] for each entrant", strict=False)

    @model_validator(mode="after")
    def _fits(self) -> "Configuration":
        self._check_names()
        if self.tournament.seats > len(self.bots):
            raise refused(("tournament", "seats"), f"at most the number of entrants ({len(self.bots)})")
        if self.schedule.blocks * self.schedule.rotations > MAX_MATCHES:
            raise refused(
                ("tournament", "decks"), f"so many that there are at most {MAX_MATCHES:,} matches in all"
            )
        self._check_instances()
        return self

    def _check_names(self) -> None:
        for index, bot in enumerate(self.bots):
            for earlier in range(index):
                if same_name(self.bots[earlier].name, bot.name):
                    raise refused(("bots", index, "name"), "no name twice", twin=("bots", earlier, "name"))

    def _check_instances(self) -> None:
        isolation, seats = self.tournament.isolation, self.tournament.seats
        for index, bot in enumerate(self.bots):
            if bot.external and isolation == "match":
                raise refused(("bots", index, "external"), 'false where isolation = "match"')
            if isolation == "rotation" and bot.instances not in (None, seats):
                allowed = f'{seats}, one for each seat, where isolation = "rotation"'
                raise refused(("bots", index, "instances"), allowed)

    @property
    def schedule(self) -> Schedule:
        """All the matches, in order."""
        rules = self.tournament
        return Schedule(len(self.bots), rules.seats, rules.decks, rules.duplicates)

    def instances(self, bot: BotSection) -> int:
        """Processes of an entrant that are alive at once; with isolation "match", for each match of its."""
        return bot.instances or (self.tournament.seats if self.tournament.isolation == "rotation" else 1)

    @property
    def processes(self) -> int:
        """Bot processes in all; with isolation "match", for each match."""
        return sum(self.instances(bot) for bot in self.bots)

    @property
    def tables(self) -> int:
        """Matches at once: as said, or enough for lists long enough to be quick."""
        if self.tournament.tables:
            return self.tournament.tables
        if self.tournament.isolation == "match":
            return max(1, 16 // self.tournament.seats)  # each has bot processes of its own
        return min(16 * self.processes, 1024)

    def dump(self) -> dict[str, Any]:
        """All that decides what is played, as plain JSON values; `tables` does not.

        `Configuration.model_validate` takes it back.
        """
        return self.model_dump(mode="json", exclude={"tournament": {"tables"}})


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """The first key, such as `bots[2].command`, in which two dumps differ; None where none does."""
    return _first_difference(old, new, "")


def _first_difference(old: Any, new: Any, path: str) -> str | None:
    if old == new:
        return None
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        names = dict.fromkeys((*new, *old))
        parts = [(f"{path}.{name}" if path else name, old.get(name), new.get(name)) for name in names]
    elif path == "bots" and len(old) == len(new):
        parts = [(f"bots[{i}]", *pair) for i, pair in enumerate(zip(old, new, strict=True), 1)]
    else:
        return path
    found = (_first_difference(one, other, name) for name, one, other in parts)
    return next(filter(None, found))
