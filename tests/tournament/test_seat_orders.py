from collections import Counter

import pytest
from bourre_server.tournament.seat_orders import seat_orders


@pytest.mark.parametrize("seats", range(2, 9))
def test_every_place_has_every_other_as_left_neighbour_equally_often(seats: int) -> None:
    orders = seat_orders(seats)
    neighbours = Counter((order[i - 1], order[i]) for order in orders for i in range(seats))
    assert all(sorted(order) == list(range(seats)) for order in orders)
    assert len(neighbours) == seats * (seats - 1)
    assert len(set(neighbours.values())) == 1
