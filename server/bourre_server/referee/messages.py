"""What the referee is told by bots, and what it tells them: values that know no wire."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bourre_server.referee.faults import Fault
from bourre_server.rules.decisions import Decision
from bourre_server.rules.events import Event

if TYPE_CHECKING:
    from bourre_server.referee.lists import Ask
    from bourre_server.referee.table import Table


class Reply(NamedTuple):
    """A bot's answer. `decision` is None where what it sent is no decision; `wrong` says why."""

    table: int
    decision_id: int
    decision: Decision | None
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The bot has joined, and has a seat at these tables."""

    seats: Sequence[tuple["Table", int]]


@dataclass(frozen=True, slots=True)
class Started:
    """The bot has a seat at a new table."""

    table: "Table"
    seat: int


@dataclass(frozen=True, slots=True)
class Happened:
    """An event that the bot's seat may see; `number` counts them from 1."""

    table: "Table"
    number: int
    event: Event


@dataclass(frozen=True, slots=True)
class Asked:
    """Requests that the bot must answer: a new list, or one request of an open list again.

    `size`: requests in the list. `deadline`: seconds from now until the list's deadline, None
    without a clock. The asks point into their tables: encode them before the next input.
    """

    asks: Sequence["Ask"]
    size: int
    deadline: float | None


@dataclass(frozen=True, slots=True)
class Faulted:
    """A fault at the bot's table; `own` where the bot's seat committed it."""

    table: int
    fault: Fault
    own: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """The bot's match is over."""

    table: "Table"


Message = Welcomed | Started | Happened | Asked | Faulted | Ended


@dataclass(frozen=True, slots=True)
class Effects:
    """What follows from the inputs so far, in the order in which it must be done.

    `journal`: (table, token) of every decision made, to be written before anything is sent.
    `messages`: to bots, in order. `finished`: tables whose match is over. `wake`: when to call
    `tick`, None for not at all.
    """

    journal: list[tuple[int, str]]
    messages: list[tuple[str, Message]]
    finished: list["Table"]
    wake: float | None
