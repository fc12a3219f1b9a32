"""`bourre run`: builds the parts, joins them, and runs them to the end or to an interruption."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import trio

from bourre_server.arena.director import Conditions, Director, Parts
from bourre_server.arena.launcher import SupervisorDied, open_launcher
from bourre_server.arena.roster import Entrant, Isolation, Launch, Roster
from bourre_server.cli.exits import CommandError, Exit, TooFewEntrantsError
from bourre_server.cli.guest import run_as_guest
from bourre_server.cli.programs import Program
from bourre_server.cli.progress import open_progress
from bourre_server.cli.reports import compute_standings, write_standings
from bourre_server.cli.request import RunRequest
from bourre_server.cli.result_file import OpenedRun, open_run
from bourre_server.referee.lists import TimeControl
from bourre_server.rpc.desk import Desk
from bourre_server.rpc.server import serving
from bourre_server.storage.errors import StorageError
from bourre_server.storage.journal import Journal
from bourre_server.tournament.scheduler import Scheduler

LOOPBACK = "127.0.0.1"
ANY_PORT = f"{LOOPBACK}:0"
# Hosts to listen on that mean every interface, and so are no place to connect to.
WILDCARDS = ("0.0.0.0", "[::]")
PROGRESS_INTERVAL = 0.5


def play(request: RunRequest) -> int:
    """Play a tournament into its result file, or go on with it; the exit code.

    Raises CommandError, StorageError and OSError.
    """
    with open_run(request) as opened:
        if opened.journal is None:
            write_standings(request.tournament.configuration, opened.file, request.json)
            return Exit.DONE
        return _Run(request, opened, opened.journal).play()


class _Run:
    """One attempt to play a tournament to its end."""

    def __init__(self, request: RunRequest, opened: OpenedRun, journal: Journal) -> None:
        self._request = request
        self._configuration = request.tournament.configuration
        self._file = opened.file
        self._journal = journal
        self._tokens = opened.tokens
        self._failure: Exception | None = None
        self._signal: signal.Signals | None = None

    def play(self) -> Exit:
        """Play until no match is left or a signal comes. Raises CommandError where a part fails."""
        self._scheduler = Scheduler(
            self._configuration.schedule, self._file.settled_numbers(), self._file.withdrawn()
        )
        with open_progress(self._request.json) as self._progress:
            asyncio.run(self._serve())
            self._draw_progress()
        if self._failure is not None:
            raise CommandError(f"the run broke off: {self._failure}") from self._failure
        if self._signal is not None:
            return self._interrupted(self._signal)
        self._file.finish()
        write_standings(self._configuration, self._file, self._request.json)
        left = len(self._configuration.bots) - len(self._file.withdrawn())
        if left < self._configuration.tournament.seats:
            raise TooFewEntrantsError(
                f"{self._scheduler.void} matches were not played: a table needs"
                f" {self._configuration.tournament.seats} entrants, and {left} are left"
            )
        return Exit.DONE

    def _interrupted(self, by: signal.Signals) -> Exit:
        left = self._scheduler.left
        sys.stderr.write(f"bourre: stopped with {left} matches left; the same command goes on from here\n")
        return Exit.INTERRUPTED if by is signal.SIGINT else Exit.TERMINATED

    async def _serve(self) -> None:
        """In asyncio: the desk and its port; trio is the guest."""
        desk = Desk(self._journal.append, self._fail)
        listen = self._request.listen or self._file.header.listen or ANY_PORT
        async with serving(desk, listen) as port:
            host = listen.rpartition(":")[0]
            self._admit_externals(desk, f"{host}:{port}")
            near = LOOPBACK if host in WILDCARDS else host
            await run_as_guest(partial(self._conduct, desk, f"{near}:{port}"))

    async def _conduct(self, desk: Desk, address: str) -> None:
        """In trio: the bots and the director."""
        self._trio = trio.lowlevel.current_trio_token()
        self._scope = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            # To the end: Ctrl-C for the second time, while bots are stopped, changes nothing.
            nursery.start_soon(self._heed_signals)
            await self._play(desk, address)
            nursery.cancel_scope.cancel()

    async def _play(self, desk: Desk, address: str) -> None:
        logs = self._request.out.with_name(self._request.out.name + ".logs")
        try:
            with self._scope:
                async with open_launcher(logs) as launcher, trio.open_nursery() as nursery:
                    nursery.start_soon(self._show_progress)
                    parts = Parts(desk, launcher, self._file)
                    conditions = self._conditions(address)
                    journalled = self._unsettled_journal()
                    await Director(conditions, self._roster(), self._scheduler, parts, journalled).run()
                    nursery.cancel_scope.cancel()
        except* (SupervisorDied, StorageError, OSError) as broken:
            self._failure = self._failure or _first(broken)
        finally:
            _remove_empty(logs)

    def _unsettled_journal(self) -> dict[int, list[str]]:
        """The decisions of interrupted matches; those of settled ones are dropped from the journal."""
        settled = set(self._file.settled_numbers())
        journalled = {n: tokens for n, tokens in self._journal.read().items() if n not in settled}
        self._journal.compact(journalled)
        return journalled

    async def _heed_signals(self) -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                self._signal = signal.Signals(number)
                self._scope.cancel()

    def _fail(self, failure: Exception) -> None:
        """A part outside trio cannot go on."""
        self._failure = self._failure or failure
        self._trio.run_sync_soon(self._scope.cancel)

    async def _show_progress(self) -> None:
        """Draw how far the run is, in a thread: computing standings takes time from the referee."""
        while True:
            await trio.to_thread.run_sync(self._draw_progress)
            await trio.sleep(PROGRESS_INTERVAL)

    def _draw_progress(self) -> None:
        done, left = self._scheduler.settled, self._scheduler.left
        self._progress.update(done, done + left, partial(compute_standings, self._configuration, self._file))

    def _roster(self) -> Roster:
        configuration = self._configuration
        isolation = Isolation(configuration.tournament.isolation)
        programs = zip(configuration.bots, self._request.tournament.programs, strict=True)
        roster = Roster(tuple(Entrant(bot.name, _launch(program)) for bot, program in programs), isolation)
        if isolation is not Isolation.MATCH:
            for entrant, bot in enumerate(configuration.bots):
                for number in range(configuration.instances(bot)):
                    roster.add(entrant, number)
        return roster

    def _conditions(self, address: str) -> Conditions:
        configuration = self._configuration
        rules, time = configuration.tournament, configuration.time
        return Conditions(
            secret=self._file.header.secret,
            hands=rules.hands,
            house=configuration.house_rules.house_rules(),
            clock=TimeControl(
                budget=time.budget if time.control == "clock" else None,
                bank=time.bank,
                increment=time.increment,
                absence=time.absence,
            ),
            ask_forced=rules.ask_forced,
            forfeit_after=time.forfeit_after,
            tables=configuration.tables,
            startup=time.startup,
            address=address,
        )

    def _admit_externals(self, desk: Desk, address: str) -> None:
        """Let external bots in, and print the tokens of a new run, this once: only hashes are kept."""
        if not self._file.header.tokens:
            return
        self._file.set_listen(address)
        for instance, digest in self._file.header.tokens.items():
            desk.expect(instance, instance.rpartition("#")[0], digest)
        lines = [f"external bots connect to BOURRE_ADDRESS={address}"]
        lines += [f"  {instance}: BOURRE_TOKEN={token}" for instance, token in self._tokens.items()]
        if not self._tokens:
            lines.append("  with the tokens that were printed when this run began")
        sys.stderr.write("\n".join(lines) + "\n")


def _first(group: ExceptionGroup[Exception]) -> Exception:
    """The first of the errors that nurseries have wrapped."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, ExceptionGroup) else error


def _launch(program: Program | None) -> Launch | None:
    if program is None:
        return None
    # The port has no TLS, which an SDK would expect wherever a host is not loopback for certain.
    env = {**os.environ, "BOURRE_INSECURE": "1", **program.env}
    return Launch(program.argv, program.cwd, env, program.memory_mb)


def _remove_empty(logs: Path) -> None:
    """Most bots write nothing: what is left shows those that did."""
    for log in logs.glob("*.log"):
        if not log.stat().st_size:
            log.unlink()
    with suppress(OSError):
        logs.rmdir()
