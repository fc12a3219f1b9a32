"""Writes its environment, folder, arguments and standard input to the file named first, then waits."""

import json
import os
import signal
import sys
from pathlib import Path

seen = {
    "env": dict(os.environ),
    "cwd": str(Path.cwd()),
    "args": sys.argv[2:],
    "stdin": sys.stdin.read(),
    "sigint": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
}
draft = Path(f"{sys.argv[1]}.draft")
draft.write_text(json.dumps(seen))
draft.replace(sys.argv[1])
signal.pause()
