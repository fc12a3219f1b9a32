"""No process outlives a test, not even one that failed."""

from collections.abc import Iterator

import pytest

from tests.e2e.tournament import kill_what_runs


@pytest.fixture(autouse=True)
def _clean_up() -> Iterator[None]:
    yield
    kill_what_runs()
