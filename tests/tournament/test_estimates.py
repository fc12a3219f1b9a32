"""Half-widths against numbers worked out by hand, with t(.975) = 12.7062 at 1 and 4.30265 at 2 degrees."""

import pytest
from bourre_server.tournament.estimates import Estimate, estimate
from bourre_server.tournament.results import MatchResult


def test_the_interval_is_students_t_over_blocks() -> None:
    """Mean 2, standard deviation 1, so 4.30265 / sqrt(3)."""
    chips = Estimate({1: 1.0, 2: 2.0, 3: 3.0})
    assert chips.mean == 2.0
    assert chips.half_width == pytest.approx(2.48414, abs=1e-5)


@pytest.mark.parametrize(("by_block", "mean"), [({}, None), ({7: 0.25}, 0.25)])
def test_there_is_no_interval_below_two_blocks(by_block: dict[int, float], mean: float | None) -> None:
    chips = Estimate(by_block)
    assert (chips.mean, chips.half_width) == (mean, None)
    assert not chips.is_apart_from(Estimate({1: 9.0, 2: 9.0}))


def test_a_block_mean_is_chips_per_hand_over_its_rotations() -> None:
    """Entrant 0 wins 840 + 2520 units in 4 + 4 hands: half an ante a hand."""
    rotations = [
        MatchResult(1, 1, 0, (0, 1), 4, (840, -840), (4, 4), (0, 0), (0, 0), (False, False)),
        MatchResult(2, 1, 1, (1, 0), 4, (-2520, 2520), (4, 4), (0, 0), (0, 0), (False, False)),
    ]
    assert [chips.by_block for chips in estimate(3, rotations)] == [{1: 0.5}, {1: -0.5}, {}]


# Differences 1, 2, 3 in shared blocks: mean 2, half-width 2.48414. Shifted by 0.5 the mean exceeds it.
@pytest.mark.parametrize(("shift", "apart"), [(0.0, False), (0.48, False), (0.49, True)])
def test_in_shared_blocks_the_difference_is_paired(shift: float, apart: bool) -> None:
    """Whatever the blocks add to both cancels out."""
    noise = {1: 50.0, 2: -70.0, 3: 11.0}
    ahead = Estimate({block: value + block + shift for block, value in noise.items()})
    behind = Estimate(noise)
    assert ahead.is_apart_from(behind) is apart
    assert behind.is_apart_from(ahead) is apart


# Variances of the means 1/3 each: half-width 4.30265 * sqrt(2/3) = 3.51310.
@pytest.mark.parametrize(("difference", "apart"), [(3.51, False), (3.52, True)])
def test_where_they_never_met_the_variances_add(difference: float, apart: bool) -> None:
    first = Estimate({1: 1.0, 2: 2.0, 3: 3.0})
    second = Estimate({4: 1.0 + difference, 5: 2.0 + difference, 6: 3.0 + difference})
    assert first.is_apart_from(second) is apart


@pytest.mark.parametrize(("difference", "apart"), [(0.0, False), (0.1, True)])
def test_identical_differences_have_width_zero(difference: float, apart: bool) -> None:
    first = Estimate({1: 0.1, 2: 0.7, 3: -0.2})
    second = Estimate({block: value + difference for block, value in first.by_block.items()})
    assert first.is_apart_from(second) is apart
