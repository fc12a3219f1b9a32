"""Ignores every signal it can, with a child in its group and a daemonised grandchild that do the same.

Appends the pid of each of the three to the file named by its argument.
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
    if not os.fork():
        cling()
    os._exit(0)
os.wait()
cling()
