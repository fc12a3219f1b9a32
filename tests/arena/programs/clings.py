"""Ignores every signal it can, as do a child in its group, one in a session of its own, and a daemon.

The daemon is a grandchild whose parent has exited.

Appends the pid of each of the four to the file named by its argument.
"""

import os
import signal
import sys


def cling() -> None:
    with open(sys.argv[1], "a") as file:  # noqa: PTH123 - one line at a time, appended by several processes
        file.write(f"{os.getpid()}\n")
    while True:
        signal.pause()


for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, signal.SIG_IGN)
if not os.fork():
    cling()
if not os.fork():
    os.setsid()
    cling()
daemon = os.fork()
if not daemon:
    os.setsid()
    if not os.fork():
        cling()
    os._exit(0)
os.waitpid(daemon, 0)
cling()
