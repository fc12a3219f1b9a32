"""The bots of a run: entrants, and the instances that play for them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from bourre_server.tournament.schedule import Plan


class Isolation(Enum):
    """Which matches one instance of an entrant plays."""

    ROTATION = "rotation"
    MATCH = "match"
    NONE = "none"


@dataclass(frozen=True)
class Launch:
    """How to start a bot's process. `env` is its whole environment but for address and token."""

    argv: tuple[str, ...]
    cwd: Path
    env: dict[str, str] = field(repr=False)
    memory_mb: int | None = None


@dataclass(frozen=True)
class Entrant:
    """A bot in this tournament. `launch` is None for one that is started by its owner."""

    name: str
    launch: Launch | None


@dataclass(slots=True)
class Instance:
    """One bot that plays for an entrant: a process, and its connection.

    `starts` counts the starts of its process, `losses` those of its connection, `idle_exits` how
    often in a row it ended without a seat. `leaving`: it wants no more tables.
    """

    bot: str
    entrant: int
    launch: Launch | None
    connected: bool = False
    joined_before: bool = False
    max_tables: int = 0
    running: int = 0
    starts: int = 0
    losses: int = 0
    idle_exits: int = 0
    leaving: bool = False

    @property
    def free(self) -> bool:
        """Whether it can take another table."""
        return self.connected and not self.leaving and self.running < self.max_tables


def instance_name(entrant: str, number: int) -> str:
    """The name of an entrant's instance, such as "steady#0"."""
    return f"{entrant}#{number}"


class Roster:
    """All instances by bot name."""

    def __init__(self, entrants: tuple[Entrant, ...], isolation: Isolation) -> None:
        self.entrants = entrants
        self.isolation = isolation
        self._instances: dict[str, Instance] = {}

    def __getitem__(self, bot: str) -> Instance:
        return self._instances[bot]

    def __contains__(self, bot: str) -> bool:
        return bot in self._instances

    def __iter__(self) -> Iterator[Instance]:
        return iter(list(self._instances.values()))

    def add(self, entrant: int, number: int) -> Instance:
        """A new instance of an entrant."""
        name = instance_name(self.entrants[entrant].name, number)
        instance = Instance(name, entrant, self.entrants[entrant].launch)
        self._instances[name] = instance
        return instance

    def remove(self, instance: Instance) -> None:
        """Forget an instance."""
        del self._instances[instance.bot]

    def of(self, entrant: int) -> list[Instance]:
        """The instances of an entrant."""
        return [instance for instance in self if instance.entrant == entrant]

    def place(self, entrant: int, plan: Plan) -> Instance | None:
        """The instance that takes an entrant's seat in a match, if one is free: the least busy."""
        instances = self.of(entrant)
        if self.isolation is Isolation.ROTATION:
            instances = instances[plan.rotation : plan.rotation + 1]
        free = [instance for instance in instances if instance.free]
        return min(free, key=lambda instance: instance.running, default=None)
