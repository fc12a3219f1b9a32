"""Laws that hold in every match, whatever the seats decide."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random

from bourre_server.rules.cards import ALL_CARDS, DECK, NAMES, SUIT_MASKS, cards_in, mask_of
from bourre_server.rules.decisions import PASS, PLAYS, Decision, Declare, Draw, Play
from bourre_server.rules.events import (
    CardPlayed,
    CardsEvent,
    Dealt,
    Discarded,
    Drew,
    Event,
    HandSettled,
    HandStarted,
    MatchSettled,
    PrivateEvent,
    TrickWon,
    UpcardLaidAside,
    UpcardTurned,
)
from bourre_server.rules.hand import Hand, Kind
from bourre_server.rules.house import CLASSIC
from bourre_server.rules.legality import legality
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.shuffle import Dealing, suit_order
from bourre_server.rules.state import PASSED, Upcard
from bourre_server.rules.view import View
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules import naive
from tests.rules.places import Places
from tests.rules.walk import Chance, Heard, most_decisions, walk

law = settings(max_examples=40, deadline=None, database=None)
seeds = st.integers(0, 2**32)
setups = st.builds(
    lambda seats, seed, rotation: Setup(seats, seats, seed.to_bytes(32), rotation % seats),
    st.integers(2, 8),
    seeds,
    st.integers(0, 7),
)


def events_of(setup: Setup, seed: int) -> list[Event]:
    return [event for _, events in walk(setup, Chance(seed)) for event in events]


@law
@given(setups, seeds)
def test_r4_ledgers_and_pot_sum_to_zero_after_every_event(setup: Setup, seed: int) -> None:
    public = (view := View(setup.seats)).public
    for event in events_of(setup, seed):
        view.see(event)
        assert sum(public.chips) + public.pot == 0
        assert public.pot >= 0
    assert public.pot == 0


@law
@given(setups, seeds)
def test_every_hand_ends_and_the_deal_moves_left(setup: Setup, seed: int) -> None:
    """R2, R3, R41 to R45, R71: each hand starts where the one before left the table."""
    events = events_of(setup, seed)
    started = [event for event in events if isinstance(event, HandStarted)]
    settled = [event for event in events if isinstance(event, HandSettled)]
    hands = range(1, setup.hands + 1)
    assert [(event.hand, event.dealer) for event in started] == [(hand, hand - 1) for hand in hands]
    assert len(settled) == setup.hands
    for before, after in zip(settled, started[1:], strict=False):
        assert [seat for seat, ante in enumerate(after.antes) if not ante] == list(before.exempt)
    assert isinstance(events[-1], MatchSettled)


@law
@given(setups, seeds)
def test_same_seed_same_events(setup: Setup, seed: int) -> None:
    assert events_of(setup, seed) == events_of(setup, seed)


@law
@given(setups, seeds)
def test_52_distinct_cards_always(setup: Setup, seed: int) -> None:
    """R5, R11 to R13: `Places` finds each card where the event takes it from."""
    places = Places(setup.seats, Dealing(setup.seed, setup.rotation))
    for event in events_of(setup, seed):
        places.see(event)
        places.check()


@law
@given(setups, seeds)
def test_r12_no_seat_gets_a_card_back(setup: Setup, seed: int) -> None:
    for event in events_of(setup, seed):
        if isinstance(event, HandStarted):
            upcard, thrown = -1, [0] * setup.seats
        elif isinstance(event, UpcardTurned):
            upcard = event.card
        elif isinstance(event, Discarded):
            thrown[event.seat] |= event.cards
        elif isinstance(event, Drew):
            assert not event.cards & (thrown[event.seat] | 1 << upcard)


@law
@given(setups, seeds)
def test_a_view_is_the_fold_of_what_its_audience_may_see(setup: Setup, seed: int) -> None:
    views = [View(setup.seats, (seat,)) for seat in range(setup.seats)]
    spectator = View(setup.seats)
    for match, events in walk(setup, Chance(seed)):
        for event in events:
            spectator.see(event)
            for seat, view in enumerate(views):
                assert view.see(event) == (not isinstance(event, PrivateEvent) or event.seat == seat)
        for seat, view in enumerate(views):
            assert vars(view.public) == vars(spectator.public) == vars(match.public)
            assert vars(view.privates[seat]) == vars(match.view.privates[seat])


@law
@given(setups, seeds)
def test_a_seat_that_passed_had_what_it_had(setup: Setup, seed: int) -> None:
    """R7: also where its cards were reshuffled and another seat plays them."""
    had: dict[int, int] = {}
    for match, events in walk(setup, Chance(seed)):
        for event in events:
            if isinstance(event, HandStarted):
                had = {}
            if isinstance(event, Dealt):
                had[event.seat] = event.cards
        for seat, cards in had.items():
            if match.public.states[seat] == PASSED:
                assert match.holding(seat) == cards


def position_of(view: View, seat: int) -> naive.Position:
    """A seat's position, told from what it holds and from the cards that everyone has seen."""
    public = view.public
    aside = [public.upcard] if public.upcard_state in (Upcard.LAID_ASIDE, Upcard.FOLDED) else []
    return naive.Position(
        holding=frozenset(NAMES[card] for card in cards_in(view.holding(seat))),
        trump=NAMES[public.upcard][1],
        trick=[NAMES[card] for card in public.trick],
        gone=frozenset(NAMES[card] for card in public.past + aside),
        in_play=len(public.playing),
        tricks_won=public.tricks_won[seat],
    )


