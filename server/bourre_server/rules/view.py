"""A view of a match: the fold of the events that an audience may see."""

from collections.abc import Sequence

from bourre_server.rules.events import Event, PrivateEvent, PublicEvent
from bourre_server.rules.state import PASSED, Private, Public


class View:
    """What everyone knows and, of the seats in `knows`, what each alone knows.

    A seat's view knows that seat, a spectator's none, the referee's all.
    """

    def __init__(self, seats: int, knows: Sequence[int] = ()) -> None:
        self.public = Public(seats)
        self.privates = {seat: Private() for seat in knows}

    def see(self, event: Event) -> bool:
        """Fold an event in; False (and no change) where this audience may not see it."""
        if isinstance(event, PublicEvent):
            event.apply(self.public)
            return True
        assert isinstance(event, PrivateEvent)
        if event.seat not in self.privates:
            return False
        event.apply(self.privates[event.seat])
        return True

    def holding(self, seat: int) -> int:
        """The mask of the cards that a known seat holds (after passing: had)."""
        received = self.privates[seat].received
        # Cards of a seat that passed come back in a reshuffle: they are played by others.
        return received if self.public.states[seat] == PASSED else received & ~self.public.played
