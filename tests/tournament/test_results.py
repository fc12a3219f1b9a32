from bourre_server.tournament.results import MatchResult, in_complete_blocks


def result(number: int, block: int) -> MatchResult:
    return MatchResult(number, block, 0, (0, 1), 4, (0, 0), (4, 4), (0, 0), (0, 0), (False, False))


def test_results_of_incomplete_blocks_are_left_out_and_the_rest_is_in_order() -> None:
    first, second, third, alone = result(1, 1), result(2, 1), result(3, 2), result(6, 3)
    fourth = result(4, 2)
    assert in_complete_blocks([fourth, alone, second, third, first], 2) == [first, second, third, fourth]


def test_without_duplicates_every_block_is_complete() -> None:
    first, second = result(1, 1), result(2, 2)
    assert in_complete_blocks([second, first], 1) == [first, second]
