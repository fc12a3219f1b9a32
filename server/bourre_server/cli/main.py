"""The entry point of `bourre`: arguments in, an exit code out.

What a command needs is imported inside it, so that `bourre --help` answers at once.
"""

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from bourre_server.cli.exits import CommandError, Exit
from bourre_server.cli.text import plain
from bourre_server.storage.errors import StorageError, StorageFullError


def _lines(*lines: str) -> str:
    """The lines of an epilog."""
    return "\n".join(lines)


_EXAMPLES = _lines(
    "[bold]Examples[/bold]",
    "  bourre run tournaments/quickstart.toml",
    "  bourre standings quickstart.db",
    "  bourre replay quickstart.db 17 --hand 3",
    " ",
    "[bold]Exit codes[/bold]",
    *(f"  {code.value:>3}  {code.sentence}" for code in Exit),
)
_RUN_EXAMPLES = _lines(
    "[bold]Examples[/bold]",
    "  bourre run tournaments/quickstart.toml               play it, or go on with it",
    "  bourre run tournaments/quickstart.toml --dry-run     only say what would be played",
    "  bourre run t.toml --seed 7 --out seven.db            decks that repeat, in a file of their own",
    "  bourre run t.toml --no-clock --tables 1              for a bot in a debugger",
    "  bourre run t.toml --listen 0.0.0.0:50051             wait for external bots",
    "  bourre run t.toml --json > standings.json            for programs",
)
_STANDINGS_EXAMPLES = _lines(
    "[bold]Examples[/bold]",
    "  bourre standings quickstart.db",
    "  bourre standings quickstart.db --json | jq '.standings[0].name'",
)
_REPLAY_EXAMPLES = _lines(
    "[bold]Examples[/bold]",
    "  bourre replay quickstart.db                          every match, with its faults",
    "  bourre replay quickstart.db 17                       match 17, hand by hand",
    "  bourre replay quickstart.db 17 --hand 3              hand 3 of it, card by card",
)

app = typer.Typer(
    help="Tournaments of Bourré between bots.",
    epilog=_EXAMPLES,
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ResultFile = Annotated[
    Path, typer.Argument(metavar="RESULT", help="The result file of a run, such as quickstart.db.")
]
Json = Annotated[bool, typer.Option("--json", help="JSON on stdout, nothing else.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"bourre {version('bourre-server')}")
        raise typer.Exit


def _check_address(value: str | None) -> str | None:
    if value is None or re.fullmatch(r"([\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}", value):
        return value
    raise typer.BadParameter("allowed: HOST:PORT, such as 0.0.0.0:50051 or [::]:50051")


@app.callback()
def _top(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command(epilog=_RUN_EXAMPLES)
def run(  # noqa: PLR0913 - a parameter for each option of the command line
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The tournament file.")],
    json: Json = False,
    tables: Annotated[int | None, typer.Option(min=1, max=65_536, help="Matches at once.")] = None,
    seed: Annotated[str | None, typer.Option(help="Makes the decks repeat, and so predictable.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The result file; by default FILE's name with .db, in this folder.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be played; write nothing.")
    ] = False,
    no_clock: Annotated[bool, typer.Option("--no-clock", help="Let bots think for ever.")] = False,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            callback=_check_address,
            help="Where external bots connect; prints their tokens.",
        ),
    ] = None,
    accept_changed_bots: Annotated[
        bool, typer.Option("--accept-changed-bots", help="Go on although a bot's program has changed.")
    ] = False,
) -> int:
    """Play a tournament; the same command again goes on where it stopped."""
    from bourre_server.cli.config_file import read_tournament
    from bourre_server.cli.request import RunRequest

    overrides: dict[tuple[str, str], object] = {}
    if tables is not None:
        overrides["tournament", "tables"] = tables
    if seed is not None:
        overrides["tournament", "seed"] = seed
    if no_clock:
        overrides["time", "control"] = "none"
    tournament = read_tournament(file, overrides)
    if dry_run:
        from bourre_server.cli.dry_run import show_plan

        return show_plan(tournament, json)
    from bourre_server.cli.compose import play

    return play(RunRequest(tournament, out or Path(f"{file.stem}.db"), json, listen, accept_changed_bots))


@app.command(epilog=_STANDINGS_EXAMPLES)
def standings(result: ResultFile, json: Json = False) -> int:
    """Show the standings of a run, also while it is running."""
    from bourre_server.cli.reports import show_standings

    return show_standings(result, json)


@app.command(epilog=_REPLAY_EXAMPLES)
def replay(
    result: ResultFile,
    match: Annotated[int | None, typer.Argument(metavar="MATCH", min=1, help="A match's number.")] = None,
    hand: Annotated[int | None, typer.Option(min=1, help="A hand of it.")] = None,
) -> int:
    """Show the matches of a run, one match, or one hand with all its cards."""
    from bourre_server.cli.reports import show_replay

    return show_replay(result, match, hand)


def main() -> None:
    """Run `bourre` with the arguments of this process, and end the process with the exit code."""
    sys.exit(invoke(sys.argv[1:]))


def invoke(arguments: list[str]) -> int:
    """Run `bourre`; every expected error becomes one line on stderr and an exit code."""
    try:
        code = app(arguments or ["--help"], prog_name="bourre", standalone_mode=False)
        sys.stdout.flush()
    except CommandError as error:
        return _fail(str(error), error.exit_code)
    except typer.TyperException as error:
        return _fail(f"{error.format_message()} (see bourre --help)", Exit.BAD_INPUT)
    except StorageError as error:
        full = isinstance(error, StorageFullError)
        return _fail(str(error), Exit.BROKEN if full else Exit.RESULT_REFUSED)
    except BrokenPipeError:
        _drop_output()
        return Exit.PIPE_CLOSED
    except OSError as error:
        _drop_output()
        return _fail(str(error), Exit.BROKEN)
    return int(code or Exit.DONE)


def _drop_output() -> None:
    """Python flushes stdout once more on its way out, and would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(line: str, code: Exit) -> int:
    sys.stderr.write(f"bourre: {plain(line)}\n")
    return code
