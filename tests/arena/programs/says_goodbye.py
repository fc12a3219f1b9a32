"""Makes the file named by its argument, and says goodbye on stdout when asked to terminate."""

import signal
import sys
from pathlib import Path
from types import FrameType


def part(_signal: int, _frame: FrameType | None) -> None:
    sys.stdout.write("goodbye\n")
    sys.exit()


signal.signal(signal.SIGTERM, part)
Path(sys.argv[1]).touch()
signal.pause()
