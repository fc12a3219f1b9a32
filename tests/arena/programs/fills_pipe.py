"""Fills the largest pipe that stderr may be (Linux), last words at its end, before any of it is read.

It stops its parent, the supervisor; a child lets the supervisor go on when this process is gone.
"""

import fcntl
import os
import signal

supervisor = os.getppid()
until_exit, held_open = os.pipe()
if not os.fork():
    os.setsid()
    os.close(held_open)
    os.read(until_exit, 1)
    os.kill(supervisor, signal.SIGCONT)
    os._exit(0)
size = fcntl.fcntl(2, fcntl.F_SETPIPE_SZ, 1 << 20)
words = b"last words\n"
os.kill(supervisor, signal.SIGSTOP)
os.write(2, b"x" * (size - len(words)) + words)
os._exit(0)