def accepted_plays(hand: Hand) -> set[str]:
    return {NAMES[card] for card in DECK if hand.refuse(Play(card)) is None}


@law
@given(setups, seeds)
def test_r21_to_r35_legal_is_accepted_and_never_empty(setup: Setup, seed: int) -> None:
    """Judged by the second implementation from the acting seat's own view."""
    views = [View(setup.seats, (seat,)) for seat in range(setup.seats)]
    for match, events in walk(setup, Chance(seed)):
        for event in events:
            for view in views:
                view.see(event)
        hand = match.hand
        if hand.kind is Kind.PLAY:
            legal = naive.legal(position_of(views[hand.to_act], hand.to_act))
            assert legal == {NAMES[card] for card in cards_in(hand.legal)} == accepted_plays(hand)
            assert legal
            assert all(hand.refuse(other) for other in (PASS, Declare(True), Draw()))
        else:
            assert not accepted_plays(hand)


@law
@given(setups, seeds)
def test_r6_r8_a_declaration_is_accepted_where_it_is_legal(setup: Setup, seed: int) -> None:
    chance = Chance(seed)
    for match, _ in walk(setup, chance):
        hand = match.hand
        if hand.kind is not Kind.DECLARE:
            continue
        held = set(cards_in(match.holding(hand.to_act)))
        pool = [*held, *chance.random.sample(DECK, 2)]
        discards = tuple(chance.random.choices(pool, k=chance.random.randrange(8)))
        proper = len(discards) <= 5 and len(set(discards)) == len(discards) and set(discards) <= held
        assert (hand.refuse(Declare(True, discards)) is None) == proper
        bound = hand.to_act == match.public.dealer and match.public.upcard % 13 == 12
        assert (hand.refuse(PASS) is None) == (not bound)
        assert hand.refuse(Draw(discards))


@law
@given(setups, seeds)
def test_r50_the_default_decision_is_legal_and_refusing_changes_nothing(setup: Setup, seed: int) -> None:
    decisions: list[Decision] = [*PLAYS, PASS, Declare(True, (0, 0)), Draw((1,))]
    for match, _ in walk(setup, Chance(seed)):
        before = deepcopy(knowledge(match.view))
        for decision in decisions:
            match.refuse(decision)
        if not match.over:
            assert match.refuse(match.hand.default()) is None
        assert knowledge(match.view) == before
        assert match.drain() == []


def knowledge(view: View) -> list[dict[str, object]]:
    return [vars(view.public), *map(vars, view.privates.values())]


def seats_with_a_cinch(match: Match) -> set[int]:
    public, cinch = match.public, legality(match.setup.house).cinch
    return {
        seat
        for seat in public.playing
        if cinch.holds(
            match.holding(seat) & SUIT_MASKS[public.trump], public.gone, public.trump, public.tricks_won[seat]
        )
    }


@law
@given(setups, seeds)
def test_r31_a_cinch_ends_with_three_tricks(setup: Setup, seed: int) -> None:
    cinches: set[int] = set()
    tricks = [0] * setup.seats
    for match, events in walk(setup, Chance(seed)):
        for event in events:
            if isinstance(event, TrickWon):
                tricks[event.seat] += 1
            if isinstance(event, HandSettled):
                assert all(tricks[seat] >= 3 for seat in cinches)
                tricks, cinches = [0] * setup.seats, set()
        if match.hand.kind is Kind.PLAY and not match.public.trick:
            cinches |= seats_with_a_cinch(match)


