"""A runner: launches one clinging bot, and waits. Arguments: log folder, the bot's program, file for pids."""

import os
import sys
from pathlib import Path

import trio
from bourre_server.arena.launcher import BotSpec, open_launcher


async def run() -> None:
    async with open_launcher(Path(sys.argv[1])) as launcher:
        launcher.start(BotSpec("clings", [sys.executable, *sys.argv[2:]], Path(), dict(os.environ)))
        await trio.sleep_forever()


trio.run(run)
