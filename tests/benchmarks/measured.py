"""What a measurement is, and the processes that take part in it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median

import psutil

# A program's arguments, and what is added to its environment.
Command = tuple[list[str], dict[str, str]]


@dataclass(frozen=True)
class Rate:
    """Events a second, and microseconds of CPU for each: of this process, and of all the others."""

    per_second: float
    own_cpu: float
    others_cpu: float


def middle(rates: Sequence[Rate]) -> Rate:
    """The median of each figure."""
    return Rate(
        median(rate.per_second for rate in rates),
        median(rate.own_cpu for rate in rates),
        median(rate.others_cpu for rate in rates),
    )


class Meter:
    """Counts from its making to `read`."""

    def __init__(self, others: Sequence[subprocess.Popen[bytes]], count: int) -> None:
        self._others = [psutil.Process(process.pid) for process in others]
        self._count = count
        self._began = time.perf_counter()
        self._own, self._theirs = time.process_time(), self._others_cpu()

    def _others_cpu(self) -> float:
        times = [process.cpu_times() for process in self._others]
        return sum(spent.user + spent.system for spent in times)

    def read(self, count: int) -> Rate:
        """The rate up to now."""
        events = max(1, count - self._count)
        seconds = time.perf_counter() - self._began
        own, theirs = time.process_time() - self._own, self._others_cpu() - self._theirs
        return Rate(events / seconds, own / events * 1e6, theirs / events * 1e6)


@contextmanager
def processes(
    commands: Sequence[tuple[list[str], dict[str, str]]],
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run programs by this interpreter; they are gone afterwards."""
    with ExitStack() as stack:
        started = []
        for arguments, environment in commands:
            process = subprocess.Popen([sys.executable, *arguments], env={**os.environ, **environment})
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
        yield started


@contextmanager
def no_idle_cores() -> Iterator[str]:
    """Keep every core awake with work that yields to all other work; gives a line that says so.

    A core that sleeps between two messages flatters nobody: it makes few messages in flight look
    slow or fast by its power settings.
    """
    if not hasattr(os, "SCHED_IDLE"):
        yield "cores may idle: this system has no idle scheduling class"
        return
    code = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nwhile True: pass"
    cores = len(os.sched_getaffinity(0))
    with processes([(["-c", code], {})] * cores):
        yield f"{cores} cores kept from idling by processes of the idle scheduling class"
