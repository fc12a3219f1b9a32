"""What `bourre run` asks of the part that plays."""

from dataclasses import dataclass
from pathlib import Path

from bourre_server.cli.config_file import TournamentFile


@dataclass(frozen=True)
class RunRequest:
    """A tournament to be played, or gone on with, into the result file `out`.

    `json`: standings as JSON on stdout, and no progress. `listen`: "HOST:PORT" for external bots;
    None where the file before decides. `accept_changed_bots`: go on although a program is not what
    it was.
    """

    tournament: TournamentFile
    out: Path
    json: bool = False
    listen: str | None = None
    accept_changed_bots: bool = False
