"""The page of every key, and the files that come with it."""

from pathlib import Path

import pytest
from bourre_server.cli.config_file import read_tournament
from bourre_server.cli.reference import reference

FOLDER = Path(__file__).parents[2] / "tournaments"


def test_the_page_is_what_the_model_says() -> None:
    """If not: python -m bourre_server.cli.reference > tournaments/README.md"""
    assert (FOLDER / "README.md").read_text() == reference()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.name)
def test_the_ready_tournaments_are_valid(path: Path) -> None:
    tournament = read_tournament(path, {})
    assert all(tournament.programs)
    assert path.name in reference()
