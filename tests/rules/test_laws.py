"""Laws that hold in every match, whatever the seats decide."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random

from bourre_server.rules.cards import ALL_CARDS, DECK, NAMES, SUIT_MASKS, cards_in, mask_of
from bourre_server.rules.decisions import PASS, PLAYS, Decision, Declare, Draw, Play
from bourre_server.rules.events import (
    CardPlayed,
    CardRetracted,
    CardsEvent,
    DealLost,
    DealSkipped,
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
from bourre_server.rules.house import CLASSIC, HouseRules
from bourre_server.rules.legality import legality
from bourre_server.rules.match import Match, Setup
from bourre_server.rules.record import Made
from bourre_server.rules.shuffle import Dealing, suit_order
from bourre_server.rules.state import PASSED, Upcard
from bourre_server.rules.view import View
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules import naive
from tests.rules.houses import houses
from tests.rules.places import Places
from tests.rules.walk import Chance, Heard, most_decisions, walk

law = settings(max_examples=40, deadline=None, database=None)
seeds = st.integers(0, 2**32)
setups = st.builds(
    lambda seats, seed, rotation, house: Setup(seats, seats, seed.to_bytes(32), rotation % seats, house),
    st.integers(2, 8),
    seeds,
    st.integers(0, 7),
    st.just(CLASSIC) | houses,
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
    skipped = [event.seat for event in events if isinstance(event, DealSkipped)]
    assert [event.hand for event in started] == list(range(1, setup.hands + 1))
    assert dealers_after(skipped, setup) == [event.dealer for event in started]
    assert len(settled) == setup.hands
    for before, after in zip(settled, started[1:], strict=False):
        assert [seat for seat, ante in enumerate(after.antes) if not ante] == list(before.exempt)
    assert isinstance(events[-1], MatchSettled)


def dealers_after(skipped: list[int], setup: Setup) -> list[int]:
    """R2, R51: who deals, where the next in turn to have lost a deal is left out."""
    dealers, lost = [], skipped.copy()
    for turn in range(setup.hands + len(skipped)):
        if lost and lost[0] == turn % setup.seats:
            lost.pop(0)
        else:
            dealers.append(turn % setup.seats)
    return dealers


@law
@given(setups, seeds)
def test_r51_a_seat_owes_at_most_one_deal(setup: Setup, seed: int) -> None:
    owing: set[int] = set()
    for event in events_of(setup, seed):
        if isinstance(event, DealLost):
            assert event.seat not in owing
            assert setup.house.loses_deals
            owing.add(event.seat)
        elif isinstance(event, DealSkipped):
            owing.remove(event.seat)
        elif isinstance(event, HandStarted):
            assert event.dealer not in owing


@law
@given(setups, seeds)
def test_same_seed_same_events(setup: Setup, seed: int) -> None:
    assert events_of(setup, seed) == events_of(setup, seed)


@law
@given(setups, seeds)
def test_52_distinct_cards_always(setup: Setup, seed: int) -> None:
    """R5, R11 to R13: `Places` finds each card where the event takes it from."""
    places = Places(setup.seats, Dealing(setup.seed, setup.rotation), setup.house)
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


def position_of(view: View, seat: int, house: HouseRules) -> naive.Position:
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
        trumps_broken=any(NAMES[card][1] == NAMES[public.upcard][1] for card in public.past),
        options=house.differences(),
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
            legal = naive.legal(position_of(views[hand.to_act], hand.to_act, setup.house))
            assert legal == {NAMES[card] for card in cards_in(hand.legal)} == accepted_plays(hand)
            assert legal
            assert all(hand.refuse(other) for other in (PASS, Declare(True), Draw()))
        else:
            assert not accepted_plays(hand)


def may_discard(match: Match) -> set[int]:
    """R11: the cards that the seat to act may discard."""
    hand, public, house = match.hand, match.public, match.setup.house
    held = set(cards_in(match.holding(hand.to_act)))
    if house.upcard_discard == "never" or (house.upcard_discard == "not_ace" and public.upcard % 13 == 12):
        held -= {public.upcard}
    return held


def must_play(match: Match) -> bool:
    """R8."""
    ace = match.public.upcard % 13 == 12
    bound = {"ace": ace, "never": False, "always": True}[match.setup.house.dealer_must_play]
    return match.hand.to_act == match.public.dealer and bound


@law
@given(setups, seeds)
def test_r6_r8_r11_a_discard_is_accepted_where_it_is_legal(setup: Setup, seed: int) -> None:
    chance = Chance(seed)
    for match, _ in walk(setup, chance):
        hand = match.hand
        if match.over or hand.kind is Kind.PLAY:
            continue
        pool = [*may_discard(match), *chance.random.sample(DECK, 2)]
        discards = tuple(chance.random.choices(pool, k=chance.random.randrange(8)))
        most = setup.house.most_discards(setup.seats)
        if hand.kind is Kind.DECLARE and setup.house.draws_later:
            most = 0
        proper = len(discards) <= most and len(set(discards)) == len(discards)
        proper = proper and set(discards) <= may_discard(match)
        declares = hand.kind is Kind.DECLARE
        assert (hand.refuse(Declare(True, discards)) is None) == (proper and declares)
        assert (hand.refuse(Draw(discards)) is None) == (proper and not declares)
        assert (hand.refuse(PASS) is None) == (declares and not must_play(match))


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
                assert all(tricks[seat] >= setup.house.majority for seat in cinches)
                tricks, cinches = [0] * setup.seats, set()
        if match.hand.kind is Kind.PLAY and not match.public.trick:
            cinches |= seats_with_a_cinch(match)


def acts(setup: Setup, seed: int) -> list[Made]:
    """The decisions of a random match."""
    chance, made = Chance(seed), []
    match = Match(setup)
    for _ in range(most_decisions(setup)):
        if match.over:
            break
        made.append(chance.make(match))
        made[-1].apply(match)
    return made


def relabelled(decision: Decision, labels: Sequence[int]) -> Decision:
    if isinstance(decision, Play):
        return PLAYS[labels[decision.card]]
    return decision._replace(discards=tuple(labels[card] for card in decision.discards))


def relabelled_made(made: Made, labels: Sequence[int]) -> Made:
    retracted = None if made.retracted is None else labels[made.retracted]
    return made._replace(decision=relabelled(made.decision, labels), retracted=retracted)


def relabelled_event(event: Event, labels: Sequence[int]) -> Event:
    if isinstance(event, CardsEvent):
        return replace(event, cards=mask_of(labels[card] for card in cards_in(event.cards)))
    if isinstance(event, CardPlayed | CardRetracted | UpcardTurned | UpcardLaidAside):
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
    for made in acts(first, seed):
        assert [relabelled_event(event, labels) for event in match.drain()] == other.drain()
        made.apply(match)
        relabelled_made(made, labels).apply(other)
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

    def __init__(self, setup: Setup, seat: int, dealing: Dealing) -> None:
        seats = setup.seats
        self.seat = seat
        self.view = View(seats, (seat,))
        self.seen: list[object] = []
        self.hand = Hand(View(seats, range(seats)), setup.house, dealing)
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
            asked = (hand.kind, hand.legal, hand.may_pass, hand.max_discards)
            self.seen.append((asked, hand.default(), reasons))

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
@given(setups, st.integers(0, 7), seeds, st.integers(0, 48))
def test_cards_that_a_seat_cannot_know_change_nothing_it_sees(
    setup: Setup, seat: int, seed: int, cut: int
) -> None:
    """Up to any moment: the others hold, threw and would draw other cards, and act as before."""
    seat, chance = seat % setup.seats, Chance(seed)
    one = Witness(setup, seat, Dealing(setup.seed, 0))
    decisions: list[Decision] = []
    while one.hand.kind is not Kind.OVER and len(decisions) < cut:
        decisions.append(chance.decide(one.hand))
        one.decide(decisions[-1])
    labels = swap_of(one.unknown(), seed)
    other = Witness(setup, seat, Swapped(setup.seed, labels))
    for decision in decisions:
        same = relabelled(decision, labels)
        if other.hand.refuse(same):
            break  # the other cards do not allow the same public act
        other.decide(same)
    else:
        assert other.seen == one.seen
    assert other.seen == one.seen[: len(other.seen)]


@law
@given(setups, st.integers(0, 7), seeds)
def test_r61_a_sealed_declaration_changes_nothing_that_others_see(setup: Setup, seat: int, seed: int) -> None:
    setup = replace(setup, house=HouseRules(declare="simultaneous", dealer_must_play="never"))
    seat, chance = seat % setup.seats, Chance(seed)
    one, other = (Witness(setup, seat, Dealing(setup.seed, 0)) for _ in range(2))
    for _ in range(setup.seats - 1):
        own = one.hand.to_act == seat
        plays = chance.random.random() < 0.5
        one.decide(Declare(plays))
        other.decide(Declare(plays if own else not plays))
        assert one.seen == other.seen
        assert vars(one.view.public) == vars(other.view.public)
