import pytest
from bourre_server.ratings.elo import expected, update
from hypothesis import given
from hypothesis import strategies as st


def test_the_well_known_example() -> None:
    """1613 at K = 32 a pair loses to 1609, draws 1477, beats 1388 and 1586, loses to 1720."""
    updated = update((1613, 1609, 1477, 1388, 1586, 1720), (0, 1, 0, -1, -1, 1), k=5 * 32)
    assert updated[0] == pytest.approx(1601.2699, abs=1e-4)


def test_an_upset() -> None:
    assert update((800, 1200), (1, -1), k=10) == pytest.approx([809.091, 1190.909], abs=1e-3)


@pytest.mark.parametrize(("rating", "opponent", "score"), [(1500, 1500, 0.5), (1900, 1500, 10 / 11)])
def test_400_points_are_ten_to_one(rating: float, opponent: float, score: float) -> None:
    assert expected(rating, opponent) == pytest.approx(score)


@given(st.lists(st.tuples(st.integers(500, 2500), st.integers(-9, 9)), min_size=2, max_size=8))
def test_points_move_and_are_never_made(table: list[tuple[int, int]]) -> None:
    ratings, chips = zip(*table, strict=True)
    updated = update(ratings, chips)
    assert sum(updated) == pytest.approx(sum(ratings))
    assert all(abs(new - old) <= 16.0 for new, old in zip(updated, ratings, strict=True))
