from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from bourre_server.tournament.results import MatchResult
from bourre_server.tournament.standings import Standing, standings
from hypothesis import given
from hypothesis import strategies as st

NAMES = ("ada", "bob", "cy")


def duel(number: int, seating: tuple[int, int], antes: int) -> MatchResult:
    """A block of one match over four hands; the first seat wins so many antes, and goes bourré once."""
    won = 840 * antes
    return MatchResult(number, number, 0, seating, 4, (won, -won), (2, 3), (1, 0), (0, 1), (False, False))


def rate(entrants: int, results: Sequence[MatchResult]) -> list[tuple[float, float]]:
    """A stand-in that shows which results it was given, in which order."""
    return [(float(sum(result.number * 10**i for i, result in enumerate(results))), 1.0)] * entrants


def table(
    results: Sequence[MatchResult], withdrawn: Mapping[int, str] | None = None, rotations: int = 1
) -> list[Standing]:
    return standings(NAMES, results, withdrawn or {}, rotations=rotations, rate=rate)


ROUND = [
    *(duel(1, (0, 1), 4), duel(2, (1, 2), 4), duel(3, (0, 2), 12)),
    *(duel(4, (1, 0), -8), duel(5, (2, 1), -4), duel(6, (2, 0), -8)),
]


def test_a_line_says_what_happened() -> None:
    """ada wins 1, 3, 2 and 2 antes a hand: mean 2, deviation sqrt(2/3), t = 3.18245 at 3 degrees."""
    first = table(ROUND)[0]
    assert first.half_width == pytest.approx(3.18245 * (2 / 3) ** 0.5 / 2, abs=1e-5)
    assert first == Standing(
        rank=1,
        group=1,
        entrant=0,
        name="ada",
        chips_per_hand=2.0,
        half_width=first.half_width,
        mu=654321.0,
        sigma=1.0,
        blocks=4,
        matches=4,
        hands=16,
        bourre_rate=2 / 10,
        play_rate=10 / 16,
        faults=2,
        forfeits=0,
        withdrawn=None,
    )


def test_order_is_by_chips_and_groups_by_what_can_be_told_apart() -> None:
    """bob wins -1, 1, -2, 1 antes a hand and cy -1, -3, -1, -2; ada and bob overlap, ada and cy do not."""
    lines = table(ROUND)
    assert [(line.name, line.group) for line in lines] == [("ada", 1), ("bob", 1), ("cy", 2)]
    assert [line.chips_per_hand for line in lines] == [2.0, -0.25, -1.75]


@given(st.permutations(ROUND))
def test_the_order_in_which_results_arrive_changes_nothing(shuffled: list[MatchResult]) -> None:
    assert table(shuffled) == table(ROUND)


def test_equals_rank_by_index_and_share_a_group() -> None:
    draws = [duel(n, pair, 0) for n, pair in enumerate([(2, 1), (1, 0), (0, 2)] * 2, 1)]
    lines = table(draws)
    assert [(line.rank, line.entrant, line.group) for line in lines] == [(1, 0, 1), (2, 1, 1), (3, 2, 1)]
    assert {line.half_width for line in lines} == {0.0}


def test_before_any_match_there_is_an_order_and_no_numbers() -> None:
    lines = table([])
    assert [(line.rank, line.name, line.group) for line in lines] == [
        (1, "ada", 1),
        (2, "bob", 1),
        (3, "cy", 1),
    ]
    assert {(line.chips_per_hand, line.half_width, line.bourre_rate, line.play_rate) for line in lines} == {
        (None, None, None, None)
    }


def test_who_forfeited_a_match_ranks_below_all_who_did_not() -> None:
    forfeited = [replace(ROUND[0], forfeited=(True, False)), *ROUND[1:]]
    lines = table(forfeited)
    assert [(line.name, line.group, line.forfeits) for line in lines] == [
        ("bob", 1, 0),
        ("cy", 1, 0),
        ("ada", 2, 1),
    ]
    assert lines[-1].chips_per_hand == 2.0


def test_the_withdrawn_come_last_and_say_why() -> None:
    forfeited = [replace(ROUND[0], forfeited=(False, True)), *ROUND[1:]]
    lines = table(forfeited, {0: "never joined"})
    assert [(line.name, line.group, line.withdrawn) for line in lines] == [
        ("cy", 1, None),
        ("bob", 2, None),
        ("ada", 3, "never joined"),
    ]


def test_incomplete_blocks_count_for_matches_and_forfeits_alone() -> None:
    """Block 1 has both of its rotations, block 2 one of two."""
    complete = [replace(ROUND[0], number=1, block=1), replace(ROUND[0], number=2, block=1, rotation=1)]
    lone = replace(ROUND[2], number=3, block=2, forfeited=(False, True))
    ada, bob, cy = sorted(table([lone, *complete], rotations=2), key=lambda line: line.entrant)
    assert (ada.chips_per_hand, ada.blocks, ada.matches, ada.hands) == (1.0, 1, 3, 12)
    assert (bob.chips_per_hand, bob.blocks, bob.matches) == (-1.0, 1, 2)
    assert (cy.chips_per_hand, cy.blocks, cy.matches, cy.forfeits) == (None, 0, 1, 1)
    assert ada.mu == 21.0
