"""What there is to know of a match, kept apart by who may know it.

What everyone knows (`Public`) and what one seat alone knows (`Private`) are separate values,
so whoever is handed a `Public` and one `Private` cannot leak another seat's cards.
"""

from collections.abc import Sequence
from enum import IntEnum

# What a seat has said in this hand; the numbers are those of the wire.
TO_ACT, PASSED, PLAYING = 1, 2, 3


class Upcard(IntEnum):
    """What has become of the upcard (R11); the numbers are those of the wire."""

    HELD = 1
    LAID_ASIDE = 2
    FOLDED = 3
    PLAYED = 4


class Renege(IntEnum):
    """Whether a seat has reneged in this hand, and how it ended (R51)."""

    NONE = 0
    PUT_RIGHT = 1
    NOT_PUT_RIGHT = 2


class Public:
    """What everyone at the table knows. Lists are by seat, money is in units.

    `past` holds the cards of finished tricks in the order played, `leaders` the seat that led
    each trick, `gone` the mask of cards in finished tricks and of an upcard laid aside,
    `played` the mask of all cards played. `chips` and `pot` sum to 0 after every event (R4).
    `antes` are those paid before the deal, `draws` counts the seats that have said how many cards
    they draw where that comes after all declarations. `retracted` are masks of the cards that
    were seen when a seat took them back, `reneges` says how that ended. `lost_deals`: the seats
    that will not deal when it is their turn next. `hands_played` and `bourres` count over the match.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.chips = [0] * seats
        self.pot = 0
        self.exempt: tuple[int, ...] = ()
        self.lost_deals: set[int] = set()
        self.hands_played = [0] * seats
        self.bourres = [0] * seats
        self.start_hand(0, 0, (0,) * seats)

    def start_hand(self, hand: int, dealer: int, antes: tuple[int, ...]) -> None:
        """Begin a hand: the pot is carried and the antes are paid."""
        seats = self.seats
        self.hand = hand
        self.dealer = dealer
        self.carried = self.pot
        self.antes = antes
        self.pay([-ante for ante in antes])
        self.upcard = self.trump = -1
        self.upcard_state = Upcard.HELD
        self.declared = self.draws = 0
        self.states = [TO_ACT] * seats
        self.discards_taken = [0] * seats
        self.trick: list[int] = []
        self.past: list[int] = []
        self.leaders: list[int] = []
        self.tricks_won = [0] * seats
        self.gone = 0
        self.played = 0
        self.retracted = [0] * seats
        self.reneges = [Renege.NONE] * seats

    def pay(self, payments: Sequence[int]) -> None:
        """Move chips from the pot to the seats (below 0: from the seats to the pot)."""
        for seat, units in enumerate(payments):
            self.chips[seat] += units
        self.pot -= sum(payments)

    def end_trick(self, winner: int) -> None:
        """Turn the current trick over: the winner has it."""
        self.past += self.trick
        for card in self.trick:
            self.gone |= 1 << card
        self.trick = []
        self.tricks_won[winner] += 1

    @property
    def playing(self) -> list[int]:
        """The seats that play this hand, in order."""
        return [seat for seat, state in enumerate(self.states) if state == PLAYING]

    def left_of(self, seat: int) -> int:
        """The next playing seat to the left."""
        states, seats = self.states, self.seats
        seat = (seat + 1) % seats
        while states[seat] != PLAYING:
            seat = (seat + 1) % seats
        return seat

    def seat_of_trick(self, index: int) -> int:
        """The seat that played the index-th card of the current trick."""
        seat = self.leaders[-1]
        for _ in range(index):
            seat = self.left_of(seat)
        return seat


class Private:
    """What one seat alone knows.

    `received` are the cards it got and kept, `discards` those it threw, as masks; `sealed`
    whether it has said to play, in a declaration that is not revealed yet (R61).
    """

    def __init__(self) -> None:
        self.start_hand(0)

    def start_hand(self, cards: int) -> None:
        """Begin a hand with these cards."""
        self.received = cards
        self.discards = 0
        self.sealed: bool | None = None