def acts(setup: Setup, seed: int) -> list[Decision]:
    """The decisions of a random match."""
    chance, decisions = Chance(seed), []
    match = Match(setup)
    for _ in range(most_decisions(setup)):
        if match.over:
            break
        decisions.append(chance.decide(match.hand))
        match.apply(decisions[-1])
    return decisions


def relabelled(decision: Decision, labels: Sequence[int]) -> Decision:
    if isinstance(decision, Play):
        return PLAYS[labels[decision.card]]
    return decision._replace(discards=tuple(labels[card] for card in decision.discards))


def relabelled_event(event: Event, labels: Sequence[int]) -> Event:
    if isinstance(event, CardsEvent):
        return replace(event, cards=mask_of(labels[card] for card in cards_in(event.cards)))
    if isinstance(event, CardPlayed | UpcardTurned | UpcardLaidAside):
        return replace(event, card=labels[event.card])
    return event


@law
@given(setups, seeds)
def test_a_rotation_is_another_with_the_suits_relabelled(setup: Setup, seed: int) -> None:
    first = replace(setup, rotation=0)
    pairs = list(zip(suit_order(setup.seed, 0), suit_order(setup.seed, setup.rotation), strict=True))
    suits = [new for _, new in sorted(pairs)]
    labels = [13 * suits[card // 13] + card % 13 for card in DECK]
    match, other = Match(first), Match(setup)
    for decision in acts(first, seed):
        assert [relabelled_event(event, labels) for event in match.drain()] == other.drain()
        match.apply(decision)
        other.apply(relabelled(decision, labels))
    assert match.over
    assert [relabelled_event(event, labels) for event in match.drain()] == other.drain()


class Swapped(Dealing):
    """The decks of a match with some cards in each other's places."""

    def __init__(self, seed: bytes, labels: Sequence[int]) -> None:
        super().__init__(seed, 0)
        self._labels = labels

    def deck(self, hand: int) -> list[int]:
        """The deck."""
        return [self._labels[card] for card in super().deck(hand)]


class Witness:
    """A hand, and all that one seat gets to see of it: its events and what it is asked."""

    def __init__(self, seats: int, seat: int, dealing: Dealing) -> None:
        self.seat = seat
        self.view = View(seats, (seat,))
        self.seen: list[object] = []
        self.hand = Hand(View(seats, range(seats)), CLASSIC, dealing)
        self.hand.events = Heard(self._see)
        self.hand.start(1, 0)
        self._ask()

    def _see(self, event: Event) -> None:
        if self.view.see(event):
            self.seen.append(event)

    def _ask(self) -> None:
        hand = self.hand
        if hand.kind is not Kind.OVER and hand.to_act == self.seat:
            reasons = [hand.refuse(play) for play in PLAYS]
            self.seen.append((hand.kind, hand.legal, hand.may_pass, hand.default(), reasons))

    def decide(self, decision: Decision) -> None:
        """Make a decision, and see what follows."""
        self.hand.apply(decision)
        self._ask()

    def unknown(self) -> list[int]:
        """The cards of which the seat cannot know where they are."""
        public, private = self.view.public, self.view.privates[self.seat]
        return cards_in(
            ~(public.played | private.received | private.discards | 1 << public.upcard) & ALL_CARDS
        )


def swap_of(cards: Sequence[int], seed: int) -> list[int]:
    labels = list(DECK)
    for card, other in zip(cards, Random(seed).sample(cards, len(cards)), strict=True):
        labels[card] = other
    return labels


hidden_swaps = settings(law, max_examples=150)


@hidden_swaps
@given(st.integers(2, 8), st.integers(0, 7), seeds, st.integers(0, 48))
def test_cards_that_a_seat_cannot_know_change_nothing_it_sees(
    seats: int, seat: int, seed: int, cut: int
) -> None:
    """Up to any moment: the others hold, threw and would draw other cards, and act as before."""
    seat, secret, chance = seat % seats, seed.to_bytes(32), Chance(seed)
    one = Witness(seats, seat, Dealing(secret, 0))
    decisions: list[Decision] = []
    while one.hand.kind is not Kind.OVER and len(decisions) < cut:
        decisions.append(chance.decide(one.hand))
        one.decide(decisions[-1])
    labels = swap_of(one.unknown(), seed)
    other = Witness(seats, seat, Swapped(secret, labels))
    for decision in decisions:
        same = relabelled(decision, labels)
        if other.hand.refuse(same):
            break  # the other cards do not allow the same public act
        other.decide(same)
    else:
        assert other.seen == one.seen
    assert other.seen == one.seen[: len(other.seen)]
