"""The narrow way between trio and gRPC: what the director asks of the desk, and hears from it.

The desk is where frames arrive (`rpc.desk`). The director hears of bots that come and go and of
matches that end, never of frames.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import trio

from bourre_server.referee.table import Table, TableSpec


@dataclass(frozen=True, slots=True)
class BotJoined:
    """A bot is connected. `max_tables`: how many it takes at once. `version`: what it says it is."""

    bot: str
    max_tables: int
    version: str


@dataclass(frozen=True, slots=True)
class BotLost:
    """A bot's connection is gone."""

    bot: str


@dataclass(frozen=True, slots=True)
class BotLeft:
    """A bot wants no more tables."""

    bot: str


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """A match is over; its table has the result."""

    table: Table


Notice = BotJoined | BotLost | BotLeft | MatchFinished


class Desk(Protocol):
    """The referee's desk. Bots are known by name; nothing here waits."""

    notices: trio.MemoryReceiveChannel[Notice]

    def expect(self, bot: str, entrant: str, token_digest: str) -> None:
        """Let a bot in that brings the token with this SHA-256 (hex)."""

    def open_table(self, spec: TableSpec, tokens: Iterable[str]) -> None:
        """Begin a match, or go on with one from the decisions made before."""

    def settle_block(self, block: int, seed: bytes, bots: Iterable[str]) -> None:
        """Tell those who sat in a block its seed."""

    def crash(self, bot: str, reason: str) -> None:
        """A bot's process ended."""

    def give_up(self, bot: str, reason: str) -> None:
        """A bot is gone for good: its seats play by default."""

    def dismiss(self, bot: str, reason: str, detail: str) -> None:
        """Say goodbye to a bot that has no seat, and forget it; `reason` as in the proto."""
