"""Exits with 0, leaving a child behind in its group; appends the child's pid to the file named."""

import os
import signal
import sys
from pathlib import Path

child = os.fork()
if not child:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()
Path(sys.argv[1]).write_text(f"{child}\n")
