"""Lists of requests and their clocks.

A list of requests goes out at once and has one deadline: the sum of its requests' budgets after
it was sent. Nothing a bot sends moves it. After it, the unanswered requests share the time,
each from its seat's bank; one whose bank is empty expires.
"""

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from bourre_server.referee.faults import Fault, FaultKind

if TYPE_CHECKING:
    from bourre_server.referee.table import Table

# Seconds: a bank this small is empty, since sums of floats are not exact, least of all on a clock
# that has run for years.
_EMPTY = 1e-6
# Seconds: the longest that a list's budgets may add up to.
LONGEST_LIST = 60.0
LARGEST_LIST = 256


@dataclass(frozen=True)
class TimeControl:
    """The clock of a match, in seconds.

    `budget`: per decision, None for no clock. `bank`: at the start, and the most it holds.
    `increment`: what the bank gains with each hand. `absence`: how long a bot may be away.
    """

    budget: float | None = 1.0
    bank: float = 10.0
    increment: float = 0.1
    absence: float = 60.0


class Ask:
    """A request: the decision that a table waits for.

    `budget`: seconds left of it; less than the time control's where the bot was asked before
    and went away. `open_list` is None while the request waits to be sent.
    """

    __slots__ = ("attempt", "budget", "charged", "decision_id", "open_list", "refused", "seat", "table")

    def __init__(self, table: "Table", seat: int, decision_id: int) -> None:
        self.table = table
        self.seat = seat
        self.decision_id = decision_id
        self.attempt = 1
        self.refused = ""
        self.budget = table.budget
        self.charged = 0.0
        self.open_list: OpenList | None = None

    def fault(self, kind: FaultKind, reason: str, now: float) -> Fault:
        """A fault in answering this request; what is done about it is left open."""
        elapsed = now - self.open_list.sent if self.open_list else 0.0
        legal = self.table.match.hand.legal
        return Fault(
            self.seat, kind, self.decision_id, reason, legal=legal, elapsed=elapsed, charged=self.charged
        )

    @property
    def bank(self) -> float:
        """Seconds left in the seat's bank."""
        return self.table.banks[self.seat]

    def charge(self, seconds: float) -> None:
        """Take time from the seat's bank."""
        self.table.banks[self.seat] -= seconds
        self.charged += seconds


class OpenList:
    """A list that was sent: its unanswered requests by table, and its deadline."""

    __slots__ = ("_charged_until", "asks", "deadline", "sent", "size")

    def __init__(self, asks: list[Ask], now: float) -> None:
        self.asks = {ask.table.number: ask for ask in asks}
        self.size = len(asks)
        self.sent = now
        self.deadline = now + sum([ask.budget for ask in asks])
        self._charged_until = self.deadline
        for ask in asks:
            ask.open_list = self

    def charge(self, now: float) -> list[Ask]:
        """Charge the banks for the time up to `now`; the requests that expire by it, removed."""
        expired: list[Ask] = []
        while self.asks and self._charged_until <= now:
            waiting = list(self.asks.values())
            share = min((now - self._charged_until) / len(waiting), min(ask.bank for ask in waiting))
            self._charged_until = min(now, self._charged_until + share * len(waiting))
            for ask in waiting:
                ask.charge(share)
            empty = [ask for ask in waiting if ask.bank <= _EMPTY]
            if not empty:
                break
            for ask in empty:
                del self.asks[ask.table.number]
            expired += empty
        return expired

    @property
    def expiry(self) -> float:
        """The time at which the next request expires if none is answered before."""
        return self._charged_until + len(self.asks) * min(ask.bank for ask in self.asks.values())

    def dissolve(self, now: float) -> list[Ask]:
        """Take the list back: its unanswered requests, with what is left of their budgets."""
        left = max(0.0, self.deadline - now) / max(self.deadline - self.sent, _EMPTY)
        asks = list(self.asks.values())
        for ask in asks:
            if self.deadline < inf:
                ask.budget *= left
            ask.open_list = None
        self.asks.clear()
        return asks


def cut(ready: list[Ask]) -> list[Ask]:
    """Take the next list off the requests that wait: oldest first, as many as may go together.

    Those without a clock go by themselves: they would take the deadline from the others.
    """
    total = 0.0
    size = 0
    for ask in ready[:LARGEST_LIST]:
        total += ask.budget
        if size and total > LONGEST_LIST and not ask.budget == ready[0].budget == inf:
            break
        size += 1
    taken = ready[:size]
    del ready[:size]
    return taken
