"""The bots of a run as processes and connections: started, joined, lost, ended, started again."""

import hashlib
import secrets
from typing import Protocol

import trio

from bourre_server.arena.launcher import BotSpec, Exited, Failed
from bourre_server.arena.ports import Desk
from bourre_server.arena.roster import Instance, Roster

# A process that ends so often in a row without having had a seat will not get better.
MAX_IDLE_EXITS = 3
# Seconds that a process gets to end by itself once it is not needed.
STOP_GRACE = 2.0


class Launcher(Protocol):
    """What is needed of `launcher.Launcher`."""

    exits: trio.MemoryReceiveChannel[Exited | Failed]

    def start(self, spec: BotSpec) -> None:
        """Start a bot."""

    def stop(self, bot_id: str, grace: float) -> None:
        """End a bot's process."""

    def kill(self, bot_id: str) -> None:
        """End a bot's process at once."""


class Crew:
    """Keeps the bots of a roster running and connected.

    `address`: where they connect. `startup`: seconds that a process gets until it is connected.
    Methods that answer a text answer why the bot's entrant cannot go on; None: it can.
    """

    def __init__(self, roster: Roster, desk: Desk, launcher: Launcher, address: str, startup: float) -> None:
        self._roster = roster
        self._desk = desk
        self._launcher = launcher
        self._address = address
        self._startup = startup
        self._tokens: dict[str, str] = {}

    def start(self, instance: Instance) -> None:
        """Start a bot's process, with a token of its own; its owner starts one without a launch."""
        if instance.launch is None:
            return
        token = self._tokens[instance.bot] = secrets.token_urlsafe(32)
        digest = hashlib.sha256(token.encode()).hexdigest()
        self._desk.expect(instance.bot, self._roster.entrants[instance.entrant].name, digest)
        self._launch(instance)

    def _launch(self, instance: Instance) -> None:
        launch = instance.launch
        assert launch is not None
        instance.starts += 1
        own = {"BOURRE_ADDRESS": self._address, "BOURRE_TOKEN": self._tokens[instance.bot]}
        env = {**launch.env, **own}
        self._launcher.start(BotSpec(instance.bot, launch.argv, launch.cwd, env, launch.memory_mb))

    def joined(self, instance: Instance, max_tables: int) -> None:
        """A bot is connected."""
        instance.connected = instance.joined_before = True
        instance.max_tables = max_tables

    def lost(self, instance: Instance) -> None:
        """A bot's connection is gone."""
        instance.connected = False
        instance.losses += 1

    async def overdue(self, instance: Instance) -> str | None:
        """Wait out the start-up budget; end a process that is not connected then."""
        absence = (instance.starts, instance.losses)
        await trio.sleep(self._startup)
        if instance.connected or absence != (instance.starts, instance.losses):
            return None
        if not instance.joined_before:
            return f"did not join within {self._startup:g} s of its start"
        self._launcher.kill(instance.bot)
        return None

    def ended(self, instance: Instance, ending: Exited | Failed) -> str | None:
        """A bot's process ended: start it again, unless that makes no sense."""
        reason = _sentence(ending)
        instance.connected = False
        instance.idle_exits = 0 if instance.running else instance.idle_exits + 1
        self._desk.crash(instance.bot, reason)
        if instance.idle_exits == MAX_IDLE_EXITS or isinstance(ending, Failed):
            return reason
        self._launch(instance)
        return None

    def dismiss(self, instance: Instance, reason: str, detail: str) -> None:
        """Say goodbye to a bot and end its process."""
        self._desk.dismiss(instance.bot, reason, detail)
        self._roster.remove(instance)
        if instance.launch is not None:
            self._launcher.stop(instance.bot, STOP_GRACE)


def _sentence(ending: Exited | Failed) -> str:
    """How a process ended, with the last line of its stderr."""
    tail = ending.tail.strip().splitlines() if isinstance(ending, Exited) else []
    return f"{ending.cause}: {tail[-1].strip()}" if tail else ending.cause
