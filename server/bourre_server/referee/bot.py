"""A bot as the referee sees it: where it sits, what waits for it, what it was asked."""

from math import inf

from bourre_server.referee.lists import Ask, OpenList, cut
from bourre_server.referee.messages import Asked, Ended
from bourre_server.referee.table import Table


class Bot:
    """A bot, connected or away.

    `seats`: table number to table and seat. `ready`: requests that wait for the next list.
    `open_lists`: those sent and not yet answered in full. `refused`: requests of open lists that
    are to be asked again, by table number. `away_since`: None while connected. `missed`: matches
    that ended while it was away. `remembered`: the last event it has seen, by table number.
    """

    def __init__(self, name: str, now: float) -> None:
        self.name = name
        self.lists = 1
        self.events = False
        self.remembered: dict[int, int] = {}
        self.seats: dict[int, tuple[Table, int]] = {}
        self.ready: list[Ask] = []
        self.open_lists: list[OpenList] = []
        self.refused: dict[int, Ask] = {}
        self.away_since: float | None = now
        self.missed: list[Ended] = []

    def next_requests(self, now: float) -> list[Asked]:
        """Ask again what was refused; send what waits, as far as lists may be open."""
        asked = [self._again(ask, now) for ask in self.refused.values()]
        self.refused.clear()
        while self.ready and self.away_since is None and len(self.open_lists) < self.lists:
            asks = cut(self.ready)
            opened = OpenList(asks, now)
            self.open_lists.append(opened)
            asked.append(Asked(asks, opened.size, _seconds(opened.deadline - now)))
        return asked

    def _again(self, ask: Ask, now: float) -> Asked:
        opened = ask.open_list
        assert opened is not None
        return Asked([ask], opened.size, _seconds(max(0.0, opened.deadline - now)))

    def close(self, ask: Ask) -> None:
        """A request needs no answer any more."""
        opened = ask.open_list
        if opened is None:
            if ask in self.ready:
                self.ready.remove(ask)
            return
        self.refused.pop(ask.table.number, None)
        opened.asks.pop(ask.table.number, None)
        if not opened.asks and opened in self.open_lists:
            self.open_lists.remove(opened)

    def leave(self, now: float) -> None:
        """The connection is lost: what was asked waits again, before what waited already."""
        asks = [ask for opened in self.open_lists for ask in opened.dissolve(now)]
        self.ready[:0] = asks
        self.open_lists.clear()
        self.refused.clear()
        self.away_since = now

    def come(self, now: float) -> None:
        """The bot is connected: its absence is taken from its matches' allowance."""
        if self.away_since is not None:
            for table, seat in self.seats.values():
                table.absence[seat] = max(0.0, table.absence[seat] - (now - self.away_since))
                table.come_back(seat)
        self.away_since = None

    @property
    def wake(self) -> float:
        """When the next of its requests, or of its absences, runs out."""
        if self.away_since is None:
            return min((opened.expiry for opened in self.open_lists), default=inf)
        present = [table.absence[seat] for table, seat in self.seats.values() if not table.by_default[seat]]
        return self.away_since + min(present, default=inf)


def _seconds(seconds: float) -> float | None:
    return None if seconds == inf else seconds
