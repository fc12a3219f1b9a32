"""Where output goes: a terminal gets colour and its own width, anything else plain text."""

from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

PLAIN_WIDTH = 160


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """What to do is decided where all errors are, not here by ending the process."""
        raise BrokenPipeError


def console_on(stream: TextIO) -> Console:
    """A console on a stream. It takes no markup and no emoji names: texts may come from bots."""
    width = None if stream.isatty() else PLAIN_WIDTH
    return _Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def table_for(console: Console) -> Table:
    """An empty table: lines on a terminal, blanks elsewhere."""
    return Table(box=SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="bold")
