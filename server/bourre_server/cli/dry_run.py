"""`bourre run --dry-run`: what would be played."""

import json
import sys

from rich.table import Table
from rich.text import Text

from bourre_server.cli.config import Configuration
from bourre_server.cli.config_file import TournamentFile
from bourre_server.cli.console import console_on, table_for
from bourre_server.cli.exits import Exit
from bourre_server.cli.text import plain


def show_plan(tournament: TournamentFile, as_json: bool) -> int:
    """Print the plan of a tournament on stdout."""
    configuration = tournament.configuration
    figures = _figures(configuration)
    if as_json:
        bots = [{"name": bot.name, "processes": configuration.instances(bot)} for bot in configuration.bots]
        sys.stdout.write(json.dumps({**figures, "bots": bots}, indent=2, ensure_ascii=False) + "\n")
        return Exit.DONE
    console = console_on(sys.stdout)
    console.print(Text(plain(configuration.tournament.name), style="bold"))
    console.print(_table(table_for(console), tournament))
    for name, figure in figures.items():
        console.print(Text(f"{name.replace('_', ' ')}: {figure:,}"))
    return Exit.DONE


def _figures(configuration: Configuration) -> dict[str, int]:
    schedule, rules = configuration.schedule, configuration.tournament
    return {
        "entrants": len(configuration.bots),
        "processes": configuration.processes,
        "tables": min(configuration.tables, len(schedule)),
        "blocks": schedule.blocks,
        "matches": len(schedule),
        "hands": len(schedule) * rules.hands,
        "meetings_per_pair": schedule.meetings,
    }


def _table(table: Table, tournament: TournamentFile) -> Table:
    table.add_column("bot", no_wrap=True)
    table.add_column("processes", justify="right")
    table.add_column("command")
    for bot, program in zip(tournament.configuration.bots, tournament.programs, strict=True):
        command = "external" if program is None else " ".join(program.argv)
        table.add_row(
            Text(plain(bot.name)), f"{tournament.configuration.instances(bot)}", Text(plain(command))
        )
    return table
